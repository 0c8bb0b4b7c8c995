"""JSON Lines as they are found on disks: read once, line by line, with whatever damage they have.

Lines end at the byte `\n` and nowhere else (U+2028 and form feeds stand inside strings). Only as
many bytes are read as the file had at the start, since its writer may still be at work.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from dragoman.io.json import Decoder, is_sound, repair_text
from dragoman.io.source import as_utf8, is_utf16, open_regular
from dragoman.model import Span
from dragoman.report import Code, Report

_EXTRA_WORK = 4 << 20
"""Characters that may be looked at again, beyond 4 times its length, in search of records in a bad line."""

_RECORD_START = re.compile(
    r'\{\s*"(?:parentUuid|type|uuid|logicalParentUuid|isSidechain|sessionId|session_id|message|timestamp|role)"\s*:'
)
_FOLLOWING = re.compile(r"\s*(.?)", re.DOTALL)
_ARRAY_MARKS = "[], \t\r\n"


def any_object(_: dict[str, Any]) -> bool:
    """Takes every object for a record."""
    return True


class JsonLines:
    """A file of records. Iterate once; afterwards `bytes` and `lines` say how much was read."""

    def __init__(
        self, path: Path, name: str, report: Report, is_record: Callable[[dict[str, Any]], bool] = any_object
    ) -> None:
        """`name` is what the user calls the file. `is_record` tells a record from an object inside one."""
        self.path = path
        self.name = name
        self.bytes = 0
        self.lines = 0
        self._report = report
        self._is_record = is_record

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every record with its line, counted from 1. Raises InputError where the file can't be read."""
        loads, dumps, newline = orjson.loads, orjson.dumps, orjson.OPT_APPEND_NEWLINE
        with open_regular(self.path, self.name) as file:
            size = os.fstat(file.fileno()).st_size
            for line in self._lines(file, size):
                try:
                    value = loads(line)
                    # What writes back to the same bytes hides nothing; so it nearly always is.
                    if type(value) is dict and (dumps(value, option=newline) == line or is_sound(line, value)):
                        yield self.lines, value
                        continue
                except (ValueError, TypeError):
                    if line.isspace():
                        continue
                number = self.lines
                for record in recover(line, Span(self.name, number), self._report, self._is_record):
                    yield number, record
            if os.fstat(file.fileno()).st_size > size:
                self._report.add(Code.FILE_GROWING, Span(self.name, 0))

    def raw_lines(self) -> Iterator[tuple[int, bytes]]:
        """Every line that isn't blank, with its newline, and its number."""
        with open_regular(self.path, self.name) as file:
            size = os.fstat(file.fileno()).st_size
            for line in self._lines(file, size):
                if not line.isspace():
                    yield self.lines, line
            if os.fstat(file.fileno()).st_size > size:
                self._report.add(Code.FILE_GROWING, Span(self.name, 0))

    def _lines(self, file: BinaryIO, size: int) -> Iterator[bytes]:
        """Every line with its newline, within the first `size` bytes."""
        first = file.read(2)
        file.seek(0)
        if is_utf16(first):
            yield from self._converted(file.read(size))
            return
        left = size
        for line in file:
            left -= len(line)
            self.lines += 1
            if left <= 0:
                self.bytes = size
                yield line[:left] if left else line
                return
            yield line
        self.bytes = size - left

    def _converted(self, data: bytes) -> Iterator[bytes]:
        """The lines of a file in UTF-16, as PowerShell's `>` writes it."""
        self._report.add(Code.ENCODING, Span(self.name, 0), "UTF-16")
        self.bytes = len(data)
        for line in as_utf8(data).split(b"\n"):
            self.lines += 1
            yield line + b"\n"


def recover(
    line: bytes, span: Span, report: Report, is_record: Callable[[dict[str, Any]], bool] = any_object
) -> list[dict[str, Any]]:
    """Every record in a line that isn't simply one, each repair and loss reported. Never raises.

    The work is bounded by a multiple of the line's length, whatever the line holds.
    """
    damage = Report()
    text = repair_text(line, span, damage)
    start = text.lstrip()[:2]
    found, lost, kind = _search(text, span, damage, is_record)
    if found or kind or not start or not text.strip(_ARRAY_MARKS):
        report.merge(damage)
        if kind:
            report.add(Code.LINE_NOT_OBJECT, span, kind)
        elif lost:
            report.add(Code.LINE_SPLICED, span, lost)
        elif len(found) > 1:
            report.add(Code.LINE_SEVERAL, span)
    elif start[0] not in "{[":
        report.add(Code.LINE_NOT_OBJECT, span, "comment" if start == "//" or start[0] == "#" else "text")
    elif not line.endswith(b"\n"):
        report.add(Code.TAIL_CUT, span)
    else:
        report.add(Code.LINE_UNREADABLE, span, "damaged JSON")
    return found


_KINDS = {list: "array", str: "string", bool: "boolean", type(None): "null", int: "number", float: "number"}


def _search(
    text: str, span: Span, report: Report, is_record: Callable[[dict[str, Any]], bool]
) -> tuple[list[dict[str, Any]], str, str]:
    """The records, a word for what was lost around them, and the kind of value where the line is none."""
    decoder = Decoder(text)
    found: list[dict[str, Any]] = []
    lost = ""
    if not text.lstrip().startswith("{"):
        try:
            value, end = decoder.decode(0, span, report)
            if not text[end:].strip():
                return [], "", _KINDS.get(type(value), "value")
        except ValueError:
            pass
    position, glued = 0, True  # glued: at the line's start, or right after a record
    budget = 4 * len(text) + _EXTRA_WORK
    while budget > 0:
        following = _FOLLOWING.match(text, position)
        if following is None or not following[1]:
            break
        if glued and following[1] == "{":
            position = following.start(1)
        else:
            candidate = _RECORD_START.search(text, position)
            skipped = text[position : candidate.start() if candidate else len(text)]
            if skipped.strip(_ARRAY_MARKS):
                lost = lost or ("a cut record" if "{" in skipped else "other text")
            if candidate is None:
                break
            position, glued = candidate.start(), glued and not skipped.strip(_ARRAY_MARKS)
        damage = Report()
        try:
            value, end = decoder.decode(position, span, damage)
        except ValueError:
            budget -= len(text) - position
            lost, position, glued = "a cut record", position + 1, False
            continue
        budget -= end - position
        following = _FOLLOWING.match(text, end)
        # What follows tells a record that stands alone from an object inside a cut one.
        alone = following is None or not following[1] or following[1] not in ",]}:"
        position = end
        if glued or (alone and is_record(value)):
            glued = True
            report.merge(damage)
            found.append(value)
        else:
            lost = lost or "a cut record"
    return found, lost, ""
