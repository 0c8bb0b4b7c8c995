"""A file within a folder or a history that can't be read is reported and fails nothing; one that was named does."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code, clm

NEWER = '{"dragoman": {"major": 9, "minor": 0}}'
LOG = "20261120-090020-58685cf5"
COMMANDS = [["convert", "-t", "native", "-o", "out/", "--force"], ["scan"], ["stats", "--json"]]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("own", [True, False])
def test_within_a_folder(own: bool, command: list[str], dragoman: Run) -> None:
    """`convert` ended with 1, and of a folder of mixed formats `stats` read nothing behind the first such file."""
    claude_code(Path(f"in/{SESSION}.jsonl" if own else f"in/below/{SESSION}.jsonl"))
    for name in ("a", "z"):
        Path(f"in/{name}.json").write_text(NEWER)
    said = dragoman(*command, "in")
    assert said.code == 0, said.errors
    for name in ("a", "z"):
        assert f"doubt: in/{name}.json: 1 file left out (" in said.errors
    if command[0] == "stats":
        assert '"sessions": 1' in said.out
    named = dragoman(*command, f"in/{'' if own else 'below/'}{SESSION}.jsonl", "in/a.json")
    assert named.code == 1 and "in/a.json:" in named.errors


def test_within_the_history(dragoman: Run) -> None:
    """One junk file made `stats` end with 1 for ever."""
    home = Path("../home")
    claude_code(home / ".claude" / "projects" / "-x" / f"{SESSION}.jsonl")
    junk = home / ".claude" / "projects" / "-x" / f"{SESSION[:-1]}9.jsonl"
    junk.write_text("junk\n")
    newer = clm(home / "state" / "clm" / f"{LOG}.jsonl")
    newer.write_text(newer.read_text().replace('"v": 1', '"v": 9'))
    said = dragoman("stats", "--json")
    assert said.code == 0 and '"sessions": 1' in said.out
    for each in (junk, newer):
        assert f"/{each.name}: 1 file left out (" in said.errors
    assert said.errors.count("doubt: ") == 2
    assert dragoman("stats", str(junk), "--json").code != 0


@pytest.mark.parametrize("command", COMMANDS[1:], ids=lambda command: command[0])
def test_lines_that_are_no_records_are_said(command: list[str], dragoman: Run) -> None:
    """A folder's file of plain text was passed by in silence, if it had a session's name."""
    claude_code(Path(f"in/{SESSION}.jsonl"))
    Path(f"in/{SESSION[:-1]}9.jsonl").write_text("junk\n")
    said = dragoman(*command, "in")
    assert said.code == 0
    assert f"note: in/{SESSION[:-1]}9.jsonl:1: 1 line skipped that holds no record of a conversation" in said.errors
