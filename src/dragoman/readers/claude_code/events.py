"""Lines that are no message: system lines, attachments, progress, bookkeeping. Each becomes an Event."""

from __future__ import annotations

from typing import Any

from dragoman.model import Event, Message
from dragoman.readers.claude_code.fields import identifier, string
from dragoman.readers.claude_code.reading import Reading
from dragoman.readers.claude_code.rows import Row
from dragoman.readers.claude_code.tags import peel, tagged
from dragoman.readers.claude_code.users import read_queued
from dragoman.readers.claude_code.vocabulary import (
    ATTACHMENT_TYPES,
    ENVELOPE,
    PROGRESS_TYPES,
    RECORD_KINDS,
    SUBTYPE_KINDS,
    safe_name,
)
from dragoman.report import Code

_TITLES = ("customTitle", "aiTitle", "agentName", "sessionName", "summary")


def _rest(record: dict[str, Any], *more: str) -> dict[str, Any]:
    """A record without its envelope."""
    return {key: value for key, value in record.items() if (key not in ENVELOPE or key in more) and key != "type"}


def _event(row: Row, reading: Reading, kind: str, name: str, text: str, data: Any, refs: tuple[str, ...] = ()) -> None:
    row.entries = (
        Event(
            kind=kind,
            name=name,
            text=text,
            uuid=row.uuid,
            parent_id=row.parent,
            refs=refs,
            data=data or None,
            time=row.time,
            span=reading.span,
        ),
    )


def read_system(record: dict[str, Any], row: Row, reading: Reading) -> None:
    """A `system` line. Local commands and their output are what a person did, and become messages."""
    subtype = string(record.get("subtype"))
    content = record.get("content")
    text = string(content)
    if subtype == "local_command" and (piece := tagged(text)) is not None:
        row.entries = (
            Message(
                role="user",
                origin=piece.origin,
                blocks=piece.blocks,
                uuid=row.uuid,
                parent_id=row.parent,
                time=row.time,
                span=reading.span,
                extra={**piece.extra, "type": "system/local_command", **_command_rest(record)},
            ),
        )
        return
    kind = SUBTYPE_KINDS.get(subtype)
    if subtype == "init" and (version := string(record.get("claude_code_version"))):
        reading.state.setdefault("first version", version)
    if kind is None:
        reading.add(Code.UNKNOWN_RECORD, f"system/{safe_name(subtype)}")
        kind = "unknown"
    data = _rest(record)
    if data.get("isMeta") is False:
        del data["isMeta"]
    if content is not None and not text:
        data["content"] = content
    refs: tuple[str, ...] = ()
    if subtype == "compact_boundary":
        row.boundary = True
        refs = _preserved(record.get("compactMetadata") or record.get("compact_metadata"))
    elif subtype == "model_refusal_fallback":
        refs = _strings(record.get("retractedMessageUuids"))
    elif subtype == "api_error" and not text:
        text = _error_words(record.get("error"))
    if row.logical_parent:
        data["logicalParentUuid"] = row.logical_parent
    _event(row, reading, kind, subtype or "system", text, data, refs)


def _command_rest(record: dict[str, Any]) -> dict[str, Any]:
    """What a local command's line says beyond what every one says."""
    usual = {"level": "info", "isMeta": False}
    return {key: value for key, value in _rest(record).items() if key not in usual or value != usual[key]}


def _strings(value: Any) -> tuple[str, ...]:
    return tuple(each for each in value if type(each) is str) if type(value) is list else ()


def _preserved(metadata: Any) -> tuple[str, ...]:
    """The messages that a compaction left in the model's context."""
    if type(metadata) is not dict:
        return ()
    preserved = metadata.get("preservedMessages")
    if type(preserved) is dict:
        return _strings(preserved.get("allUuids") or preserved.get("uuids"))
    segment = metadata.get("preservedSegment")
    if type(segment) is dict:
        return _strings([segment.get("headUuid"), segment.get("tailUuid")])
    return ()


def _error_words(error: Any) -> str:
    if type(error) is not dict:
        return string(error)
    inner = error.get("error")
    deeper = inner.get("error") if type(inner) is dict else None
    for place in (deeper, inner, error):
        if type(place) is dict and (words := string(place.get("message"))):
            status = identifier(error.get("status"))
            return f"{status} {words}" if status and not words.startswith(status) else words
    return identifier(error.get("status")) or string(error.get("type"))


def read_attachment(record: dict[str, Any], row: Row, reading: Reading) -> None:
    """An `attachment` line: a prompt typed while the agent worked, or context that it was given."""
    attachment = record.get("attachment")
    if type(attachment) is not dict:
        reading.bad("attachment")
        _event(row, reading, "unknown", "attachment", "", _rest(record, "attachment"))
        return
    name = string(attachment.get("type"))
    if name == "queued_command":
        read_queued(record, attachment, row, reading)
        return
    if name in ATTACHMENT_TYPES or name.startswith(("hook_", "tool_hosts_")):
        kind = "hook" if "hook" in name else "context"
    else:
        reading.add(Code.UNKNOWN_RECORD, f"attachment/{safe_name(name)}")
        kind = "unknown"
    data = {key: value for key, value in attachment.items() if key != "type"}
    for key, value in _rest(record).items():
        data.setdefault(key, value)
    text = ""
    if name == "hook_blocking_error":
        error = attachment.get("blockingError")
        text = string(error.get("blockingError")) if type(error) is dict else string(error)
    elif name in ("file", "directory", "already_read_file", "edited_text_file", "pdf_reference"):
        text = (
            string(attachment.get("displayPath"))
            or string(attachment.get("filename"))
            or string(attachment.get("path"))
        )
    tool_use = string(attachment.get("toolUseID"))
    _event(row, reading, kind, name, text, data, (tool_use,) if tool_use else ())


def read_progress(record: dict[str, Any], row: Row, reading: Reading) -> None:
    """A `progress` line (2.1.0 to about 2.1.8x). A subagent's message inside it is looked at elsewhere."""
    data = record.get("data")
    if type(data) is not dict:
        reading.bad("progress.data")
        data = {}
    name = string(data.get("type"))
    if name not in PROGRESS_TYPES:
        reading.add(Code.UNKNOWN_RECORD, f"progress/{safe_name(name)}")
    if name == "agent_progress":
        row.record = record
        data = {key: value for key, value in data.items() if key not in ("message", "normalizedMessages")}
    rest = {key: value for key, value in data.items() if key != "type"}
    for key, value in _rest(record).items():
        rest.setdefault(key, value)
    parent = string(record.get("parentToolUseID"))
    _event(row, reading, "progress", name or "progress", "", rest, (parent,) if parent else ())


def read_bookkeeping(record: dict[str, Any], row: Row, kind_name: str, reading: Reading) -> None:
    """Any other line."""
    kind = RECORD_KINDS.get(kind_name)
    if kind is None:
        if type(record.get("message")) is not dict:
            reading.add(Code.UNKNOWN_RECORD, safe_name(kind_name))
        else:
            reading.add(Code.UNKNOWN_RECORD, f"{safe_name(kind_name)} (with a message)")
        whole = {key: value for key, value in _rest(record, *ENVELOPE).items() if key not in _REPEATED}
        _event(row, reading, "unknown", kind_name, "", whole)
        return
    data = _rest(record, "content", "message", "data", "subtype")
    text = ""
    refs: tuple[str, ...] = ()
    if kind in ("title", "summary"):
        text = next((data[key] for key in _TITLES if type(data.get(key)) is str), "")
        if (leaf := string(record.get("leafUuid"))) and kind == "summary":
            refs = (leaf,)
    elif kind_name == "pr-link":
        text = string(record.get("prUrl"))
    elif kind_name == "continued-in":
        text = string(record.get("continuedInSessionId"))
        refs = (text,) if text else ()
    elif kind_name == "queue-operation":
        row.record = record
        text = string(record.get("operation"))
        data.pop("operation", None)
    elif kind_name == "stream_event":
        row.record = record
    elif kind_name == "tag":
        text = string(record.get("tag"))
    _event(row, reading, kind, kind_name, text, data, refs)


_REPEATED = frozenset(
    "uuid parentUuid timestamp sessionId session_id cwd version gitBranch userType isSidechain".split()
)


def queued_words(content: Any) -> str:
    """The text of a queued prompt, which may be a list of blocks (2.0.3x), without reminders."""
    if type(content) is list:
        content = "\n".join(string(block.get("text")) for block in content if type(block) is dict)
    _, words, _ = peel(string(content))
    return words
