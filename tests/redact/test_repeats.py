"""Signs repeated behind what begins like a token: masked tokens, rules, borders. Patterns with a choice inside a
repetition take time without end over such; the alarm is there to stop that, not to measure."""

from __future__ import annotations

import itertools
import signal
from collections.abc import Iterator

import pytest

from dragoman.filters.redact.context.cues import Context
from dragoman.filters.redact.finder import Finder

SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x1b\x08\u200b\u00a0a1A"
LONGER = ("<b>", "</b>", "<!--", "-->", "&amp;", "\x1b[0m", "\x1b]0;", "\\n", "\\u00", "%3D", "a=", '"a"', "a.b", "../", "://", "```", "\u2192")  # fmt: skip
HEADS = ("gho_a1", "", "password: ", "https://u:")
ENOUGH = 300
"""Seconds: the test takes a few."""

TEXT = 6_000
A_TEXT = 8
"""Characters, and seconds that they may take on the slowest machine."""


@pytest.fixture
def alarm() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise AssertionError("a search that doesn't end")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(ENOUGH)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm")
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarms here")
def test_repeated_signs_are_gone_through_once() -> None:
    units = [*SIGNS, *(a + b for a, b in itertools.product(SIGNS, SIGNS)), *LONGER]
    texts = [f"{head}{unit * 64}x y" for unit in units for head in HEADS]
    finder = Finder()
    finder.scan_all(texts)
    assert finder.bytes_scanned > sum(map(len, texts)) / 2


@pytest.mark.usefixtures("alarm")
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarms here")
@pytest.mark.parametrize(
    "text", ["gho_" + "*" * 36, "a1" + "=" * 500 + " ", "a1" + "\r" * 200 + "\n", "a1" + "`" * 90 + "-"]
)
def test_a_masked_token_is_no_secret(text: str) -> None:
    assert Finder().scan(text) == ()


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarms here")
def test_no_cue_makes_a_rule_look_far_and_often(alarm: None) -> None:
    """Each cue again and again, with what its rule may go on with: it takes hundredths of a second, or nearly for ever."""
    context = Context()
    for cue in context._cues:
        for unit in (f"{cue} ", f" come {cue}: ", cue, f"{cue} x{' ' * 100}"):
            signal.alarm(A_TEXT)
            context.find((unit * (TEXT // len(unit))).encode())
