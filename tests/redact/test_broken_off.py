"""A filter that was stopped in the middle is used again: nothing counts as done that wasn't."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import InputError
from dragoman.filters.redact import RedactFilter, RedactOptions
from dragoman.filters.redact.beside import Beside
from dragoman.filters.redact.engine import PlainEngine
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.recipes import cook
from dragoman.model import Header, Message, Session, Text
from dragoman.report import Report

PASSWORD = cook("Kiwi{d*4}fruit")


def _session(*texts: str) -> Session:
    return Session(
        header=Header(id="s"), entries=tuple(Message(role="user", origin="prompt", blocks=(Text(t),)) for t in texts)
    )


def _redacted(redact: RedactFilter, session: Session) -> str:
    redact.prepare([session], Report())
    return repr(redact.apply(session, Report()))


class _Stopped(PlainEngine):
    """Raises once, as Ctrl-C does: while it is asked for its rules, or while it scans."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where

    @property
    def rule_count(self) -> int:
        self._stop("start")
        return super().rule_count

    def find(self, buffer: bytes) -> list[Hit]:
        self._stop("scan")
        return super().find(buffer)

    def _stop(self, where: str) -> None:
        if self._where == where:
            self._where = ""
            raise KeyboardInterrupt


@pytest.mark.parametrize("where", ["start", "scan"])
@pytest.mark.parametrize("what", [("secrets", "users"), ("users",)])
def test_the_users_own_words_and_secrets_still_go(
    where: str, what: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("blue-heron\n", "utf-8")
    engine = _Stopped(where)
    monkeypatch.setattr("dragoman.filters.redact.filter.build", lambda *_args, **_more: engine)
    redact = RedactFilter(RedactOptions(what=what, own_text=words))
    session = _session(f"export DB_PASSWORD={PASSWORD}", "the blue-heron flies")
    if where == "start" or "secrets" in what:
        with pytest.raises(KeyboardInterrupt):
            redact.prepare([session], Report())
    said = _redacted(redact, session)
    assert "blue-heron" not in said
    assert (PASSWORD not in said) is ("secrets" in what)


def test_rules_that_are_refused_are_refused_each_time(tmp_path: Path) -> None:
    pytest.importorskip("kingfisher_sdk")
    rules = tmp_path / "rules.toml"
    rules.write_text("[[rule]]\nid = 'z'\npattern = '(?=z)(zebra)'\nmatch = ['zebra']\n", "utf-8")
    redact = RedactFilter(RedactOptions(own_rules=rules))
    for _ in range(3):
        with pytest.raises(InputError, match="look-around"):
            redact.prepare([_session("zebra")], Report())


def test_a_wait_that_was_broken_off_is_taken_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted `Thread.join` took the thread for ended, and its result for lost."""
    from threading import Event

    go = Event()
    beside = Beside(lambda: go.wait() and "made")
    with monkeypatch.context() as once:

        def interrupted(_timeout: float | None = None) -> bool:
            raise KeyboardInterrupt

        once.setattr(beside._ended, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            beside.result()
    go.set()
    assert beside.result() == "made"


@pytest.mark.parametrize("word", ["ACME", "xq", "main"])
def test_a_short_word_of_ones_own_goes_where_it_is_all_that_is_said(word: str, tmp_path: Path) -> None:
    """Texts of less than six characters were passed by, and the check after rendering stopped the output."""
    words = tmp_path / "words.txt"
    words.write_text(f"{word}\n", "utf-8")
    redact = RedactFilter(RedactOptions(own_text=words))
    session = _session(word, f"hi {word} there", f"{word}.")
    said = _redacted(redact, session)
    assert word not in said.replace("Message(role='user'", "").replace("domain", "")
    assert redact.verify("out.md", said.encode()) == []
