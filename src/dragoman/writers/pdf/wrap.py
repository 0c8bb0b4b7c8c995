"""Lines of code set on rows that fit: wrapped here, by column, so that every continued row can carry a mark.

A line is a list of runs (text, class). Widths are counted in cells of the monospaced font; a character that
other fonts have to lend is given two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from unicodedata import combining, east_asian_width

Run = tuple[str, str]
"""Text and the class of its span, or no class."""

MARK = "↳"
"""Stands before what continues the row above."""

TAB = 4

# What a monospaced font has at one cell each: Latin, Greek, Cyrillic, punctuation, arrows, boxes and blocks.
_NARROW = re.compile(r"[\x20-\x7e\xa0-\u02ff\u0370-\u052f\u2010-\u2027\u2030-\u205e\u20ac\u2190-\u2193\u2500-\u259f]*")
_BREAKS = " \t/,;:)]}>.&|-_="


def width(character: str) -> int:
    """Cells of one character."""
    if _NARROW.fullmatch(character):
        return 1
    if combining(character) or character in "\u200d\ufe0f\ufe0e":
        return 0
    return 2 if east_asian_width(character) != "H" else 1


def head(text: str, columns: int) -> str:
    """A text's beginning, cut with an ellipsis to so many cells."""
    if fits(text, columns):
        return text
    used = 0
    for at, each in enumerate(text):
        used += width(each)
        if used >= columns:
            return text[:at].rstrip() + "…"
    return text


def fits(text: str, columns: int) -> bool:
    """Whether a text needs no second row."""
    if len(text) <= columns and (text.isascii() or _NARROW.fullmatch(text)):
        return True
    return len(text) * 2 <= columns or (len(text) <= columns * 2 and sum(map(width, text)) <= columns)


def rows(line: Sequence[Run], columns: int) -> Iterator[tuple[bool, list[Run]]]:
    """The rows of a line, and whether each continues the one before."""
    whole = "".join(text for text, _ in line)
    if fits(whole, columns):
        yield False, list(line)
        return
    starts = _cuts(whole, columns)
    runs = iter(line)
    held, kind = next(runs)
    for number, (start, stop) in enumerate(zip(starts, [*starts[1:], len(whole)], strict=True)):
        wanted = stop - start
        row: list[Run] = []
        while wanted:
            while not held:
                held, kind = next(runs)
            part, held = held[:wanted], held[wanted:]
            row.append((part, kind))
            wanted -= len(part)
        yield number > 0, row


def _cuts(text: str, columns: int) -> list[int]:
    """Where rows begin. A row ends after a gap or a sign of punctuation in its last third, if there is one."""
    starts = [0]
    room = columns
    at = start = 0
    used = 0
    while at < len(text):
        wide = width(text[at])
        if used + wide > room and at > start:
            best = at
            for back in range(at, max(start + room * 2 // 3, start + 1), -1):
                if text[back - 1] in _BREAKS and combining(text[back]) == 0:
                    best = back
                    break
            starts.append(best)
            start = at = best
            used = 0
            room = columns - 2
            continue
        used += wide
        at += 1
    return starts


def html(row: Sequence[Run], continued: bool) -> str:
    """A row's HTML, its mark in front."""
    made = "".join(
        f'<span class="{kind}">{escape(text, quote=False)}</span>'
        if kind and text.strip()
        else escape(text, quote=False)
        for text, kind in row
    )
    return f'<i class="go">{MARK}</i>{made}' if continued else made
