"""What a line remembers of the clm record that it comes from, so that the way back gives its bytes.

Each line of ours made from a clm log has a field `clm`, which Claude Code passes over. It holds the
record's number, and the record's own line only where that can't be made again from what the line
says (`line`, and `encoding` where it isn't UTF-8). Records that are no message (unknown types,
damaged and blank lines) stand in `mode` lines, as Claude Code repeats them anyway.
"""

from __future__ import annotations

from typing import Any

import orjson

from dragoman.io import clm
from dragoman.model import Message, Session, Text, ToolCall, ToolResult

FIELD = "clm"
_PHANTOMS = ("", "(no content)")


class Marks:
    """The marks for the lines of one session; none where it doesn't come from clm."""

    def __init__(self, session: Session) -> None:
        self._lines = dict(enumerate(clm.log_lines(session) or ()))
        self._kept = session.header.extra.get("clm") if self._lines or session.header.format == "clm" else None
        self._has_meta = bool(self._lines) and self._lines[0][1] is None
        self._tools: dict[str, str] = {}
        self._number = int(self._has_meta)

    @property
    def head(self) -> dict[str, Any] | None:
        """For the first line: the meta record and how the file ended."""
        if not isinstance(self._kept, dict) or (not self._lines and "meta" not in self._kept and not self._kept):
            return None if not isinstance(self._kept, dict) else {"log": {}}
        return {"log": self._kept}

    def event(self) -> dict[str, Any] | None:
        """For a record that is no message, in its place."""
        if (line := self._next()) is None:
            return None
        return _with_line(line)

    def message(self, message: Message, call_ids: list[str]) -> dict[str, Any] | None:
        """For a message's line. `call_ids` are those that its calls, or its result, got there."""
        number = self._number
        if (line := self._next()) is None:
            return None
        plain = _is_plain(message, call_ids, self._tools)
        for block in message.blocks:
            if isinstance(block, ToolCall):
                self._tools.setdefault(block.id, block.name)
        if plain and clm.encode(message) == line:
            return {"n": number}
        return {"n": number, **_with_line(line)}

    def _next(self) -> bytes | None:
        found = self._lines.get(self._number)
        self._number += 1
        return found[0] if found else None


def _with_line(line: bytes) -> dict[str, Any]:
    try:
        return {"line": line.decode()}
    except UnicodeDecodeError:
        return {"line": line.decode("latin-1"), "encoding": "latin-1"}


def _is_plain(message: Message, call_ids: list[str], tools: dict[str, str]) -> bool:
    """Whether reading the line gives the message's words, calls and result exactly."""
    if message.extra or message.raw is not None:
        return False
    if message.role == "tool":
        result = message.blocks[0] if len(message.blocks) == 1 else None
        return (
            isinstance(result, ToolResult)
            and [result.call_id] == call_ids
            and result.tool_name != ""
            and tools.get(result.call_id) == result.tool_name
            and len(result.content) == 1
            and isinstance(result.content[0], Text)
            and "<" not in result.content[0].text
        )
    if message.role == "user":
        block = message.blocks[0] if len(message.blocks) == 1 else None
        return isinstance(block, Text) and "<" not in block.text and block.text.strip() != ""
    if message.role != "assistant" or not message.blocks:
        return False
    calls = [block for block in message.blocks if isinstance(block, ToolCall)]
    words = [block.text for block in message.blocks if isinstance(block, Text)]
    return (
        [call.id for call in calls] == call_ids
        and not any(text in _PHANTOMS for text in words)
        and all(_is_written_so(call.arguments) and not call.extra for call in calls)
    )


def _is_written_so(arguments: str) -> bool:
    try:
        value = orjson.loads(arguments)
        return (
            isinstance(value, dict) and "__unparsedToolInput" not in value and orjson.dumps(value).decode() == arguments
        )
    except (ValueError, TypeError):
        return False
