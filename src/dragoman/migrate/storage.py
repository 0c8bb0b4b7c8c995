"""The target folder: one run at a time in it, and files that appear whole or not at all.

Everything is first written to a private temporary in a folder of ours inside the target, so that a
rename never leaves the file system, and synced before it gets its name.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dragoman.errors import OutputError
from dragoman.io.receipt import FOLDER
from dragoman.io.target import make_folder

_CHUNK = 1 << 20


class Storage:
    """Where the logs go, and our own folder beside them."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.folder = target / FOLDER
        self.temporaries = self.folder / "tmp"

    def log(self, clm_id: str) -> Path:
        """The file of a log."""
        return self.target / f"{clm_id}.jsonl"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folders and keep every other run out. OutputError where one is at work, or it can't be."""
        import fcntl

        try:
            for folder in (self.target, self.folder, self.temporaries):
                make_folder(folder)
            descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise OutputError(f"{error.filename or self.target}: {error.strerror or error}") from None
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise OutputError(f"{self.target}: another migration is at work there; wait until it is done") from None
            self._sweep()
            try:
                yield
            finally:
                self._sweep()  # what was under way when it failed: on a full disk it counts
        finally:
            os.close(descriptor)

    def _sweep(self) -> None:
        """Take away what an interrupted run left behind. Only ours lies there, and no other run is at work."""
        with contextlib.suppress(OSError):
            for path in self.temporaries.iterdir():
                with contextlib.suppress(OSError):
                    path.unlink()

    def temporary(self, data: bytes) -> Path:
        """A private file with these bytes, safely on the disk."""
        return write_temporary(self.temporaries, data)

    def put_new(self, temporary: Path, final: Path) -> bool:
        """Give a temporary its name. False where the name is taken: nothing is ever replaced here."""
        try:
            os.link(temporary, final)
        except FileExistsError:
            return False
        except OSError:  # no hard links here (FAT, some network mounts)
            if final.exists():
                return False
            temporary.rename(final)
            return True
        temporary.unlink()
        return True

    def put_over(self, temporary: Path, final: Path, sha256: str) -> bool:
        """Replace a file of ours that still has this hash. False where it changed meanwhile: it stays then.

        The old one keeps a second name until it is known that nobody wrote to it in between.
        """
        kept = self.temporaries / f"old-{secrets.token_hex(8)}"
        try:
            os.link(final, kept)
        except OSError:
            if hash_of(final) != sha256:
                return False
            temporary.replace(final)
            return True
        try:
            if hash_of(kept) != sha256:
                return False
            temporary.replace(final)
            if hash_of(kept) != sha256:  # written to in the very moment: theirs is worth more
                kept.replace(final)
                return False
            return True
        finally:
            kept.unlink(missing_ok=True)

    def replace_own(self, path: Path, data: bytes) -> None:
        """Replace a file that only we write."""
        self.temporary(data).replace(path)
        self.sync()

    def sync(self) -> None:
        """Make the names last too."""
        for folder in (self.target, self.folder):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                with contextlib.suppress(OSError):
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)


def write_temporary(folder: Path, data: bytes) -> Path:
    """A new private file in `folder` with these bytes, synced. Nothing is left where that fails."""
    path = folder / secrets.token_hex(12)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    return path


def hash_of(path: Path, limit: int | None = None) -> str:
    """The SHA-256 of a file's first `limit` bytes, or of all."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK if limit is None else min(_CHUNK, limit)):
            digest.update(chunk)
            if limit is not None:
                limit -= len(chunk)
    return digest.hexdigest()


def names_in(folder: Path) -> list[str]:
    """The names of what lies in a folder; none where there is no folder."""
    try:
        return [path.name for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []


def stamp(path: Path) -> tuple[int, int] | None:
    """A file's size and time of change; None where there is no file, or a link that leads to none."""
    try:
        status = path.stat()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise
    return status.st_size, status.st_mtime_ns
