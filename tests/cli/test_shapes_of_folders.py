"""Sessions of every readable format, in folders of every shape: each is read, or its file is named; `scan` finds what is in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code, clm

from dragoman.filters.redact.recipes import cook

OTHER = "99992222-3333-4444-8555-666677778888"
FORMATS = ("claude-code", "clm", "openai", "native", "html")
SUFFIXES = {"claude-code": ".jsonl", "clm": ".jsonl", "openai": ".json", "native": ".json", "html": ".html"}
UNLUCKY = "backups tasks plans jobs teams memory debug ide todos tool-results subagents projects .hidden".split()
SHAPES = {
    "beside": "in/{name}{suffix}",
    **{name: f"in/{name}/{{name}}{{suffix}}" for name in UNLUCKY},
    "unlucky and deep": "in/tasks/backups/x/{name}{suffix}",
    "deep": "in/" + "d/" * 40 + "{name}{suffix}",
    "in large letters": "in/{name}{upper}",
    "log": "in/{name}.log",
    "ndjson": "in/below/{name}.ndjson",
    "txt": "in/{name}.txt",
    "no suffix": "in/below/{name}",
    "named by an id": "in/{id}.jsonl",
    "named as an agent": "in/agent-{name}.jsonl",
    "in a session's folder": f"in/{SESSION}/x/{{name}}{{suffix}}",
}


def secret(format: str) -> str:
    return f"{cook('Kiwi{d*4}fruit')}{format[:2]}"


def put(format: str, path: Path, words: str, dragoman: Run) -> None:
    """A session of the format with the words in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if format == "clm":
        clm(path, words)
    elif format == "openai":
        path.write_text(json.dumps([{"role": "user", "content": words}, {"role": "assistant", "content": "yes"}]))
    else:
        made = claude_code(Path(f"made/of-{format}.jsonl"), words)
        more = ("--embed",) if format == "html" else ()
        said = dragoman("convert", str(made), "-t", format, *more, "-o", str(path), "--force", "--no-redact")
        assert said.code == 0, said.errors


@pytest.mark.parametrize("main", ["claude-code", "clm", ""])
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_is_lost_in_a_folder(shape: str, main: str, dragoman: Run) -> None:
    """Beside a session of one agent, what lay in `backups`, below 12 folders, or was called `.log` vanished in silence."""
    if main == "claude-code":
        claude_code(Path(f"in/{SESSION}.jsonl"))
    elif main == "clm":
        clm(Path("in/20261120-090020-58685cf5.jsonl"))
    places = {}
    for number, format in enumerate(FORMATS):
        suffix = SUFFIXES[format]
        name, id = f"of-{format}", OTHER.replace("9999", f"{number:04}")
        place = SHAPES[shape].format(name=name, suffix=suffix, upper=suffix.upper(), id=id)
        places[format] = Path(place)
        put(format, Path(place), f"marker-{format} export DB_PASSWORD={secret(format)}", dragoman)
    said = dragoman("convert", "in", "-t", "native", "-o", "out/")
    assert said.code == 0
    texts = [each.read_text() for each in Path("out").iterdir()]
    for format, place in places.items():
        assert sum(f"marker-{format} " in text for text in texts) == 1, f"{place}: {said.errors}"
    assert len(texts) == len(FORMATS) + bool(main)
    said = dragoman("scan", "in", "--check")
    assert said.code == 5
    for format, place in places.items():  # what was made of another session still names that
        assert (f"made/of-{format}.jsonl:" if format in ("native", "html") else f"{place}:") in said.out


def test_a_folder_of_native_documents_is_read_back(dragoman: Run) -> None:
    """They hold records of Claude Code, and were taken for its sessions, in which nobody says anything."""
    claude_code(Path(f"a/{SESSION}.jsonl"), "First words")
    claude_code(Path(f"b/{OTHER}.jsonl"), "Other words")
    for each in "ab":
        dragoman("convert", each, "-t", "native", "-o", "native/" + each + ".json")
    said = dragoman("convert", "native", "-t", "native", "-o", "again/")
    assert "wrote 2 files" in said.errors
    assert "left out" not in said.errors
    assert sorted(each.read_bytes() for each in Path("again").iterdir()) == sorted(
        each.read_bytes() for each in Path("native").iterdir()
    )


def test_each_session_below_a_folder_of_clm_is_read_once(dragoman: Run) -> None:
    clm(Path("in/20261120-090020-58685cf5.jsonl"))
    claude_code(Path(f"in/a/z/{SESSION}.jsonl"))
    claude_code(Path(f"in/a/{OTHER}.jsonl"))
    assert "wrote 3 files" in dragoman("convert", "in", "-t", "openai", "-o", "out/").errors


@pytest.mark.parametrize("main", ["claude-code", "clm"])
def test_what_is_passed_by_is_named(main: str, dragoman: Run) -> None:
    """Folders of packages, copies, and folders that can't be read aren't gone through, and that is said."""
    first = (
        claude_code(Path(f"in/{SESSION}.jsonl"))
        if main == "claude-code"
        else clm(Path("in/20261120-090020-58685cf5.jsonl"))
    )
    claude_code(Path(f"in/node_modules/{OTHER}.jsonl"))
    copy = Path(f"{first}.bak")
    copy.write_bytes(first.read_bytes())
    Path(f"in/{OTHER}.jsonl.gz").write_bytes(b"\x1f\x8b")
    said = dragoman("convert", "in", "-t", "openai", "-o", "out/", "--report", "r.json")
    assert "wrote 1 file" in said.errors
    assert f"doubt: {copy}: 1 file left out (a copy of the session beside it, by its name)" in said.errors
    assert f"doubt: in/{OTHER}.jsonl.gz: 1 file left out" in said.errors
    assert '"in/node_modules"' in Path("r.json").read_text()


@pytest.mark.parametrize("home", [".claude", "copied"])
def test_the_agents_own_side_folders_are_none_of_sessions(
    home: str, dragoman: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(Path("elsewhere").absolute()))
    claude_code(Path(f"{home}/projects/-home-mira-x/{SESSION}.jsonl"))
    for name in ("backups", "tasks", "dump-prompts"):
        claude_code(Path(f"{home}/{name}/{OTHER}.jsonl"))
        Path(f"{home}/{name}/x.jsonl").write_text("{}\n")
    Path(f"{home}/history.jsonl").write_text('{"display":"fix it","sessionId":"x"}\n')
    said = dragoman("convert", home, "-t", "openai", "-o", "out/")
    assert "wrote 1 file" in said.errors
    assert "left out" not in said.errors
    assert Path(f"out/{SESSION}.json").exists()
