"""A row: what is left of a line once it is read, before lines are put together to turns."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from dragoman.model import Block, Entry, Status, Usage

Kind: TypeAlias = Literal["reply", "result", "prompt", "other"]
"""reply: a line of an API message. prompt: a person's words. other: machinery and bookkeeping."""


class Row(Struct):
    """One record. All but replies are entries already."""

    line: int
    type: str
    kind: Kind = "other"
    uuid: str = ""
    parent: str = ""
    time: datetime | None = None
    before: tuple[Entry, ...] = ()
    """Changes of state that this record shows, ahead of what it is itself."""
    entries: tuple[Entry, ...] = ()
    after: tuple[Entry, ...] = ()
    """Prompts from the queue that were delivered here, changes of state that a dropped copy showed."""
    native: bool = False
    """It has neither id nor time, but Claude Code wrote it: such a line twice is one written twice."""
    sidechain: bool = False
    owner: str = ""
    """Of a sidechain the agent's id; else the call whose subagent said this (stream-json)."""
    logical_parent: str = ""
    """Over a compaction boundary."""
    boundary: bool = False
    words: str = ""
    """A prompt's text, for the queue and the subagents' links."""
    status: Status = "live"
    branch: str = ""
    record: dict[str, Any] | None = None
    """Kept where another step needs it whole: queue operations, links."""


class ReplyRow(Row):
    """A line of an API message."""

    blocks: list[Block] = field(default_factory=list)
    message_id: str = ""
    request_id: str = ""
    model: str = ""
    stop_reason: str = ""
    usage: Usage | None = None
    index: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    synthetic: Literal["", "synthetic", "synthetic_error"] = ""
