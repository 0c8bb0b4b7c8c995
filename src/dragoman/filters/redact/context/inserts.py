"""Rows that SQL inserts: the columns' names stand in one bracket, their values in others, told by their places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.filters.redact.names import Name, classify

_HEAD = re.compile(
    rb"(?i)insert\s{1,8}(?:ignore\s{1,8}|or\s{1,8}\w{1,12}\s{1,8})?into\s{1,8}[\w.`\"\[\]]{1,120}\s{0,8}\((?P<columns>[^()\x00]{1,2000})\)\s{0,40}values\s{0,40}"
)
_VALUE = re.compile(
    rb"""\s{0,40}(?:[NEBneb]?'(?P<v>(?:[^'\\\x00]|\\.|''){0,4000}+)'|[^,()'\x00]{0,400}(?:\((?:[^()\x00]|\([^()\x00]{0,200}\)){0,400}+\))?)\s{0,40}"""
)
_BETWEEN = re.compile(rb"\s{0,40},\s{0,40}")
_ROWS = 500


def inserted(buffer: bytes, start: int) -> Iterator[tuple[Name, int, int]]:
    """The literals below secret columns of the INSERT that begins at `start`, each with what its column's name says."""
    head = _HEAD.match(buffer, start, start + 2400)
    if head is None:
        return
    names = [
        classify(column.strip(b' \t\r\n`"[]').decode("utf-8", "replace")) for column in head["columns"].split(b",")
    ]
    if not any(names):
        return
    position = head.end()
    for _ in range(_ROWS):
        if buffer[position : position + 1] != b"(":
            return
        for name in names:
            value = _VALUE.match(buffer, position + 1)
            if value is None:
                return
            position = value.end()
            if name is not None and value["v"] is not None:
                yield name, *value.span("v")
            if buffer[position : position + 1] != b",":
                break
        if buffer[position : position + 1] != b")":
            return
        between = _BETWEEN.match(buffer, position + 1)
        if between is None:
            return
        position = between.end()
