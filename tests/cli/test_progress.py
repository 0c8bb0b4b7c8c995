"""A long run says how far it is: on a terminal, in one line that goes."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_made import Run, claude_code

from dragoman.cli import progress

IDS = [f"{digit * 8}-3333-4444-8555-666677778888" for digit in "123"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Terminal]:
    """Puts a terminal in stderr's place; within a test only, since pytest puts its own there before."""
    monkeypatch.setattr(progress, "OFTEN", 0.0)
    monkeypatch.setenv("COLUMNS", "100")
    for id in IDS:
        claude_code(Path(f"in/{id}.jsonl"), id)

    def put() -> Terminal:
        made = Terminal()
        monkeypatch.setattr(sys, "stderr", made)
        return made

    return put


def screen(written: str) -> list[str]:
    """What stands on the terminal in the end."""
    return [line.rpartition("\r")[2].rstrip() for line in written.split("\n")]


def test_a_folder_tells_each_session(terminal: Callable[[], Terminal], dragoman: Run) -> None:
    shown = terminal()
    assert dragoman("convert", "in", "-t", "markdown", "-o", "out/").code == 0
    written = shown.getvalue()
    for number, id in enumerate(IDS, 1):
        assert f"\rreading session {number}: {id}" in written
        assert f"\rsearching session {number} of 3: {id}" in written
        assert f"\rwriting session {number} of 3: {id}" in written
    assert not any(doing in line for line in screen(written) for doing in ("reading", "searching", "writing"))
    assert "wrote 3 files to out/" in screen(written)


def test_a_pdf_tells_its_parts(terminal: Callable[[], Terminal], dragoman: Run) -> None:
    shown = terminal()
    assert dragoman("convert", f"in/{IDS[0]}.jsonl", "-o", "talk.pdf").code == 0
    assert f"\rwriting session 1 of 1: {IDS[0]} (100 %)" in shown.getvalue()


def test_scan_tells_each_session(terminal: Callable[[], Terminal], dragoman: Run) -> None:
    shown = terminal()
    assert dragoman("scan", "in").code == 0
    assert f"\rscanning session 3: {IDS[2]}" in shown.getvalue()
    assert screen(shown.getvalue())[-1] == ""


def test_nothing_is_told_to_one_who_wants_quiet(terminal: Callable[[], Terminal], dragoman: Run) -> None:
    shown = terminal()
    dragoman("convert", "in", "-t", "markdown", "-o", "out/", "-q")
    assert shown.getvalue() == ""


def test_nothing_is_told_where_nobody_looks(dragoman: Run) -> None:
    claude_code(Path(f"in/{IDS[0]}.jsonl"))
    assert "\r" not in dragoman("convert", "in", "-t", "markdown", "-o", "out/").errors
