"""Where Claude Code keeps its sessions: a folder a project, a file a session (named by a UUID)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

import orjson

from dragoman.io.paths import expanded, home, real, written
from dragoman.places.protocol import Found

SESSION_NAME = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl", re.IGNORECASE)
NAME_LENGTH = 200
"""Characters of a project's name that its folder shows; a longer one ends in a hash after them."""

HEAD = 16_384
TITLE = 80
_MACHINERY = ("<", "[Request interrupted", "Caveat:")


class ClaudeCodePlace:
    """`$CLAUDE_CONFIG_DIR/projects`, or `~/.claude/projects`."""

    name = "claude-code"
    reader = "claude-code"

    def roots(self) -> list[Path]:
        configured = os.environ.get("CLAUDE_CONFIG_DIR")
        folder = expanded(configured) if configured else home() / ".claude"
        return [folder / "projects"]

    def sessions(self, root: Path) -> Iterator[Found]:
        """Every session file below the projects of `root`, in the order of their names."""
        for folder in entries_of(root):
            if not folder.is_dir():
                continue
            for entry in entries_of(Path(folder.path)):
                if _is_session(entry):
                    found = _found(entry, folder.name)
                    if found is not None:
                        yield found

    def of_project(self, root: Path, folder: Path) -> list[Path]:
        """The folders of `root` that are named after `folder` and hold sessions."""
        place, inside = real(folder), real(root)
        if place == inside or inside in place.parents:
            return []
        return [
            Path(entry.path)
            for entry in entries_of(root)
            if _is_named_after(entry.name, place) and any(_is_session(each) for each in entries_of(Path(entry.path)))
        ]


def _is_named_after(name: str, folder: PurePath) -> bool:
    """Whether a project's folder is that of what was worked in."""
    named = re.sub(r"[^a-zA-Z0-9]", "-", str(folder))[:NAME_LENGTH]
    return name == named or (len(named) == NAME_LENGTH and name.startswith(f"{named}-"))


def _worked_in(cwd: str, name: str) -> str:
    """The folder that a project's is named after, where a session began there or below; else nothing."""
    path = PureWindowsPath(cwd) if "\\" in cwd else PurePosixPath(cwd)
    return next((str(each) for each in (path, *path.parents) if _is_named_after(name, each)), "")


def _is_session(entry: os.DirEntry[str]) -> bool:
    return SESSION_NAME.fullmatch(entry.name) is not None and entry.is_file(follow_symlinks=False)


def entries_of(folder: Path) -> list[os.DirEntry[str]]:
    """What lies in a folder, by name; nothing where it isn't there, or not for us."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:  # not there, or not for us
        return []


def _found(entry: os.DirEntry[str], folder: str) -> Found | None:
    try:
        status = entry.stat(follow_symlinks=False)
        with Path(entry.path).open("rb") as file:
            cwd, title = _look(file.read(HEAD))
    except OSError:
        return None
    return Found(
        id=entry.name.removesuffix(".jsonl"),
        path=Path(entry.path),
        reader="claude-code",
        bytes=status.st_size,
        modified=datetime.fromtimestamp(status.st_mtime, UTC),
        project=cwd or written(folder),
        folder=_worked_in(cwd, folder),
        title=title,
    )


def _look(head: bytes) -> tuple[str, str]:
    """The first working directory and the first thing that a person seems to say, in the whole lines of a head."""
    cwd = title = prompt = ""
    for line in head.split(b"\n")[:-1]:
        try:
            record = orjson.loads(line)
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        cwd = cwd or _text(record.get("cwd"))
        title = _text(record.get("customTitle")) or _text(record.get("aiTitle")) or title
        if not prompt and record.get("type") == "user" and not record.get("isMeta"):
            prompt = _prompt(record)
        if cwd and prompt:
            break
    return cwd, " ".join((title or prompt).split())[:TITLE]


def _prompt(record: dict[str, Any]) -> str:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        texts = (_text(block.get("text")) for block in content if isinstance(block, dict))
        content = next((text for text in texts if text and not text.startswith(_MACHINERY)), "")
    text = _text(content)
    return "" if text.startswith(_MACHINERY) else text


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


place = ClaudeCodePlace()
