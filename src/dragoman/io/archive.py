"""Packed inputs: zip and tar archives become a private folder, a compressed file becomes itself.

Nothing that an archive says can lead out of that folder; only regular files are taken from it. What is damaged,
or can't be put there, is reported, and the rest goes on.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import re
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, cast

from dragoman.errors import InputError
from dragoman.io.paths import written
from dragoman.model import Span
from dragoman.report import Code, Report

LIMIT = 8 * 1024**3
"""Bytes that an input may unpack to."""

MEMBERS = 200_000
"""Files that an archive may hold."""

CHUNK = 1 << 16
"""Bytes taken at a time: so much of what comes before damage can be lost with it."""

_FAULTS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    ValueError,
)
"""What the standard library raises on damage, encryption, and ways of packing that it doesn't know."""

_Member = tuple[PurePosixPath, int, Callable[[], IO[bytes]]]
"""A safe path, a size, and what opens it."""


@contextmanager
def unpacked(path: Path, name: str, damage: Report) -> Iterator[Path]:
    """The folder that an archive unpacks to, or the file that a compressed file holds, while it is needed.

    A file that only looked packed is given back as it is. `damage` hears what couldn't be unpacked. Raises InputError
    for an archive out of which nothing comes, or one that unpacks to too much.
    """
    with tempfile.TemporaryDirectory(prefix="dragoman-") as scratch:
        folder = Path(scratch) / "unpacked"
        folder.mkdir()
        if zipfile.is_zipfile(path):
            _unpack(_of_zip(path), name, folder, damage)
            yield folder
            return
        plain = path
        if not _is_tar(path):
            plain = Path(scratch) / (path.stem or "file")
            if plain == folder:
                plain = plain.with_name("file")
            if not _decompress(path, name, plain, damage):
                yield path
                return
        if _is_tar(plain):
            _unpack(_of_tar(plain), name, folder, damage)
            if plain != path:
                plain.unlink()
            yield folder
            return
        yield plain


def _is_tar(path: Path) -> bool:
    """Whether it is a tar archive, not compressed."""
    try:
        with tarfile.open(path, "r:"):
            return True
    except (tarfile.TarError, EOFError, OSError, ValueError):
        return False


def _unpack(members: Iterator[_Member], name: str, folder: Path, damage: Report) -> None:
    count = total = kept = 0
    numbers: dict[Path, int] = {}
    problem = ""
    try:
        for relative, size, opened in members:
            count += 1
            total += size
            if count > MEMBERS or total > LIMIT:
                raise InputError(f"{name}: the archive unpacks to too much; unpack what you need yourself")
            try:
                target = _free(folder.joinpath(*relative.parts), numbers)
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as out:
                    try:
                        with opened() as file:
                            _copy(file, out.write, size)
                    except _FAULTS:
                        if out.tell():
                            kept += 1
                        else:
                            target.unlink()
                        raise
                kept += 1
            except _FAULTS as error:
                problem = problem or _said(error)
                damage.add(Code.PACKED_UNREADABLE, Span(written(f"{name}/{relative}"), 0), _said(error))
    except _FAULTS as error:  # there is no going on to the next one
        problem = problem or _said(error)
        damage.add(Code.PACKED_UNREADABLE, Span(name, 0), _said(error))
    if problem and not kept:
        raise InputError(f"{name}: a damaged archive ({problem})")


def _copy(file: IO[bytes], write: Callable[[bytes], object], most: int) -> None:
    """Everything up to `most` bytes. What was read before an error is written before it is raised."""
    while most > 0 and (chunk := cast(bytes, file.read1(min(most, CHUNK)))):  # type: ignore[attr-defined]
        write(chunk)
        most -= len(chunk)


def _said(error: Exception) -> str:
    """What is wrong, without any name out of the archive. Raises it again where the fault is this machine's."""
    if isinstance(error, OSError) and error.errno is not None:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.EIO):
            raise error
        return (error.strerror or "can't be written").lower()
    if isinstance(error, EOFError):
        return "cut short"
    if isinstance(error, NotImplementedError):
        return "packed in a way that isn't known here"
    return "encrypted" if isinstance(error, RuntimeError) else "damaged data"


def _free(path: Path, numbers: dict[Path, int]) -> Path:
    """The path, or with a number where a member of the same name stands already: archives may hold one twice.

    `numbers` remembers the last one of each name, for looking from there on.
    """
    number, free = numbers.get(path, 1), path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    numbers[path] = number
    return free


def _of_zip(path: Path) -> Iterator[_Member]:
    """Every file of a zip archive."""
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            relative = _safe(info.filename)
            if relative is not None and not info.is_dir():
                yield relative, info.file_size, lambda info=info: archive.open(info)  # type: ignore[misc]


def _of_tar(path: Path) -> Iterator[_Member]:
    """Every regular file of a tar archive. Raises where headers end in something else than what ends an archive."""
    with tarfile.open(path, "r:") as tar:
        for member in tar:
            relative = _safe(member.name)
            if relative is not None and member.isreg():
                yield relative, member.size, lambda member=member: cast(IO[bytes], tar.extractfile(member))  # type: ignore[misc]
        assert tar.fileobj is not None
        tar.fileobj.seek(tar.offset)
        if tar.fileobj.read(tarfile.BLOCKSIZE).strip(b"\0"):
            raise tarfile.ReadError("a damaged header")


_DRIVE = re.compile(r"[A-Za-z]:")


def _safe(name: str) -> PurePosixPath | None:
    """A member's path without anything that leads out of the folder; None where nothing is left."""
    parts = PurePosixPath(name.replace("\\", "/").replace("\0", "")).parts
    parts = tuple(part for part in parts if part not in ("/", "..", ".", "") and not _DRIVE.fullmatch(part))
    return PurePosixPath(*parts) if parts else None


def _decompress(path: Path, name: str, target: Path, damage: Report) -> bool:
    """Decompress a single file (`session.jsonl.gz`), up to where it is damaged. False where it is none after all."""
    with path.open("rb") as raw:
        head = raw.read(6)
        raw.seek(0)
        packed: IO[bytes]
        if head.startswith(b"\x1f\x8b"):
            packed = cast(IO[bytes], gzip.GzipFile(fileobj=raw))
        elif head.startswith(b"BZh"):
            packed = cast(IO[bytes], bz2.BZ2File(raw))
        elif head.startswith(b"\xfd7zXZ\x00"):
            packed = cast(IO[bytes], lzma.LZMAFile(raw))  # noqa: SIM115 - `raw` is closed above
        else:
            return False
        with target.open("wb") as out:
            try:
                _copy(packed, out.write, LIMIT + 1)
            except _FAULTS as error:
                said = _said(error)
                if not out.tell() and not isinstance(error, EOFError):
                    raise InputError(f"{name}: damaged compressed data ({said})") from None
                damage.add(Code.PACKED_UNREADABLE, Span(name, 0), said)
            if out.tell() > LIMIT:
                raise InputError(f"{name}: it unpacks to too much; unpack what you need yourself")
    return True
