"""Forked agents begin with a copy of their parent's talk. They are shown from their directive on."""

from __future__ import annotations

from msgspec.structs import replace

from dragoman.model import Entry, Message, Span, Text, ToolCall, ToolResult
from dragoman.readers.claude_code.evidence import Evidence
from dragoman.readers.claude_code.rows import ReplyRow, Row
from dragoman.readers.claude_code.transcript import Transcript
from dragoman.report import Code


def from_the_directive_on(transcript: Transcript, number: int, evidence: Evidence) -> None:
    """Leave out what stands in the parent already; keep what doesn't."""
    start = next((index for index, row in enumerate(transcript.rows) if _directive(row)), None)
    if start is None:
        return
    kept: list[Row] = []
    for row in transcript.rows[:start]:
        if _is_copy(row, number, evidence):
            reading = transcript.reading
            reading.report.add(Code.REPLAYED, Span(reading.file, row.line), row.type)
        else:
            kept.append(row)
    directive = transcript.rows[start]
    directive.entries = tuple(_answered(entry) for entry in directive.entries)
    transcript.rows = [*kept, *transcript.rows[start:]]


def _directive(row: Row) -> bool:
    return any(isinstance(entry, Message) and entry.origin == "task" for entry in row.entries) and len(row.entries) > 1


def _is_copy(row: Row, number: int, evidence: Evidence) -> bool:
    if type(row) is ReplyRow:
        calls = [block.id for block in row.blocks if type(block) is ToolCall]
        return bool(calls) and all(evidence.made_in(call) not in (-1, number) for call in calls)
    return False


def _answered(entry: Entry) -> Entry:
    """The launch's answer, told to the fork about its parent's call: context, not a result of its own."""
    if not isinstance(entry, Message) or entry.role != "tool":
        return entry
    blocks = tuple(
        part for block in entry.blocks for part in (block.content if type(block) is ToolResult else (block,))
    )
    return replace(entry, role="user", origin="injected", blocks=blocks or (Text(""),))
