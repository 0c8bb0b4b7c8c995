"""The second pass leaves out entries in which nothing changes: what comes out is the same as if it went through all."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.filters.redact import RedactFilter, RedactOptions
from dragoman.filters.redact.contents import Contents
from dragoman.filters.redact.recipes import cook
from dragoman.model import Event, Header, Message, Session, Text
from dragoman.report import Report
from strategies import sessions

PASSWORD = cook("Kiwi{d*4}fruit")
PLANTS = (
    f"export DB_PASSWORD={PASSWORD}",
    f"it was {PASSWORD} before",
    "/home/annika/notes.md",
    "~annika and annika",
    "x",
)


def _redacted(session: Session, *what: str) -> Session:
    redact = RedactFilter(RedactOptions(what=what))
    redact.prepare([session], Report())
    return redact.apply(session, Report())


def _said(text: str) -> Message:
    return Message(role="user", origin="prompt", blocks=(Text(text),))


@pytest.mark.parametrize("what", [("secrets", "users"), ("secrets",), ("users", "emails"), ("all",)])
@settings(deadline=None, max_examples=40)  # the first example loads the rules
@given(st.data())
def test_the_same_comes_out_as_if_every_entry_was_gone_through(what: tuple[str, ...], data: st.DataObject) -> None:
    made = data.draw(sessions())
    planted = data.draw(st.lists(st.sampled_from(PLANTS), max_size=4))
    places = data.draw(st.permutations([*made.entries, *map(_said, planted)]))
    session = Session(header=made.header, entries=tuple(places), subagents=made.subagents)
    with mock.patch.object(Contents, "unchanged", lambda _self, _entry: False):
        whole = _redacted(session, *what)
    assert _redacted(session, *what) == whole


def test_an_entry_that_was_not_there_at_first_is_gone_through() -> None:
    redact = RedactFilter()
    first = Session(header=Header(id="s"), entries=(_said(f"export DB_PASSWORD={PASSWORD}"),))
    redact.prepare([first], Report())
    later = Session(header=Header(id="t"), entries=(_said(f"still {PASSWORD}"), Event(kind="notice", text=PASSWORD)))
    assert PASSWORD not in repr(redact.apply(later, Report()))


def test_a_short_name_is_taken_out_of_keys_too() -> None:
    told = _said("see /home/anna/x.py")
    session = Session(header=Header(id="s"), entries=(told, Event(kind="notice", data={"anna": 1})))
    assert "anna" not in repr(_redacted(session, "users"))


def test_only_entries_in_which_something_changes_are_made_anew() -> None:
    session = Session(header=Header(id="s"), entries=(_said("nothing here"), _said(f"export DB_PASSWORD={PASSWORD}")))
    redact = RedactFilter()
    redact.prepare([session], Report())
    assert redact.contents.unchanged(session.entries[0])
    assert not redact.contents.unchanged(session.entries[1])
    assert redact.apply(session, Report()).entries[0] is session.entries[0]
    redact.forget()
    assert not redact.contents.unchanged(session.entries[0])


def test_what_says_too_much_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive is read anew for the second pass: nothing may hold what the first one read."""
    monkeypatch.setattr("dragoman.filters.redact.contents._MOST", 1000)
    entries = tuple(_said(f"{number} {'word ' * 20}") for number in range(30))
    session = Session(header=Header(id="s"), entries=(*entries, _said(f"export DB_PASSWORD={PASSWORD}")))
    redact = RedactFilter()
    redact.prepare([session], Report())
    assert not any(redact.contents.unchanged(entry) for entry in session.entries)
    assert PASSWORD not in repr(redact.apply(session, Report()))


@pytest.mark.parametrize("what", [("secrets", "users"), ("users", "emails")])
def test_what_was_settled_before_says_nothing_of_what_is_learnt_later(what: tuple[str, ...]) -> None:
    """One filter for two outputs: with a short name in the second, its entries were judged by the first one's strings."""
    redact = RedactFilter(RedactOptions(what=what))
    first = Session(header=Header(id="s"), entries=(_said("hello"),))
    second = Session(
        header=Header(id="t", title="Work in /home/bob/x today"),
        entries=(_said(f"export DB_PASSWORD={PASSWORD}"), _said("write to ann.alder@alderco-internal.io")),
    )
    for session in (first, second):
        redact.prepare([session], Report())
        said = repr(redact.apply(session, Report()))
    assert "bob" not in said
    assert (PASSWORD not in said) is ("secrets" in what)
    assert ("ann.alder" not in said) is ("emails" in what)
    assert first.entries[0] not in [entry for entry, _ in redact.contents._said.values()], "nothing is held for good"
