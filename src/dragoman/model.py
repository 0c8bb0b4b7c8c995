"""The neutral conversation: what every reader makes, every filter changes and every writer writes.

Values are immutable. Names are the field's own. A thing that a format says and this model has no
word for is carried (`Unknown`, `Event` of kind "unknown", `extra`), never dropped.

Absent and empty differ where a format makes them differ: a message without blocks has absent
content, one with `Text("")` has empty content. Strings are valid Unicode from the reader on (no
lone surrogates). Times are aware datetimes or absent. Sizes and durations say their unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

MAJOR, MINOR = 1, 0
"""Version of the neutral form: another major cannot be read, another minor can."""

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]

Status: TypeAlias = Literal["live", "retracted", "superseded"]
"""retracted: the agent withdrew it; superseded: a later attempt stands in its place."""

Origin: TypeAlias = Literal[
    "prompt",  # a person typed it, or a program did in a person's place
    "queued_prompt",  # a person typed it while the agent was working
    "unsent_prompt",  # typed and still waiting when the file ends
    "task",  # the prompt that an agent gave to its subagent
    "slash_command",
    "command_output",
    "shell_input",  # a `!` line
    "shell_output",
    "memory_note",  # a `#` line
    "plan",  # an accepted plan handed to a cleared context
    "interrupt",
    "injected",  # context that the harness put in; the model saw it
    "compaction_summary",
    "notification",  # a background task or agent reports
    "agent_message",  # from a teammate, another session, or a channel
    "reply",  # what a model answered
    "result",  # what a tool answered
    "synthetic_error",  # the harness speaks in the model's place
    "synthetic",
    "instructions",  # a system prompt
]

Outcome: TypeAlias = Literal["ok", "failed", "rejected", "interrupted", "missing"]


class Span(Struct, frozen=True):
    """Where something stood: a file as the user would name it, and a line counted from 1."""

    file: str
    line: int


class _Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a block says of its own line, where that differs from its message's."""

    uuid: str = ""
    span: Span | None = None
    time: datetime | None = None
    status: Status | None = None
    extra: dict[str, Any] = field(default_factory=dict)


class Text(_Line, frozen=True, tag="text"):
    """Words, in Markdown as the agents write it."""

    text: str


class Reasoning(_Line, frozen=True, tag="reasoning"):
    """A model's thinking. `withheld`: the provider kept the words back, wholly (text is empty)."""

    text: str = ""
    signature: str = ""
    withheld: bool = False


class ToolCall(_Line, frozen=True, tag="tool_call"):
    """A call. `arguments` is the JSON text as it stood (usually an object; it may be broken).

    `server`: it ran at the provider, so its result stands in the same message.
    """

    id: str
    name: str
    arguments: str
    server: bool = False


class Media(_Line, frozen=True, tag="media"):
    """A picture or document: `data` is base64, or `url` says where it is, or it is a reference only."""

    media_type: str
    data: str = ""
    url: str = ""
    name: str = ""


class Unknown(_Line, frozen=True, tag="unknown"):
    """A block that the reader has no word for, whole. `kind` is its type's name."""

    kind: str
    value: Any


class ToolResult(_Line, frozen=True, tag="tool_result"):
    """What came back from a call.

    `content` is what the model saw; `structured` the agent's own twin of it, for people (or None).
    `error` is three-state, as on disk. `feedback` is a person's words in a rejection or an answer,
    kept once. `duration_ms` is wall time between call and result, where both are known.
    """

    call_id: str
    content: tuple[Text | Media | Unknown, ...] = ()
    structured: Any = None
    error: Literal["yes", "no", "unsaid"] = "unsaid"
    outcome: Outcome = "ok"
    feedback: str = ""
    duration_ms: int | None = None
    tool_name: str = ""


Block: TypeAlias = Text | Reasoning | ToolCall | ToolResult | Media | Unknown


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens of one API message, counted once. `complete` is False where the numbers are a lower bound."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    reasoning: int = 0
    tier: str = ""
    speed: str = ""
    region: str = ""
    web_searches: int = 0
    web_fetches: int = 0
    iterations: tuple[Any, ...] = ()
    cost_usd: float | None = None
    complete: bool = True


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="message"):
    """One turn's share of one speaker. An API reply is one Message, however many lines it took.

    `uuid` is the record's own id, `id` the provider's message id. `parent_id` is a record's uuid.
    `about` is the call or agent that it speaks of. `branch` names the abandoned branch that it
    stands on ("" is the live one). `raw` is the line as it stood, kept only where writing the
    message anew would change bytes.
    """

    role: Role
    origin: Origin
    blocks: tuple[Block, ...] = ()
    uuid: str = ""
    id: str = ""
    request_id: str = ""
    parent_id: str = ""
    time: datetime | None = None
    model: str = ""
    usage: Usage | None = None
    stop_reason: str = ""
    about: str = ""
    branch: str = ""
    status: Status = "live"
    span: Span | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    raw: str | None = None


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="event"):
    """Something that happened beside the talk.

    `kind` is one of: compaction, microcompaction, title, command, hook, notice, error, snapshot,
    queue, progress, context, state, link, summary, unknown; a reader may add its own.
    `name` is the format's own word (record type or subtype). `text` is for people.
    `refs` are uuids or ids of the entries that it speaks of. `data` is the rest of the record.
    """

    kind: str
    name: str = ""
    text: str = ""
    uuid: str = ""
    parent_id: str = ""
    branch: str = ""
    refs: tuple[str, ...] = ()
    data: Any = None
    time: datetime | None = None
    span: Span | None = None
    raw: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)


Entry: TypeAlias = Message | Event


class SourceFile(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file that the session was read from, as the user would name it."""

    path: str
    bytes: int = 0
    lines: int = 0


class Parent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The session that this one comes from. `kind`: resumed, forked, continued, spawned, compacted."""

    session_id: str
    kind: str = ""
    entry_uuid: str = ""


class Header(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is true of the whole session. `agent` and `agent_version` name the program that ran it."""

    id: str = ""
    format: str = ""
    title: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    cwd: str = ""
    git_branch: str = ""
    models: tuple[str, ...] = ()
    provider: str = ""
    agent: str = ""
    agent_version: str = ""
    parent: Parent | None = None
    files: tuple[SourceFile, ...] = ()
    usage_complete: bool = True
    extra: dict[str, Any] = field(default_factory=dict)


class AgentLink(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that started or resumed a subagent.

    `first_entry` is the index, in the subagent's entries, of the first one that answers this call.
    `evidence` says how it is known: meta, result, text, progress, notification, prompt, stream.
    """

    call_id: str
    evidence: str
    first_entry: int = 0


class Subagent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An agent that worked for the session. `hidden`: housekeeping, not shown unless asked for."""

    agent_id: str
    kind: str = ""
    description: str = ""
    hidden: bool = False
    group: str = ""
    links: tuple[AgentLink, ...] = ()
    session: Session
    extra: dict[str, Any] = field(default_factory=dict)


class Session(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One conversation, entries in the order in which they happened, with its subagents.

    Every subagent of the tree stands in the `subagents` of the session whose call spawned it;
    one that links to no call stands with the main session.
    """

    header: Header
    entries: tuple[Entry, ...] = ()
    subagents: tuple[Subagent, ...] = ()

    @property
    def messages(self) -> Iterator[Message]:
        """The messages among the entries, abandoned branches included."""
        return (entry for entry in self.entries if isinstance(entry, Message))


def walk(session: Session) -> Iterator[tuple[Session, Subagent | None]]:
    """The session and, depth first, those of its subagents, each with the Subagent that it belongs to."""
    stack: list[tuple[Session, Subagent | None]] = [(session, None)]
    while stack:
        current, owner = stack.pop()
        yield current, owner
        stack.extend((agent.session, agent) for agent in reversed(current.subagents))
