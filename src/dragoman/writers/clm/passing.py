"""A clm session on its way to clm: the same bytes again, its faults included and reported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import orjson

from dragoman.io import clm
from dragoman.io.clm import CONTENT_LIMIT
from dragoman.model import Entry, Message, Session, Span, ToolCall, ToolResult
from dragoman.report import Code, Report


def write(found: list[tuple[bytes, Entry | None]], session: Session, stream: BinaryIO) -> None:
    """Put the lines out, with or without a last newline as it was."""
    stream.writelines(_lines(found, session))


def render(found: list[tuple[bytes, Entry | None]], session: Session) -> bytes:
    """The bytes that `write` puts out."""
    return b"".join(_lines(found, session))


def _lines(found: list[tuple[bytes, Entry | None]], session: Session) -> Iterator[bytes]:
    kept = session.header.extra["clm"]
    final = b"" if kept.get("final_newline") is False else b"\n"
    return (line + (b"\n" if number < len(found) else final) for number, (line, _) in enumerate(found, 1))


def report_faults(found: list[tuple[bytes, Entry | None]], session: Session, code: Code, report: Report) -> None:
    """Say, as `code`, what clm would drop, cut or refuse, and what a provider would."""
    name = session.header.files[0].path if session.header.files else ""
    faults = _Faults(code, report)
    if not found or found[0][1] is not None or b'"meta"' not in found[0][0]:
        faults.add("no meta record in the first line", Span(name, 1))
    for _, entry in found:
        if isinstance(entry, Message):
            faults.message(entry)
        elif entry is not None and entry.name == "damaged":
            faults.add("a damaged line", entry.span)
    faults.close()


class _Faults:
    def __init__(self, code: Code, report: Report) -> None:
        self._code = code
        self._report = report
        self._open: dict[str, Span | None] = {}

    def add(self, what: str, span: Span | None) -> None:
        self._report.add(self._code, span, what)

    def close(self) -> None:
        """Calls that are open here have no result."""
        for span in self._open.values():
            self.add("a call without a result", span)
        self._open = {}

    def message(self, message: Message) -> None:
        span = message.span
        empty = True
        if message.role == "tool":
            for block in message.blocks:
                if isinstance(block, ToolResult):
                    if block.call_id not in self._open:
                        self.add("a result without a call", span)
                    self._open.pop(block.call_id, None)
                    for part in block.content:
                        self._content(getattr(part, "text", None), span)
            return
        self.close()
        for block in message.blocks:
            if isinstance(block, ToolCall):
                empty = False
                self._call(block, span)
            else:
                text = getattr(block, "text", None)
                empty = empty and text == ""
                self._content(text, span)
        if empty:
            self.add("an empty message", span)
        if message.role == "system":
            self.add("a system message", span)

    def _content(self, text: str | None, span: Span | None) -> None:
        if text is None:
            self.add("content that is no text", span)
        elif "\0" in text:
            self.add("a NUL", span)
        elif len(text) * 4 > CONTENT_LIMIT and len(text.encode("utf-8", "replace")) > CONTENT_LIMIT:
            self.add("content beyond the limit", span)

    def _call(self, call: ToolCall, span: Span | None) -> None:
        if not clm.TOOL_NAME.fullmatch(call.name):
            self.add("a tool name that providers refuse", span)
        if call.id in self._open:
            self.add("an id that stands twice", span)
        self._open[call.id] = span
        try:
            if isinstance(orjson.loads(call.arguments), dict):
                return
        except ValueError:
            pass
        self.add("arguments that are no object", span)
