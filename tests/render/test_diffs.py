"""Hunks: from a patch, or from two texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.render import diffs
from dragoman.render.diffs import Hunk, between, from_patch, whole

lines = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30).map(
    lambda each: "".join(f"{line}\n" for line in each)
)


def applied(hunks: tuple[Hunk, ...], before: str) -> list[str]:
    """What the hunks, which begin at line 1, make of a text."""
    old = before.split("\n")[:-1]
    made: list[str] = []
    at = 0
    for hunk in hunks:
        made.extend(old[at : hunk.old_start - 1])
        at = hunk.old_start - 1
        for line in hunk.lines:
            if line[0] in " -":
                assert old[at] == line[1:]
                at += 1
            if line[0] in " +":
                made.append(line[1:])
    return made + old[at:]


@given(lines, lines)
def test_a_diff_leads_from_one_text_to_the_other(old: str, new: str) -> None:
    hunks = between(old, new, start=1)
    assert applied(hunks, old) == new.split("\n")[:-1]
    assert not hunks if old == new else True


def test_a_long_change_is_not_compared() -> None:
    old = "\n".join(f"old {n}" for n in range(100_000))
    new = "\n".join(f"new {n}" for n in range(100_000))
    (hunk,) = between(old, new)
    assert (hunk.added, hunk.removed) == (100_000, 100_000)


def test_headings() -> None:
    assert Hunk(3, 4, (" a", "-b", "+c", "+d", "\\ No newline")).heading == "@@ -3,2 +4,3 @@"
    assert Hunk(0, 0, ("+a",)).heading == "@@ @@"
    assert whole("a\nb\n") == (Hunk(0, 1, ("+a", "+b")),) and whole("") == ()


@pytest.mark.parametrize(
    "patch",
    [None, "x", {}, [1], [{}], [{"lines": "x"}], [{"lines": [1]}], [{"lines": ["+a", None]}]],
)
def test_what_is_no_patch_gives_nothing(patch: Any) -> None:
    assert from_patch(patch) == ()


def test_a_patch_with_odd_lines_stays_whole() -> None:
    (hunk,) = from_patch([{"oldStart": -1, "newStart": True, "lines": ["+a\nb", "bare", ""]}])
    assert hunk == Hunk(0, 0, ("+a", "+b", " bare", " "))
    assert diffs.added([hunk]) == 2 and diffs.removed([hunk]) == 0
