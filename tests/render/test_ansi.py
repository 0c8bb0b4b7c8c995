"""Terminal colours become styles; every other escape goes; the words stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.render.ansi import PLAIN, Span, Style, spans, strip


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("plain", [Span("plain", PLAIN)]),
        ("\x1b[31mred\x1b[0m no", [Span("red", Style(fg="1")), Span(" no", PLAIN)]),
        (
            "\x1b[1;4;92mx\x1b[22m\x1b[24my",
            [Span("x", Style(fg="10", bold=True, underline=True)), Span("y", Style(fg="10"))],
        ),
        ("\x1b[38;5;208mx", [Span("x", Style(fg="208"))]),
        ("\x1b[48;2;1;2;300mx", [Span("x", Style(bg="#0102ff"))]),
        ("\x1b[38:2::10:20:30mx", [Span("x", Style(fg="#0a141e"))]),
        ("\x1b[4:3mx\x1b[4:0my", [Span("x", Style(underline=True)), Span("y", PLAIN)]),
        ("\x1b[mx", [Span("x", PLAIN)]),
        ("a\x1b[2Kb\x1b[1;1Hc", [Span("abc", PLAIN)]),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", [Span("ab", PLAIN)]),
        ("a\x1b]unfinished\nb", [Span("a\nb", PLAIN)]),
        ("\x9b31mred", [Span("red", Style(fg="1"))]),
        ("\x1b(Ba\x1b=b\x1b", [Span("ab", PLAIN)]),
        ("\x1b[38;5mx\x1b[38mx\x1b[999999999;mx", [Span("xxx", PLAIN)]),
        ("\x1b[?25lx", [Span("x", PLAIN)]),
    ],
)
def test_spans(raw: str, expected: list[Span]) -> None:
    assert list(spans(raw)) == expected
    assert strip(raw) == "".join(span.text for span in expected)


@given(st.text(st.sampled_from("ab\n\x1b[]0123456789;:mK\x07\\\x9b\x9d ?"), max_size=60))
def test_both_ways_leave_the_same_words_and_no_escape(raw: str) -> None:
    words = strip(raw)
    assert "".join(span.text for span in spans(raw)) == words
    assert "\x1b" not in words
    assert set(raw) >= set(words)


@pytest.mark.parametrize(
    "raw", ["\x1b[" * 100_000, "\x1b]" * 100_000, "\x1b[1;" + "1;" * 200_000 + "mx", "\x1b[31m\x1b[0m" * 50_000]
)
def test_hostile_escapes_cost_no_more_than_their_length(raw: str) -> None:
    list(spans(raw))
    strip(raw)
