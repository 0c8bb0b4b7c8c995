"""Packed inputs: zip and tar archives become a private folder, a compressed file becomes itself.

Nothing that an archive says can lead out of that folder; only regular files are taken from it.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from dragoman.errors import InputError

LIMIT = 8 * 1024**3
"""Bytes that an input may unpack to."""

MEMBERS = 200_000
"""Files that an archive may hold."""

CHUNK = 1 << 20


@contextmanager
def unpacked(path: Path, name: str) -> Iterator[Path]:
    """The folder that an archive unpacks to, or the file that a compressed file holds, while it is needed.

    A file that only looked packed is given back as it is. Raises InputError for a damaged archive
    or one that unpacks to too much.
    """
    with tempfile.TemporaryDirectory(prefix="dragoman-") as folder:
        if zipfile.is_zipfile(path) or _is_tar(path):
            _unpack(path, name, Path(folder))
            yield Path(folder)
            return
        target = Path(folder) / (path.stem or "file")
        yield target if _decompress(path, name, target) else path


def _is_tar(path: Path) -> bool:
    """`tarfile.is_tarfile`, which raises where compressed data end before they begin."""
    try:
        return tarfile.is_tarfile(path)
    except (EOFError, OSError, zlib.error, lzma.LZMAError):
        return False


def _unpack(path: Path, name: str, folder: Path) -> None:
    members = total = 0
    numbers: dict[Path, int] = {}
    try:
        for relative, size, file in _members(path):
            members += 1
            total += size
            if members > MEMBERS or total > LIMIT:
                raise InputError(f"{name}: the archive unpacks to too much; unpack what you need yourself")
            target = _free(folder.joinpath(*relative.parts), numbers)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as out:
                left = size
                while left > 0 and (chunk := file.read(min(left, CHUNK))):
                    out.write(chunk)
                    left -= len(chunk)
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        OSError,
        RuntimeError,
        NotImplementedError,
    ) as error:
        raise InputError(f"{name}: a damaged archive ({error})") from None


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


def _members(path: Path) -> Iterator[tuple[PurePosixPath, int, BinaryIO]]:
    """Every regular file of an archive: a safe path, its size, its bytes."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                relative = _safe(info.filename)
                if relative is not None and not info.is_dir():
                    with archive.open(info) as file:
                        yield relative, info.file_size, cast(BinaryIO, file)
        return
    with tarfile.open(path) as tar:
        for member in tar:
            relative = _safe(member.name)
            extracted = tar.extractfile(member) if relative is not None and member.isreg() else None
            if relative is not None and extracted is not None:
                yield relative, member.size, cast(BinaryIO, extracted)


def _safe(name: str) -> PurePosixPath | None:
    """A member's path without anything that leads out of the folder; None where nothing is left."""
    parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "..", ".", "")]
    if not parts or "\0" in name or ":" in parts[0]:
        return None
    return PurePosixPath(*parts)


def _decompress(path: Path, name: str, target: Path) -> bool:
    """Decompress a single file (`session.jsonl.gz`). False where it is none after all."""
    with path.open("rb") as raw:
        head = raw.read(6)
        raw.seek(0)
        packed: BinaryIO
        if head.startswith(b"\x1f\x8b"):
            packed = cast(BinaryIO, gzip.GzipFile(fileobj=raw))
        elif head.startswith(b"BZh"):
            packed = cast(BinaryIO, bz2.BZ2File(raw))
        elif head.startswith(b"\xfd7zXZ\x00"):
            packed = cast(BinaryIO, lzma.LZMAFile(raw))  # noqa: SIM115 - `raw` is closed above
        else:
            return False
        total = 0
        try:
            with target.open("wb") as out:
                while chunk := packed.read(65_536):
                    total += len(chunk)
                    if total > LIMIT:
                        raise InputError(f"{name}: it unpacks to too much; unpack what you need yourself")
                    out.write(chunk)
        except EOFError:  # cut short: what came before is good, and the reader reports the cut tail
            pass
        except (OSError, zlib.error, lzma.LZMAError) as error:
            raise InputError(f"{name}: damaged compressed data ({error})") from None
    return True
