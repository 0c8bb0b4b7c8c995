"""From a session to what a person reads (`turns.Document`). One pass to pair, one to build: linear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from dragoman.model import (
    Entry,
    Event,
    Media,
    Message,
    Reasoning,
    Session,
    Span,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
    walk,
)
from dragoman.render import notes, text
from dragoman.render.turns import (
    AgentRun,
    Answer,
    Branch,
    Call,
    Divider,
    Document,
    Level,
    Note,
    Part,
    Prompt,
    Step,
    Turn,
)
from dragoman.report import Code, Report
from dragoman.stats import COMMANDS

MAX_DEPTH = 40
"""Agents within agents that are followed; deeper ones are reported as not written. Claude Code allows 5."""

HUMAN_TOOLS = frozenset({"AskUserQuestion", "ExitPlanMode", "exit_plan_mode", "SendUserMessage", "Brief"})
"""Calls that talk to a person: they belong to the conversation."""


def read(session: Session, level: Level = "everything", report: Report | None = None) -> Document:
    """The session for reading. What is left out is reported (once a call of this function)."""
    reader = _Reader(level, Report() if report is None else report)
    document = reader.document(session)
    reader.tell()
    return document


class _Answered(Struct, frozen=True, gc=False):
    """A result and where it stood."""

    result: ToolResult
    time: datetime | None


class _Share(Struct, frozen=True, gc=False):
    """The entries of an agent that belong to one call."""

    agent: _Agent
    start: int
    stop: int
    part: int
    parts: int


class _Agent(Struct):
    """A subagent and its own index, made when its first run is built."""

    agent: Subagent
    anchor: str
    index: _Index | None = None


class _Index(Struct):
    """What belongs together in one session. `seen` says how many results of an id are claimed."""

    session: Session
    prefix: str
    depth: int
    results: dict[str, list[_Answered]]
    orphans: set[int]  # results that answer no call, by identity
    seen: Counter[str]
    shares: dict[str, list[_Share]]
    loose: list[_Share]


class _Reader:
    def __init__(self, level: Level, report: Report) -> None:
        self.level = level
        self.report = report
        self.agents = 0
        self.hidden = 0
        self.prompts: dict[str, int] = {}
        self.title = ""
        self.dropped: dict[tuple[Code, str], list[Any]] = {}  # [count, first span]: cheaper than a report each

    # what is left out

    def drop(self, code: Code, what: str, span: Span | None, count: int = 1) -> None:
        held = self.dropped.get((code, what))
        if held is None:
            self.dropped[code, what] = [count, [span]]
        else:
            held[0] += count
            if len(held[1]) < 20:
                held[1].append(span)

    def tell(self) -> None:
        """Put into the report what was left out."""
        for (code, what), (count, spans) in self.dropped.items():
            for span in spans[1:]:
                self.report.add(code, span, what)
            self.report.add(code, spans[0], what, count - len(spans) + 1)

    # pairing

    def document(self, session: Session) -> Document:
        index = self.index(session, "", 0)
        turns = self.turns(index, 0, len(session.entries))
        loose = tuple(self.run(share, index.depth) for share in index.loose)
        if session.header.extra:
            self.drop(Code.DROPPED_FIELD, "header.extra", None)
        return Document(session, self.level, turns, loose, self.hidden)

    def index(self, session: Session, prefix: str, depth: int) -> _Index:
        results: dict[str, list[_Answered]] = {}
        calls: Counter[str] = Counter()
        for entry in session.entries:
            if isinstance(entry, Message):
                for block in entry.blocks:
                    if isinstance(block, ToolCall):
                        calls[block.id] += 1
                    elif isinstance(block, ToolResult):
                        results.setdefault(block.call_id, []).append(_Answered(block, block.time or entry.time))
        orphans = {id(each.result) for key, held in results.items() for each in held[calls[key] :]}
        index = _Index(session, prefix, depth, results, orphans, Counter(), {}, [])
        for agent in session.subagents:
            self.place(agent, index, calls)
        return index

    def place(self, agent: Subagent, index: _Index, calls: Counter[str]) -> None:
        """Give an agent's entries to the calls that it answers, or to the end of the document."""
        span = next((entry.span for entry in agent.session.entries if entry.span is not None), None)
        if agent.hidden:
            self.hidden += 1
            self.drop(Code.DROPPED_HIDDEN_AGENT, "", span, _size(agent))
            return
        if self.level != "everything":
            self.drop(Code.DROPPED_BY_REQUEST, "subagents", span, _size(agent))
            return
        if index.depth >= MAX_DEPTH:
            self.drop(Code.DROPPED_SUBAGENT, f"nested deeper than {MAX_DEPTH}", span, _size(agent))
            return
        self.agents += 1
        held = _Agent(agent, f"a{self.agents}")
        if agent.extra:
            self.drop(Code.DROPPED_FIELD, "subagent.extra", span)
        total = len(agent.session.entries)
        links = sorted(
            {link.call_id: link for link in reversed(agent.links) if link.call_id in calls}.values(),
            key=lambda link: link.first_entry,
        )
        if not links:
            index.loose.append(_Share(held, 0, total, 1, 1))
            return
        starts = [0, *(min(max(link.first_entry, 0), total) for link in links[1:]), total]
        for n, link in enumerate(links):
            share = _Share(held, starts[n], starts[n + 1], n + 1, len(links))
            index.shares.setdefault(link.call_id, []).append(share)

    # building

    def run(self, share: _Share, depth: int) -> AgentRun:
        held = share.agent
        if held.index is None:
            held.index = self.index(held.agent.session, held.anchor + "-", depth + 1)
        turns = self.turns(held.index, share.start, share.stop)
        anchor = held.anchor if share.part == 1 else f"{held.anchor}-{share.part}"
        loose: tuple[AgentRun, ...] = ()
        if share.part == share.parts:
            loose = tuple(self.run(each, depth + 1) for each in held.index.loose)
        return AgentRun(anchor, held.agent, turns, share.part, share.parts, loose)

    def turns(self, index: _Index, start: int, stop: int) -> tuple[Turn, ...]:
        entries = index.session.entries
        numbered: Iterable[tuple[int, Entry]]
        if not any(entry.branch for entry in entries):
            numbered = enumerate(entries[start:stop] if start or stop < len(entries) else entries, start)
            return self.sequence(index, numbered)
        made: list[Turn] = []
        held: list[tuple[int, Entry]] = []
        branch = ""
        for n in range(start, stop):
            entry = entries[n]
            if entry.branch != branch and held:
                self.close_branch(index, branch, held, made)
                held = []
            branch = entry.branch
            held.append((n, entry))
        if held:
            self.close_branch(index, branch, held, made)
        return tuple(made)

    def close_branch(self, index: _Index, branch: str, held: Sequence[tuple[int, Entry]], made: list[Turn]) -> None:
        turns = self.sequence(index, held)
        if not branch:
            made.extend(turns)
        elif turns:
            messages = sum(1 for _, entry in held if isinstance(entry, Message))
            if self.level == "everything":
                made.append(Branch(f"{index.prefix}b{held[0][0]}", branch, messages, turns))
            else:
                self.drop(Code.DROPPED_BRANCH, "", held[0][1].span, messages)

    def sequence(self, index: _Index, numbered: Iterable[tuple[int, Entry]]) -> tuple[Turn, ...]:
        made: list[Turn] = []
        items: list[Step | Note] = []
        left_out = 0
        everything = self.level == "everything"
        opened = 0
        for n, entry in numbered:
            if not items and not left_out:
                opened = n
            if isinstance(entry, Event):
                if entry.kind == "compaction":
                    if items or left_out:
                        made.append(Answer(f"{index.prefix}t{opened}", tuple(items), left_out))
                        items, left_out = [], 0
                    if self.level != "prompts":
                        made.append(Divider(f"{index.prefix}m{n}", entry.kind, _compaction(entry), entry))
                        if everything and len(entry.text) > 100:  # more than fits on the divider
                            made.append(
                                Note(f"{index.prefix}n{n}", entry.kind, "Compaction", entry, entry.text, folded=True)
                            )
                    else:
                        self.drop(Code.DROPPED_BY_REQUEST, "notes", entry.span)
                    continue
                note = self.event(index, n, entry)
                if note is not None:
                    if items:
                        items.append(note)
                    else:
                        made.append(note)
                continue
            if entry.role == "tool" and not index.orphans and not entry.extra and _is_claimed(entry):
                continue
            parts, withdrawn, hidden = self.parts(index, n, entry)
            left_out += hidden if self.level != "prompts" else 0
            if entry.extra:
                self.drop(Code.DROPPED_FIELD, "message.extra", entry.span)
            if withdrawn:
                if everything:
                    note = Note(
                        f"{index.prefix}w{n}", "withdrawn", _withdrawn(entry), entry, parts=withdrawn, folded=True
                    )
                    if items:
                        items.append(note)
                    else:
                        made.append(note)
                else:
                    self.drop(Code.DROPPED_RETRACTED, "", entry.span)
            if not parts:
                continue
            anchor = f"{index.prefix}m{n}"
            if entry.origin in notes.PROMPTS and entry.role in ("user", "system"):
                if items or left_out:
                    made.append(Answer(f"{index.prefix}t{opened}", tuple(items), left_out))
                    items, left_out = [], 0
                series = f"{index.prefix} {entry.branch}"
                number = self.prompts[series] = self.prompts.get(series, 0) + 1
                made.append(Prompt(anchor, number, _title(parts, entry.origin), entry, parts))
            elif (entry.role == "assistant" and entry.origin == "reply") or any(
                isinstance(part, Call) for part in parts
            ):
                items.append(Step(anchor, entry, parts))
            else:
                if not everything and (self.level == "prompts" or entry.origin not in notes.TALK):
                    self.drop(Code.DROPPED_BY_REQUEST, "notes", entry.span)
                    continue
                head = notes.of_message(entry)
                if entry.origin == "interrupt" and len(parts) == 1 and _is_bare_interrupt(parts[0]):
                    parts = ()
                note = Note(anchor, entry.origin, head.title, entry, "", head.form, parts, head.folded, head.alarm)
                if items:
                    items.append(note)
                else:
                    made.append(note)
        if items or left_out:
            made.append(Answer(f"{index.prefix}t{opened}", tuple(items), left_out))
        return tuple(made)

    def event(self, index: _Index, n: int, event: Event) -> Note | None:
        head = notes.of_event(event)
        if head is not None and event.kind == "title":
            if event.text == self.title:
                head = None
            self.title = event.text
        if head is None:
            self.drop(Code.DROPPED_EVENT, event.name or event.kind, event.span)
            return None
        if event.data is not None and head.form != "json":
            self.drop(Code.DROPPED_FIELD, "event.data", event.span)
        if event.extra:
            self.drop(Code.DROPPED_FIELD, "event.extra", event.span)
        if self.level != "everything":
            self.drop(Code.DROPPED_BY_REQUEST, "notes", event.span)
            return None
        return Note(
            f"{index.prefix}m{n}", event.kind, head.title, event, head.text, head.form, (), head.folded, head.alarm
        )

    def parts(self, index: _Index, n: int, message: Message) -> tuple[tuple[Part, ...], tuple[Part, ...], int]:
        """What of a message is shown, what of it was withdrawn, and how many calls the level hides."""
        live: list[Part] = []
        withdrawn: list[Part] = []
        left_out = 0
        level = self.level
        speaker = message.origin in notes.PROMPTS
        for position, block in enumerate(message.blocks):
            part: Part
            if block.extra:
                self.drop(Code.DROPPED_FIELD, "block.extra", block.span or message.span)
            if isinstance(block, ToolCall):
                part = self.call(index, f"{index.prefix}m{n}-{position}", message, block)
                if level != "everything" and not _for_people(part, level):
                    left_out += 1
                    self.drop(Code.DROPPED_BY_REQUEST, "tool calls", block.span or message.span)
                    continue
            elif isinstance(block, ToolResult):
                if id(block) not in index.orphans:
                    continue
                part = Call(f"{index.prefix}m{n}-{position}", None, block, message, block.time or message.time)
                if level != "everything" and not _for_people(part, level):
                    left_out += 1
                    self.drop(Code.DROPPED_BY_REQUEST, "tool calls", block.span or message.span)
                    continue
            elif isinstance(block, Text):
                if not block.text or block.text.isspace():
                    continue
                if level == "prompts" and not speaker:
                    self.drop(Code.DROPPED_BY_REQUEST, "answers", block.span or message.span)
                    continue
                part = block
            elif isinstance(block, Reasoning):
                if block.signature:
                    self.drop(Code.DROPPED_SIGNATURE, "", block.span or message.span)
                if not block.text or block.text.isspace():
                    continue
                if level != "everything":
                    self.drop(Code.DROPPED_BY_REQUEST, "reasoning blocks", block.span or message.span)
                    continue
                part = block
            else:
                if level == "prompts" and not speaker:
                    what = "pictures" if isinstance(block, Media) else "unknown blocks"
                    self.drop(Code.DROPPED_BY_REQUEST, what, block.span or message.span)
                    continue
                part = block
            status = block.status or message.status
            (live if status == "live" else withdrawn).append(part)
        return tuple(live), tuple(withdrawn), left_out

    def call(self, index: _Index, anchor: str, message: Message, call: ToolCall) -> Call:
        waiting = index.results.get(call.id)
        answered = None
        if waiting:
            seen = index.seen[call.id]
            if seen < len(waiting):
                answered = waiting[seen]
                index.seen[call.id] = seen + 1
        shares = index.shares.pop(call.id, None) if index.shares else None
        runs: tuple[AgentRun, ...] = ()
        if shares:
            runs = tuple(self.run(share, index.depth) for share in shares)
        if answered is None:
            return Call(anchor, call, None, message, None, runs)
        return Call(anchor, call, answered.result, message, answered.time, runs)


def _is_claimed(message: Message) -> bool:
    """Whether a message holds only results, which are shown with their calls. Most messages of tools do."""
    return all(type(block) is ToolResult and not block.extra for block in message.blocks)


def _size(agent: Subagent) -> int:
    """An agent with those below it."""
    return sum(1 for _ in walk(agent.session))


def _for_people(part: Call, level: Level) -> bool:
    """Whether a call is talk between the agent and a person."""
    if part.result is not None and part.result.feedback:
        return True
    if level == "prompts":
        return part.name == "AskUserQuestion"
    return part.name in HUMAN_TOOLS


def _is_bare_interrupt(part: Part) -> bool:
    """Whether it is the agent's own line, which the note's title says already."""
    return isinstance(part, Text) and part.text.strip() in (
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
    )


def _title(parts: Sequence[Part], origin: str) -> str:
    """The first words; what is typed for a program is no Markdown."""
    for part in parts:
        if isinstance(part, Text):
            return text.one_line(part.text) if origin in COMMANDS else text.unmarked(part.text)
    for part in parts:
        if isinstance(part, Media):
            return text.one_line(part.name) or ("Picture" if part.media_type.startswith("image/") else "Document")
    return "…"


def _withdrawn(message: Message) -> str:
    retracted = message.status == "retracted" or any(block.status == "retracted" for block in message.blocks)
    return "Withdrawn by the agent" if retracted else "Superseded by a later attempt"


def _compaction(event: Event) -> str:
    data = event.data if isinstance(event.data, dict) else {}
    meta = data.get("compactMetadata")
    meta = meta if isinstance(meta, dict) else data
    words = text.one_line(event.text) or "Conversation compacted"
    trigger, before = meta.get("trigger"), meta.get("preTokens")
    facts = [each for each in (trigger,) if each in ("auto", "manual")]
    if isinstance(before, int) and not isinstance(before, bool) and before > 0:
        facts.append(f"{text.number(before)} tokens before")
    return " · ".join([words, *facts])
