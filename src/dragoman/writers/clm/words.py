"""What a message's blocks become in clm, which stores plain text: notes for what isn't text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import orjson

from dragoman.io import clm_notes
from dragoman.io.clm import CONTEXT_PREFIX
from dragoman.model import Block, Media, Message, Reasoning, Span, Text, ToolCall, ToolResult, Unknown
from dragoman.report import Code, Report

HIDDEN = frozenset(
    {
        "injected",
        "compaction_summary",
        "notification",
        "command_output",
        "instructions",
        "result",  # text that stands beside a result
    }
)
"""Origins of messages that the model saw and a person needn't: clm's screen hides them as context."""

_LABELS = {"unsent_prompt": "typed, but not sent:\n", "shell_input": "! "}
"""What is said before a message's words, where they would be taken for something else."""

_UNKNOWN_LIMIT = 4096
_TAG = re.compile(r"<(command-name|command-args)>(.*?)</\1>", re.DOTALL)


def prefix(message: Message, text: str) -> str:
    """What a user message begins with, so that clm hides it where it is machinery."""
    label = _LABELS.get(message.origin, "")
    hidden = message.origin in HIDDEN or message.origin == "unsent_prompt" or message.role in ("system", "tool")
    if message.origin == "injected" and clm_notes.is_note(text):
        return ""  # clm lists it: it is the line that tells which session this is
    if hidden and not text.startswith(CONTEXT_PREFIX):
        return f"{CONTEXT_PREFIX} {label}"
    return "" if text.startswith(label) else label


def of_blocks(message: Message, blocks: Sequence[Block], report: Report) -> str:
    """A message's words, block by block, without its calls and results."""
    if len(blocks) == 1 and type(blocks[0]) is Text and message.origin != "slash_command":
        return blocks[0].text  # nearly always
    parts = []
    for block in blocks:
        text = of_block(block, block.span or message.span, report)
        if text.strip():
            parts.append(text)
    text = "\n\n".join(parts)
    if message.origin == "slash_command":
        return _slash_command(text)
    return text


def of_block(block: Block, span: Span | None, report: Report) -> str:
    """One block's words; empty where it has none. Everything that isn't words is reported."""
    match block:
        case Text():
            return block.text
        case Reasoning():
            report.add(Code.DROPPED_REASONING if block.text else Code.DROPPED_SIGNATURE, span)
            return ""
        case Media():
            kind = media_kind(block)
            report.add(Code.DROPPED_MEDIA, span, kind)
            return media_note(block)
        case Unknown():
            report.add(Code.DROPPED_BLOCK, span, _word(block.kind))
            return f"[{_word(block.kind)}]"
        case ToolCall() | ToolResult():
            return ""


def of_result(result: ToolResult, span: Span | None, report: Report) -> str:
    """A result's words: its content, what a person said to it, and that it is an error."""
    content = result.content
    parts = [content[0].text] if len(content) == 1 and type(content[0]) is Text else []
    for part in () if parts else content:
        if isinstance(part, Unknown):
            parts.append(_json_or_note(part, span, report))
        elif text := of_block(part, span, report):
            parts.append(text)
    text = "\n".join(parts)
    if result.structured is not None:
        report.add(Code.DROPPED_STRUCTURED, span)
    if result.feedback and result.feedback.strip() not in text:
        text = f"{text}\n\nThe user said: {result.feedback}" if text.strip() else f"The user said: {result.feedback}"
    if not text.strip() and result.outcome in _STATED:
        text = _STATED[result.outcome]
        report.add(Code.SYNTHETIC_RESULT, span)
    if result.error == "yes":
        report.add(Code.DROPPED_ERROR_FLAG, span)
        if not text.startswith("error: "):
            text = f"error: {text}"
    return text


NO_RESULT = "error: no result was recorded; the call was interrupted, or its result was lost"
"""Stands for a result that isn't there: no provider takes a call without one."""

_STATED = {
    "missing": NO_RESULT,
    "interrupted": "error: interrupted before the tool answered",
    "rejected": "error: the user did not allow this call",
}


def media_kind(media: Media) -> str:
    """`image`, `document` …: for the report and the note."""
    top = media.media_type.partition("/")[0]
    return top if top in ("image", "audio", "video") else "document"


def media_note(media: Media) -> str:
    """`[image: image/png, 12 KB]`."""
    facts = [media.name, media.media_type]
    if media.data:
        facts.append(_size(len(media.data) * 3 // 4))
    elif media.url and not media.url.startswith("data:"):
        facts.append(media.url[:500])
    listed = ", ".join(" ".join(fact.split()) for fact in facts if fact)
    return f"[{media_kind(media)}: {listed or 'not kept'}]"


def _size(count: int) -> str:
    for unit in ("bytes", "KB", "MB"):
        if count < 1000 or unit == "MB":
            break
        count = max(1, round(count / 1000))
    return f"{count} {unit}"


def _json_or_note(block: Unknown, span: Span | None, report: Report) -> str:
    try:
        text = orjson.dumps(block.value).decode()
    except TypeError:
        text = ""
    if text and len(text) <= _UNKNOWN_LIMIT:
        return text
    report.add(Code.DROPPED_BLOCK, span, _word(block.kind))
    return f"[{_word(block.kind)}]"


def _slash_command(text: str) -> str:
    """`/name arguments`, where the words still have their tags."""
    if not text.lstrip().startswith("<command-"):
        return text
    found = {match[1]: match[2].strip() for match in _TAG.finditer(text)}
    name = found.get("command-name", "")
    return " ".join(part for part in (name, found.get("command-args", "")) if part) or text


def _word(kind: str) -> str:
    """A type's name for the report and for notes: short, and never content."""
    return kind if re.fullmatch(r"[A-Za-z0-9_.-]{1,40}", kind) else "unknown block"
