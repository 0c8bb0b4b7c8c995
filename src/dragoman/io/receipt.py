"""What migrate's receipt, in a folder of clm's logs, says of a log: where its session ran. It is only read here.

clm's logs don't say it themselves. `migrate/manifest.py` has all of the receipt, and writes it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath

import msgspec
from msgspec import Struct, field

FOLDER = ".dragoman"
"""Beside the logs."""

NAME = "manifest.json"


class _Part(Struct):
    id: str = ""


class _Moved(Struct):
    project: str = ""
    outputs: dict[str, list[_Part]] = field(default_factory=dict)


class _Document(Struct):
    sessions: dict[str, _Moved] = field(default_factory=dict)


def folder_of(log: Path) -> str:
    """The folder in which a log's session ran; empty where no receipt lies beside it, or none that says it."""
    path = log.parent / FOLDER / NAME
    try:
        status = path.stat()
    except OSError:
        return ""
    return _folders(path, status.st_mtime_ns, status.st_size).get(log.stem, "")


@lru_cache(maxsize=1)
def _folders(path: Path, modified: int, size: int) -> dict[str, str]:
    """By a log's id. A receipt that can't be read says nothing: the logs are whole without it."""
    try:
        document = msgspec.json.decode(path.read_bytes(), type=_Document)
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
    return {
        part.id: moved.project
        for moved in document.sessions.values()
        if _is_path(moved.project)  # a project's folder under Claude Code's is none
        for parts in moved.outputs.values()
        for part in parts
    }


def _is_path(text: str) -> bool:
    return PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute()
