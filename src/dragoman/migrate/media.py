"""Pictures and documents into a folder, and their paths into the conversation (`--export-media`)."""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import os
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from dragoman.io.paths import real
from dragoman.io.target import make_folder
from dragoman.migrate.storage import write_temporary
from dragoman.model import Entry, Media, Message, Session, Text, ToolResult

_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "application/pdf": ".pdf",
}


def export(session: Session, folder: Path) -> Session:
    """The session with a path for each picture that it holds. A file's name is its content's hash."""
    entries = tuple(_entry(entry, folder) for entry in session.entries)
    agents = tuple(replace(agent, session=export(agent.session, folder)) for agent in session.subagents)
    return replace(session, entries=entries, subagents=agents)


def _entry(entry: Entry, folder: Path) -> Entry:
    if not isinstance(entry, Message):
        return entry
    blocks = tuple(_block(block, folder) for block in entry.blocks)
    if all(new is old for new, old in zip(blocks, entry.blocks, strict=True)):
        return entry
    return replace(entry, blocks=blocks, raw=None)


def _block(block: Any, folder: Path) -> Any:
    if isinstance(block, ToolResult):
        content = tuple(_block(part, folder) for part in block.content)
        if all(new is old for new, old in zip(content, block.content, strict=True)):
            return block
        return replace(block, content=content)
    if not isinstance(block, Media) or not block.data:
        return block
    try:
        data = base64.b64decode(block.data, validate=False)
    except (binascii.Error, ValueError):
        return block
    path = _save(data, folder, _SUFFIXES.get(block.media_type, ".bin"))
    kind = "image" if block.media_type.startswith("image/") else "document"
    return Text(f"[{kind}: {path}]", uuid=block.uuid, span=block.span, time=block.time, status=block.status)


def _save(data: bytes, folder: Path, suffix: str) -> Path:
    path = real(folder) / f"{hashlib.sha256(data).hexdigest()[:24]}{suffix}"
    if path.exists():
        return path
    make_folder(path.parent)
    temporary = write_temporary(path.parent, data)
    try:
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    except OSError:  # no hard links here
        temporary.rename(path)
        return path
    temporary.unlink(missing_ok=True)
    return path
