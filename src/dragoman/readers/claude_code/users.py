"""User lines: which are a person's, and what the others are."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from dragoman.model import Block, Message, Origin, Span, Text
from dragoman.readers.claude_code.blocks import blocks_of
from dragoman.readers.claude_code.fields import string
from dragoman.readers.claude_code.reading import Reading
from dragoman.readers.claude_code.results import is_result, result_of
from dragoman.readers.claude_code.rows import Row
from dragoman.readers.claude_code.tags import INTERRUPTS, PLAN, SUMMARY, Piece, element_at, peel, tagged

_BY_ORIGIN: dict[str, Origin] = {
    "channel": "agent_message",
    "peer": "agent_message",
    "coordinator": "agent_message",
    "task-notification": "notification",
}


_INJECTED_MARKS = ("isVisibleInTranscriptOnly", "isSynthetic", "turnCompanion")


def read_user(record: dict[str, Any], row: Row, extra: dict[str, Any], reading: Reading) -> None:
    """Fill a row from a `user` line. First match wins, in the catalogue's order (section 5)."""
    message = record.get("message")
    if type(message) is dict:
        content = message.get("content")
    else:
        content = message  # a bare string, or a list, in foreign files
        if message is None:
            content = record.get("content")
        reading.bad("message")
    if type(content) is list:
        for block in content:
            if type(block) is dict and block.get("type") == "tool_result":
                _read_results(record, content, row, extra, reading)
                return
    blocks = blocks_of(content, reading)
    common: dict[str, Any] = {"parent_id": row.parent, "time": row.time, "span": reading.span}
    if record.get("isCompactSummary") is True or _is_old_summary(blocks, row):
        _single(row, "compaction_summary", blocks, extra, common)
    elif record.get("isMeta") is True:
        _single(row, "injected", blocks, extra, common, string(record.get("sourceToolUseID")))
    elif len(blocks) == 1 and type(blocks[0]) is Text and blocks[0].text.strip() in INTERRUPTS:
        _single(row, "interrupt", blocks, extra, common)
    else:
        _read_words(record, blocks, row, extra, common, reading)


def _is_old_summary(blocks: list[Block], row: Row) -> bool:
    """Before 1.0.9x a compaction began a new file, with the summary as its first line and no mark on it."""
    return not row.parent and len(blocks) == 1 and type(blocks[0]) is Text and blocks[0].text.startswith(SUMMARY)


def _single(
    row: Row, origin: Origin, blocks: list[Block], extra: dict[str, Any], common: dict[str, Any], about: str = ""
) -> None:
    row.entries = (
        Message(role="user", origin=origin, blocks=tuple(blocks), uuid=row.uuid, about=about, extra=extra, **common),
    )


def _read_results(
    record: dict[str, Any], content: list[Any], row: Row, extra: dict[str, Any], reading: Reading
) -> None:
    """Results, and what was put beside them: an injected message of its own."""
    results: list[Block] = []
    beside: list[Any] = []
    count = 1
    if len(content) == 1:  # nearly always
        results.append(result_of(content[0], record, row.time, reading, alone=True))
    else:
        count = sum(1 for block in content if is_result(block))
        for block in content:
            if is_result(block):
                results.append(result_of(block, record, row.time, reading, alone=count == 1))
            else:
                beside.append(block)
    row.kind = "result"
    if extra:
        extra.pop("userFeedback", None)
    if count > 1 and record.get("toolUseResult") is not None:
        extra["toolUseResult"] = record["toolUseResult"]  # nobody knows of which it speaks
    parent = string(record.get("sourceToolAssistantUUID")) or row.parent
    span = Span(reading.file, reading.line)
    first = Message(
        role="tool",
        origin="result",
        blocks=tuple(results),
        uuid=row.uuid,
        parent_id=parent,
        time=row.time,
        span=span,
        extra=extra,
    )
    if not beside:
        row.entries = (first,)
        return
    blocks = blocks_of(beside, reading)
    directive = _directive(blocks)
    second = Message(
        role="user",
        origin="injected",
        blocks=tuple(blocks) if directive is None else tuple(blocks[:-1]) + directive[:-1],
        parent_id=row.uuid,
        time=row.time,
        span=span,
    )
    if directive is None:
        row.entries = (first, second)
        return
    row.words = directive[-1].text
    third = replace(second, origin="task", blocks=directive[-1:])
    row.entries = (first, second, third)


def _directive(blocks: list[Block]) -> tuple[Text, ...] | None:
    """A fork's boilerplate and the directive after it, which is its task."""
    last = blocks[-1] if blocks else None
    if type(last) is not Text or not last.text.lstrip().startswith("<fork-boilerplate>"):
        return None
    element = element_at(last.text, 0)
    if element is None or not (rest := last.text[element.end :].strip()):
        return None
    return Text(last.text[element.start : element.end]), Text(rest)


def _read_words(
    record: dict[str, Any],
    blocks: list[Block],
    row: Row,
    extra: dict[str, Any],
    common: dict[str, Any],
    reading: Reading,
) -> None:
    before, kept, after = _sort_out(blocks)
    notice = _wrapped_notification(before, kept, after)
    if notice is not None:
        before, kept, after = [], [notice], []
    told = record.get("origin")
    told_kind = string(told.get("kind")) if type(told) is dict else ""
    row.words = "\n".join(block.text for block in kept if type(block) is Text)
    piece = _piece(kept)
    origin: Origin
    about = ""
    if piece is not None:
        origin, about = piece.origin, piece.about
        kept = [*piece.blocks, *kept[1:]]
        extra = {**piece.extra, **extra}
        if origin == "slash_command":
            row.words = piece.blocks[0].text  # as it was typed
    elif told_kind and told_kind != "human":
        origin = _BY_ORIGIN.get(told_kind, "injected")
    elif not kept and (before or after):
        kept, before, after = [*before, *after], [], []
        origin = "injected"
    elif any(record.get(mark) is True for mark in _INJECTED_MARKS):
        origin = "injected"
    elif row.words.lstrip().startswith(PLAN):
        origin = "plan"
        if string(extra.get("planContent")) in row.words:
            extra.pop("planContent", None)
    elif not kept:
        origin = "injected"  # an empty line of foreign writers: nobody's words
    else:
        origin = "task" if reading.agent_file or row.sidechain or row.owner else "prompt"
        row.kind = "prompt"
    if before and origin == "prompt" and _boilerplate(before):
        origin = "task"
    made: list[Message] = []
    side = {**common, "parent_id": row.uuid}
    if before:
        made.append(Message(role="user", origin="injected", blocks=tuple(before), **side))
    made.append(
        Message(role="user", origin=origin, blocks=tuple(kept), uuid=row.uuid, about=about, extra=extra, **common)
    )
    if after:
        made.append(Message(role="user", origin="injected", blocks=tuple(after), **side))
    row.entries = tuple(made)


def _boilerplate(before: list[Block]) -> bool:
    return any(type(block) is Text and block.text.startswith("<fork-boilerplate>") for block in before)


def _sort_out(blocks: list[Block]) -> tuple[list[Block], list[Block], list[Block]]:
    """What was injected before a person's words, the words, and what was injected after."""
    before: list[Block] = []
    kept: list[Block] = []
    after: list[Block] = []
    for block in blocks:
        if type(block) is not Text or "<" not in block.text:
            kept.append(block)
            continue
        ahead, rest, behind = peel(block.text)
        if not ahead and not behind:
            kept.append(block)
            continue
        (after if kept else before).extend(Text(piece) for piece in ahead)
        if rest:
            kept.append(replace(block, text=rest))
        after.extend(Text(piece) for piece in behind)
    return before, kept, after


def _wrapped_notification(before: list[Block], kept: list[Block], after: list[Block]) -> Text | None:
    """A notification inside a reminder, as it is written between turns since 2.1.234."""
    if kept or after or len(before) != 1 or type(before[0]) is not Text:
        return None
    element = element_at(before[0].text, 0)
    if element is None or element.name != "system-reminder":
        return None
    inner = element.inner.strip()
    return Text(inner) if inner.startswith("<task-notification>") and element_at(inner, 0) else None


def _piece(kept: list[Block]) -> Piece | None:
    first = kept[0] if kept else None
    if type(first) is not Text or not first.text.lstrip().startswith("<"):
        return None
    return tagged(first.text)


def read_queued(record: dict[str, Any], attachment: dict[str, Any], row: Row, reading: Reading) -> None:
    """Fill a row from an `attachment.queued_command`: a prompt typed while the agent worked, or machinery."""
    blocks = blocks_of(attachment.get("prompt"), reading)
    told = attachment.get("origin") or record.get("origin")
    told_kind = string(told.get("kind")) if type(told) is dict else ""
    mode = string(attachment.get("commandMode"))
    extra = {key: value for key, value in attachment.items() if key not in ("type", "prompt", "commandMode")}
    if attachment.get("commandMode") not in (None, "", "prompt", "task-notification"):  # those make the origin
        extra["commandMode"] = attachment["commandMode"]
    extra["type"] = "queued_command"
    common: dict[str, Any] = {"parent_id": row.parent, "time": row.time, "span": reading.span}
    before, kept, after = _sort_out(blocks)
    notice = _wrapped_notification(before, kept, after)
    if notice is not None:
        before, kept, after = [], [notice], []
    row.words = "\n".join(block.text for block in kept if type(block) is Text)
    piece = _piece(kept)
    origin: Origin
    about = ""
    if piece is not None:
        origin, about, kept = piece.origin, piece.about, [*piece.blocks, *kept[1:]]
        extra = {**piece.extra, **extra}
    elif told_kind and told_kind != "human":
        origin = _BY_ORIGIN.get(told_kind, "injected")
    elif mode not in ("prompt", "") or attachment.get("isMeta") is True or not kept:
        origin = "notification" if mode == "task-notification" else "injected"
        kept, before, after = [*before, *kept, *after], [], []
    else:
        origin = "queued_prompt"
        row.kind = "prompt"
    made = [Message(role="user", origin=origin, blocks=tuple(kept), uuid=row.uuid, about=about, extra=extra, **common)]
    if before or after:
        made.append(
            Message(role="user", origin="injected", blocks=(*before, *after), **{**common, "parent_id": row.uuid})
        )
    row.entries = tuple(made)
