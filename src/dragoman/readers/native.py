"""Reads the neutral conversation's own JSON: one document, or one session a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from dragoman.errors import InputError
from dragoman.io import json
from dragoman.io.native import decode
from dragoman.io.source import Source, open_text
from dragoman.model import Session, Span
from dragoman.readers.protocol import NoOptions
from dragoman.report import Code, Report

_BEGINS = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"dragoman"\s*:\s*\{')
_BETWEEN = re.compile(rb'\n(?=\{\s*"dragoman"\s*:)')


class NativeReader:
    """The neutral JSON. A document that can't be read is reported and skipped while others can."""

    name = "native"
    description = "dragoman's neutral conversation as JSON: one document, or one session a line"
    suffixes = (".json", ".jsonl")
    options = NoOptions

    def sniff(self, head: bytes, name: str) -> float:
        return 1.0 if _BEGINS.match(head) else 0.0

    def read(self, source: Source, options: Any, report: Report) -> Iterator[Session]:
        if source.is_folder:
            raise InputError(f"{source.name}: a folder; name the neutral JSON files in it")
        found = False
        lost = Report()
        first_problem: InputError | None = None
        for line, data in _documents(source, report):
            span = Span(source.name, line)
            try:
                session = decode(_value(data, span, report), span, report)
            except InputError as error:
                first_problem = first_problem or error
                what = "no JSON" if isinstance(error, _Unreadable) else "no neutral conversation that can be read"
                lost.add(Code.LINE_UNREADABLE, span, what)
                continue
            found = True
            yield session
        if first_problem is not None and not found:
            raise first_problem
        report.merge(lost)
        if not found:
            report.add(Code.EMPTY, Span(source.name, 0))


class _Unreadable(InputError):
    """A document that is no JSON at all."""


def _documents(source: Source, report: Report) -> Iterator[tuple[int, bytes]]:
    """Each document and the line that it begins on: a line each, or indented ones one after another."""
    with open_text(source.path, source.name, report) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            if not line.rstrip().endswith(b"}"):  # it goes on over several lines, or is cut
                rest = line + file.read()
                for part in _BETWEEN.split(rest):
                    yield number, part
                    number += part.count(b"\n") + 1
                return
            yield number, line


def _value(data: bytes, span: Span, report: Report) -> Any:
    try:
        return json.loads(data, span, report)
    except ValueError as error:
        line = span.line - 1 + (getattr(error, "lineno", 1) or 1)
        reason = " ".join((getattr(error, "msg", "") or str(error)).split())[:200]
        raise _Unreadable(f"{span.file}:{line}: no neutral conversation: not JSON ({reason})") from None
    except RecursionError:
        raise _Unreadable(f"{span.file}:{span.line}: no neutral conversation: it nests too deep") from None


reader = NativeReader()
