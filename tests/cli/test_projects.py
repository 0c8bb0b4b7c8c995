"""A project is named by its path, by the end of its path, or by its folder's name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code

PROJECTS = Path("../home/.claude/projects")


def project(folder: str, number: int, below: str = "") -> str:
    """A project with one session; returns the words in it."""
    path = PROJECTS / re.sub("[^a-zA-Z0-9]", "-", folder) / f"{SESSION[:-1]}{number}.jsonl"
    words = f"work in {folder}"
    claude_code(path, words)
    path.write_text(path.read_text().replace("/home/dev/demo", folder + below))
    return words


def said_in(dragoman: Run, name: str) -> str:
    said = dragoman("convert", name, "-t", "openai", "-q", "--no-redact")
    assert said.code == 0, said.errors
    return str(json.loads(said.out)[0]["content"])


def test_the_end_of_a_path_names_a_project(dragoman: Run) -> None:
    """The README said "the name of a project", and `dragoman convert tides` found nothing."""
    tides, web = project("/home/mira/tides", 1, "/src/deep"), project("/home/mira/w.b", 2)
    project("/home/mira/big-tides", 3)
    for name in ("tides", "mira/tides", "home/mira/tides", "/home/mira/tides", "tides/", "mira/tides/"):
        assert said_in(dragoman, name) == tides, name
    assert said_in(dragoman, "w.b") == web
    for name in ("src", "deep", "ides", "ira/tides", "other/tides"):
        said = dragoman("convert", name, "-t", "openai")
        assert said.code == 1 and said.errors.count("\n") == 1


def test_a_name_of_several_projects_is_not_guessed(dragoman: Run) -> None:
    project("/home/mira/tides", 1)
    ann = project("/home/ann/tides", 2)
    line = "tides: 2 projects are called so: /home/ann/tides, /home/mira/tides; give more of the path"
    for command in ("convert", "scan", "stats"):
        said = dragoman(command, "tides")
        assert (said.code, said.errors) == (2, f"dragoman: {line}\n")
    assert said_in(dragoman, "ann/tides") == ann


def test_a_session_held_elsewhere_doesnt_name_its_folder(dragoman: Run) -> None:
    """A file that was copied into another project's folder says where it was held, not what the folder is."""
    tides = project("/home/mira/tides", 1)
    claude_code(PROJECTS / "-home-mira-moons" / f"{SESSION[:-1]}2.jsonl").write_text(
        next(PROJECTS.glob("*tides/*")).read_text()
    )
    assert said_in(dragoman, "tides") == tides


@pytest.mark.parametrize("folder", ["C:\\Users\\mira\\tides", "/home/" + "a" * 220 + "/tides"])
def test_other_paths_have_ends_too(folder: str, dragoman: Run) -> None:
    words = project(folder, 1)
    made = next(PROJECTS.iterdir())
    made.rename(made.with_name(f"{made.name[:200]}-1a2b3c" if len(made.name) > 200 else made.name))
    path = next(PROJECTS.glob("*/*"))
    path.write_text(path.read_text().replace(folder, json.dumps(folder)[1:-1]))
    assert said_in(dragoman, "tides") == words
