"""Outputs that are secrets: what a call of a tool, or a person's shell, gave back for a command that reads one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from dragoman.filters.redact.context.commands import lines_of, of_file, prints, secrets_in
from dragoman.filters.redact.finder import Found
from dragoman.filters.redact.names import Name
from dragoman.model import Message, Session, Text, ToolCall, ToolResult

RULE = "named-output"

_COMMANDS = ("command", "cmd", "script", "code", "input")
_FILES = ("file_path", "path", "filePath", "filename", "file", "target_file", "absolute_path")
_CONTENTS = ("content", "contents", "text", "stdout", "output", "result", "file_text")
_NESTED = 4
_LEAD = "Output:\n"
"""Some agents put code and time before what a command printed."""


def outputs(session: Session) -> Iterator[tuple[str, Found]]:
    """Every text of the session and its agents that is the output of such a command, with each secret in it."""
    names: dict[str, tuple[Name | None, ...]] = {}
    typed: tuple[Name | None, ...] = ()
    for entry in session.entries:
        if not isinstance(entry, Message):
            continue
        if entry.origin == "shell_input":
            typed = next((prints(block.text) for block in entry.blocks if isinstance(block, Text)), ())
            continue
        if entry.origin == "shell_output" and typed:
            for block in entry.blocks:
                if isinstance(block, Text):
                    yield from _secrets(block.text, typed)
        for block in entry.blocks:
            if isinstance(block, ToolCall):
                value = _object(block.arguments)
                announced = _announced(value)
                if announced:
                    names[block.id] = announced
                    for text in _texts({key: value[key] for key in _CONTENTS if key in value}):
                        yield from _secrets(text, announced)
            elif isinstance(block, ToolResult) and block.call_id in names:
                for part in block.content:
                    if isinstance(part, Text):
                        yield from _secrets(part.text, names[block.call_id])
                for text in _texts(block.structured):
                    yield from _secrets(text, names[block.call_id])
    for agent in session.subagents:
        yield from outputs(agent.session)


def _object(arguments: str) -> dict[str, Any]:
    if len(arguments) > 20_000:
        return {}
    try:
        value = orjson.loads(arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _announced(arguments: dict[str, Any]) -> tuple[Name | None, ...]:
    """What the result of a call with these arguments is."""
    for key in _COMMANDS:
        command = arguments.get(key)
        if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
            command = command[-1] if len(command) == 3 and command[1].startswith("-") else " ".join(command)
        if isinstance(command, str) and (names := prints(command)):
            return names
    for key in _FILES:
        path = arguments.get(key)
        if isinstance(path, str) and (name := of_file(path)) is not None:
            return (name,)
    return ()


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """The strings of a result's twin that hold what was printed."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth < _NESTED:
        for key, held in value.items():
            if key in _CONTENTS or isinstance(held, dict):
                yield from _texts(held, depth + 1)


def _secrets(text: str, names: tuple[Name | None, ...]) -> Iterator[tuple[str, Found]]:
    start = text.find(_LEAD, 0, 400) + len(_LEAD)
    shown = text[start:] if start >= len(_LEAD) else text
    if not lines_of(shown):
        return
    lead = len(text) - len(shown)
    for low, high, name in secrets_in(shown, names):
        yield text, Found(low + lead, high + lead, RULE, name.kind, shown[low:high])
