"""A session as what a person reads: the types. `reading.read` makes them.

`read(session, level, report)` gives a `Document`: a sequence of turns in file order, in which

- a `Prompt` is what a person (in a subagent: the agent that spawned it) said; prompts are the spine;
- an `Answer` is everything that the agent then did, as `Step`s (one API message each) with `Note`s in between;
- in a step each tool call is a `Call` that holds its result and the `AgentRun`s that it spawned, to any depth;
- a `Note` is something said by the machinery, with a one-line title and a body to be folded;
- a `Divider` marks a compaction or another break; a `Branch` holds what a person abandoned by rewinding.

What `read` leaves out (bookkeeping, housekeeping agents, what the level hides) it reports itself, so that
every reading format says the same. What a call shows (`tools.view`, `tools.summary`) is worked out when
asked for, since it is the costly part.

Every value has an `anchor`: unique in the document, safe anywhere (`[a-z0-9-]`), the same for the same input.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from msgspec import Struct

from dragoman.model import (
    Entry,
    Media,
    Message,
    Outcome,
    Reasoning,
    Session,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
)

Level: TypeAlias = Literal["prompts", "conversation", "everything"]
"""How much is shown.

prompts: what people said. conversation: with the answers, questions, plans and messages to people, without
tools, thinking and machinery. everything: all of it, machinery folded.
"""

Form: TypeAlias = Literal["prose", "terminal", "json"]
"""What a note's text is: Markdown-like prose, terminal output (perhaps with ANSI escapes), or JSON text."""


class Call(Struct, frozen=True, gc=False):
    """A tool call with what came of it. `call` is None where only the result is there, `result` where none came."""

    anchor: str
    call: ToolCall | None
    result: ToolResult | None
    message: Message
    answered: datetime | None = None
    runs: tuple[AgentRun, ...] = ()

    @property
    def name(self) -> str:
        """The tool's name as the transcript has it: untrusted text, perhaps empty."""
        if self.call is not None and self.call.name:
            return self.call.name
        return self.result.tool_name if self.result is not None else ""

    @property
    def outcome(self) -> Outcome:
        return self.result.outcome if self.result is not None else "missing"

    @property
    def time(self) -> datetime | None:
        """When it was made."""
        block = self.call or self.result
        return (block.time if block is not None else None) or self.message.time

    @property
    def duration_ms(self) -> int | None:
        """Wall time between call and result, where it is known."""
        return self.result.duration_ms if self.result is not None else None

    @property
    def tasks(self) -> set[str]:
        """The words that its agents' turns begin with."""
        first = (run.turns[0] for run in self.runs if run.turns)
        prompts = (turn for turn in first if isinstance(turn, Prompt))
        return {part.text.strip() for prompt in prompts for part in prompt.parts if isinstance(part, Text)}


Part: TypeAlias = Text | Reasoning | Media | Unknown | Call
"""What a prompt, step or note is made of: blocks of the model as they are, and calls joined with their results.

Blank texts and reasoning without words are left out already.
"""


class Prompt(Struct, frozen=True, gc=False):
    """What a person said. `number` counts from 1 within its session; `title` is its first words on one line.

    `message.origin` tells the kinds apart: prompt, queued_prompt, slash_command, shell_input, plan, task …
    """

    anchor: str
    number: int
    title: str
    message: Message
    parts: tuple[Part, ...]

    @property
    def time(self) -> datetime | None:
        return self.message.time


class Step(Struct, frozen=True, gc=False):
    """One API message of an answer."""

    anchor: str
    message: Message
    parts: tuple[Part, ...]

    @property
    def time(self) -> datetime | None:
        return self.message.time


class Note(Struct, frozen=True, gc=False):
    """Something beside the talk.

    `kind` is a message's origin, an event's kind, or `withdrawn`. `title` is one line for people, mostly our
    words, with phrases of the transcript in it (untrusted). The body is `parts` (a message's) or `text` (an
    event's, of `form`), or nothing. `folded`: the body is machinery. `alarm`: something went wrong.
    """

    anchor: str
    kind: str
    title: str
    entry: Entry
    text: str = ""
    form: Form = "prose"
    parts: tuple[Part, ...] = ()
    folded: bool = False
    alarm: bool = False

    @property
    def time(self) -> datetime | None:
        return self.entry.time


class Answer(Struct, frozen=True, gc=False):
    """All that the agent did until the next prompt or divider. `left_out` counts calls that the level hides."""

    anchor: str
    items: tuple[Step | Note, ...]
    left_out: int = 0

    @property
    def time(self) -> datetime | None:
        """When it began."""
        return next((item.time for item in self.items if item.time is not None), None)

    @property
    def model(self) -> str:
        """The model that began it."""
        return next((item.message.model for item in self.items if isinstance(item, Step) and item.message.model), "")


class Divider(Struct, frozen=True, gc=False):
    """A break in the talk. `kind` is the event's: compaction … `title` is one line."""

    anchor: str
    kind: str
    title: str
    entry: Entry

    @property
    def time(self) -> datetime | None:
        return self.entry.time


class Branch(Struct, frozen=True, gc=False):
    """What a person abandoned by going back to an earlier prompt: shown quietly."""

    anchor: str
    name: str
    messages: int
    turns: tuple[Turn, ...]


Turn: TypeAlias = Prompt | Answer | Note | Divider | Branch


class AgentRun(Struct, frozen=True, gc=False):
    """What a subagent did for one call. An agent can be resumed: then it has several runs, `part` of `parts`.

    A run without turns (its share is in another run, or empty) is only a mention. `agent.description` and
    `agent.kind` are untrusted text; times, models and usage are in `agent.session`. `loose`: agents of this
    agent that link to none of its calls, for its end.
    """

    anchor: str
    agent: Subagent
    turns: tuple[Turn, ...]
    part: int = 1
    parts: int = 1
    loose: tuple[AgentRun, ...] = ()


class Document(Struct, frozen=True, gc=False):
    """The whole session for reading. `loose`: agents that link to no call, for the end."""

    session: Session
    level: Level
    turns: tuple[Turn, ...]
    loose: tuple[AgentRun, ...] = ()
    hidden_agents: int = 0

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts of the main session, live ones only: the outline."""
        return tuple(turn for turn in self.turns if isinstance(turn, Prompt))
