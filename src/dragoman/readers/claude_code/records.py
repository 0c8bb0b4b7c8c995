"""One record, whatever it is, becomes a row. The record itself isn't kept."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
from msgspec.structs import replace

from dragoman.model import Entry, Event, ToolCall, ToolResult, Usage
from dragoman.readers.claude_code.blocks import blocks_of
from dragoman.readers.claude_code.events import read_attachment, read_bookkeeping, read_progress, read_system
from dragoman.readers.claude_code.fields import amount, identifier, string, time
from dragoman.readers.claude_code.reading import Reading
from dragoman.readers.claude_code.rows import ReplyRow, Row
from dragoman.readers.claude_code.usage import report_unplaced, usage_of
from dragoman.readers.claude_code.users import read_user
from dragoman.readers.claude_code.vocabulary import (
    CARRIED,
    ENVELOPE,
    MESSAGE_CARRIED,
    MESSAGE_USED,
    QUIET,
    RECORD_KINDS,
)

fromisoformat = datetime.fromisoformat

SYNTHETIC = "<synthetic>"

_STATE = ("cwd", "version", "gitBranch", "userType", "entrypoint", "slug")
"""Fields that stand on every line; where one changes, an Event says so."""


def is_record(value: dict[str, Any]) -> bool:
    """Whether an object found inside a damaged line is a record, not a part of one."""
    if "message" in value or "uuid" in value or "sessionId" in value or "session_id" in value:
        return True
    return string(value.get("type")) in RECORD_KINDS


def row_of(record: dict[str, Any], line: int, reading: Reading) -> Row:
    """The row of a record. Never raises, whatever the record holds."""
    reading.line = line
    get = record.get
    kind, uuid, parent, written = get("type"), get("uuid"), get("parentUuid"), get("timestamp")
    if type(uuid) is not str:
        uuid = identifier(uuid)
    if parent == reading.uuid:
        parent = reading.uuid  # nearly always; one string for both
    elif type(parent) is not str:
        parent = identifier(parent)
    reading.uuid = uuid
    if type(kind) is not str:
        kind = _guess(record, reading)
    when = None
    if type(written) is str:
        if written > reading.latest:
            reading.latest = written
        else:
            reading.time_again = True
        try:
            when = fromisoformat(written)
            if when.tzinfo is None:
                when = when.replace(tzinfo=UTC)
        except ValueError:
            pass
    elif written is not None:
        when = time(written)
        reading.time_again = True
    row: Row
    if kind == "assistant":
        row = ReplyRow(line, kind, "reply", uuid, parent, when)
    else:
        row = Row(line, kind, "other", uuid, parent, when)
    if not uuid and when is None:
        row.native = kind == "queue-operation" or ("sessionId" in record and kind not in RECORD_KINDS)
    if get("isSidechain") is True:
        row.sidechain = True
        row.owner = string(get("agentId"))
    elif "parent_tool_use_id" in record:
        row.owner = string(get("parent_tool_use_id"))
    if (
        get("sessionId") != reading.session
        or get("cwd") != reading.cwd
        or get("version") != reading.version
        or get("gitBranch") != reading.git_branch
        or get("userType") != reading.user_type
        or get("entrypoint") != reading.entrypoint
        or get("slug") != reading.slug
    ):
        row.before = _changes(record, row, reading)
    reading.session_lines += 1
    if type(row) is ReplyRow:
        _read_reply(record, row, reading)
    elif kind == "user":
        read_user(record, row, _extra(record, reading), reading)
    elif kind == "system":
        row.logical_parent = string(get("logicalParentUuid"))
        read_system(record, row, reading)
    elif kind == "attachment":
        read_attachment(record, row, reading)
    elif kind == "progress":
        read_progress(record, row, reading)
    else:
        read_bookkeeping(record, row, kind, reading)
    return row


def _guess(record: dict[str, Any], reading: Reading) -> str:
    """A missing type can be told from the message's role."""
    reading.bad("type")
    message = record.get("message")
    role = message.get("role") if type(message) is dict else record.get("role")
    return role if role in ("user", "assistant") else ""


def _changes(record: dict[str, Any], row: Row, reading: Reading) -> tuple[Entry, ...]:
    """Take note of what isn't the same as on the line before; events for what should be."""
    session = record.get("sessionId")
    if session is None:
        session = record.get("session_id")
    other = record.get("session_id")
    if type(other) is str and other != session:
        reading.state["earlier session"] = other  # since about 2.1.25x both stand there, and can differ
    if type(session) is str and session != reading.session:
        reading.count_session()
        reading.session = session
    state = reading.state
    found: list[Entry] = []
    for name in _STATE:
        value = record.get(name)
        if value != state.get(name) and type(value) is str and value:
            if name in state:
                found.append(Event(kind="state", name=name, text=value, time=row.time, span=reading.span))
            state[name] = value
            state.setdefault(f"first {name}", value)
    reading.cwd, reading.version = state.get("cwd"), state.get("version")
    reading.git_branch, reading.user_type = state.get("gitBranch"), state.get("userType")
    reading.entrypoint, reading.slug = state.get("entrypoint"), state.get("slug")
    return tuple(found)


_Shapes = dict[tuple[str, ...], tuple[str, ...]]
_line_shapes: _Shapes = {}
_message_shapes: _Shapes = {}
"""For each order of fields seen: those that go along in `extra`. There are a few dozen in a real file."""


def _carried(value: dict[str, Any], used: frozenset[str], shapes: _Shapes) -> tuple[str, ...]:
    shape = tuple(value)
    fields = shapes.get(shape)
    if fields is None:
        fields = tuple(field for field in shape if field not in used)
        if len(shapes) < 10_000:
            shapes[shape] = fields
    return fields


def _extra(record: dict[str, Any], reading: Reading) -> dict[str, Any]:
    """What a user or assistant line says beyond what every line says."""
    extra: dict[str, Any] = {}
    if ENVELOPE.issuperset(record):
        return extra
    for field in _carried(record, ENVELOPE, _line_shapes):
        value = record[field]
        if field not in CARRIED:
            reading.unknown_field("line", field)
        elif field in QUIET:
            if field == "forkedFrom":
                reading.state[field] = value  # the last one: where the fork was made
            continue
        elif value is None or value is False or value == [] or value == {}:
            continue
        extra[field] = value
    return extra


def _message_extra(message: dict[str, Any], reading: Reading) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    if MESSAGE_USED.issuperset(message):
        return extra
    for field in _carried(message, MESSAGE_USED, _message_shapes):
        value = message[field]
        if field not in MESSAGE_CARRIED:
            reading.unknown_field("message", field)
        elif value is None or value == {} or value == {"applied_edits": []}:
            continue
        extra[field] = value
    return extra


def _read_reply(record: dict[str, Any], row: ReplyRow, reading: Reading) -> None:
    """Fill a row from an `assistant` line."""
    message = record.get("message")
    if type(message) is not dict:
        reading.bad("message")
        message = {"content": record.get("content") if message is None else message}
    get = message.get
    row.blocks = blocks = blocks_of(get("content"), reading)
    # Most values are strings; for whatever else stands there, nothing is better than something wrong.
    if type(value := get("id")) is str:
        row.message_id = value
    if type(value := record.get("requestId")) is str or type(value := record.get("request_id")) is str:
        row.request_id = value
    if type(value := get("model")) is str:
        row.model = value
    if type(value := get("stop_reason")) is str:
        row.stop_reason = value
    unplaced: dict[str, Any] = {}
    if type(value := get("usage")) is dict:
        said = _in_json(value)
        if said and said == reading.usage:  # nearly every line of a message says the same again
            row.usage = reading.usage_read
        else:
            row.usage, unplaced = usage_of(value)
            reading.usage, reading.usage_read = b"" if unplaced else said, row.usage
    elif value is not None:
        reading.bad("message.usage")
    value = record.get("costUSD")
    if (cost := amount(value)) is not None:
        row.usage = replace(row.usage or Usage(), cost_usd=cost)
    position = record.get("apiBlockIndex")
    if position is None and type(several := record.get("apiBlockIndices")) is list and several:
        position = several[0]
    if type(position) is int:
        row.index = position
    extra = _extra(record, reading)
    if value is not None and cost is None:
        extra["costUSD"] = value
        reading.bad("costUSD")
    if more := _message_extra(message, reading):
        extra["message"] = more
    if unplaced:
        extra["usage"] = unplaced
        report_unplaced(unplaced, reading)
    failed = False
    if extra:
        failed = extra.get("isApiErrorMessage") is True or type(extra.get("error")) is str
        if "wireToolInputs" in extra:
            _place_wire_inputs(row, extra)
        row.extra = extra
    if row.model == SYNTHETIC or (failed and not row.message_id):
        row.synthetic = "synthetic_error" if failed else "synthetic"
    for index, block in enumerate(blocks):
        if type(block) is ToolCall:
            if block.id in reading.calls:
                reading.id_again = True
            else:
                reading.calls[block.id] = (block.name, row.time)
        elif type(block) is ToolResult and block.call_id in reading.calls:
            blocks[index] = replace(block, tool_name=reading.calls[block.call_id][0])


def _in_json(value: dict[str, Any]) -> bytes:
    """Tells objects from each other that Python takes for equal: `true` and 1. Nothing for what JSON can't hold."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return b""


def _place_wire_inputs(row: ReplyRow, extra: dict[str, Any]) -> None:
    """The input as the model sent it goes to its call, where it differs from the one that ran."""
    wire = extra.pop("wireToolInputs")
    if type(wire) is not dict:
        extra["wireToolInputs"] = wire
        return
    for index, block in enumerate(row.blocks):
        if type(block) is ToolCall and block.id in wire:
            row.blocks[index] = replace(block, extra={**block.extra, "wire_input": wire[block.id]})
