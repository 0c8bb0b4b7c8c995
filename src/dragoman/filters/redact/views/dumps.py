"""Dumps of bytes, as `xxd` and `hexdump -C` print them: what their hex says, and what stands in their margin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

Characters: TypeAlias = list[tuple[str, int, int]]
"""What a dump says: each character, and from which place of the text it is, and how long it is there."""

_FIRST = ("00000000", "0000000 ", "0000000:")
_LINE = re.compile(
    r"(?m)^[ \t]*(?:\d{1,6}(?:\u2192|\t))?[0-9a-f]{7,8}:?[ ]{1,2}(?P<rest>[0-9a-f]{2}[^\n\r]{3,90}?)[ \t]*\r?$"
)
_PAIR = re.compile(r"[0-9a-f]{2}")
_HEX = re.compile(r"(?:[0-9a-f]{2}[ ]{0,2}){1,16}[ ]*")
_WIDTH = 16


def dumped(text: str) -> Iterator[Characters]:
    """What each dump in the text says, once by its hex and once by its margin."""
    if not any(first in text for first in _FIRST):
        return
    coded: Characters = []
    margin: Characters = []
    end = -1
    for match in _LINE.finditer(text):
        parts = _parts(match["rest"])
        if parts is None:
            continue
        if match.start() > end + 2:
            yield from _whole(coded, margin)
            coded, margin = [], []
        end = match.end()
        hexes, shown = parts
        start = match.start("rest")
        for pair in _PAIR.finditer(match["rest"], 0, hexes):
            code = int(pair[0], 16)
            coded.append((chr(code) if 32 <= code < 127 or code == 10 else ".", start + pair.start(), 2))
        margin.extend((match["rest"][at], start + at, 1) for at in range(*shown))
    yield from _whole(coded, margin)


def _whole(coded: Characters, margin: Characters) -> Iterator[Characters]:
    if len(coded) >= _WIDTH // 2:
        yield coded
        yield margin


def _parts(rest: str) -> tuple[int, tuple[int, int]] | None:
    """How far the hex goes, and where the margin stands, which has as many characters as there are bytes."""
    if rest.endswith("|") and (opening := rest.find("|")) < len(rest) - 1:
        shown = (opening + 1, len(rest) - 1)
        return (opening, shown) if _HEX.fullmatch(rest, 0, opening) is not None else None
    for size in range(_WIDTH, 0, -1):
        place = len(rest) - size
        if (
            place >= 3
            and rest[place - 1] == " "
            and _HEX.fullmatch(rest, 0, place) is not None
            and len(_PAIR.findall(rest, 0, place)) == size
        ):
            return place, (place, len(rest))
    return None
