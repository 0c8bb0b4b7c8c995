"""The records of a file: lines of JSON nearly always, but also one array, or an object with a list of records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from dragoman.errors import InputError
from dragoman.io.json import loads
from dragoman.io.jsonl import JsonLines
from dragoman.io.source import open_text
from dragoman.model import SourceFile, Span
from dragoman.readers.claude_code.records import is_record
from dragoman.report import Code, Report

_LISTS = ("loglines", "data", "messages", "events")
"""Where a web `session.json` and the API keep the records."""

_HEAD = 4096
_OPENS = re.compile(rb'\{\s{0,9}"(?:loglines|data)"\s{0,9}:\s{0,9}\[')


class Records:
    """The records of a file with their lines; after iterating, `file` says what was read.

    In a document (an array, a web session) the line is the record's number, counted from 1.
    """

    def __init__(self, path: Path, label: str, report: Report) -> None:
        self._path = path
        self._label = label
        self._report = report
        self._read = (0, 0)

    @property
    def file(self) -> SourceFile:
        return SourceFile(path=self._label, bytes=self._read[0], lines=self._read[1])

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        document = self._document()
        if document is not None:
            yield from self._elements(document)
            return
        lines = JsonLines(self._path, self._label, self._report, is_record)
        try:
            yield from lines
        finally:
            self._read = (lines.bytes, lines.lines)

    def _document(self) -> list[Any] | None:
        """The list of records, where the file is one JSON value; None where it is lines."""
        damage = Report()
        with open_text(self._path, self._label, damage) as file:
            if not _may_be_document(file):
                return None
            file.seek(0)
            data = file.read()
        try:
            value = loads(data, Span(self._label, 0), damage)
        except ValueError:
            return None
        found = records_in(value)
        if found is not None:
            self._report.merge(damage)
            self._read = (len(data), data.count(b"\n"))
        return found

    def _elements(self, document: list[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, element in enumerate(document, 1):
            if type(element) is dict:
                yield number, element
            else:
                self._report.add(Code.LINE_NOT_OBJECT, Span(self._label, number), "an element of the list")


def _may_be_document(file: BinaryIO) -> bool:
    """Whether a file may be one JSON value over its whole length, told from its first line."""
    start = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"["):
        return True
    if not start.startswith(b"{"):
        return False
    line, newline, _ = start.partition(b"\n")
    if not newline:
        line += file.readline()
    if len(line.strip()) < 3 or _OPENS.match(line):
        return True  # pretty-printed, or cut into lines somehow
    try:
        value = orjson.loads(line)
    except ValueError:
        return False
    return type(value) is dict and "type" not in value and any(type(value.get(name)) is list for name in _LISTS)


def records_in(value: Any) -> list[Any] | None:
    """The list of records in a document, or None."""
    if type(value) is dict:
        for name in _LISTS:
            if type(value.get(name)) is list:
                return list(value[name])
        return [value] if "type" in value else None
    if type(value) is list:
        if len(value) == 1 and type(value[0]) is list:
            return list(value[0])
        return value
    return None


def first_record(path: Path, label: str) -> dict[str, Any] | None:
    """The first record of a file, cheaply; None where there is none near its start."""
    try:
        with open_text(path, label, Report()) as file:
            for _ in range(20):
                line = file.readline(1 << 20)
                if not line:
                    return None
                try:
                    value = loads(line, None, Report())
                except ValueError:
                    continue
                if type(value) is dict and ("sessionId" in value or "session_id" in value):
                    return value
    except InputError:
        return None
    return None
