"""Options that take a path: a `~` that no shell filled in, and what isn't there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code

HOME = Path("../home")


def test_a_tilde_behind_an_equals_sign_is_the_home(dragoman: Run) -> None:
    """`--output=~/out/` made a folder named `~`."""
    claude_code(Path(f"{SESSION}.jsonl"), "the hull-paint needs a second coat")
    (HOME / "mine.css").write_text("body { color: plum }")
    (HOME / "words.txt").write_text("hull-paint\n")
    (HOME / "key").write_text("0123456789abcdef0123456789abcdef\n")
    said = dragoman(
        "convert", f"{SESSION}.jsonl", "-t", "html", "--output=~/out/", "--report=~/r.json", "--redact-report=~/rr.json",
        "--redact-text=~/words.txt", "--redact-key=~/key", "--keep=~/words.txt", "--css=~/mine.css", "-O", "tz=UTC",
    )  # fmt: skip
    assert said.code == 0, said.errors
    assert "plum" in (HOME / "out" / f"{SESSION}.html").read_text()
    assert (HOME / "r.json").is_file() and (HOME / "rr.json").is_file()
    said = dragoman("convert", f"{SESSION}.jsonl", "-t", "html", "--templates=~/nowhere")
    assert said.errors == f"dragoman: {HOME.resolve()}/nowhere: no such folder of templates\n"
    claude_code(HOME / ".claude" / "projects" / "-x" / f"{SESSION}.jsonl")
    (HOME / "prices.toml").write_text("")
    assert dragoman("stats", f"{SESSION}.jsonl", "--prices=~/prices.toml", "--json").code == 0
    assert dragoman("scan", f"{SESSION}.jsonl", "--redact-text=~/words.txt", "--json").code == 0
    assert dragoman("migrate", "--from=~/.claude", "--to=~/clm", "--export-media=~/media").code == 0
    assert not Path("~").exists()


def test_a_folder_of_templates_that_stands_in_for_none_is_refused(dragoman: Run) -> None:
    """It was passed over in silence, and so was one that isn't there where no page came of it."""
    Path("in").mkdir()
    Path(f"in/{SESSION}.jsonl").write_text(json.dumps({"type": "summary", "summary": "x", "leafUuid": "y"}) + "\n")
    Path("own").mkdir()
    Path("own/styles.css").write_text("")
    for what, why in (
        ("nowhere", "nowhere: no such folder of templates"),
        ("own", "own: nothing in it has the name of a template (block.html, entry.html, "),
    ):
        said = dragoman("convert", "in", "-t", "html", "-o", "out/", "--templates", what)
        assert said.code == 2 and said.errors.startswith(f"dragoman: {why}") and said.errors.count("\n") == 1
    Path("own/style.css").write_text("")
    assert dragoman("convert", "in", "-t", "html", "-o", "out/", "--templates", "own").code in (0, 1)
    said = dragoman("convert", "in", "-t", "html", "-o", "out/", "--css", "nowhere.css")
    assert said.code == 2 and said.errors.startswith("dragoman: nowhere.css: can't be read as a style sheet")


@pytest.mark.parametrize("flag", ["--templates=", "--css=", "-Ocss="])
def test_an_empty_value_is_none(flag: str, dragoman: Run) -> None:
    claude_code(Path(f"{SESSION}.jsonl"))
    said = dragoman("convert", f"{SESSION}.jsonl", "-t", "html", flag)
    assert said.code == 2 and said.errors.endswith("needs a value\n") and said.out == ""


def test_migrate_takes_no_file_for_a_folder(dragoman: Run) -> None:
    """Pictures that weren't there were exported to it without a word."""
    claude_code(HOME / ".claude" / "projects" / "-x" / f"{SESSION}.jsonl")
    Path("file").touch()
    for flag in ("--to", "--export-media"):
        said = dragoman("migrate", flag, "file")
        assert said.code == 2 and said.errors == f"dragoman: {flag} file: not a folder\n"
