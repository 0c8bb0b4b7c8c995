"""A session as clm's history: every call answered right after its message, and nothing empty.

What clm has no place for is left out or becomes words, and the report says so each time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from msgspec import Struct

from dragoman.io import clm
from dragoman.io.clm import CONTEXT_PREFIX
from dragoman.model import Block, Event, Message, Session, Span, Text, ToolCall, ToolResult
from dragoman.report import Code, Report
from dragoman.writers.clm import fit, words
from dragoman.writers.clm.calls import Calls

FIRST = f"{CONTEXT_PREFIX} The conversation begins with the assistant; what was said before is not in the source."
"""Providers want the first message to be the user's."""


class Record(Struct, gc=False):
    """One message record of clm's, on its way to a line."""

    role: str
    content: str | None = None
    call_id: str | None = None
    tool_name: str | None = None
    calls: list[dict[str, str]] = []
    span: Span | None = None


def records(session: Session, agents: Mapping[str, list[str]], report: Report, *, branches: bool) -> list[Record]:
    """The session's history. `agents` names, for a call's id, the sessions of the subagents it started."""
    live = _live(session, report, branches=branches)
    history = _History(live, agents, report)
    for index, (message, blocks) in enumerate(live):
        if message.role == "assistant":
            history.assistant(index, message, blocks)
        else:
            history.other(index, message, blocks)
    made = history.records
    if made and made[0].role != "user":
        report.add(Code.SYNTHETIC_MESSAGE, made[0].span, "the first")
        made.insert(0, Record("user", FIRST, span=made[0].span))
    return made


_Live = list[tuple[Message, Sequence[Block]]]


def _live(session: Session, report: Report, *, branches: bool) -> _Live:
    """The messages that stand, with those of their blocks that stand."""
    found: _Live = []
    times = usages = extras = 0
    for entry in session.entries:
        if isinstance(entry, Event):
            report.add(Code.DROPPED_EVENT, entry.span, entry.kind)
            continue
        if entry.branch and not branches:
            report.add(Code.DROPPED_BRANCH, entry.span)
            continue
        blocks: Sequence[Block] = entry.blocks
        plain = entry.status == "live"
        for block in blocks:
            if block.status is not None:
                plain = False
        if not plain:
            blocks = [block for block in blocks if (block.status or entry.status) == "live"]
            if len(blocks) < len(entry.blocks) or not blocks:
                report.add(Code.DROPPED_RETRACTED, entry.span, count=max(1, len(entry.blocks) - len(blocks)))
                if not blocks:
                    continue
        times += entry.time is not None
        usages += entry.usage is not None
        extras += bool(entry.extra)
        found.append((entry, blocks))
    for count, what in ((times, "time"), (usages, "usage"), (extras, "extra")):
        if count:
            report.add(Code.DROPPED_FIELD, None, what, count)
    return found


class _History:
    """Builds the records. Calls and results are matched beforehand: by id, in order, each once."""

    def __init__(self, live: _Live, agents: Mapping[str, list[str]], report: Report) -> None:
        self.records: list[Record] = []
        self._agents = agents
        self._report = report
        self._calls = Calls(report)
        self._answers: dict[tuple[int, int], tuple[int, ToolResult, Span | None]] = {}
        self._answering: dict[tuple[int, int], int] = {}  # a result's place: the index of its call's message
        self._match(live)
        self._last_talk = -1  # index of the last message that is more than results

    def _match(self, live: _Live) -> None:
        waiting: dict[str, deque[tuple[int, int]]] = {}
        early: list[tuple[int, int, ToolResult, Span | None]] = []
        for index, (message, blocks) in enumerate(live):
            position = -1
            for block in blocks:
                position += 1
                kind = type(block)
                if kind is ToolCall and message.role == "assistant":
                    assert isinstance(block, ToolCall)
                    waiting.setdefault(block.id, deque()).append((index, position))
                elif kind is ToolResult:
                    assert isinstance(block, ToolResult)
                    span = block.span or message.span
                    if not self._take(waiting, index, position, block, span):
                        early.append((index, position, block, span))
        for index, position, block, span in early:  # those that stand before their call
            self._take(waiting, index, position, block, span)

    def _take(
        self,
        waiting: dict[str, deque[tuple[int, int]]],
        index: int,
        position: int,
        result: ToolResult,
        span: Span | None,
    ) -> bool:
        places = waiting.get(result.call_id)
        if not places:
            return False
        place = places.popleft()
        self._answers[place] = (index, result, span)
        self._answering[index, position] = place[0]
        return True

    def assistant(self, index: int, message: Message, blocks: Sequence[Block]) -> None:
        """A reply: its text and calls in one record, then the results."""
        kept: list[Block] = []
        calls: list[tuple[int, ToolCall]] = []
        self._last_talk = index
        for position, block in enumerate(blocks):
            if isinstance(block, ToolCall):
                calls.append((position, block))
            elif isinstance(block, ToolResult):
                if (index, position) not in self._answering:
                    self._orphan(block, block.span or message.span)
            else:
                if calls and isinstance(block, Text) and block.text.strip():
                    if all(self._answered_within(index, at) for at, _ in calls):
                        # The provider's own tools answer within the message: what follows was said after it.
                        self._reply(index, message, kept, calls)
                        kept, calls = [], []
                    else:
                        self._report.add(Code.REORDERED, block.span or message.span, "text put before a call")
                kept.append(block)
        self._reply(index, message, kept, calls)

    def _answered_within(self, index: int, position: int) -> bool:
        answer = self._answers.get((index, position))
        return answer is not None and answer[0] == index

    def _reply(self, index: int, message: Message, kept: list[Block], calls: list[tuple[int, ToolCall]]) -> None:
        text = fit.clean(words.of_blocks(message, kept, self._report), message.span, self._report)
        if not text.strip() and not calls:
            self._report.add(Code.EMPTY_MESSAGE, message.span)
            return
        record = Record("assistant", span=message.span)
        if text.strip():
            before = self.records[-1] if self.records else None
            if before is not None and before.role == "assistant" and fit.fits(f"{before.content}\n\n{text}"):
                # Strict providers refuse two replies in a row.
                self._report.add(Code.MERGED, message.span)
                record = self.records.pop()
                record.content = f"{record.content}\n\n{text}"
            else:
                *first, record.content = fit.divide(text, "", message.span, self._report)
                self.records += [Record("assistant", part, span=message.span) for part in first]
        elif self.records and self.records[-1].role == "assistant":
            self._report.add(Code.MERGED, message.span)
            record = self.records.pop()
        self.records.append(record)
        self._with_calls(index, message, record, calls)

    def _with_calls(self, index: int, message: Message, record: Record, calls: list[tuple[int, ToolCall]]) -> None:
        for position, call in calls:
            span = call.span or message.span
            call_id = self._calls.id(call.id, span)
            name = self._calls.name(call.name, span)
            record.calls.append({"id": call_id, "name": name, "args": self._calls.arguments(call, span)})
            self.records.append(
                Record("tool", self._answer(index, position, call, span), call_id=call_id, tool_name=name, span=span)
            )

    def _answer(self, index: int, position: int, call: ToolCall, span: Span | None) -> str:
        answer = self._answers.get((index, position))
        text = words.NO_RESULT
        if answer is None:
            self._report.add(Code.SYNTHETIC_RESULT, span)
        else:
            _, result, result_span = answer
            text = fit.clean(words.of_result(result, result_span, self._report), result_span, self._report)
        agents = self._agents.get(call.id, ())
        named = clm.agents_named(text) if agents else []  # one that comes from clm names them already
        suffix = "".join(clm.agent_line(each) for each in agents if each not in named)
        if suffix:
            self._report.add(Code.NAMED_SUBAGENT, span)
        return fit.cut(text, suffix, span, self._report)

    def other(self, index: int, message: Message, blocks: Sequence[Block]) -> None:
        """What the user, the harness or a tool said."""
        kept: list[Block] = []
        results = 0
        for position, block in enumerate(blocks):
            if isinstance(block, ToolResult):
                results += 1
                called = self._answering.get((index, position))
                if called is None:
                    self._orphan(block, block.span or message.span)
                elif called < self._last_talk:
                    self._report.add(Code.REORDERED, block.span or message.span, "a result put right after its call")
            elif isinstance(block, ToolCall):  # only an assistant can call
                self._report.add(Code.DROPPED_BLOCK, block.span or message.span, "tool_call")
            else:
                kept.append(block)
        if results and not kept:
            return
        self._last_talk = index
        text = fit.clean(words.of_blocks(message, kept, self._report), message.span, self._report)
        if not text.strip():
            self._report.add(Code.EMPTY_MESSAGE, message.span)
            return
        prefix = words.prefix(message, text)
        self.records += [
            Record("user", part, span=message.span) for part in fit.divide(text, prefix, message.span, self._report)
        ]

    def _orphan(self, result: ToolResult, span: Span | None) -> None:
        self._report.add(Code.ORPHAN_RESULT, span)
        text = fit.clean(words.of_result(result, span, self._report), span, self._report)
        if text.strip():
            prefix = f"{CONTEXT_PREFIX} result of a call that is not in this conversation:\n"
            self.records += [Record("user", part, span=span) for part in fit.divide(text, prefix, span, self._report)]
