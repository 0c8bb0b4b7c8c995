"""Two processes make what one would make."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dragoman.io.target import Target
from dragoman.model import Header, Message, Session, Text, ToolCall
from dragoman.render import halves
from dragoman.render.reading import read
from dragoman.render.turns import Turn
from dragoman.report import Code, Report
from dragoman.writers.markdown import MarkdownOptions, writer


def long_session() -> Session:
    entries: list[Message] = []
    for n in range(40):
        entries.append(Message(role="user", origin="prompt", blocks=(Text(text=f"Prompt number {n} — ü"),)))
        call = ToolCall(id=f"c{n}", name="Bash", arguments=f'{{"command": "echo {n}"}}')
        entries.append(
            Message(role="assistant", origin="reply", blocks=(Text(text=f"Answer {n}"), call), extra={"n": n})
        )
    return Session(header=Header(), entries=tuple(entries))


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork, whatever the machine."""
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    monkeypatch.setattr(halves, "BIG", 10)
    monkeypatch.setattr(halves, "can_fork", lambda: True)


def written(folder: Path) -> tuple[bytes, object]:
    report = Report()
    target = Target(folder / "x.md", force=True)
    writer.write(long_session(), target, MarkdownOptions(), report)
    target.commit()
    return (folder / "x.md").read_bytes(), report.as_json()


def test_two_processes_make_the_same_document_and_report(
    two: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = written(tmp_path)
    monkeypatch.setattr(halves, "can_fork", lambda: False)
    assert written(tmp_path) == both


def test_a_second_process_that_fails_is_made_up_for(two: None) -> None:
    parent = os.getpid()
    turns = read(long_session()).turns
    report = Report()

    def make(some: Sequence[Turn], told: Report) -> Iterator[str]:
        if os.getpid() != parent:
            os._exit(3)
        told.add(Code.GUESSED, what="x", count=len(some))
        yield from (turn.anchor + "\n" for turn in some)

    made = b"".join(halves.pieces(turns, make, report)).decode().split()
    assert made == [turn.anchor for turn in turns]
    assert report.count(Code.GUESSED) == len(turns)


def test_a_first_half_that_fails_leaves_no_process(two: None, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[int] = []
    fork = os.fork

    def counted() -> int:
        children.append(fork())
        return children[-1]

    monkeypatch.setattr(os, "fork", counted)

    def make(some: Sequence[Turn], told: Report) -> Iterator[str]:
        yield "x"
        raise RuntimeError("first half")

    with pytest.raises(RuntimeError, match="first half"):
        list(halves.pieces(read(long_session()).turns, make, Report()))
    (child,) = children
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)


def test_short_documents_are_made_by_one() -> None:
    parent = os.getpid()

    def make(some: Sequence[Turn], told: Report) -> Iterator[str]:
        assert os.getpid() == parent
        yield str(len(some))

    assert list(halves.pieces(read(long_session()).turns, make, Report())) == [b"80"]
