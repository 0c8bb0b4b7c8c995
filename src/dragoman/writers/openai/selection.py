"""Which messages of a session are written, and what waits for what."""

from __future__ import annotations

from collections import deque
from typing import Any, TypeAlias

from dragoman.model import Block, Event, Message, Session, Span, ToolCall, ToolResult
from dragoman.report import Code, Report

Chosen: TypeAlias = tuple[Message, tuple[Block, ...]]
"""A message, and those of its blocks that were not withdrawn."""

_OWN = frozenset({"detail", "file_id", "refusal", "type"})
"""What our reader keeps in a block's `extra` and this writer puts back."""


class Selection:
    """The live conversation: without events, abandoned branches and withdrawn replies, which are reported.

    `results` are all results by call id, each with its place, in their order; `calls` how many calls
    of an id there are.
    """

    def __init__(self, session: Session, report: Report) -> None:
        self.entries: list[Chosen] = []
        self.names: set[str] = set()
        self.calls: dict[str, int] = {}
        self.results: dict[str, deque[tuple[ToolResult, Span | None]]] = {}
        self.extras = 0
        self._report = report
        self._is_openai = session.header.format == "openai"
        gone = self._choose(session)
        gone -= self.calls.keys()
        if gone:
            self._without_results(gone)

    def _choose(self, session: Session) -> set[str]:
        """Fill in all but what belongs to withdrawn calls; returns their ids."""
        add = self._report.add
        chosen = self.entries.append
        calls, results, names = self.calls, self.results, self.names
        gone: set[str] = set()
        for entry in session.entries:
            if isinstance(entry, Event):
                add(Code.DROPPED_EVENT, entry.span, entry.kind)
                continue
            if entry.branch:
                add(Code.DROPPED_BRANCH, entry.span)
                continue
            blocks = entry.blocks
            if entry.status != "live" or _has_status(blocks):
                blocks = self._live(entry, gone)
                if not blocks:
                    continue
            chosen((entry, blocks))
            for block in blocks:
                kind = type(block)
                if kind is ToolCall:
                    if entry.role == "assistant":
                        names.add(block.name)  # type: ignore[union-attr]
                        calls[block.id] = calls.get(block.id, 0) + 1  # type: ignore[union-attr]
                elif kind is ToolResult:
                    waiting = results.get(block.call_id)  # type: ignore[union-attr]
                    if waiting is None:
                        waiting = results[block.call_id] = deque()  # type: ignore[union-attr]
                    waiting.append((block, block.span or entry.span))  # type: ignore[arg-type]
                if block.extra:
                    self.extras += self._without_place(block.extra)
        return gone

    def _without_place(self, extra: dict[str, Any]) -> int:
        return sum(key not in _OWN for key in extra) if self._is_openai else len(extra)

    def _live(self, entry: Message, gone: set[str]) -> tuple[Block, ...]:
        """The blocks that were not withdrawn. The ids of withdrawn calls are added to `gone`."""
        live = tuple(block for block in entry.blocks if (block.status or entry.status) == "live")
        if not live:
            self._report.add(Code.DROPPED_RETRACTED, entry.span)
        elif len(live) < len(entry.blocks):
            self._report.add(Code.DROPPED_RETRACTED, entry.span, "a part", len(entry.blocks) - len(live))
        staying = {id(each) for each in live}
        gone.update(each.id for each in entry.blocks if isinstance(each, ToolCall) and id(each) not in staying)
        return live

    def _without_results(self, gone: set[str]) -> None:
        """Results of withdrawn calls go with them."""
        left: list[Chosen] = []
        for entry, blocks in self.entries:
            live = tuple(each for each in blocks if not (isinstance(each, ToolResult) and each.call_id in gone))
            if len(live) < len(blocks):
                self._report.add(Code.DROPPED_RETRACTED, entry.span, "a result", len(blocks) - len(live))
                if not live:
                    continue
            left.append((entry, live))
        self.entries = left
        for identifier in gone:
            self.results.pop(identifier, None)


def _has_status(blocks: tuple[Block, ...]) -> bool:
    for block in blocks:  # noqa: SIM110 - a generator would cost as much as all the rest
        if block.status is not None:
            return True
    return False
