"""Tool results: what came back, how it went, and a person's words in it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from dragoman.model import Outcome, Text, ToolResult
from dragoman.readers.claude_code.blocks import result_content
from dragoman.readers.claude_code.fields import identifier, string
from dragoman.readers.claude_code.reading import Reading
from dragoman.readers.claude_code.vocabulary import BLOCK_FIELDS

_SAID = (
    "To tell you how to proceed, the user said:\n",
    "the user said:\n",
    "The user provided the following reason for the rejection:",
)
"""A person's words stand after one of these (the last: up to 1.0.x)."""

_REJECTED = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "User rejected tool use",
    "Permission to use ",
    "Claude requested permissions to ",
)
_INTERRUPTED = ("[Request interrupted by user", "Interrupted by user")
_MISSING = ("[Tool result missing due to internal error]", "[Tool result missing")
_DENIALS: dict[str, Outcome] = {"interrupted": "interrupted", "cancelled": "interrupted"}


def is_result(block: Any) -> bool:
    return type(block) is dict and block.get("type") == "tool_result"


def result_of(
    block: dict[str, Any], record: dict[str, Any], time: datetime | None, reading: Reading, *, alone: bool
) -> ToolResult:
    """The neutral form of one `tool_result`. `alone`: the line's `toolUseResult` speaks of it."""
    call_id = identifier(block.get("tool_use_id"))
    structured = None
    if alone:
        structured = record.get("toolUseResult")
        if structured is None:
            structured = record.get("tool_use_result")
    flag = block.get("is_error")
    error: Literal["yes", "no", "unsaid"] = "yes" if flag is True else "no" if flag is False else "unsaid"
    if flag is not None and type(flag) is not bool:
        reading.bad("tool_result.is_error")
    content = result_content(block.get("content"), reading)
    first = content[0].text if content and type(content[0]) is Text else ""
    if call_id in reading.results:
        reading.id_again = True
    reading.results.add(call_id)
    name, called = reading.calls.get(call_id, ("", None))
    duration = None
    if time is not None and called is not None and time >= called:
        duration = round((time - called).total_seconds() * 1000)
    extra: dict[str, Any] = {}
    if len(block) > 4:
        known = BLOCK_FIELDS["tool_result"]
        for field in block.keys() - known:
            reading.unknown_field("tool_result", field)
            extra[field] = block[field]
    return ToolResult(
        call_id,
        content=content,
        structured=structured,
        error=error,
        outcome=_outcome(flag, first, structured, record) if error == "yes" or structured is not None else "ok",
        feedback=_feedback(first, flag is True, structured, record) if alone else _said(first, flag is True),
        duration_ms=duration,
        tool_name=name,
        extra=extra,
    )


def _outcome(flag: Any, text: str, structured: Any, record: dict[str, Any]) -> Outcome:
    denial = record.get("toolDenialKind")
    if type(denial) is str and flag is True:
        return _DENIALS.get(denial, "rejected")
    if type(structured) is dict and structured.get("interrupted") is True:
        return "interrupted"
    if flag is not True:
        return "ok"
    if text.startswith(_INTERRUPTED):
        return "interrupted"
    if text.startswith(_MISSING):
        return "missing"
    if structured == "User rejected tool use" or text.startswith(_REJECTED):
        return "rejected"
    return "failed"


def _feedback(text: str, failed: bool, structured: Any, record: dict[str, Any]) -> str:
    if words := string(record.get("userFeedback")):
        return words
    return _said(text, failed) or answers(structured)


def _said(text: str, failed: bool) -> str:
    if not failed:
        return ""
    for phrase in _SAID:
        _, found, words = text.partition(phrase)
        if found:
            return words.strip()
    return ""


def answers(structured: Any) -> str:
    """A person's answers to questions: alone where there is one, else each after its question."""
    if type(structured) is not dict or type(structured.get("answers")) is not dict or "questions" not in structured:
        return ""
    given = [
        (question, ", ".join(map(str, answer)) if type(answer) is list else str(answer))
        for question, answer in structured["answers"].items()
    ]
    lines = [given[0][1]] if len(given) == 1 else [f"{question} {answer}" for question, answer in given]
    notes = structured.get("annotations")
    if type(notes) is dict:
        said = (string(note.get("notes")) for note in notes.values() if type(note) is dict)
        lines.extend(each for each in said if each)
    if more := string(structured.get("response")):
        lines.append(more)
    return "\n".join(lines)
