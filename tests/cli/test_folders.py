"""What a folder means: the sessions of a project, else the sessions that lie in it, else nothing, and why."""

from __future__ import annotations

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


def test_a_folder_named_with_its_format_says_that_nothing_is_there(dragoman: Run) -> None:
    Path("none").mkdir()
    for name in ("clm", "claude-code"):
        assert dragoman("convert", "none", "-f", name).errors == "dragoman: none: no conversation in it\n"
