"""Which files a run has read: nothing that it writes may replace one of them.

Files are known by what they are on disk, so neither a link nor another spelling of a name hides one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_read: ContextVar[set[tuple[int, int]] | None] = ContextVar("files that this run has read", default=None)


@contextmanager
def remembered() -> Iterator[None]:
    """Within it every file that is opened as an input is remembered."""
    token = _read.set(set())
    try:
        yield
    finally:
        _read.reset(token)


def remember(status: os.stat_result) -> None:
    """An input is opened."""
    files = _read.get()
    if files is not None:
        files.add((status.st_dev, status.st_ino))


def is_input(path: Path) -> bool:
    """Whether this run has read the file that lies at `path`."""
    files = _read.get()
    if not files:
        return False
    try:
        status = path.stat()
    except (OSError, ValueError):
        return False
    return (status.st_dev, status.st_ino) in files
