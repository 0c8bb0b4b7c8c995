"""A source: what a reader is given. A file, a folder, an unpacked archive, or standard input.

Sources are only ever read. Only regular files are opened (no FIFO, device or socket; links to
regular files inside the source's own folder are followed, others only where the user named them).
"""

from __future__ import annotations

import stat
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from dragoman.errors import InputError

HEAD = 65_536
"""Bytes of a file that a format is guessed from."""

ARCHIVE_LIMIT = 8 * 1024**3
"""Bytes that an archive may unpack to."""

ARCHIVE_MEMBERS = 200_000


class Source:
    """A file or folder on disk, under the name that the user knows it by."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = path
        self.name = str(path) if name is None else name

    def __repr__(self) -> str:
        return f"Source({self.name!r})"

    @property
    def is_folder(self) -> bool:
        return self.path.is_dir()

    def label(self, path: Path) -> str:
        """How to name `path`, a file of this source or beside it, to the user."""
        if path == self.path:
            return self.name
        if self.path.is_dir() and path.is_relative_to(self.path):
            return str(PurePosixPath(self.name) / path.relative_to(self.path).as_posix())
        if path.is_relative_to(self.path.parent):
            return str(PurePosixPath(self.name).parent / path.relative_to(self.path.parent).as_posix())
        return path.name

    def head(self) -> bytes:
        """The first bytes of the file; nothing for a folder."""
        if self.is_folder:
            return b""
        with open_regular(self.path, self.name) as file:
            return file.read(HEAD)

    def read(self) -> bytes:
        """The whole file."""
        with open_regular(self.path, self.name) as file:
            return file.read()


@contextmanager
def open_regular(path: Path, name: str | None = None) -> Iterator[BinaryIO]:
    """Open a regular file for reading, or raise InputError in one line.

    The kind is looked at before opening, since merely opening a FIFO would hang.
    """
    name = str(path) if name is None else name
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(f"{name}: not a regular file")
        file = path.open("rb")
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from None
    with file:
        yield file


@contextmanager
def open_source(path: Path, name: str | None = None) -> Iterator[Source]:
    """Open what the user named: a file, a folder, a zip or tar (unpacked to a private folder), or `-`.

    Raises InputError where there is nothing to read.
    """
    shown = str(path) if name is None else name
    with ExitStack() as stack:
        if str(path) == "-":
            yield Source(_spool_stdin(stack), "-" if name is None else name)
            return
        if not path.exists():
            raise InputError(f"{shown}: no such file or folder")
        if path.is_file() and _is_archive(path):
            yield Source(_unpack(path, shown, stack), shown)
            return
        yield Source(path, shown)


def _private_folder(stack: ExitStack) -> Path:
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dragoman-")))


def _spool_stdin(stack: ExitStack) -> Path:
    folder = _private_folder(stack)
    path = folder / "stdin"
    with path.open("wb") as file:
        while chunk := sys.stdin.buffer.read(1 << 20):
            file.write(chunk)
    if _is_archive(path):
        return _unpack(path, "-", stack)
    return path


def _is_archive(path: Path) -> bool:
    """By content: a transcript that merely mentions a zip must not be taken for one."""
    try:
        with path.open("rb") as file:
            head = file.read(512)
    except OSError:
        return False
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return zipfile.is_zipfile(path)
    if head[257:262] == b"ustar" or head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")):
        return tarfile.is_tarfile(path)
    return False


def _unpack(path: Path, name: str, stack: ExitStack) -> Path:
    """Unpack the regular files of an archive into a private folder. Nothing leaves that folder."""
    folder = _private_folder(stack)
    members = total = 0
    try:
        for relative, size, file in _members(path):
            members += 1
            total += size
            if members > ARCHIVE_MEMBERS or total > ARCHIVE_LIMIT:
                raise InputError(f"{name}: the archive unpacks to too much; unpack what you need yourself")
            target = folder.joinpath(*relative.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as out:
                left = size
                while left > 0 and (chunk := file.read(min(left, 1 << 20))):
                    out.write(chunk)
                    left -= len(chunk)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{name}: a damaged archive ({error})") from None
    return folder


def _members(path: Path) -> Iterator[tuple[PurePosixPath, int, BinaryIO]]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                relative = _safe(info.filename)
                if relative is not None and not info.is_dir():
                    with archive.open(info) as file:
                        yield relative, info.file_size, file  # type: ignore[misc]
        return
    with tarfile.open(path) as tar:
        for member in tar:
            relative = _safe(member.name)
            if relative is not None and member.isreg():
                extracted = tar.extractfile(member)
                if extracted is not None:
                    yield relative, member.size, extracted  # type: ignore[misc]


def _safe(name: str) -> PurePosixPath | None:
    """A member's path without anything that leads out of the folder; None where nothing is left."""
    parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "..", ".", "")]
    if not parts or "\0" in name or ":" in parts[0]:
        return None
    return PurePosixPath(*parts)
