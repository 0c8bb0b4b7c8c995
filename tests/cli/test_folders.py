"""What a folder means: the sessions of a project, else the sessions that lie in it, else nothing, and why."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code, clm

OTHER = "99992222-3333-4444-8555-666677778888"


def project(folder: Path) -> Path:
    """A session that was held in a folder, where Claude Code keeps it."""
    name = re.sub(r"[^a-zA-Z0-9]", "-", os.path.realpath(folder))
    return claude_code(Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects" / name / f"{SESSION}.jsonl", "In the shop")


@pytest.mark.parametrize("command", [("convert", "-t", "openai", "-q"), ("stats", "--json"), ("scan",), ("doctor",)])
def test_a_project_means_its_sessions_whatever_lies_in_it(command: tuple[str, ...], dragoman: Run) -> None:
    """A `.jsonl` somewhere in the project made it "empty"; another project's session there was converted in its place."""
    shop = Path("shop")
    claude_code(shop / "data" / f"{OTHER}.jsonl", "Of another project")
    (shop / "rows.jsonl").write_text('{"a": 1}\n')
    kept = project(shop)
    said = dragoman(*command, "shop")
    assert said.code == 0
    assert said == dragoman(*command, str(kept.parent))
    if command[0] == "convert":
        assert "In the shop" in said.out
        assert "Of another project" not in said.out


def test_the_folder_that_one_stands_in_is_a_project_too(dragoman: Run) -> None:
    project(Path())
    claude_code(Path(f"{OTHER}.jsonl"), "Of another project")
    assert "In the shop" in dragoman("convert", ".", "-t", "openai").out


def test_what_lies_in_the_agents_home_is_no_project(dragoman: Run) -> None:
    """Whoever worked in a folder of Claude Code's own still means the sessions that lie there."""
    kept = project(Path("shop"))
    project(kept.parent).write_text("")
    assert "In the shop" in dragoman("convert", str(kept.parent), "-t", "openai").out


def test_a_folder_of_another_format_is_searched(dragoman: Run) -> None:
    project(Path("shop"))
    clm(Path("shop/20260824-060842-544d4eb3.jsonl"))
    assert "From clm" in dragoman("convert", "shop", "-f", "clm", "-t", "openai").out


def test_logs_of_clm_are_found_by_their_content(dragoman: Run) -> None:
    clm(Path("logs/20260824-060842-544d4eb3.jsonl"), agent="dev")
    assert "From clm" in dragoman("convert", "logs", "-t", "openai").out
    clm(Path("logs/20260824-060842-deadbeef.jsonl"))
    assert "wrote 2 files" in dragoman("convert", "logs", "-t", "clm", "-o", "out/").errors


@pytest.mark.parametrize("command", ["convert", "stats", "scan"])
def test_a_folder_without_sessions_says_what_it_holds(command: str, dragoman: Run) -> None:
    Path("none").mkdir()
    said = dragoman(command, "none")
    assert (said.code, said.errors.partition(";")[0]) == (1, "dragoman: none: nothing in it")
    Path("none/a.py").touch()
    Path("none/b.py").touch()
    Path("none/rows.jsonl").write_text('{"a": 1}\n')
    home = os.environ["HOME"]
    assert dragoman(command, "none").errors == (
        "dragoman: none: no session of Claude Code or clm in it, only 3 other files (2 .py, 1 .jsonl); "
        f"and no project of that name under {home}/.claude/projects or {home}/state/clm\n"
    )


def damaged(folder: Path) -> None:
    """Files named as a session's that aren't one, and files that nobody takes for one."""
    (folder / "bad.jsonl").write_text("nothing")
    (folder / "other.jsonl").write_text('{"a": 1}\n')
    (folder / "zero.jsonl").write_text("")
    (folder / "settings.json").write_text("{}")
    (folder / "picture.png").write_bytes(b"\x89PNG")


@pytest.mark.parametrize("command", [("convert", "-t", "markdown"), ("stats",), ("scan",)])
@pytest.mark.parametrize("agent", ["Claude Code", "clm"])
def test_what_is_left_out_of_a_folder_is_said(command: tuple[str, ...], agent: str, dragoman: Run) -> None:
    """A folder lost in silence what the same files in a list said: stderr named none of them."""
    folder = Path("in")
    if agent == "clm":
        clm(folder / "20260824-060842-544d4eb3.jsonl")
        other = "no clm session log"
    else:
        claude_code(folder / f"{SESSION}.jsonl")
        (folder / f"{OTHER}.jsonl").write_text("")
        other = "not a Claude Code session"
    damaged(folder)
    said = dragoman(*command, "in")
    assert said.code == 0
    lines = sorted(line for line in said.errors.splitlines() if " left out (" in line)
    if agent != "clm":
        assert lines.pop(0) == f"doubt: in/{OTHER}.jsonl: 1 file left out (empty)"
    assert lines == [
        f"doubt: in/bad.jsonl: 1 file left out ({other})",
        f"doubt: in/other.jsonl: 1 file left out ({other})",
        "doubt: in/zero.jsonl: 1 file left out (empty)",
    ]


def test_a_session_in_utf_16_is_read_from_a_folder(dragoman: Run) -> None:
    """It was "not a Claude Code session" there, and read where it was named itself."""
    claude_code(Path(f"in/{SESSION}.jsonl"))
    made = claude_code(Path("in/powershell.jsonl"), "From PowerShell")
    made.write_bytes(made.read_text().encode("utf-16"))
    said = dragoman("convert", "in", "-t", "markdown", "-o", "out/")
    assert "wrote 2 files" in said.errors
    assert "file left out" not in said.errors
    Path(f"in/{SESSION}.jsonl").unlink()
    assert "From PowerShell" in dragoman("convert", "in", "-t", "markdown").out


def test_a_log_of_a_newer_clm_does_not_stop_the_others_in_a_folder(dragoman: Run) -> None:
    clm(Path("in/20260824-060842-544d4eb3.jsonl"))
    Path("in/20260824-060842-deadbeef.jsonl").write_text('{"type":"meta","v":9,"id":"a","created":1}\n')
    said = dragoman("convert", "in", "-t", "markdown")
    assert said.code == 0
    assert "From clm" in said.out
    assert "20260824-060842-deadbeef.jsonl: 1 file left out (written by a newer clm (format version 9))" in said.errors


def test_many_files_left_out_are_named_up_to_a_bound(dragoman: Run) -> None:
    claude_code(Path(f"in/{SESSION}.jsonl"))
    for number in range(30):
        Path(f"in/{number:02}.jsonl").write_text("nothing")
    said = dragoman("convert", "in", "-t", "markdown", "-o", "out/", "--report", "all.json")
    lines = [line for line in said.errors.splitlines() if "left out (not a" in line]
    assert len(lines) == 21
    assert lines[-1] == "doubt: 10 files left out (not a Claude Code session)"
    assert Path("all.json").read_text().count(".jsonl") >= 30


def test_a_folder_named_with_its_format_says_that_nothing_is_there(dragoman: Run) -> None:
    Path("none").mkdir()
    for name in ("clm", "claude-code"):
        assert dragoman("convert", "none", "-f", name).errors == "dragoman: none: no conversation in it\n"


def bookkeeping(path: Path) -> None:
    """A file that an agent left in which nobody says anything."""
    if path.parent.name == "clm":
        path.write_text(json.dumps({"type": "meta", "v": 1, "id": path.stem, "created": 1787551722}) + "\n")
    else:
        path.write_text(json.dumps({"type": "summary", "summary": "A title", "leafUuid": "a"}) + "\n")


@pytest.mark.parametrize("agent", ["clm", "claude"])
def test_a_session_without_a_conversation_is_named(agent: str, dragoman: Run) -> None:
    """It was left out of an output folder with nothing on stderr but the number of notes."""
    ids = [f"20260824-060842-{number:08}" for number in range(23)] if agent == "clm" else [
        f"{number:08}-3333-4444-8555-666677778888" for number in range(23)
    ]  # fmt: skip
    Path(agent).mkdir()
    for id in ids[1:]:
        bookkeeping(Path(f"{agent}/{id}.jsonl"))
    alone = f"{agent}/{ids[1]}.jsonl"
    line = f"doubt: {alone}: 1 session left out (no conversation in it)"
    said = dragoman("convert", alone, "-o", "none/", "--report", "r.json")
    assert (said.code, said.errors.splitlines()[1:]) == (0, [line, "wrote 0 files to none/"])
    assert [each["code"] for each in json.loads(Path("r.json").read_text())["findings"]] == ["session-left-out"]
    assert dragoman("convert", alone, "-o", "one.md").code == 0
    assert Path("one.md").exists()
    (claude_code if agent == "claude" else clm)(Path(f"{agent}/{ids[0]}.jsonl"))
    said = dragoman("convert", agent, "-t", "markdown", "-o", "out/", "--report", "all.json")
    lines = [each for each in said.errors.splitlines() if "no conversation" in each]
    assert lines[0] == line
    assert len(lines) == 21
    assert lines[-1] == "doubt: 2 sessions left out (no conversation in them)"
    assert "wrote 1 file to out/" in said.errors
    assert '"empty"' not in Path("all.json").read_text()
