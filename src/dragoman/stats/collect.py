"""Goes through sessions once and adds up what `dragoman.stats` tells."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from heapq import nlargest
from typing import Any

import msgspec

from dragoman.model import Message, Session, Span, Subagent, ToolCall, ToolResult, Usage
from dragoman.stats import (
    COMMANDS,
    NUMBERED,
    PROMPTS,
    SLOWEST,
    AgentShare,
    FileTouched,
    ModelShare,
    Part,
    SlowCall,
    Stats,
    Tokens,
    ToolShare,
)
from dragoman.stats.clock import Intervals
from dragoman.stats.prices import PriceTable, extra_iterations

_NO_USAGE = Usage()
_ASKS_A_PERSON = frozenset({"AskUserQuestion", "ExitPlanMode"})
"""Tools whose time is a person's: they make nobody wait but themselves."""

_READS = frozenset({"Read", "NotebookRead"})
_CHANGES = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_PATH = re.compile(r'"(?:file_path|notebook_path)"\s*:\s*("(?:[^"\\]|\\.)*")')

_LONG_ID = 16
"""Ids of this length are never used twice for different calls, so copies in other sessions are known by them."""


class _Reply:
    """One API message, of which several copies may be met."""

    __slots__ = ("model", "place", "time", "usage")

    def __init__(self, model: str, time: datetime | None, usage: Usage | None, place: _Sum) -> None:
        self.model = model
        self.time = time
        self.usage = usage
        self.place = place


class _Tool:
    __slots__ = ("calls", "duration_ms", "errors", "rejected")

    def __init__(self) -> None:
        self.calls = self.errors = self.rejected = self.duration_ms = 0


class _Model:
    __slots__ = ("complete", "cost", "messages", "numbers", "priced")

    def __init__(self) -> None:
        self.messages = 0
        self.numbers = [0, 0, 0, 0, 0, 0]
        self.cost = 0.0
        self.priced = self.complete = True

    def add(self, usage: Usage, cost: float | None) -> None:
        self.complete &= usage.complete
        numbers = self.numbers
        numbers[0] += usage.input
        numbers[1] += usage.output
        numbers[2] += usage.cache_read
        numbers[3] += usage.cache_write_5m
        numbers[4] += usage.cache_write_1h
        numbers[5] += usage.reasoning
        if cost is None:
            self.priced = False
        else:
            self.cost += cost

    def tokens(self) -> Tokens:
        return Tokens(**dict(zip(Tokens.__struct_fields__, self.numbers, strict=True)))


class _Sum:
    """What is being added up for one place, or for several together."""

    def __init__(self) -> None:
        self.models: dict[str, _Model] = {}
        self.tools: dict[str, _Tool] = {}
        self.files: dict[str, list[int]] = {}
        self.unpriced: dict[str, None] = {}
        self.complete = True
        self.without_usage = self.web_searches = 0
        self.typed: Counter[str] = Counter()
        """How many messages there are of each origin that documents number."""
        self.abandoned = 0
        self.searching_cost = 0.0
        """What the searches cost that a tool made on the side: they are in no reply's usage."""
        self.began: datetime | None = None
        self.ended: datetime | None = None
        self.wall, self.model, self.tool = Intervals(), Intervals(), Intervals()
        self.slow: list[SlowCall] = []

    def take(self, other: _Sum) -> None:
        """Add all but the replies, which are counted when all copies have been seen."""
        for name, tool in other.tools.items():
            mine = self.tools.setdefault(name, _Tool())
            mine.calls += tool.calls
            mine.errors += tool.errors
            mine.rejected += tool.rejected
            mine.duration_ms += tool.duration_ms
        for path, (reads, changes) in other.files.items():
            counts = self.files.setdefault(path, [0, 0])
            counts[0] += reads
            counts[1] += changes
        self.complete &= other.complete
        self.typed.update(other.typed)
        self.abandoned += other.abandoned
        self.web_searches += other.web_searches
        self.searching_cost += other.searching_cost
        for each, theirs in ((self.wall, other.wall), (self.model, other.model), (self.tool, other.tool)):
            each.take(theirs)
        self.lasted(other.began, other.ended)
        self.slow = nlargest(SLOWEST, [*self.slow, *other.slow], key=lambda call: call.duration_ms)

    def lasted(self, began: datetime | None, ended: datetime | None) -> None:
        """Take in a time span of messages."""
        if began is not None and (self.began is None or began < self.began):
            self.began = began
        if ended is not None and (self.ended is None or ended > self.ended):
            self.ended = ended

    def reply(self, model: str, usage: Usage | None, cost: float | None) -> None:
        share = self.models.get(model)
        if share is None:
            share = self.models[model] = _Model()
        share.messages += 1
        share.add(usage or _NO_USAGE, cost)
        if usage is None:
            self.without_usage += 1
            self.complete = share.complete = False
            return
        self.complete &= usage.complete
        self.web_searches += usage.web_searches
        if cost is None:
            self.unpriced[_with_mode(model, usage)] = None

    def extra(self, model: str, usage: Usage, cost: float | None) -> None:
        self.models.setdefault(model, _Model()).add(usage, cost)
        if cost is None:
            self.unpriced[_with_mode(model, _NO_USAGE)] = None

    def part(self) -> Part:
        models = sorted(
            (
                ModelShare(
                    model=name,
                    messages=each.messages,
                    tokens=each.tokens(),
                    cost_usd=each.cost if each.priced else None,
                    complete=each.complete,
                )
                for name, each in self.models.items()
            ),
            key=lambda share: -share.tokens.total,
        )
        everything = _Model()
        for each in self.models.values():
            everything.numbers = [a + b for a, b in zip(everything.numbers, each.numbers, strict=True)]
        messages = sum(each.messages for each in self.models.values())
        known = sum(each.cost for each in self.models.values()) + self.searching_cost
        tools = [
            ToolShare(
                name=name,
                calls=each.calls,
                errors=each.errors,
                rejected=each.rejected,
                duration_ms=each.duration_ms,
            )
            for name, each in self.tools.items()
        ]
        active = Intervals()
        active.take(self.model)
        active.take(self.tool)
        wall_ms, active_ms = self.wall.length_ms(), active.length_ms()
        return Part(
            messages=messages,
            without_usage=self.without_usage,
            tokens=everything.tokens(),
            cost_usd=None if self.unpriced or (self.without_usage and self.without_usage == messages) else known,
            known_cost_usd=known,
            unpriced=tuple(self.unpriced),
            complete=self.complete,
            web_searches=self.web_searches,
            prompts=sum(self.typed[origin] for origin in PROMPTS),
            abandoned_prompts=self.abandoned,
            unsent_prompts=self.typed["unsent_prompt"],
            plans=self.typed["plan"],
            tasks=self.typed["task"],
            commands=sum(self.typed[origin] for origin in COMMANDS),
            tool_calls=sum(each.calls for each in tools),
            tool_errors=sum(each.errors for each in tools),
            began=self.began,
            ended=self.ended,
            wall_ms=wall_ms,
            model_ms=self.model.length_ms(),
            tool_ms=self.tool.length_ms(),
            active_ms=active_ms,
            idle_ms=max(wall_ms - active_ms, 0),
            models=tuple(models),
            tools=tuple(sorted(tools, key=lambda tool: -tool.calls)),
            slowest=tuple(sorted(self.slow, key=lambda call: -call.duration_ms)[:SLOWEST]),
            files=tuple(
                FileTouched(path=path, reads=reads, changes=changes) for path, (reads, changes) in self.files.items()
            ),
        )


class _Agent:
    __slots__ = ("owner", "parent", "sum")

    def __init__(self, owner: Subagent, parent: str) -> None:
        self.owner = owner
        self.parent = parent
        self.sum = _Sum()


class _Seen:
    """Ids of calls and results that were counted."""

    __slots__ = ("calls", "results")

    def __init__(self) -> None:
        self.calls: set[str] = set()
        self.results: set[str] = set()


class _Here:
    """The session that is being gone through. `calls` wait for their results; `seen` is its tree's."""

    __slots__ = ("agent_id", "calls", "place", "seen")

    def __init__(self, place: _Sum, agent_id: str, seen: _Seen) -> None:
        self.place = place
        self.agent_id = agent_id
        self.seen = seen
        self.calls: dict[str, tuple[str, datetime | None]] = {}


class Collector:
    """Adds session after session; `stats` tells the result."""

    def __init__(self, prices: PriceTable) -> None:
        self.prices = prices
        self.sessions = 0
        self.main = _Sum()
        self.agents: dict[str, _Agent] = {}
        self._replies: dict[tuple[str, str], _Reply] = {}
        self._alone: list[_Reply] = []
        self._by_message: dict[str, _Reply] = {}
        self._seen = _Seen()

    def add(self, session: Session) -> None:
        """Count a session and its subagents."""
        self.sessions += 1
        own = _Seen()
        stack: list[tuple[Session, Subagent | None, str]] = [(session, None, "")]
        while stack:
            current, owner, parent = stack.pop()
            if owner is None:
                place, agent_id = self.main, ""
            else:
                agent_id = owner.agent_id
                if agent_id not in self.agents:
                    self.agents[agent_id] = _Agent(owner, parent)
                place = self.agents[agent_id].sum
            self._session(current, _Here(place, agent_id, own))
            stack.extend((agent.session, agent, agent_id) for agent in reversed(current.subagents))

    def stats(self) -> Stats:
        """The figures of everything added. Call it once."""
        subagents, total = _Sum(), self.main
        if self.agents:
            total = _Sum()
            for agent in self.agents.values():
                subagents.take(agent.sum)
            total.take(self.main)
            total.take(subagents)
        for reply in (*self._replies.values(), *self._alone):
            places: tuple[_Sum, ...] = (reply.place, subagents, total)
            if reply.place is self.main:
                places = (total,) if total is self.main else (self.main, total)
            usage = reply.usage
            cost = 0.0 if usage is None else self._cost(reply.model, usage, reply.time)
            for place in places:
                place.reply(reply.model, usage, cost)
            if usage is not None and usage.iterations:
                for model, extra in extra_iterations(reply.model, usage):
                    its_cost = self.prices.cost(model, extra, reply.time)
                    for place in places:
                        place.extra(model, extra, its_cost)
        main = self.main.part()
        return Stats(
            sessions=self.sessions,
            prices_date=self.prices.date.isoformat(),
            main=main,
            subagents=subagents.part(),
            total=main if total is self.main else total.part(),
            agents={
                agent_id: AgentShare(
                    agent_id=agent_id,
                    kind=agent.owner.kind,
                    description=agent.owner.description,
                    hidden=agent.owner.hidden,
                    parent=agent.parent,
                    part=agent.sum.part(),
                )
                for agent_id, agent in self.agents.items()
            },
        )

    def _cost(self, model: str, usage: Usage, time: datetime | None) -> float | None:
        if usage.cost_usd is not None:  # the format says itself what it cost
            return usage.cost_usd
        return self.prices.cost(model, usage, time)

    def _session(self, session: Session, at: _Here) -> None:
        place = at.place
        place.complete &= session.header.usage_complete
        first: datetime | None = None
        last: datetime | None = None
        before: datetime | None = None
        for entry in session.entries:
            time = entry.time
            if not isinstance(entry, Message):
                continue
            if time is not None:
                first = time if first is None or time < first else first
                last = time if last is None or time > last else last
            match entry.role:
                case "assistant":
                    end = self._reply(entry, at)
                    if end is not None:
                        last = end if last is None or end > last else last
                        if before is not None and entry.origin == "reply":
                            place.model.add(before, end)
                        before = end if before is None or end > before else before
                    continue
                case "tool":
                    for block in entry.blocks:
                        if isinstance(block, ToolResult):
                            self._result(block, block.time or time, block.span or entry.span, at)
                case _ if entry.origin in NUMBERED:
                    place.typed[entry.origin] += 1
                    place.abandoned += bool(entry.branch) and entry.origin in PROMPTS
            if time is not None and entry.origin != "queued_prompt" and (before is None or time > before):
                before = time
        if first is not None and last is not None:
            place.wall.add(first, last)
            place.lasted(first, last)

    def _reply(self, message: Message, at: _Here) -> datetime | None:
        """Count an assistant message; returns when its last block came."""
        end = message.time
        for block in message.blocks:
            time = block.time
            if time is not None and (end is None or time > end):
                end = time
            if isinstance(block, ToolCall):
                self._call(block, time or message.time, at)
            elif isinstance(block, ToolResult):
                self._result(block, time or end, block.span or message.span, at)
        if message.origin == "reply" and message.model != "<synthetic>":
            reply = _Reply(message.model, message.time, message.usage, at.place)
            self._count_once(reply, message.id, message.request_id)
        return end

    def _count_once(self, reply: _Reply, identifier: str, request: str) -> None:
        if not identifier and not request:
            self._alone.append(reply)
            return
        key = (identifier, request)
        seen = self._replies.get(key)
        if seen is None and identifier:
            # A copy may have lost its request id.
            seen = self._replies.get((identifier, "")) if request else self._by_message.get(identifier)
        if seen is None:
            self._replies[key] = reply
            if identifier:
                self._by_message.setdefault(identifier, reply)
            return
        if reply.usage is not None and (seen.usage is None or reply.usage.output >= seen.usage.output):
            seen.usage = reply.usage
            seen.model = reply.model or seen.model
            seen.time = seen.time or reply.time

    def _call(self, call: ToolCall, time: datetime | None, at: _Here) -> None:
        seen = (self._seen if len(call.id) >= _LONG_ID else at.seen).calls
        if call.id in seen:
            return
        if call.id:
            seen.add(call.id)
            at.calls[call.id] = (call.name, time)
        tool = at.place.tools.get(call.name)
        if tool is None:
            tool = at.place.tools[call.name] = _Tool()
        tool.calls += 1
        if call.name in _READS or call.name in _CHANGES:
            found = _PATH.search(call.arguments)
            path = _text(found[1]) if found else ""
            if path:
                at.place.files.setdefault(path, [0, 0])[call.name in _CHANGES] += 1

    def _result(self, result: ToolResult, time: datetime | None, span: Span | None, at: _Here) -> None:
        called = at.calls.pop(result.call_id, None)
        seen = (self._seen if len(result.call_id) >= _LONG_ID else at.seen).results
        place = at.place
        if called is None:
            if result.call_id not in seen and result.error == "yes":  # its call is in no file
                place.tools.setdefault(result.tool_name, _Tool()).errors += 1
            seen.add(result.call_id)
            return  # or it is a copy
        seen.add(result.call_id)
        name, started = called
        tool = place.tools[name]
        tool.errors += result.error == "yes"
        tool.rejected += result.outcome == "rejected"
        if name == "WebSearch" and (searches := _searches(result.structured)):
            place.web_searches += searches
            place.searching_cost += searches * self.prices.web_search_per_1000 / 1000
        duration = result.duration_ms
        if duration is None:
            if started is None or time is None or time < started:
                return
            duration = int((time - started).total_seconds() * 1000)
        tool.duration_ms += duration
        if time is not None and name not in _ASKS_A_PERSON:
            place.tool.add_ending(time, duration)
            if len(place.slow) < SLOWEST or duration > place.slow[-1].duration_ms:
                place.slow.append(
                    SlowCall(name=name, call_id=result.call_id, duration_ms=duration, agent_id=at.agent_id, span=span)
                )
                place.slow.sort(key=lambda call: -call.duration_ms)
                del place.slow[SLOWEST:]


def _searches(structured: Any) -> int:
    """How many searches Claude Code's WebSearch made: it says so in newer versions, else it lists them."""
    if not isinstance(structured, dict):
        return 0
    count = structured.get("searchCount")
    if isinstance(count, int) and not isinstance(count, bool):
        return max(count, 0)
    results = structured.get("results")
    return sum(isinstance(each, dict) for each in results) if isinstance(results, list) else 0


def _text(quoted: str) -> str:
    try:
        return msgspec.json.decode(quoted.encode(), type=str)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return ""


def _with_mode(model: str, usage: Usage) -> str:
    """What has no price: a model, or one in a mode that has none."""
    modes = [mode for mode in (usage.speed, usage.tier) if mode not in ("", "standard", "batch")]
    return f"{model or 'a model without a name'}{''.join(f' ({mode})' for mode in modes)}"
