"""Rows become entries: the lines of one API message are put together, wherever they stand.

File order is kept: a message stands where its first line stood. Nothing is sorted by time.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from dragoman.model import Block, Entry, Event, Message, Span, Status, Text, ToolResult, Usage
from dragoman.readers.claude_code.rows import ReplyRow, Row
from dragoman.readers.claude_code.side_files import ToolResults
from dragoman.report import Code, Report

_PHANTOMS = ("", "(no content)")


class Reply(Struct):
    """One API message: its rows, in file order."""

    rows: list[ReplyRow]
    key: tuple[str, str, int] | None
    """(message id, request id, how-manieth message under these); None where it has no id."""
    prompts: int
    """Prompts before its last line."""


class Turns(Struct):
    """The rows of a transcript, replies put together."""

    items: list[Row | Reply]
    replies: list[Reply] = field(default_factory=list)


def put_together(rows: list[Row]) -> Turns:
    """Group the rows of each API message.

    Some gateways give one id to every message: an id that comes back under another request after a
    person's prompt is another message.
    """
    items: list[Row | Reply] = []
    replies: list[Reply] = []
    current: dict[str, Reply] = {}
    used: dict[tuple[str, str], int] = {}
    prompts = 0
    for row in rows:
        if type(row) is not ReplyRow:
            prompts += row.kind == "prompt"
            items.append(row)
            continue
        name = row.message_id or row.request_id
        reply = current.get(name) if name else None
        if reply is not None and (reply.prompts == prompts or row.request_id == reply.rows[-1].request_id != ""):
            reply.rows.append(row)
            reply.prompts = prompts
            continue
        key = None
        if name:
            ids = (row.message_id, row.request_id)
            used[ids] = used.get(ids, 0) + 1
            key = (*ids, used[ids])
        reply = Reply([row], key, prompts)
        current[name] = reply
        items.append(reply)
        replies.append(reply)
    return Turns(items, replies)


class Ledger:
    """Tokens of each API message once over all files of a session: the line with most output, the last on ties."""

    def __init__(self, *, alone: bool = False) -> None:
        """`alone`: only one transcript will be entered."""
        self._alone = alone
        self._best: dict[tuple[str, str, int], ReplyRow] = {}
        self._owner: dict[tuple[str, str, int], Reply] = {}

    def enter(self, turns: Turns) -> None:
        """Take note of a transcript's messages; the transcript entered first owns what several hold."""
        if self._alone:
            return  # within one, a key never stands twice
        for reply in turns.replies:
            if reply.key is None or (best := _richest(reply.rows)) is None:
                continue
            known = self._best.get(reply.key)
            if known is None or _output(best) > _output(known):
                self._best[reply.key] = best
            self._owner.setdefault(reply.key, reply)

    def usage(self, reply: Reply) -> Usage | None:
        """The usage to state at this message: None where another file's copy states it."""
        if self._alone or reply.key is None:
            best = _richest(reply.rows)
        elif self._owner.get(reply.key) is reply:
            best = self._best[reply.key]
        else:
            return None
        if best is None or best.usage is None:
            return None
        return best.usage if best.stop_reason else replace(best.usage, complete=False)


def _output(row: ReplyRow) -> int:
    return row.usage.output if row.usage is not None else 0


def _richest(rows: list[ReplyRow]) -> ReplyRow | None:
    if len(rows) == 1:
        return rows[0] if rows[0].usage is not None and not rows[0].synthetic else None
    best: ReplyRow | None = None
    for row in rows:
        if row.usage is not None and not row.synthetic and (best is None or _output(row) >= _output(best)):
            best = row
    return best


class Assembly:
    """What making entries needs to know of the whole file."""

    def __init__(
        self,
        file: str,
        report: Report,
        calls: dict[str, tuple[str, Any]],
        ledger: Ledger,
        tool_results: ToolResults,
    ) -> None:
        self.file = file
        self.report = report
        self.calls = calls
        self.ledger = ledger
        self.tool_results = tool_results

    def entries(self, turns: Turns) -> list[Entry]:
        """The entries of a transcript, in file order."""
        found: list[Entry] = []
        for item in turns.items:
            if isinstance(item, Reply):
                found.append(self._reply(item))
                for row in item.rows:
                    if row.before or row.after:
                        _add_around(found, item.rows)
                        break
                continue
            if item.before:
                found.extend(item.before)
            entries = item.entries if item.status == "live" and not item.branch else self._marked(item)
            if item.kind == "result":
                for entry in entries:
                    found.append(self._result(entry))  # noqa: PERF401 - one at a time, as nearly always
            else:
                found.extend(entries)
            if item.after:
                found.extend(item.after)
        return found

    def _marked(self, row: Row) -> tuple[Entry, ...]:
        return tuple(
            replace(entry, branch=row.branch, status=row.status)
            if isinstance(entry, Message)
            else replace(entry, branch=row.branch)
            for entry in row.entries
        )

    def _result(self, entry: Entry) -> Entry:
        if type(entry) is not Message or entry.role != "tool":
            return entry
        changed: list[Block] | None = None
        for index, block in enumerate(entry.blocks):
            if type(block) is not ToolResult:
                continue
            mended = block
            if not block.tool_name and block.call_id in self.calls:  # the call stands after its result
                mended = replace(mended, tool_name=self.calls[block.call_id][0])
            if self.tool_results.wanted(block):
                mended = self.tool_results.read_back(mended, entry.span)
            if mended is not block:
                changed = changed or list(entry.blocks)
                changed[index] = mended
        return entry if changed is None else replace(entry, blocks=tuple(changed))

    def _reply(self, reply: Reply) -> Message:
        first = reply.rows[0]
        usage = self.ledger.usage(reply)
        span = Span(self.file, first.line)
        if usage is not None and not usage.complete:
            self.report.add(Code.USAGE_INCOMPLETE, span)
        rows = reply.rows
        if len(rows) == 1:
            shown = first.blocks if len(first.blocks) < 2 else _shown(first.blocks, 2)
            return self._message(first, tuple(shown), usage, span, first.stop_reason)
        if first.index is not None and all(row.index is not None for row in rows):
            rows = sorted(rows, key=lambda row: row.index or 0)
        blocks: list[Block] = []
        total = 0
        stop = ""
        for row in rows:
            total += len(row.blocks)
        for row in reply.rows:
            stop = row.stop_reason or stop
        for row in rows:
            shown = _shown(row.blocks, total)
            if row is first:
                blocks.extend(shown)
            else:
                blocks.extend(_placed(block, row, self.file) for block in shown)
                _add_extra(blocks, len(shown), row, first)
        status: Status = "live"
        for row in rows:
            if row.status != "live":
                status = _common_status(rows)
                if status == "live":
                    blocks = _with_status(blocks, rows, first, total)
                break
        return self._message(first, tuple(blocks), usage, span, stop, status)

    def _message(
        self,
        row: ReplyRow,
        blocks: tuple[Block, ...],
        usage: Usage | None,
        span: Span,
        stop_reason: str,
        status: Status | None = None,
    ) -> Message:
        return Message(
            role="assistant",
            origin=row.synthetic or "reply",
            blocks=blocks,
            uuid=row.uuid,
            id=row.message_id,
            request_id=row.request_id,
            parent_id=row.parent,
            time=row.time,
            model=row.model,
            usage=usage,
            stop_reason=stop_reason,
            branch=row.branch,
            status=status or row.status,
            span=span,
            extra=row.extra,
        )


def _add_around(found: list[Entry], rows: list[ReplyRow]) -> None:
    """Put what stood before and after the lines of a reply around it, which was added last."""
    reply = found.pop()
    found.extend(rows[0].before)
    found.append(reply)
    found.extend(rows[0].after)
    for row in rows[1:]:
        found.extend(row.before)
        found.extend(row.after)


def _shown(blocks: list[Block], total: int) -> list[Block]:
    """Without phantoms: empty text beside other blocks, which Claude Code dropped itself since 2.1.30."""
    if total < 2:
        return blocks
    if len(blocks) == 1:  # nearly always
        return [] if type(only := blocks[0]) is Text and only.text in _PHANTOMS else blocks
    return [block for block in blocks if not (type(block) is Text and block.text in _PHANTOMS)]


def _placed(block: Block, row: ReplyRow, file: str) -> Block:
    return replace(block, uuid=row.uuid, span=Span(file, row.line), time=row.time)


def _add_extra(blocks: list[Block], count: int, row: ReplyRow, first: ReplyRow) -> None:
    """What a later line says of itself that the first line doesn't, at the line's first block."""
    if not count or row.extra == first.extra:
        return
    differing = {key: value for key, value in row.extra.items() if first.extra.get(key) != value}
    if differing:
        block = blocks[-count]
        blocks[-count] = replace(block, extra={**block.extra, **differing})


def _common_status(rows: list[ReplyRow]) -> Status:
    found = {row.status for row in rows}
    return found.pop() if len(found) == 1 else "live"


def _with_status(blocks: list[Block], rows: list[ReplyRow], first: ReplyRow, total: int) -> list[Block]:
    states = [row.status for row in rows for _ in _shown(row.blocks, total)]
    return [
        replace(block, status=status) if status != "live" else block
        for block, status in zip(blocks, states, strict=True)
    ]


def mark_withdrawn(rows: list[Row]) -> None:
    """Set `status` on the rows that later lines name as withdrawn (2.1.197 and later)."""
    retracted: set[str] = set()
    superseded: set[str] = set()
    for row in rows:
        if type(row) is ReplyRow:
            if row.extra and type(named := row.extra.get("supersedesUuids")) is list:
                superseded.update(uuid for uuid in named if type(uuid) is str and uuid != row.uuid)
        elif row.type == "system":
            for entry in row.entries:
                if isinstance(entry, Event) and entry.name == "model_refusal_fallback":
                    retracted.update(entry.refs)
    if not retracted and not superseded:
        return
    for row in rows:
        if row.uuid in retracted:
            row.status = "retracted"
        elif row.uuid in superseded:
            row.status = "superseded"
