"""The stated rule by which long texts are cut, and the line that says how much was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec import Struct

from dragoman.wording import counted
from dragoman.writers.pdf.wrap import Run, fits, rows, width


class Rule(Struct, frozen=True):
    """A text of more rows than `head + tail + slack` keeps its first and last ones. 0: it is never cut."""

    name: str
    head: int
    tail: int
    slack: int = 10

    @property
    def most(self) -> int:
        return self.head + self.tail + self.slack


QUIET = Rule("file reads, searches and context", 12, 4, 8)
OUTPUT = Rule("outputs", 30, 8)
CHANGE = Rule("changes", 160, 30, 30)
THOUGHT = Rule("thoughts", 40, 8)
WHOLE = Rule("", 0, 0, 0)

T = TypeVar("T")


class Row(Struct, frozen=True, gc=False):
    """A row to be set: of which line (counted from 0), its runs, and whether it continues the row above."""

    line: int
    runs: list[Run]
    continued: bool = False


class Gap(Struct, frozen=True, gc=False):
    """So many lines are left out here; or so many characters of one line."""

    lines: int
    characters: int = 0

    def __str__(self) -> str:
        if not self.lines:
            return f"{self.characters:,} characters of this line left out"
        return f"{counted(self.lines, 'line')} left out"


def shortened(lines: Sequence[list[Run]], columns: int, rule: Rule) -> Iterator[Row | Gap]:
    """The rows that the rule keeps. Lines beyond what can be kept are never wrapped: the cost is of what is shown."""
    if not rule.head:
        for number, line in enumerate(lines):
            for continued, runs in rows(line, columns):
                yield Row(number, runs, continued)
        return
    room = rule.most
    head: list[Row] = []
    used = 0
    for number, line in enumerate(lines):
        made = list(_bounded(line, columns, room - used + 1))
        used += len(made)
        head.extend(Row(number, runs, continued) for continued, runs in made)
        if used > room:
            break
    if used <= room:
        yield from head
        return
    kept = head[: rule.head]
    last = kept[-1].line
    cut_within = len(kept) < len(head) and head[len(kept)].line == last and len(lines) - last <= 1
    while not cut_within and len(kept) > 1 and head[len(kept)].line == kept[-1].line and kept[-1].line != kept[0].line:
        kept.pop()  # don't stop in the middle of a line
        last = kept[-1].line
    yield from kept
    if head[len(kept)].line == last:  # one very long line fills it all
        shown = sum(len(text) for row in kept if row.line == last for text, _ in row.runs)
        yield Gap(0, sum(len(text) for text, _ in lines[last]) - shown)
    tail: list[Row] = []
    first = len(lines)
    for number in range(len(lines) - 1, last, -1):
        if len(tail) >= rule.tail:
            break
        made = list(_bounded(lines[number], columns, rule.tail - len(tail) + 1))
        if len(made) + len(tail) > rule.tail:
            break
        tail[:0] = [Row(number, runs, continued) for continued, runs in made]
        first = number
    left_out = first - last - 1
    if left_out:
        yield Gap(left_out)
    yield from tail


def _bounded(line: list[Run], columns: int, most: int) -> Iterator[tuple[bool, list[Run]]]:
    """The first rows of a line. Of a very long line only as much is wrapped as they can need."""
    limit = columns * max(most, 1) + 1
    length = sum(len(text) for text, _ in line)
    if length > limit and not fits("".join(text for text, _ in line)[:limit], columns):
        line = list(_head(line, limit))
    for number, row in enumerate(rows(line, columns)):
        if number >= most:
            return
        yield row


def _head(line: list[Run], characters: int) -> Iterator[Run]:
    for text, kind in line:
        if len(text) >= characters:
            yield text[:characters], kind
            return
        characters -= len(text)
        yield text, kind


__all__ = ["CHANGE", "OUTPUT", "QUIET", "THOUGHT", "WHOLE", "Gap", "Row", "Rule", "shortened", "width"]
