"""What an earlier run left beside an output is no part of it: it stays, and it is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code

AGENTS = str(Path(__file__).resolve().parents[2] / "fixtures" / "claude-code" / "2.1.300" / "subagents")
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
STAYED = "no part of this output"


def with_pictures(path: Path) -> None:
    content = [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{each}"}} for each in (PICTURE, PICTURE[:-4])
    ]
    path.write_text(json.dumps([{"role": "user", "content": content}]))


def said_of_it(errors: str) -> list[str]:
    return [line for line in errors.splitlines() if STAYED in line]


@pytest.mark.parametrize("out", ["talk.md", "out/"])
def test_pictures_of_an_earlier_run_are_named(out: str, dragoman: Run) -> None:
    """Whoever dropped the pictures and sent the folder sent them all the same, and nothing said so."""
    with_pictures(Path("talk.json"))
    media = Path(out).parent / "talk-media" if out != "out/" else Path("out/talk-media")
    assert said_of_it(dragoman("convert", "talk.json", "-t", "markdown", "-o", out).errors) == []
    assert said_of_it(dragoman("convert", "talk.json", "-t", "markdown", "-o", out, "--force").errors) == []
    Path(media / "003.png").touch()
    drop = ("convert", "talk.json", "-t", "markdown", "-o", out, "--drop", "images", "--report", "r.json", "--force")
    said = dragoman(*drop)
    assert said_of_it(said.errors) == [f"doubt: {media}: 3 files that were there before are {STAYED}"]
    (found,) = [each for each in json.loads(Path("r.json").read_text())["findings"] if each["code"] == "left-beside"]
    assert found["places"] == [{"file": str(media), "line": 0, "count": 3}]
    assert len(list(media.iterdir())) == 3
    assert dragoman(*drop, "-q").errors == ""
    assert dragoman(*drop, "--fail-on", "doubt").code == 3
    said = dragoman("convert", "talk.json", "-t", "markdown", "-o", out, "--force")
    assert said_of_it(said.errors) == [f"doubt: {media}: 1 file that was there before is {STAYED}"]


def test_it_is_said_without_force_too(dragoman: Run) -> None:
    with_pictures(Path("talk.json"))
    dragoman("convert", "talk.json", "-o", "talk.md")
    Path("talk.md").unlink()
    assert len(said_of_it(dragoman("convert", "talk.json", "-o", "talk.md", "--drop", "images").errors)) == 1


def test_pages_and_subagents_of_an_earlier_run_are_named(dragoman: Run) -> None:
    claude_code(Path(f"{SESSION}.jsonl"))
    for name in ("talk-2.html", "talk-3.html", "talk-5.html", "talks-2.html"):
        Path(name).write_text("")
    said = dragoman("convert", f"{SESSION}.jsonl", "-o", "talk.html")
    assert said_of_it(said.errors) == [f"doubt: talk-2.html … talk-3.html: 2 files that were there before are {STAYED}"]
    for out in ("n.jsonl", f"{SESSION}.jsonl"):
        to = "clm" if out == "n.jsonl" else "claude-code"
        assert said_of_it(dragoman("convert", AGENTS, "-t", to, "-o", f"x/{out}").errors) == []
        assert said_of_it(dragoman("convert", AGENTS, "-t", to, "-o", f"x/{out}", "--force").errors) == []
        without = dragoman("convert", AGENTS, "-t", to, "-o", f"x/{out}", "--force", "--no-subagents")
        (line,) = said_of_it(without.errors)
        assert line.startswith("doubt: x/n-" if to == "clm" else f"doubt: x/{SESSION}/subagents: ")
