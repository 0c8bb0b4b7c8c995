"""One look over a document before its page is made: the outline, what filters can choose, how big it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from dragoman.model import Reasoning, Text
from dragoman.render import text
from dragoman.render.turns import AgentRun, Answer, Branch, Call, Divider, Document, Note, Prompt, Step, Turn

LAZY = 1500
"""Calls, texts and notes from which a page keeps its folded bodies as text until they are opened."""


class Heading(Struct, gc=False):
    """A line of the outline with what came of it: a prompt, or (`number` 0) a break with what followed it.

    `facts`: (words, bad).
    """

    anchor: str
    number: int
    title: str
    turn: int
    calls: int = 0
    failed: int = 0
    begun: datetime | None = None
    ended: datetime | None = None
    page: str = ""

    @property
    def facts(self) -> list[tuple[str, bool]]:
        """What came of it, for the small line."""
        found: list[tuple[str, bool]] = []
        if self.calls:
            found.append((text.count(self.calls, "call"), False))
        if self.failed:
            found.append((f"{self.failed} failed", True))
        if self.begun and self.ended:
            took = text.duration((self.ended - self.begun).total_seconds() * 1000)
            if took and self.calls:
                found.append((took, False))
        return found


class Survey:
    """What is in a document, counted."""

    def __init__(self, document: Document) -> None:
        self.outline: list[Heading] = []
        self.kinds: Counter[str] = Counter()
        self.tools: Counter[str] = Counter()
        self.agents: dict[int, tuple[int, str]] = {}
        self.failed = 0
        self.entries = 0
        self._main = True
        self._outlined = True  # whether prompts and breaks have a line of their own here
        self._line: Heading | None = None  # what calls belong to
        self._turns(document.turns)
        self._main = False
        for run in document.loose:
            self._run(run)
        self.numbers = {name: n for n, name in enumerate(self.tools)}

    @property
    def lazy(self) -> bool:
        """Whether the page is so big that folded bodies should cost nothing until they are opened."""
        return self.entries > LAZY

    def _turns(self, turns: Iterable[Turn]) -> None:
        for position, turn in enumerate(turns):
            if isinstance(turn, Prompt):
                self.entries += 1
                self.kinds["prompt"] += 1
                self._open(turn.anchor, turn.number, turn.title, position, turn.time)
            elif isinstance(turn, Answer):
                for item in turn.items:
                    if isinstance(item, Step):
                        self._step(item)
                    else:
                        self._note(item)
            elif isinstance(turn, Note):
                self._note(turn)
            elif isinstance(turn, Divider):
                self.entries += 1
                self.kinds["note"] += 1
                self._open(turn.anchor, 0, turn.title, position, turn.time)
            else:
                self._branch(turn, position)

    def _branch(self, branch: Branch, position: int) -> None:
        self.kinds["note"] += 1
        prompts = sum(isinstance(turn, Prompt) for turn in branch.turns)
        told = f"Abandoned branch · {text.count(prompts, 'prompt')}" if prompts else "Abandoned branch"
        line, outlined = self._line, self._outlined
        self._open(branch.anchor, 0, told, position, None)
        self._outlined = False
        self._turns(branch.turns)
        self._line, self._outlined = line, outlined

    def _open(self, anchor: str, number: int, title: str, turn: int, time: datetime | None) -> None:
        """Begin a line of the outline, if this is a place for one."""
        if self._main and self._outlined:
            self._line = Heading(anchor, number, title, turn, begun=time, ended=time)
            self.outline.append(self._line)

    def _note(self, note: Note) -> None:
        self.entries += 1
        self.kinds["note"] += 1
        self.failed += note.alarm
        for part in note.parts:
            if isinstance(part, Call):
                self._call(part)

    def _step(self, step: Step) -> None:
        for part in step.parts:
            self.entries += 1
            if isinstance(part, Call):
                self._call(part)
            elif isinstance(part, Reasoning):
                self.kinds["thinking"] += 1
            elif isinstance(part, Text):
                self.kinds["answer"] += 1
        self._until(step.time)

    def _until(self, time: datetime | None) -> None:
        last = self._line
        if self._main and time is not None and last is not None:
            last.begun = last.begun or time
            if last.ended is None or time > last.ended:
                last.ended = time

    def _call(self, call: Call) -> None:
        self.kinds["tool"] += 1
        self.tools[call.name] += 1
        bad = call.outcome not in ("ok", "missing")
        self.failed += bad
        if self._main:
            if self._line is None:
                self._open("conversation", 0, "Before the first prompt", 0, call.time)
            if self._line is not None:
                self._line.calls += 1
                self._line.failed += bad
            self._until(call.answered)
        for run in call.runs:
            self._run(run)

    def _run(self, run: AgentRun) -> None:
        main, self._main = self._main, False
        key = id(run.agent)
        if key not in self.agents:
            name = run.agent.description or run.agent.kind or "Agent"
            self.agents[key] = (len(self.agents), text.one_line(name, 60))
        self._turns(run.turns)
        for loose in run.loose:
            self._run(loose)
        self._main = main
