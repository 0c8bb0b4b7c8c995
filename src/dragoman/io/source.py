"""A source: what a reader is given. A file, a folder, an unpacked archive, or standard input.

Sources are only ever read. Only regular files are opened (no FIFO, device or socket; links to
regular files inside the source's own folder are followed, others only where the user named them).
"""

from __future__ import annotations

import io
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from dragoman.errors import InputError
from dragoman.io import reads
from dragoman.io.paths import real, written
from dragoman.model import Span
from dragoman.report import Code, Report

HEAD = 65_536
"""Bytes of a file that a format is guessed from."""

BUFFER = 65_536
"""Bytes read or written at a time: with Python's own 8 KB, going through lines takes half as long again."""

PACKED = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
TAR_MAGIC_AT = 257


class Source:
    """A file or folder on disk, under the name that the user knows it by, in valid Unicode whatever the disk has."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = path
        self.name = written(str(path) if name is None else name)
        self.damage = Report()
        """What was found wrong while it was unpacked."""
        self.named = True
        """Whether it is what the user named; else it lies in that, and is no reason to fail."""
        self.others: Callable[[Path], bool] | None = None
        """Of a folder: asked by its reader of each file that it doesn't take, whether another reader does."""

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
            return written(str(PurePosixPath(self.name) / path.relative_to(self.path).as_posix()))
        if path.is_relative_to(self.path.parent):
            return written(str(PurePosixPath(self.name).parent / path.relative_to(self.path.parent).as_posix()))
        return written(path.name)

    def taken_elsewhere(self, path: Path) -> bool:
        """Whether another reader takes a file of this folder, so that it isn't left out."""
        return self.others is not None and self.others(path)

    def head(self) -> bytes:
        """The first bytes of the file, in UTF-8 where they are text; nothing for a folder."""
        if self.is_folder:
            return b""
        with open_regular(self.path, self.name) as file:
            return as_utf8(file.read(HEAD))

    def read(self) -> bytes:
        """The whole file, in UTF-8 where it is text."""
        with open_regular(self.path, self.name) as file:
            return as_utf8(file.read())


@contextmanager
def open_regular(path: Path, name: str | None = None) -> Iterator[BinaryIO]:
    """Open a regular file for reading, or raise InputError in one line.

    The kind is looked at before opening, since merely opening a FIFO would hang.
    """
    name = str(path) if name is None else name
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{name}: not a regular file")
        file = path.open("rb", buffering=BUFFER)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from None
    reads.remember(status)
    with file:
        yield file


def is_utf16(data: bytes) -> bool:
    """Whether a text begins with the mark of UTF-16, in which PowerShell's `>` writes."""
    return data.startswith((b"\xff\xfe", b"\xfe\xff"))


def as_utf8(data: bytes) -> bytes:
    """A text in UTF-8, whichever of the two it was in."""
    return data.decode("utf-16", errors="replace").encode(errors="replace") if is_utf16(data) else data


@contextmanager
def open_text(path: Path, name: str, report: Report) -> Iterator[BinaryIO]:
    """Open a regular file of text, in UTF-8; that it wasn't is reported."""
    with open_regular(path, name) as file:
        start = file.read(2)
        file.seek(0)
        if is_utf16(start):
            report.add(Code.ENCODING, Span(name, 0), "UTF-16")
            yield io.BytesIO(as_utf8(file.read()))
        else:
            yield file


def read_text(path: Path, errors: str = "strict") -> str:
    """A text file of the user's own, without the mark that some editors put at its beginning. Raises InputError."""
    with open_regular(path) as file:
        data = file.read()
    try:
        return data.decode("utf-8-sig", errors).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not in UTF-8 ({error})") from None


@contextmanager
def open_source(path: Path, name: str | None = None) -> Iterator[Source]:
    """Open what the user named: a file, a folder, something packed (unpacked to a private folder), or `-`.

    Raises InputError where there is nothing to read.
    """
    shown = written(str(path) if name is None else name)
    with ExitStack() as stack:
        if shown == "-":
            path = _spool_stdin(stack)
        elif not path.exists():
            raise InputError(f"{shown}: no such file or folder")
        else:
            reads.remember(path.stat())
        damage = Report()
        if path.is_file() and _looks_packed(path):
            from dragoman.io import archive

            path = stack.enter_context(archive.unpacked(path, shown, damage))
        if path.name in ("", ".."):  # `.`: what lies beside it goes by its name
            path = real(path)
        source = Source(path, shown)
        source.damage = damage
        yield source


def _looks_packed(path: Path) -> bool:
    """By content: a transcript that merely mentions a zip must not be taken for one."""
    try:
        with path.open("rb") as file:
            head = file.read(TAR_MAGIC_AT + 5)
    except OSError:
        return False
    return head.startswith(PACKED) or head[TAR_MAGIC_AT:] == b"ustar"


def _spool_stdin(stack: ExitStack) -> Path:
    import tempfile

    path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dragoman-"))) / "stdin"
    with path.open("wb") as file:
        while chunk := sys.stdin.buffer.read(1 << 20):
            file.write(chunk)
    return path
