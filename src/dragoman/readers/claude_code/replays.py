"""Records that stand in a file more than once: written twice, or a whole history written again.

The VS Code extension wrote the history again on resume (2.1.11 to 2.1.29), under new uuids but with
the same times, message ids and call ids, one line a block. Some builds did so for what a compaction
kept. Only what is there already, word for word, is left out.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from dragoman.model import Block, Media, Message, Reasoning, Span, Text, ToolCall, ToolResult
from dragoman.readers.claude_code.reading import Reading
from dragoman.readers.claude_code.rows import ReplyRow, Row
from dragoman.report import Code, Report

_Key = tuple[Any, ...]


def without_copies(rows: list[Row], reading: Reading) -> tuple[list[Row], dict[str, str]]:
    """The rows without those that say nothing new, and the uuids of dropped rows with those that stand for them."""
    file, report = reading.file, reading.report
    if _may_hold_doubles(rows):
        rows = _without_doubles(rows, file, report)
    if reading.id_again or (reading.time_again and _a_time_comes_back(rows)):
        return _without_replays(rows, file, report)
    return rows, {}  # nothing can be a replay


def _a_time_comes_back(rows: list[Row]) -> bool:
    times = [row.time for row in rows if row.time is not None]
    return len(set(times)) < len(times)


def _may_hold_doubles(rows: list[Row]) -> bool:
    """A cheap look: whether an id stands twice, or a line has none."""
    uuids = {row.uuid for row in rows}
    if "" not in uuids:
        return len(uuids) < len(rows)
    without = [(row.type, row.time) for row in rows if not row.uuid]
    return len(uuids) - 1 + len(without) < len(rows) or len(set(without)) < len(without)


def _content(row: Row) -> _Key:
    """All that a row says, but for where it stands."""
    if type(row) is ReplyRow:
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
    by_time: dict[_Key, list[Row]] = {}
    kept: list[Row] = []
    for row in rows:
        if row.uuid:
            same = by_uuid.get(row.uuid)
            if same is None:
                by_uuid[row.uuid] = [row]
                kept.append(row)
                continue
        elif (row.time is not None or row.native) and _can_be_double(row):
            same = by_time.setdefault((row.type, row.time, row.parent), [])
        else:
            kept.append(row)
            continue
        content = _content(row) if same else ()
        # Compared with a few only: whoever gives one id to every line pays with a look at the last ones.
        if any(_content(each) == content for each in (*same[:2], *same[-2:])):
            report.add(Code.DUPLICATE_RECORD, Span(file, row.line), row.type)
            _hand_on(row, kept)
            continue
        if same and row.uuid:
            report.add(Code.UUID_REUSED, Span(file, row.line), row.type)
            if _continues(same[-1], row):
                same[-1].status = "superseded"
        same.append(row)
        kept.append(row)
    return kept


def _can_be_double(row: Row) -> bool:
    """Of lines without an id. Two `remove` or `dequeue` at the same time are two."""
    return row.type != "queue-operation" or (row.record is not None and row.record.get("operation") == "enqueue")


def _hand_on(dropped: Row, kept: list[Row]) -> None:
    """A change of state that a dropped row showed stays where it was."""
    if dropped.before and kept:
        kept[-1].after = (*kept[-1].after, *dropped.before)


def _continues(first: Row, second: Row) -> bool:
    """Whether a reply was written again when more of it had come."""
    if type(first) is not ReplyRow or type(second) is not ReplyRow or len(first.blocks) > len(second.blocks):
        return False
    return all(
        type(old) is Text and type(new) is Text and new.text.startswith(old.text)
        for old, new in zip(first.blocks, second.blocks, strict=False)
    )


def _without_replays(rows: list[Row], file: str, report: Report) -> tuple[list[Row], dict[str, str]]:
    times = _Times()
    ids = _Ids()
    aliases: dict[str, str] = {}
    kept: list[Row] = []
    for row in rows:
        first = None
        if row.kind != "other" or row.type == "user":
            first = times.seen(row)
            if first is None:
                first = ids.seen(row)
        if first is None:
            kept.append(row)
            continue
        report.add(Code.REPLAYED, Span(file, row.line), row.type)
        _hand_on(row, kept)
        if row.uuid:
            aliases[row.uuid] = first
    return kept, aliases


class _Times:
    """What was said at which time. Contents are compared only where a time comes back."""

    def __init__(self) -> None:
        self._first: dict[datetime, Row] = {}
        self._keys: dict[datetime, dict[_Key, str]] = {}

    def seen(self, row: Row) -> str | None:
        """The uuid of the row that said all this before, at the very same time."""
        if row.time is None:
            return None
        first = self._first.setdefault(row.time, row)
        if first is row:
            return None
        keys = self._keys.get(row.time)
        if keys is None:
            keys = self._keys[row.time] = dict.fromkeys(_keys(first), first.uuid)
        mine = _keys(row)
        if mine and all(key in keys for key in mine):
            return keys[mine[0]]
        for key in mine:
            keys.setdefault(key, row.uuid)
        return None


class _Ids:
    """The rows of calls and of results. Contents are compared only where an id comes back."""

    def __init__(self) -> None:
        self._rows: dict[tuple[bool, str], Row] = {}
        self._held: dict[int, set[_Key]] = {}
        """The keys of rows that were compared, by the row's identity: no row is gone through twice."""

    def seen(self, row: Row) -> str | None:
        """The uuid of the row that held the same calls, or the same results, with the same content."""
        if row.kind not in ("reply", "result"):
            return None
        first: Row | None = None
        blocks = _blocks(row)
        known = True
        for block in blocks:
            if type(block) is ToolCall:
                name = (True, block.id)
            elif type(block) is ToolResult:
                name = (False, block.call_id)
            else:
                known = False
                continue
            other = self._rows.setdefault(name, row) if name[1] else row
            if other is row:
                known = False
            first = first or other
        if first is None or not known:
            return None
        same = all(key in self._keys(self._rows[_name(block)]) for key, block in zip(_keys(row), blocks, strict=True))
        return first.uuid if same else None

    def _keys(self, row: Row) -> set[_Key]:
        keys = self._held.get(id(row))
        if keys is None:
            keys = self._held[id(row)] = set(_keys(row))
        return keys


def _name(block: Block) -> tuple[bool, str]:
    return (True, block.id) if type(block) is ToolCall else (False, getattr(block, "call_id", ""))


def _blocks(row: Row) -> list[Block]:
    if type(row) is ReplyRow:
        return row.blocks
    return [block for entry in row.entries if isinstance(entry, Message) for block in entry.blocks]


def _keys(row: Row) -> list[_Key]:
    return [_key(row, block) for block in _blocks(row)]


def _key(row: Row, block: Block) -> _Key:
    message_id = row.message_id if type(row) is ReplyRow else row.type
    if type(block) is ToolCall:
        return ("call", block.id, block.name, block.arguments)
    if type(block) is ToolResult:
        words = tuple(each.text if type(each) is Text else type(each).__name__ for each in block.content)
        return ("result", block.call_id, block.error, words)
    if type(block) is Text:
        return ("text", message_id, block.text)
    if type(block) is Reasoning:
        return ("reasoning", message_id, block.text, block.signature)
    if type(block) is Media:
        return ("media", block.data or block.url or block.name)
    return ("other", message_id, row.uuid)
