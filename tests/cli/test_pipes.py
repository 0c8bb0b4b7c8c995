"""What goes into a pipe is for other programs: no line of it is broken for a terminal that isn't there."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")


def test_a_format_s_options_are_a_line_each(dragoman: Run) -> None:
    assert len(dragoman("formats", "pdf").out.splitlines()) == 8
    assert len(dragoman("formats").out.splitlines()) == 8


def test_what_migrate_says_is_a_line_each(dragoman: Run) -> None:
    """`migrate --verify | less` broke its sentence at 80 columns."""
    home = Path("../home/.claude/projects/-home-dev-demo")
    for number in range(45):
        claude_code(home / f"{SESSION[:-2]}{number:02}.jsonl", f"{'A long title of a session ' * 2}{number}")
    assert len(dragoman("migrate", "--dry-run").out.splitlines()) == 1 + 40 + 4
    lines = dragoman("migrate").out.splitlines()
    assert len(lines) == 1 + 40 + 3 and lines[41] == "and 5 more; the manifest has all"
    lines = dragoman("migrate", "--verify").out.splitlines()
    assert len(lines) == 1 and lines[0].endswith(" bytes")
    for log in Path("../home/state/clm").glob("*.jsonl"):
        log.unlink()
    said = dragoman("migrate", "--verify")
    assert said.code == 1 and len(said.out.splitlines()) == 1 + 45 + 1
