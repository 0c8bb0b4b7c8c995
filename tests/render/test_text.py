"""Small texts for people."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import UsageError
from dragoman.render import text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("tab\tand\nline", "tab\tand\nline"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x00\x1b\x7f", "␀␛␡"),
        ("\u202eabc\u202c", "⟦U+202E⟧abc⟦U+202C⟧"),
        ("a\u200bb\ufeff", "a⟦U+200B⟧b⟦U+FEFF⟧"),
        ("pay\u200dpal", "pay⟦U+200D⟧pal"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\u2028", "⟦U+2028⟧"),
        ("x\U000e0041", "x⟦U+E0041⟧"),
        ("naïve — “quotes” … 漢字 ✨", "naïve — “quotes” … 漢字 ✨"),
    ],
)
def test_what_is_invisible_becomes_visible(raw: str, shown: str) -> None:
    assert text.visible(raw) == shown
    assert text.count_hidden(raw) == sum(shown.count(sign) for sign in "⟦␀␛␡")


@given(st.text(max_size=50))
def test_visible_is_done_once(raw: str) -> None:
    shown = text.visible(raw)
    assert text.visible(shown) == shown


@given(st.text(max_size=400), st.integers(5, 100))
def test_one_line_is_one_short_line(raw: str, limit: int) -> None:
    line = text.one_line(raw, limit)
    assert len(line) <= limit + 1 and len(line.splitlines()) <= 1


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (None, ""),
        (-1, ""),
        (850, "850 ms"),
        (1500, "1.5 s"),
        (12_000, "12 s"),
        (59_600, "1 min"),
        (200_000, "3 min 20 s"),
        (7_500_000, "2 h 5 min"),
        (200_000_000, "2 d 7 h"),
    ],
)
def test_durations(milliseconds: int | None, shown: str) -> None:
    assert text.duration(milliseconds) == shown


@pytest.mark.parametrize(
    ("n", "shown"),
    [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (14_200, "14 kB"), (999_700, "1.0 MB"), (3_200_000_000, "3.2 GB")],
)
def test_sizes(n: int, shown: str) -> None:
    assert text.size(n) == shown


def test_numbers() -> None:
    assert [text.short_number(n) for n in (7, 14_230, 3_000_000, 999_951)] == ["7", "14.2k", "3M", "1M"]
    assert text.count(1, "line") == "1 line" and text.count(2040, "match", "matches") == "2,040 matches"


def test_times_in_a_zone() -> None:
    time = datetime(2026, 7, 1, 22, 30, 5, tzinfo=UTC)
    vienna = text.zone("Europe/Vienna")
    assert text.moment(time, vienna) == "2026-07-02 00:30 CEST"
    assert (text.clock(time, UTC), text.day(time, vienna)) == ("22:30:05", "2026-07-02")
    assert text.iso(time, UTC) == "2026-07-01T22:30:05Z" and text.iso(time, vienna) == "2026-07-02T00:30:05+02:00"
    assert text.clock(datetime.max.replace(tzinfo=UTC), vienna) == "" and text.moment(None, UTC) == ""
    for name in ("Nowhere", "../etc/passwd", "a\0b"):
        with pytest.raises(UsageError, match="no time zone"):
            text.zone(name)


@pytest.mark.parametrize(
    ("words", "plain"),
    [
        ("Look at `data/stations.csv` **now**, please", "Look at data/stations.csv now, please"),
        ("## Plan\n\nSee [the page](https://example.org/a).", "Plan See the page."),
        ("```python\nx = 1\n```", "x = 1"),
        ("Find **/*.md and *.py, a`b and __init__.py", "Find **/*.md and *.py, a`b and __init__.py"),
        ("# ", "#"),
        ("## Fix `foo.py` ```py x = 1 ``` ## *Not this*, ~~that~~", "Fix foo.py x = 1 Not this, that"),
        ('See [it](https://example.org "there") and ***both***, *`x`*', "See it and both, x"),
        ("`a*b*c` `**kw` **`b`** a*b*c snake_case __init__", "a*b*c **kw b a*b*c snake_case __init__"),
        ("*.md,*.py f(*a) and g(*b), 2 * 3 * 4, ~/a ~ ~~ b", "*.md,*.py f(*a) and g(*b), 2 * 3 * 4, ~/a ~ ~~ b"),
    ],
)
def test_a_title_has_words_and_no_marks(words: str, plain: str) -> None:
    assert text.unmarked(words) == plain


def test_a_title_is_not_cut_within_a_code_span() -> None:
    """A navigation had an opening backtick and none that closed it."""
    told = text.unmarked("word " * 20 + "`data/stations of the coast.csv` and more")
    assert told.endswith("data/stations of th…") and "`" not in told and len(told) == 120
    assert text.unmarked("`x` " * 100_000).startswith("x x x") and len(text.unmarked("`x` " * 100_000)) <= 120
