"""Files that exist already: said before the work, all of them counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code

from dragoman.filters.redact import RedactFilter

OTHERS = [f"{digit * 8}-3333-4444-8555-666677778888" for digit in "456"]


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be searched or written."""

    def refuse(*_: object) -> None:
        raise AssertionError("it began to work")

    monkeypatch.setattr(RedactFilter, "prepare", refuse)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("name", ["talk.md", "talk.html", "talk.pdf"])
def test_a_name_that_is_taken_is_refused_at_once(name: str, dragoman: Run) -> None:
    """It was said after ten seconds of setting a PDF."""
    claude_code(Path(f"{SESSION}.jsonl"))
    Path(name).write_text("mine")
    said = dragoman("convert", f"{SESSION}.jsonl", "-o", name)
    assert (said.code, said.errors) == (1, f"dragoman: {name}: exists already; --force replaces it\n")
    assert Path(name).read_text() == "mine"


def test_a_link_to_nowhere_is_a_name_taken(dragoman: Run) -> None:
    claude_code(Path(f"{SESSION}.jsonl"))
    Path("talk.md").symlink_to("nowhere")
    assert "exists already" in dragoman("convert", f"{SESSION}.jsonl", "-o", "talk.md").errors


@pytest.mark.parametrize("to", ["markdown", "clm", "claude-code", "native", "openai"])
def test_a_second_run_into_a_folder_counts_what_is_there(
    to: str, dragoman: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id in (SESSION, *OTHERS):
        claude_code(Path("in") / f"{id}.jsonl", id)
    assert dragoman("convert", "in", "-t", to, "-o", "out/").code == 0
    first = min(each.name for each in Path("out").iterdir())
    made = sorted(each.name for each in Path("out").iterdir())
    monkeypatch.setattr(RedactFilter, "prepare", None)
    said = dragoman("convert", "in", "-t", to, "-o", "out/")
    ending = "; --force replaces them, another folder leaves them\n"
    assert said.errors.startswith("dragoman: out: all 4 files exist already, ") or to == "claude-code"
    assert said.errors.endswith(ending)
    for each in made[1:]:
        (Path("out") / each).unlink()
    said = dragoman("convert", "in", "-t", to, "-o", "out/")
    assert said.errors.endswith(f"dragoman: out/{first}: exists already; --force replaces it\n")


def test_lines_are_another_file_than_an_array(dragoman: Run) -> None:
    claude_code(Path(f"{SESSION}.jsonl"))
    for option in ([], ["-O", "lines=true"]):
        assert dragoman("convert", f"{SESSION}.jsonl", "-t", "openai", "-o", "out/", *option).code == 0
    assert sorted(each.suffix for each in Path("out").iterdir()) == [".json", ".jsonl"]
