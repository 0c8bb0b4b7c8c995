"""Text made to keep the search for people and machines busy: the time is linear in it, and small."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from dragoman.filters.redact.identities import Identities

_PUNCTUATION = ".+-_"


def _alike(count: int) -> str:
    """Homes whose names are one in an agent's project names."""
    return " ".join(
        "/home/" + "".join(f"a{_PUNCTUATION[number >> 2 * place & 3]}" for place in range(7)) + "b/x"
        for number in range(count)
    )


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda n: " ".join(f"-home-u{i}x /home/v{i}q/" for i in range(n)), 16000),
        (lambda n: "ssh db1.acme-labs.io " + "acme-labs.io." * n, 8000),
        (_alike, 5000),
    ],
)
def test_hostile_text_takes_little_time(make: Callable[[int], str], count: int) -> None:
    text = make(count)
    started = time.process_time()
    who = Identities(["users", "emails", "names", "hosts", "ips", "numbers"])
    who.learn_all([text])
    who.freeze()
    written = who.replace(text)
    list(who.remains(written.encode()))
    assert time.process_time() - started < 4
