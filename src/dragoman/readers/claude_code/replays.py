"""Records that stand in a file more than once: written twice, or a whole history written again.

The VS Code extension wrote the history again on resume (2.1.11 to 2.1.29), under new uuids but with
the same times, message ids and call ids, one line a block. Some builds did so for what a compaction
kept. Only what is there already, word for word, is left out.
"""

from __future__ import annotations

from typing import Any

from dragoman.model import Block, Media, Message, Reasoning, Span, Text, ToolCall, ToolResult
from dragoman.readers.claude_code.rows import Row
from dragoman.report import Code, Report

_Key = tuple[Any, ...]


def without_copies(rows: list[Row], file: str, report: Report) -> tuple[list[Row], dict[str, str]]:
    """The rows without those that say nothing new, and the uuids of dropped rows with those that stand for them."""
    rows = _without_doubles(rows, file, report)
    return _without_replays(rows, file, report)


def _content(row: Row) -> _Key:
    """All that a row says, but for where it stands."""
    if row.kind == "reply":
        return (row.type, row.message_id, row.stop_reason, tuple(row.blocks))
    said: list[Any] = []
    for entry in row.entries:
        if isinstance(entry, Message):
            said.append((entry.origin, entry.blocks))
        else:
            said.append((entry.kind, entry.name, entry.text, entry.data))
    return (row.type, tuple(said))


def _without_doubles(rows: list[Row], file: str, report: Report) -> list[Row]:
    by_uuid: dict[str, list[Row]] = {}
    by_time: dict[Any, list[Row]] = {}
    kept: list[Row] = []
    for row in rows:
        if row.uuid:
            same = by_uuid.setdefault(row.uuid, [])
        elif row.time is not None:
            same = by_time.setdefault((row.type, row.time), [])
        else:
            kept.append(row)
            continue
        content = _content(row) if same else ()
        # Compared with a few only: whoever gives one id to every line pays with a look at the last ones.
        if any(_content(each) == content for each in (*same[:2], *same[-2:])):
            report.add(Code.DUPLICATE_RECORD, Span(file, row.line), row.type)
            if row.before:
                same[-1].before = (*same[-1].before, *row.before)
            continue
        if same and row.uuid:
            report.add(Code.UUID_REUSED, Span(file, row.line), row.type)
            if _continues(same[-1], row):
                same[-1].status = "superseded"
        same.append(row)
        kept.append(row)
    return kept


def _continues(first: Row, second: Row) -> bool:
    """Whether a reply was written again when more of it had come."""
    if first.kind != "reply" or second.kind != "reply" or len(first.blocks) > len(second.blocks):
        return False
    return all(
        type(old) is Text and type(new) is Text and new.text.startswith(old.text)
        for old, new in zip(first.blocks, second.blocks, strict=False)
    )


def _without_replays(rows: list[Row], file: str, report: Report) -> tuple[list[Row], dict[str, str]]:
    waiting: dict[Any, list[Row]] = {}
    known: dict[Any, dict[_Key, str]] = {}
    by_id: dict[_Key, str] = {}
    aliases: dict[str, str] = {}
    kept: list[Row] = []
    for row in rows:
        if row.type not in ("user", "assistant"):
            kept.append(row)
            continue
        first = _seen_at_that_time(row, waiting, known) or _seen_by_id(row, by_id)
        if first is None:
            kept.append(row)
            continue
        report.add(Code.REPLAYED, Span(file, row.line))
        if row.uuid:
            aliases[row.uuid] = first
    return kept, aliases


def _seen_at_that_time(row: Row, waiting: dict[Any, list[Row]], known: dict[Any, dict[_Key, str]]) -> str | None:
    """The uuid of the row that said all this before, at the very same time."""
    if row.time is None:
        return None
    others = waiting.setdefault(row.time, [])
    if not others and row.time not in known:
        others.append(row)  # nearly always: nothing need be compared
        return None
    keys = known.setdefault(row.time, {})
    for other in others:
        for key in _keys(other):
            keys.setdefault(key, other.uuid)
    others.clear()
    mine = _keys(row)
    if mine and all(key in keys for key in mine):
        return keys[mine[0]]
    for key in mine:
        keys.setdefault(key, row.uuid)
    return None


def _seen_by_id(row: Row, by_id: dict[_Key, str]) -> str | None:
    """The uuid of the row that held the same calls, or the same results, with the same content."""
    keys = [key for key in _keys(row, only_ids=True) if key]
    if not keys:
        return None
    if len(keys) == len(_blocks(row)) and all(key in by_id for key in keys):
        return by_id[keys[0]]
    for key in keys:
        by_id.setdefault(key, row.uuid)
    return None


def _blocks(row: Row) -> list[Block]:
    if row.kind == "reply":
        return row.blocks
    return [block for entry in row.entries if isinstance(entry, Message) for block in entry.blocks]


def _keys(row: Row, *, only_ids: bool = False) -> list[_Key]:
    return [key for block in _blocks(row) if (key := _key(row, block, only_ids=only_ids)) is not None]


def _key(row: Row, block: Block, *, only_ids: bool) -> _Key | None:
    if type(block) is ToolCall:
        return ("call", block.id, block.name, block.arguments) if block.id else None
    if type(block) is ToolResult:
        words = tuple(each.text if type(each) is Text else type(each).__name__ for each in block.content)
        return ("result", block.call_id, block.error, words) if block.call_id else None
    if only_ids:
        return None
    if type(block) is Text:
        return ("text", row.type, row.message_id, block.text)
    if type(block) is Reasoning:
        return ("reasoning", row.message_id, block.text, block.signature)
    if type(block) is Media:
        return ("media", block.data or block.url or block.name)
    return ("other", row.message_id, row.uuid)
