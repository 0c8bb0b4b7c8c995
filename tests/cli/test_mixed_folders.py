"""A folder may hold sessions of several formats: each is read by its own reader, and none is passed over."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code, clm

from dragoman.filters.redact.recipes import cook

PASSWORD = cook("Kiwi{d*4}fruit")
LOG = "20261120-090020-58685cf5"


def openai(path: Path, text: str = "hi") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([{"role": "user", "content": text}, {"role": "assistant", "content": "yes"}]), "utf-8")


def made(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("below", ["", "logs/"])
def test_a_secret_in_a_log_beside_other_sessions_is_found(below: str, dragoman: Run) -> None:
    """The log was left out as no session of Claude Code, and `scan --check` passed the folder."""
    claude_code(Path(f"in/{SESSION}.jsonl"))
    clm(Path(f"in/{below}{LOG}.jsonl"), f"export DB_PASSWORD={PASSWORD}")
    said = dragoman("scan", "in", "--check")
    assert said.code == 5
    assert f"in/{below}{LOG}.jsonl:" in said.out
    assert "left out" not in said.errors


def test_all_formats_of_a_folder_are_converted(dragoman: Run) -> None:
    claude_code(Path(f"in/{SESSION}.jsonl"))
    clm(Path(f"in/{LOG}.jsonl"))
    clm(Path(f"in/deep/er/{LOG[:-1]}6.jsonl"))
    openai(Path("in/chats/one.json"))
    Path("in/package.json").write_text('{"name": "x", "messages": 3}', "utf-8")
    Path("in/notes.jsonl").write_text("hello\n", "utf-8")
    said = dragoman("convert", "in", "-t", "markdown", "-o", "out/", "--report", "r.json")
    assert said.code == 0
    assert len(made(Path("out"))) == 4
    assert {f"{SESSION}.md", f"{LOG}.md", f"{LOG[:-1]}6.md"} < made(Path("out"))
    assert "in/notes.jsonl" in said.errors
    assert "package.json" not in said.errors


def test_logs_with_other_sessions_beside_and_below(dragoman: Run) -> None:
    clm(Path(f"in/{LOG}.jsonl"))
    openai(Path("in/one.json"))
    openai(Path("in/below/two.json"))
    for each in ("in/a.jsonl", "in/below/b.jsonl"):
        Path(each).write_text("hello\n", "utf-8")
    said = dragoman("convert", "in", "-t", "markdown", "-o", "out/")
    assert said.code == 0
    assert len(made(Path("out"))) == 3
    assert said.errors.count("in/a.jsonl") == said.errors.count("in/below/b.jsonl") == 1


def test_a_folder_of_messages_alone_is_read(dragoman: Run) -> None:
    openai(Path("in/one.json"))
    openai(Path("in/below/two.json"))
    Path("in/below/noise.jsonl").write_bytes(bytes(range(256)))
    Path("in/nothing.jsonl").touch()
    os.mkfifo("in/pipe.jsonl")
    said = dragoman("convert", "in", "-t", "markdown", "-o", "out/")
    assert said.code == 0
    assert len(made(Path("out"))) == 2
    for name, why in (
        ("below/noise", "no session of a known format"),
        ("nothing", "empty"),
        ("pipe", "no regular file"),
    ):
        assert re.search(rf"doubt: in/{name}\.jsonl: .*{why}", said.errors)
    said = dragoman("scan", "in")
    assert said.out.startswith("2 sessions:")


def test_a_named_reader_takes_its_own_only(dragoman: Run) -> None:
    claude_code(Path(f"in/{SESSION}.jsonl"))
    clm(Path(f"in/{LOG}.jsonl"))
    said = dragoman("convert", "in", "-f", "claude-code", "-t", "markdown", "-o", "out/")
    assert made(Path("out")) == {f"{SESSION}.md"}
    assert f"in/{LOG}.jsonl" in said.errors


def test_a_folder_without_sessions_is_refused_as_before(dragoman: Run) -> None:
    Path("in").mkdir()
    Path("in/package.json").write_text("{}", "utf-8")
    said = dragoman("convert", "in", "-t", "markdown")
    assert said.code == 1
    assert "no session" in said.errors
