"""Tool results: what came back, how it went, and a person's words in it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from dragoman.model import Media, Outcome, Text, ToolResult, Unknown
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
    get = block.get
    call_id = get("tool_use_id")
    if type(call_id) is not str:
        call_id = identifier(call_id)
    structured = None
    if alone:
        structured = record.get("toolUseResult")
        if structured is None:
            structured = record.get("tool_use_result")
    flag = get("is_error")
    error: Literal["yes", "no", "unsaid"] = "yes" if flag is True else "no" if flag is False else "unsaid"
    if flag is not None and type(flag) is not bool:
        reading.bad("tool_result.is_error")
    content: tuple[Text | Media | Unknown, ...]
    told = get("content")
    if type(told) is str:
        content = (Text(told),)
        if type(structured) is dict and structured.get("stdout") == told:
            structured["stdout"] = told  # the same words again, nearly always: one string in memory
        elif structured == told:
            structured = told
    else:
        content = result_content(told, reading)
    if call_id in reading.results:
        reading.id_again = True
    reading.results.add(call_id)
    name, called = reading.calls.get(call_id, _NO_CALL)
    duration = None
    if time is not None and called is not None:
        took = time - called
        if took.days >= 0:
            duration = round(took / _MILLISECOND)
    outcome: Outcome = "ok"
    feedback = ""
    if flag is True:
        first = content[0].text if content and type(content[0]) is Text else ""
        outcome = _outcome(first, structured, record)
        feedback = (string(record.get("userFeedback")) if alone else "") or _said(first)
    elif type(structured) is dict:
        if structured.get("interrupted") is True:
            outcome = "interrupted"
        if "answers" in structured:
            feedback = answers(structured)
    extra: dict[str, Any] = {}
    if len(block) > 4:
        known = BLOCK_FIELDS["tool_result"]
        for field in block.keys() - known:
            reading.unknown_field("tool_result", field)
            extra[field] = block[field]
    return ToolResult(
        call_id,
        content,
        structured,
        error,
        outcome,
        feedback,
        duration,
        name,
        extra=extra,
    )


_NO_CALL: tuple[str, Any] = ("", None)
_MILLISECOND = timedelta(milliseconds=1)


def _outcome(text: str, structured: Any, record: dict[str, Any]) -> Outcome:
    """How a call that failed did so: a person's no is no failure."""
    denial = record.get("toolDenialKind")
    if type(denial) is str:
        return _DENIALS.get(denial, "rejected")
    if type(structured) is dict and structured.get("interrupted") is True:
        return "interrupted"
    if text.startswith(_INTERRUPTED):
        return "interrupted"
    if text.startswith(_MISSING):
        return "missing"
    if structured == "User rejected tool use" or text.startswith(_REJECTED):
        return "rejected"
    return "failed"


def _said(text: str) -> str:
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
