"""What a clm session log is made of: its limits, its lines as cJSON prints them, its ids.

clm (format version 1) writes one JSON object a line, unformatted, with the keys of a message in a
fixed order and `type` last. orjson escapes strings exactly as cJSON does (`/` and everything above
0x1f verbatim, `\\b\\f\\n\\r\\t`, lower-case `\\u00xx`), so one call makes clm's own bytes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson

from dragoman.io import json
from dragoman.model import Entry, Message, Session, Text, ToolCall, ToolResult
from dragoman.report import Report

VERSION = 1
"""The format version that is read and written; clm itself refuses a larger one."""

CONTENT_LIMIT = 65_535
"""Bytes of UTF-8 that clm keeps of a message's content; it cuts the rest away, mid-character if need be."""

CONTEXT_PREFIX = "[context update]"
"""A user message that begins so is context for the model: clm's screen hides it."""

ID = re.compile(r"[0-9A-Za-z-]{1,64}")
"""A session's id, which is also its file's stem (match it fully)."""

OWN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
"""The ids that clm makes: local creation time, eight hex digits (match it fully)."""

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""The tool names, and safely the call ids, that providers accept (match it fully)."""

RAW_ENCODING = "dragoman:raw-encoding"
"""Key under which an entry read from clm says how its `raw` was decoded, where that isn't UTF-8."""

CALL_KEYS = frozenset(("id", "name", "args"))

_AGENT = re.compile(r"\[subagent session: ([0-9A-Za-z-]{1,64})\]")


def dumps(value: Any) -> bytes:
    """One value as cJSON prints it. TypeError where it holds what JSON or UTF-8 has no form for."""
    return orjson.dumps(value)


def raw_bytes(raw: str, extra: dict[str, Any]) -> bytes:
    """The bytes of a line that was kept as it stood."""
    encoding = "latin-1" if extra.get(RAW_ENCODING) == "latin-1" else "utf-8"
    return raw.encode(encoding, "replace")


def meta_line(session_id: str, created: int, *, model: str = "", provider: str = "", agent: str = "") -> bytes:
    """The first line of a log, without its newline. `created` is in seconds since the epoch."""
    record: dict[str, Any] = {"type": "meta", "v": VERSION, "id": session_id, "created": created}
    named = {"model": model, "provider": provider, "agent": agent}
    return dumps(record | {key: value for key, value in named.items() if value})


def record_line(
    role: str,
    content: str | None,
    call_id: str | None = None,
    tool_name: str | None = None,
    calls: Sequence[dict[str, Any]] | None = None,
    extra: dict[str, Any] | None = None,
) -> bytes:
    """A message's line, without its newline. A call is a dict of id, name, args, in this order, and further keys."""
    record: dict[str, Any] = {"role": role}
    if content is not None:
        record["content"] = content
    if call_id is not None:
        record["tool_call_id"] = call_id
    if tool_name is not None:
        record["tool_name"] = tool_name
    if calls:
        record["tool_calls"] = calls
    record["type"] = "msg"
    if extra:
        record.update(extra)
    return dumps(record)


def agent_line(session_id: str) -> str:
    """What a call's result ends with, so that it names the session of the subagent that the call started."""
    return f"\n[subagent session: {session_id}]"


def agents_named(content: str) -> list[str]:
    """The ids of the subagents' sessions that a result's last lines name."""
    found: list[str] = []
    end = len(content)
    while end > 0:
        start = content.rfind("\n", 0, end) + 1
        named = _AGENT.fullmatch(content, start, end)
        if named is None:
            break
        found.append(named[1])
        end = start - 1
    return found[::-1]


def encode(message: Message) -> bytes | None:
    """The line that clm would write for a message of clm's own shape; None where it has another shape."""
    content: str | None = None
    if message.role == "tool":
        if len(message.blocks) != 1 or not isinstance(result := message.blocks[0], ToolResult):
            return None
        if result.content:
            if len(result.content) != 1 or not isinstance(text := result.content[0], Text):
                return None
            content = text.text
        return record_line("tool", content, result.call_id, result.tool_name or None, extra=message.extra)
    blocks = message.blocks
    if blocks and isinstance(blocks[0], Text):
        content = blocks[0].text
        blocks = blocks[1:]
    calls = []
    for block in blocks:
        if not isinstance(block, ToolCall):
            return None
        calls.append({"id": block.id, "name": block.name, "args": block.arguments, **block.extra})
    return record_line(message.role, content, calls=calls, extra=message.extra)


def log_lines(session: Session) -> list[tuple[bytes, Entry | None]] | None:
    """The log's lines as they stood, each with its entry (the meta record has none).

    None where the session wasn't read from a clm log, or was changed into what clm has no line for.
    """
    kept = session.header.extra.get("clm")
    if session.header.format != "clm" or not isinstance(kept, dict):
        return None
    found: list[tuple[bytes, Entry | None]] = []
    try:
        if isinstance(kept.get("meta"), dict):
            found.append((_meta(kept), None))
        for entry in session.entries:
            line = _entry_line(entry)
            if line is None:
                return None
            found.append((line, entry))
    except TypeError:  # a value that a program put in and that JSON has no form for
        return None
    return found


def _meta(kept: dict[str, Any]) -> bytes:
    raw = kept.get("raw")
    if isinstance(raw, str):
        line = raw_bytes(raw, kept)
        try:
            if json.loads(line, None, Report()) == kept["meta"]:  # a raw that says something else is stale
                return line
        except ValueError:
            pass
    return dumps(kept["meta"])


def _entry_line(entry: Entry) -> bytes | None:
    if entry.raw is not None:
        return raw_bytes(entry.raw, entry.extra)
    if not isinstance(entry, Message):
        return None if entry.data is None else dumps(entry.data)
    if RAW_ENCODING in entry.extra:
        return None
    return encode(entry)


def id_hash(key: str) -> str:
    """The eight hex digits for a session known by `key` (a UUID, or a UUID and an agent's id)."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:8]


def make_id(created: datetime | None, key: str) -> str:
    """A session id as clm makes them, the same again for the same time and key on the same machine.

    The time part is in the machine's zone, as clm's own. Without a time it is the epoch's.
    """
    epoch = datetime.fromtimestamp(0).astimezone()
    try:
        moment = epoch if created is None else created.astimezone()
    except (OverflowError, ValueError):  # the edges of the calendar
        moment = epoch
    return f"{moment:%Y%m%d-%H%M%S}-{id_hash(key)}"
