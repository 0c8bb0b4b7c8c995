"""Tokens, cost and time of sessions: counted once, for every writer and for `dragoman stats`.

`of(session)` and `of_many(sessions)` give the same shape: the main conversation, its subagents, both
together, and each agent by itself. Each API message counts once over everything given, since resumed
and forked sessions and some agents' files hold copies: of its copies the one with most output tokens
counts (the last on ties), where it is first met. Withdrawn replies and abandoned branches were paid
for, and count.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from dragoman.model import Session, Span
from dragoman.stats.prices import PriceTable

PROMPTS = frozenset({"prompt", "queued_prompt"})
"""Origins of messages that people wrote for the model."""

COMMANDS = frozenset({"slash_command", "shell_input", "memory_note"})
"""Origins of what people typed for the agent's program: `/cost`, `! git diff`, `# a note`."""

NUMBERED = PROMPTS | COMMANDS | {"plan", "task", "unsent_prompt"}
"""Origins of all that documents number."""

SLOWEST = 10
"""So many of the slowest calls are named."""


class Tokens(Struct, frozen=True, kw_only=True):
    """Tokens as the provider counts them. `input` is without the cached; `reasoning` is part of `output`."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    reasoning: int = 0

    @property
    def cache_write(self) -> int:
        return self.cache_write_5m + self.cache_write_1h

    @property
    def prompt(self) -> int:
        """All that went in."""
        return self.input + self.cache_read + self.cache_write

    @property
    def total(self) -> int:
        return self.prompt + self.output


class ModelShare(Struct, frozen=True, kw_only=True):
    """What one model did. `cost_usd` is None where any of it has no known price.

    `complete` is False where its output tokens, and so its cost, are a lower bound.
    """

    model: str
    messages: int
    tokens: Tokens
    cost_usd: float | None
    complete: bool


class ToolShare(Struct, frozen=True, kw_only=True):
    """The calls of one tool. `duration_ms` adds up those whose time is known; parallel calls overlap."""

    name: str
    calls: int
    errors: int
    rejected: int
    duration_ms: int


class SlowCall(Struct, frozen=True, kw_only=True):
    """A call that took long."""

    name: str
    call_id: str
    duration_ms: int
    agent_id: str = ""
    span: Span | None = None


class FileTouched(Struct, frozen=True, kw_only=True):
    """A file that tools named, and how often they read or changed it."""

    path: str
    reads: int
    changes: int


class Part(Struct, frozen=True, kw_only=True):
    """The figures of a conversation, or of several together.

    `messages` are API replies. `cost_usd` is None where a price is missing; `known_cost_usd` is what
    the rest cost, and `unpriced` names what has no price: a model, or a model with a mode of it.
    `complete` is False where output tokens, and so the cost, are a lower bound. `abandoned_prompts` are those of
    the `prompts` that stand on an abandoned branch; plans, tasks and unsent prompts are none of them. Times are clock time, overlaps counted
    once: `model_ms` waiting for replies, `tool_ms` for tools, `active_ms` either, `idle_ms` the rest
    of `wall_ms`. A time is 0 where the session tells none. `began` and `ended` are the first message's time and the
    last one's: the ends of what `wall_ms` measures.
    """

    messages: int
    without_usage: int
    tokens: Tokens
    cost_usd: float | None
    known_cost_usd: float
    unpriced: tuple[str, ...]
    complete: bool
    web_searches: int
    prompts: int
    abandoned_prompts: int
    unsent_prompts: int
    plans: int
    tasks: int
    commands: int
    tool_calls: int
    tool_errors: int
    began: datetime | None
    ended: datetime | None
    wall_ms: int
    model_ms: int
    tool_ms: int
    active_ms: int
    idle_ms: int
    models: tuple[ModelShare, ...]
    tools: tuple[ToolShare, ...]
    slowest: tuple[SlowCall, ...]
    files: tuple[FileTouched, ...]


class AgentShare(Struct, frozen=True, kw_only=True):
    """One subagent by itself, without those that it started. `parent` is the agent that did, or nothing."""

    agent_id: str
    kind: str
    description: str
    hidden: bool
    parent: str
    part: Part


class Stats(Struct, frozen=True, kw_only=True):
    """All figures. `agents` is keyed by agent id. `prices_date` is the day of the price table."""

    sessions: int
    prices_date: str
    main: Part
    subagents: Part
    total: Part
    agents: dict[str, AgentShare]


def of(session: Session, prices: PriceTable | None = None) -> Stats:
    """The figures of one session and its subagents."""
    return of_many((session,), prices)


def of_many(sessions: Iterable[Session], prices: PriceTable | None = None) -> Stats:
    """The figures of several sessions together. They are taken one at a time and not kept."""
    from dragoman.stats.collect import Collector  # which knows this module
    from dragoman.stats.prices import shipped

    collector = Collector(shipped() if prices is None else prices)
    for session in sessions:
        collector.add(session)
    return collector.stats()
