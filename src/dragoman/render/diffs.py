"""Edits as hunks: from the agent's own patch where it kept one, else from the two texts."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

_SIGNS = frozenset(" +-\\")

CONTEXT = 3
"""Unchanged lines around a change, as in `diff -u`."""

COMPARED_LINES = 3000
"""Lines of both sides together that difflib compares; beyond, what differs is shown as taken out and put in."""


class Hunk(Struct, frozen=True, gc=False):
    """A piece of a diff. Each line begins with ` `, `-`, `+` or `\\`. Line numbers count from 1, 0 where unknown."""

    old_start: int
    new_start: int
    lines: tuple[str, ...]

    @property
    def signs(self) -> str:
        """The first character of each line."""
        return "".join([line[:1] for line in self.lines])

    @property
    def added(self) -> int:
        return self.signs.count("+")

    @property
    def removed(self) -> int:
        return self.signs.count("-")

    @property
    def heading(self) -> str:
        """`@@ -12,7 +12,9 @@`, or `@@ @@` where the place isn't known."""
        if not self.old_start and not self.new_start:
            return "@@ @@"
        signs = self.signs
        total = len(signs) - signs.count("\\")
        return f"@@ -{self.old_start},{total - signs.count('+')} +{self.new_start},{total - signs.count('-')} @@"


def from_patch(patch: Any) -> tuple[Hunk, ...]:
    """The hunks of a `structuredPatch`; nothing where it is not one."""
    if not isinstance(patch, list):
        return ()
    hunks = []
    for each in patch:
        if not isinstance(each, dict) or not isinstance(each.get("lines"), list):
            return ()
        lines = each["lines"]
        try:
            joined = "\n".join(lines)
        except TypeError:  # not all are strings
            return ()
        if joined.count("\n") != len(lines) - 1 or not {line[:1] for line in lines} <= _SIGNS:
            marked = (line if line[:1] in _SIGNS else " " + line for line in lines)
            lines = [part for line in marked for part in _unbroken(line)]
        hunks.append(Hunk(_number(each.get("oldStart")), _number(each.get("newStart")), tuple(lines)))
    return tuple(hunks)


def _unbroken(line: str) -> Iterator[str]:
    """A patch line that holds line feeds, as several with the same mark."""
    if "\n" not in line:
        yield line
        return
    mark = line[:1] or " "
    first, *rest = line.split("\n")
    yield first
    for each in rest:
        yield mark + each


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else 0


def between(old: str, new: str, *, start: int = 0) -> tuple[Hunk, ...]:
    """The hunks that lead from `old` to `new`. `start`: the line of the file where both begin, 0 if unknown."""
    if old == new:
        return ()
    before, after = _lines(old), _lines(new)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    middle_before = before[head : len(before) - tail]
    middle_after = after[head : len(after) - tail]
    leading = before[max(0, head - CONTEXT) : head]
    trailing = before[len(before) - tail : len(before) - tail + CONTEXT] if tail else []
    if len(middle_before) + len(middle_after) > COMPARED_LINES or not middle_before or not middle_after:
        lines = [
            *(" " + line for line in leading),
            *("-" + line for line in middle_before),
            *("+" + line for line in middle_after),
            *(" " + line for line in trailing),
        ]
        at = start + head - len(leading) if start else 0
        return (Hunk(at, at, tuple(lines)),)
    return tuple(
        _compared(
            [*leading, *middle_before, *trailing], [*leading, *middle_after, *trailing], start, head - len(leading)
        )
    )


def _compared(before: list[str], after: list[str], start: int, skipped: int) -> Iterator[Hunk]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=True)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        lines: list[str] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines.extend(" " + line for line in before[i1:i2])
            else:
                lines.extend("-" + line for line in before[i1:i2])
                lines.extend("+" + line for line in after[j1:j2])
        old_start = start + skipped + group[0][1] if start else 0
        new_start = start + skipped + group[0][3] if start else 0
        yield Hunk(old_start, new_start, tuple(lines))


def whole(text: str) -> tuple[Hunk, ...]:
    """A new file: every line put in."""
    lines = _lines(text)
    return (Hunk(0, 1, tuple("+" + line for line in lines)),) if lines else ()


def added(hunks: Iterable[Hunk]) -> int:
    """Lines put in."""
    return counts(hunks)[0]


def removed(hunks: Iterable[Hunk]) -> int:
    """Lines taken out."""
    return counts(hunks)[1]


def counts(hunks: Iterable[Hunk]) -> tuple[int, int]:
    """Lines put in and taken out."""
    signs = "".join([hunk.signs for hunk in hunks])
    return signs.count("+"), signs.count("-")


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return lines


def _common(one: list[str], other: list[str]) -> int:
    n = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        n += 1
    return n
