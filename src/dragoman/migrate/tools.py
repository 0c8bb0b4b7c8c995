"""Claude Code's tools under clm's names, for who wants the history to read as clm's own (`--map-tools`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
from msgspec.structs import replace

from dragoman.model import Block, Entry, Message, Session, ToolCall, ToolResult

Arguments = dict[str, Any]


def map_tools(session: Session) -> Session:
    """The session and its subagents with every call that clm has a tool for under that tool's name."""
    entries = tuple(_entry(entry) for entry in session.entries)
    agents = tuple(replace(agent, session=map_tools(agent.session)) for agent in session.subagents)
    return replace(session, entries=entries, subagents=agents)


def _entry(entry: Entry) -> Entry:
    if not isinstance(entry, Message) or not any(isinstance(b, ToolCall | ToolResult) for b in entry.blocks):
        return entry
    blocks = tuple(_block(block) for block in entry.blocks)
    return entry if blocks == entry.blocks else replace(entry, blocks=blocks, raw=None)


def _block(block: Block) -> Block:
    if isinstance(block, ToolResult) and block.tool_name in _TOOLS:
        return replace(block, tool_name=_TOOLS[block.tool_name][0])
    if not isinstance(block, ToolCall) or block.name not in _TOOLS:
        return block
    name, arguments = _TOOLS[block.name]
    try:
        given = orjson.loads(block.arguments)
        if not isinstance(given, dict):
            return block
        mapped = arguments(given)
        return replace(block, name=name, arguments=orjson.dumps(mapped).decode())
    except (ValueError, TypeError):  # what can't be read stays as it was
        return block


def _renamed(**names: str) -> Callable[[Arguments], Arguments]:
    """Arguments under other names, those without a new name as they are."""

    def rename(given: Arguments) -> Arguments:
        return {names.get(key, key): value for key, value in given.items()}

    return rename


_TOOLS: dict[str, tuple[str, Callable[[Arguments], Arguments]]] = {
    "Bash": ("shell_exec", _renamed(command="cmd")),
    "Read": ("read_file", _renamed(file_path="path")),
    "Write": ("write_file", _renamed(file_path="path")),
    "Edit": ("edit_file", _renamed(file_path="path")),
    "MultiEdit": ("edit_file", _renamed(file_path="path")),
}
"""Claude Code's name: clm's, and how the arguments are named there."""
