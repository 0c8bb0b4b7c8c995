"""Where clm keeps its sessions: one folder, a file a session (named by its id)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import orjson

from dragoman.io.clm import CONTEXT_PREFIX, ID
from dragoman.io.paths import home
from dragoman.places.protocol import Found

HEAD = 16_384
TITLE = 80


class ClmPlace:
    """`$XDG_STATE_HOME/clm`, or `~/.local/state/clm`."""

    name = "clm"
    reader = "clm"

    def roots(self) -> list[Path]:
        state = os.environ.get("XDG_STATE_HOME", "")
        # The base directory specification has a relative path ignored.
        base = Path(state) if state.startswith("/") else home() / ".local" / "state"
        return [base / "clm"]

    def sessions(self, root: Path) -> Iterator[Found]:
        """Every session log in `root`, in the order of their names."""
        try:
            with os.scandir(root) as entries:
                logs = sorted((entry for entry in entries if _is_log(entry)), key=lambda entry: entry.name)
        except OSError:  # not there, or not for us
            return
        for entry in logs:
            try:
                status = entry.stat(follow_symlinks=False)
                with Path(entry.path).open("rb") as file:
                    title = _title(file.read(HEAD))
            except OSError:
                continue
            yield Found(
                id=entry.name.removesuffix(".jsonl"),
                path=Path(entry.path),
                reader="clm",
                bytes=status.st_size,
                modified=datetime.fromtimestamp(status.st_mtime, UTC),
                title=title,
            )

    def of_project(self, root: Path, folder: Path) -> list[Path]:
        """Nothing: a log doesn't say where it was held."""
        return []


def _is_log(entry: os.DirEntry[str]) -> bool:
    stem = entry.name.removesuffix(".jsonl")
    return stem != entry.name and ID.fullmatch(stem) is not None and entry.is_file(follow_symlinks=False)


def _title(head: bytes) -> str:
    """What clm's own listing shows: the beginning of the first user message that isn't context."""
    for line in head.split(b"\n"):
        try:
            record = orjson.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and record.get("role") == "user":
            content = record.get("content")
            if isinstance(content, str) and not content.startswith(CONTEXT_PREFIX):
                return " ".join(content.split())[:TITLE]
    return ""


place = ClmPlace()
