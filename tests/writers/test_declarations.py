"""What every format of ours declares: names for its files, and options that say what they mean."""

from __future__ import annotations

import pytest

from dragoman import registry
from dragoman.conversion.options import options_of
from dragoman.model import Header, Session

READABLE = ("html", "markdown", "native", "openai", "pdf")
"""Formats whose files are named by the session's id as it stands; clm and claude-code have names of their own."""


@pytest.mark.parametrize(
    ("id", "stem"), [("run.2", "run.2"), ("../etc/passwd", "session"), ("", "session"), ("a b", "session")]
)
def test_a_session_has_one_name_in_every_format(id: str, stem: str) -> None:
    """PDF made its own: `run2.pdf` beside `run.2.html`, `etcpasswd.pdf` beside `session.html`."""
    session = Session(header=Header(id=id))
    writers = [registry.writer(name) for name in READABLE]
    names = [writer.file_name(session, writer.options()) for writer in writers]
    assert names == [f"{stem}{registry.writer(name).suffix}" for name in READABLE]


@pytest.mark.parametrize("kind", ["reader", "writer"])
def test_every_option_says_what_it_means(kind: str) -> None:
    get = registry.reader if kind == "reader" else registry.writer
    for name in registry.names("readers" if kind == "reader" else "writers"):
        for option in options_of(get(name)).values():
            assert option.meaning.endswith("."), f"{name}: {option.name}"
