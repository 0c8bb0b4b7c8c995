"""Writes Chat Completions messages: one conversation as a JSON array, or conversations as JSON Lines.

An array holds one conversation. JSON Lines hold `{"messages": [...]}` a line: the session, then each
of its subagents as a conversation of its own. Lines are written where the output's name ends in
`.jsonl`, or where an option asks for something that an array has no room for.
"""

from __future__ import annotations

from typing import Annotated, Any, BinaryIO

import orjson
from msgspec import Meta, Struct

from dragoman.errors import OutputError, UsageError
from dragoman.io.collecting import paused
from dragoman.io.names import stem
from dragoman.io.target import Target
from dragoman.model import Session, walk
from dragoman.report import Code, Report
from dragoman.writers.openai.conversation import conversation
from dragoman.writers.openai.tools import tools_seen

_PART = 64
"""Messages that are made into bytes at a time."""


class OpenAIOptions(Struct, frozen=True):
    """What can be asked of the OpenAI writer."""

    lines: Annotated[bool, Meta(description="JSON Lines, a conversation each, instead of one array.")] = False
    tools: Annotated[bool, Meta(description="Name the tools too, as far as the calls show what they take.")] = False
    reasoning: Annotated[
        bool, Meta(description="Thinking as `reasoning_content`, as DeepSeek and others take it; else it is left out.")
    ] = False


class OpenAIWriter:
    """Chat Completions messages, valid for the `openai` package and for strict providers."""

    name = "openai"
    description = 'OpenAI Chat Completions messages: one JSON array, or JSON Lines of {"messages": [...]}'
    suffix = ".json"
    media_type = "application/json"
    binary = False
    several = True
    options = OpenAIOptions

    def unavailable(self) -> str:
        return ""

    def file_name(self, session: Session, options: OpenAIOptions) -> str:
        return f"{stem(session)}.{'jsonl' if options.lines or options.tools else 'json'}"

    def write(self, session: Session, target: Target, options: OpenAIOptions, report: Report) -> None:
        lines = options.lines or options.tools or (target.main_name or "").lower().endswith(".jsonl")
        stream = target.main(self.file_name(session, options))
        if not lines and stream.tell():
            raise UsageError("several sessions don't fit one array of messages; use --lines, or -o FOLDER/")
        with paused():
            if lines:
                self._lines(session, stream, options, report)
            else:
                _report_subagents(session, report)
                _array(conversation(session, report, reasoning=options.reasoning), stream)

    def _lines(self, session: Session, stream: BinaryIO, options: OpenAIOptions, report: Report) -> None:
        for number, (each, owner) in enumerate(_shown(session, report)):
            messages = conversation(each, report, reasoning=options.reasoning)
            if not messages and number:
                report.add(Code.EMPTY_MESSAGE, what="a subagent's conversation")
                continue
            line: dict[str, Any] = {"messages": messages}
            tools = tools_seen(messages, session.header) if options.tools else []
            if tools:  # an empty list is refused
                line["tools"] = tools
            stream.write(_dumps(line))
            stream.write(b"\n")
            if owner is not None:
                report.add(Code.DROPPED_FIELD, what="which call started a subagent")


def _shown(session: Session, report: Report) -> list[tuple[Session, Any]]:
    """The session and the subagents that aren't hidden; what is under a hidden one is hidden with it."""
    shown: list[tuple[Session, Any]] = []
    stack: list[tuple[Session, Any]] = [(session, None)]
    while stack:
        current, owner = stack.pop()
        if owner is not None and owner.hidden:
            report.add(Code.DROPPED_HIDDEN_AGENT, count=sum(1 for _ in walk(current)))
            continue
        shown.append((current, owner))
        stack.extend((agent.session, agent) for agent in reversed(current.subagents))
    return shown


def _report_subagents(session: Session, report: Report) -> None:
    shown = len(_shown(session, report)) - 1
    if shown:
        report.add(Code.DROPPED_SUBAGENT, count=shown, what="an array holds one conversation; --lines writes them too")


def _array(messages: list[dict[str, Any]], stream: BinaryIO) -> None:
    """A part at a time: the whole as one string would be the biggest thing in memory."""
    stream.write(b"[")
    for start in range(0, len(messages), _PART):
        if start:
            stream.write(b",")
        stream.write(memoryview(_dumps(messages[start : start + _PART]))[1:-1])
    stream.write(b"]\n")


def _dumps(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError as error:
        raise OutputError(
            f"this conversation can't be written as JSON ({' '.join(str(error).split())[:200]})"
        ) from None


writer = OpenAIWriter()
