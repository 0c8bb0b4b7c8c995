"""A target: where a writer puts files. They appear whole, all together, or not at all.

Every file is first written to a private temporary (mode 0600) beside its final place, checked,
synced, and then linked to its name; an existing file is never replaced unless the user asked.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from dragoman.errors import OutputError, UsageError
from dragoman.io import reads
from dragoman.io.paths import real
from dragoman.io.source import BUFFER

Check = Callable[[str, bytes], None]
"""Sees a file's name and bytes before anything is committed; raises to stop it all."""


Progress = Callable[[int, int], None]
"""Told by a writer that takes long: how much is done, and of how much."""


class Target:
    """Collects the files of one conversion.

    `destination` is a file (the main one; others go beside it), a folder (ends with a slash or
    exists), or None for `stream` (standard output where that isn't given), where only the main
    file can go.
    """

    def __init__(self, destination: Path | None, *, force: bool = False, stream: BinaryIO | None = None) -> None:
        self.destination = destination
        self.stream = stream
        self.device: Path | None = None
        """A device or a pipe that stands for standard output."""
        self.force = force
        self.progress: Progress | None = None
        self.is_folder = destination is not None and destination.is_dir()
        self.beside: list[Path] = []
        """Further files that will be written after these: none of these may lie in their place."""
        self.names: list[str] = []
        """Of the files so far, in the order in which they were opened."""
        self._spooled: dict[str, tuple[Path, BinaryIO]] = {}
        self._main: str | None = None
        self.mains: dict[str, None] = {}
        """Those of them that are a session's main file."""
        self._numbers: dict[str, int] = {}  # the last one given to each name

    @classmethod
    def folder(cls, destination: Path, *, force: bool = False) -> Target:
        """A target for a folder, made (0700) when something is committed to it."""
        target = cls(destination, force=force)
        target.is_folder = True
        return target

    @classmethod
    def at(cls, destination: Path, *, force: bool = False) -> Target:
        """A target for what the user names: a file or a folder, or a device or a pipe, which is written to like a stream."""
        if not is_device(destination):
            return cls(destination, force=force)
        target = cls(None)
        target.device = destination
        return target

    @property
    def to_stdout(self) -> bool:
        return self.destination is None

    @property
    def main_name(self) -> str | None:
        """The main file's name where the user chose it, else None: the writer chooses."""
        return None if self.destination is None or self.is_folder else self.destination.name

    @property
    def holds_side_files(self) -> bool:
        """False where only one stream can go out."""
        return not self.to_stdout

    @property
    def holds_anything(self) -> bool:
        """Whether it is a folder in which something lies already."""
        return (
            self.is_folder
            and self.destination is not None
            and self.destination.is_dir()
            and any(self.destination.iterdir())
        )

    def begin(self) -> None:
        """A further session begins: in a folder, its main file is another one, whatever its name."""
        if self.is_folder:
            self._main = None

    def main(self, name: str) -> BinaryIO:
        """The stream of the session's main file. `name` is used where the user has not chosen one.

        In a folder a name that another session of this run has taken gets a number.
        """
        return self.open(self.settle(name))

    def settle(self, name: str) -> str:
        """The name that `main` gives the session's main file: what lies beside it is called after that."""
        if self._main is None:
            self._main = self.main_name or self._free(name)
            self.mains[self._main] = None
        return self._main

    def _free(self, name: str) -> str:
        path = Path(name)
        free, number = name, self._numbers.get(name, 1)
        while free in self.mains or free in self._spooled:
            number += 1
            free = f"{path.stem}-{number}{path.suffix}"
        self._numbers[name] = number
        return free

    def open(self, name: str) -> BinaryIO:
        """The stream of a named file; the same one again for the same name. `name` is one or more safe parts."""
        if name not in self._spooled:
            parts = name.split("/")
            if any(part in ("", ".", "..") or "\0" in part or part.startswith("/") for part in parts):
                raise OutputError(f"refusing to write a file named {name!r}")
            self._spooled[name] = self._temporary(name)
            self.names.append(name)
        return self._spooled[name][1]

    def written(self, name: str) -> Path | None:
        """The temporary that holds a file's bytes so far (flushed); None where no such file was opened."""
        if name not in self._spooled:
            return None
        path, stream = self._spooled[name]
        stream.flush()
        return path

    def files(self) -> Iterator[tuple[str, Path]]:
        """Every file so far: its name, and the temporary that holds its bytes (flushed)."""
        for name, (path, stream) in self._spooled.items():
            stream.flush()
            yield name, path

    def place(self, name: str) -> Path | None:
        """Where a file will lie; None for standard output."""
        if self.destination is None:
            return None
        if self.is_folder:
            return self.destination.joinpath(*name.split("/"))
        return self.destination.parent.joinpath(*name.split("/"))

    def refuse_taken(self, names: Iterable[str]) -> None:
        """Raise OutputError where files of these names exist that may not be replaced; all are counted."""
        if self.to_stdout or self.force:
            return
        wanted = [(name, place) for name in dict.fromkeys(names) if (place := self.place(name)) is not None]
        taken = [(name, place) for name, place in wanted if os.path.lexists(place)]
        if taken:
            raise OutputError(self._taken(*taken[0], len(taken), len(wanted)))

    def _taken(self, name: str, place: Path, count: int = 1, of: int = 1) -> str:
        """Why a file can't be put where one of `count` lies already."""
        if self.is_folder and count > 1:
            which = f"all {count}" if count == of else f"{count} of the {of}"
            return (
                f"{self.destination}: {which} files exist already, {name} first; --force replaces them, "
                "another folder leaves them"
            )
        if self.is_folder or name == self.main_name:
            return f"{place}: exists already; --force replaces it"
        more = f" (and {count - 1} more)" if count > 1 else ""
        return f"{place}{more}: exists already, and belongs beside {self.main_name}; --force replaces it, another folder leaves it"

    def commit(self, check: Check | None = None) -> list[Path]:
        """Check every file, then put all of them in place. Returns where they lie.

        Raises OutputError where a name is taken or the disk says no; what was already put in place
        by this call is taken back then. UsageError where a file would lie in the place of an input,
        or of one of those beside.
        """
        self._refuse_collisions()
        for name, path in self.files():
            if check is not None:
                check(name, path.read_bytes())
        if self.to_stdout:
            self._copy_out()
            return []
        self.refuse_taken(self._spooled)
        placed: list[Path] = []
        try:
            for name, (path, stream) in self._spooled.items():
                final = self.place(name)
                assert final is not None
                stream.flush()
                os.fsync(stream.fileno())
                stream.close()
                make_folder(final.parent)
                self._put(path, name, final)
                placed.append(final)
        except OSError as error:
            self._take_back(placed)
            raise OutputError(f"{error.filename or self.destination}: {error.strerror or error}") from None
        except OutputError:
            self._take_back(placed)
            raise
        self._spooled.clear()
        return placed

    def _refuse_collisions(self) -> None:
        finals = [final for name in self._spooled if (final := self.place(name)) is not None]
        for path in [*finals, *self.beside]:
            if reads.is_input(path):
                raise UsageError(f"{path} is an input; inputs are only ever read")
        if self.beside:
            taken = {real(final) for final in finals}
            above = {folder for final in taken for folder in final.parents}
            for path in self.beside:
                place = real(path)
                if place in above or not taken.isdisjoint((place, *place.parents)):
                    raise UsageError(f"{path} is named for two outputs")

    def discard(self) -> None:
        """Leave nothing behind."""
        for path, stream in self._spooled.values():
            with contextlib.suppress(OSError):
                stream.close()
            with contextlib.suppress(OSError):
                path.unlink()
        self._spooled.clear()

    def _take_back(self, placed: list[Path]) -> None:
        if not self.force:  # with force, what stood there before is gone already: keep the new one
            for path in placed:
                with contextlib.suppress(OSError):
                    path.unlink()

    def _temporary(self, name: str) -> tuple[Path, BinaryIO]:
        final = self.place(name)
        folder = _temporary_folder() if final is None else _nearest(final.parent)
        path = folder / f".dragoman-{os.urandom(8).hex()}.tmp"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise OutputError(f"{folder}: {error.strerror}") from None
        return path, os.fdopen(descriptor, "w+b", buffering=BUFFER)

    def _put(self, temporary: Path, name: str, final: Path) -> None:
        if self.force:
            temporary.replace(final)
            return
        try:
            os.link(temporary, final)  # fails where the name is taken, unlike rename
        except FileExistsError:
            raise OutputError(self._taken(name, final)) from None
        except OSError:  # no hard links here (FAT, some network mounts)
            try:
                os.close(os.open(final, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:
                raise OutputError(self._taken(name, final)) from None
            temporary.replace(final)
            return
        temporary.unlink()

    def _copy_out(self) -> None:
        if self.device is None:
            self._copy_to(self.stream or sys.stdout.buffer)
        else:
            try:
                with self.device.open("wb") as device:
                    self._copy_to(device)
            except OSError as error:
                raise OutputError(f"{self.device}: {error.strerror or error}") from None
        self.discard()

    def _copy_to(self, out: BinaryIO) -> None:
        for name, (path, stream) in self._spooled.items():
            if name == self._main or self._main is None:
                stream.flush()
                with path.open("rb") as file:
                    while chunk := file.read(1 << 20):
                        out.write(chunk)
                out.flush()


def is_device(path: Path) -> bool:
    """Whether something lies there that is neither a file nor a folder: a device, or a pipe."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents, for this user only (`mkdir` makes parents for everybody). Raises OSError."""
    missing = []
    above = folder
    while not above.exists() and above != above.parent:
        missing.append(above)
        above = above.parent
    for each in [*reversed(missing), folder]:
        each.mkdir(mode=0o700, exist_ok=True)


def _temporary_folder() -> Path:
    import tempfile  # costs more than all of this file, and only standard output needs it

    return Path(tempfile.gettempdir())


def _nearest(folder: Path) -> Path:
    """The folder itself or its nearest parent that exists: a rename from there stays on one disk."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder
