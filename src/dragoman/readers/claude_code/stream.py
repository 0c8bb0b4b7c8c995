"""What only `claude -p --output-format stream-json` (or json) writes: the run's result, and messages in pieces."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from dragoman.io.json import dumps
from dragoman.model import Block, Event, Message, Reasoning, Span, Text, ToolCall
from dragoman.readers.claude_code.fields import identifier, string
from dragoman.readers.claude_code.rows import ReplyRow, Row
from dragoman.readers.claude_code.transcript import Transcript
from dragoman.report import Code


def finish_stream(main: Transcript) -> None:
    """Take pieces of messages away where the whole is there, and a result's text where the reply said it."""
    kinds = {row.type for row in main.rows}
    if "stream_event" in kinds:
        _join_pieces(main)
    if "result" in kinds:
        _place_results(main)


def _place_results(main: Transcript) -> None:
    said: set[str] = set()
    for row in main.rows:
        if type(row) is ReplyRow:
            said.update(block.text.strip() for block in row.blocks if type(block) is Text)
        elif row.type == "result" and row.entries and type(event := row.entries[0]) is Event:
            row.entries = _result(event, said, row)


def _result(event: Event, said: set[str], row: Row) -> tuple[Event | Message, ...]:
    data = event.data if type(event.data) is dict else {}
    text = string(data.get("result"))
    rest = {key: value for key, value in data.items() if key != "result"}
    failed = data.get("is_error") is True or string(data.get("subtype")).startswith("error")
    shown = replace(event, kind="error" if failed else "state", text=string(data.get("subtype")), data=rest or None)
    if not text.strip() or text.strip() in said:
        return (shown,)
    reply = Message(
        role="assistant",
        origin="synthetic_error" if failed else "reply",
        blocks=(Text(text),),
        time=row.time,
        span=event.span,
        extra={"type": "result"},
    )
    return (reply, shown)


class _Piece(Struct):
    kind: str
    start: dict[str, Any]
    parts: list[str] = field(default_factory=list)


class _Partial(Struct):
    """A message as far as its pieces tell it."""

    message_id: str
    model: str
    row: int
    pieces: dict[int, _Piece] = field(default_factory=dict)


def _join_pieces(main: Transcript) -> None:
    whole = {row.message_id for row in main.rows if type(row) is ReplyRow}
    partials: list[_Partial] = []
    current: dict[str, _Partial] = {}
    reading = main.reading
    for index, row in enumerate(main.rows):
        if row.type != "stream_event":
            continue
        event = row.record.get("event") if row.record is not None else None
        if type(event) is not dict:
            continue
        partial = current.get(row.owner)
        if event.get("type") == "message_start" and type(message := event.get("message")) is dict:
            partial = _Partial(string(message.get("id")), string(message.get("model")), index)
            current[row.owner] = partial
            partials.append(partial)
        elif partial is not None:
            _take(event, partial)
    kept: dict[int, ReplyRow] = {}
    for partial in partials:
        if partial.message_id not in whole and (blocks := _blocks(partial)):
            first = main.rows[partial.row]
            kept[partial.row] = ReplyRow(
                first.line,
                "assistant",
                "reply",
                uuid=first.uuid,
                time=first.time,
                owner=first.owner,
                blocks=blocks,
                message_id=partial.message_id,
                model=partial.model,
                extra={"partial": True},
            )
    rows: list[Row] = []
    for index, row in enumerate(main.rows):
        if index in kept:
            rows.append(kept[index])
        elif row.type != "stream_event":
            rows.append(row)
        else:
            reading.report.add(Code.DUPLICATE_RECORD, Span(reading.file, row.line), "stream_event")
    main.rows = rows


def _take(event: dict[str, Any], partial: _Partial) -> None:
    index = event.get("index")
    if type(index) is not int:
        return
    block, delta = event.get("content_block"), event.get("delta")
    if event.get("type") == "content_block_start" and type(block) is dict:
        partial.pieces[index] = _Piece(string(block.get("type")), block)
    elif event.get("type") == "content_block_delta" and type(delta) is dict and index in partial.pieces:
        for name in ("text", "thinking", "partial_json"):
            if type(delta.get(name)) is str:
                partial.pieces[index].parts.append(delta[name])


def _blocks(partial: _Partial) -> list[Block]:
    found: list[Block] = []
    for _, piece in sorted(partial.pieces.items()):
        words = "".join(piece.parts)
        if piece.kind == "text" and words:
            found.append(Text(words))
        elif piece.kind == "thinking":
            found.append(Reasoning(words, withheld=not words))
        elif piece.kind in ("tool_use", "server_tool_use"):
            given = words or dumps(piece.start.get("input") or {})
            name = string(piece.start.get("name"))
            found.append(ToolCall(identifier(piece.start.get("id")), name, given, piece.kind != "tool_use"))
    return found
