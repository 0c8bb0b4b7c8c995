"""Agents' files that lie beside the sessions (builds 2.0.28 to 2.1.1): only their first record says whose they are.

A project may have a thousand of each. Where sessions are read one by one, a run that says so (`remembered`) has each folder
read once for all of them, as long as it doesn't change; outside of it nothing is remembered.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from dragoman.readers.claude_code.documents import first_record

_Seen = tuple[int, int, int]
"""A folder as it was: device, file number, time of change."""

_known: ContextVar[dict[Path, tuple[_Seen, dict[str, list[Path]]]] | None] = ContextVar("flat agents", default=None)
_MOST = 8
"""Folders that are remembered: sessions are mostly read a folder at a time."""


def remember() -> None:
    """Remember folders from here on: for a process that lives as long as one run."""
    _known.set({})


@contextmanager
def remembered() -> Iterator[None]:
    """Within it folders are remembered."""
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def agents_beside(path: Path) -> list[Path]:
    """The agents' files beside a session's file that belong to it, by name."""
    by_session = _of_folder(path.parent)
    return by_session.get(session_of(path), []) if by_session else []


def session_of(path: Path) -> str:
    """The session that a file's first record names, or nothing."""
    record = first_record(path, path.name)
    if record is None:
        return ""
    session = record.get("sessionId") or record.get("session_id")
    return session if type(session) is str else ""


def _of_folder(folder: Path) -> dict[str, list[Path]]:
    try:
        status = folder.stat()
        seen = status.st_dev, status.st_ino, status.st_mtime_ns
        known = _known.get()
        held = known.get(folder) if known is not None else None
        if held is not None and held[0] == seen:
            return held[1]
        with os.scandir(folder) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if entry.name.startswith("agent-")
                and entry.name.endswith(".jsonl")
                and entry.is_file(follow_symlinks=False)
            )
    except (OSError, ValueError):
        return {}
    by_session: dict[str, list[Path]] = {}
    for name in names:
        by_session.setdefault(session_of(folder / name), []).append(folder / name)
    # One that says nothing yet is being written, which doesn't change its folder.
    if not by_session.pop("", None) and known is not None:
        if len(known) >= _MOST:
            known.clear()
        known[folder] = seen, by_session
    return by_session
