"""Agents' files that lie beside the sessions (builds 2.0.28 to 2.1.1): only their first record says whose they are.

A folder is read once for all its sessions, as long as it doesn't change: a project may have a thousand of each.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from dragoman.readers.claude_code.documents import first_record

_known: dict[Path, tuple[int, dict[str, list[Path]]]] = {}
_MOST = 8
"""Folders that are remembered: sessions are mostly read a folder at a time."""


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
        changed = folder.stat().st_mtime_ns
        held = _known.get(folder)
        if held is not None and held[0] == changed:
            return held[1]
        with os.scandir(folder) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if entry.name.startswith("agent-") and entry.name.endswith(".jsonl") and _is_regular(entry)
            )
    except (OSError, ValueError):
        return {}
    by_session: dict[str, list[Path]] = {}
    for name in names:
        by_session.setdefault(session_of(folder / name), []).append(folder / name)
    # One that says nothing yet is being written, which doesn't change its folder.
    if not by_session.pop("", None):
        if len(_known) >= _MOST:
            _known.clear()
        _known[folder] = changed, by_session
    return by_session


def _is_regular(entry: os.DirEntry[str]) -> bool:
    try:
        return stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode)
    except (OSError, ValueError):
        return False
