"""Of several inputs, one that can't be read is left out and said; a single one fails."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code, clm

OTHER = "99992222-3333-4444-8555-666677778888"


@pytest.fixture
def sessions() -> None:
    claude_code(Path(f"in/{SESSION}.jsonl"))
    claude_code(Path(f"in/{OTHER}.jsonl"), "Another")


BAD = {
    "notes.txt": (b"hello\n", "can't tell what format this is"),
    "nothing.jsonl": (b"", "empty"),
    "broken.zip": (b"PK\x03\x04 cut", ""),
    "newer.jsonl": (b'{"type":"meta","v":9,"id":"a","created":1}\n', "written by a newer clm (format version 9)"),
}


@pytest.mark.usefixtures("sessions")
@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("quiet", [[], ["-q"]])
def test_one_bad_file_does_not_stop_the_others(name: str, quiet: list[str], dragoman: Run) -> None:
    """A note in a list or a glob made the whole batch fail with nothing written."""
    data, why = BAD[name]
    (Path("in") / name).write_bytes(data)
    files = sorted(str(each) for each in Path("in").iterdir())
    for number, inputs in enumerate((files, ["in/*"])):
        said = dragoman(
            "convert", *inputs, "-t", "markdown", "-o", f"out{number}/", "--report", f"{number}.json", *quiet
        )
        assert said.code == 1
        assert len(list(Path(f"out{number}").iterdir())) == 2
        (line,) = [line for line in said.errors.splitlines() if line.startswith("error: ")]
        assert line.startswith(f"error: in/{name}: 1 input left out (")
        assert why in line
        (found,) = [each for each in json.loads(Path(f"{number}.json").read_text())["findings"] if each["code"] == "input-skipped"]  # fmt: skip
        assert found["places"] == [{"file": f"in/{name}", "line": 0, "count": 1}]
    assert dragoman("convert", *files, "-t", "markdown", "-o", "out2/", "--fail-on", "error").code == 3
    assert dragoman("convert", f"in/{name}", "-t", "markdown", "-o", "out3/").code in (1, 2)


def test_none_that_can_be_read_is_an_error(dragoman: Run) -> None:
    Path("a.txt").write_text("hello\n")
    Path("b.txt").write_text("hello\n")
    said = dragoman("convert", "a.txt", "b.txt", "-o", "out/")
    assert said.code == 2
    assert said.errors.startswith("dragoman: a.txt: can't tell what format this is")


def in_two_projects() -> None:
    """The same session in two projects, and another whose id begins so."""
    projects = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects"
    for name in (f"-a/{SESSION}", f"-b/{SESSION}", f"-b/{SESSION[:-1]}9"):
        claude_code(projects / f"{name}.jsonl")


@pytest.mark.parametrize("name", ["gone.jsonl", "no/such", "gone*", "feedbeef", "ab", SESSION[:8]])
def test_a_mistyped_name_does_not_stop_the_others(name: str, dragoman: Run) -> None:
    """One name with a slip in it, and nothing was written of all the rest."""
    clm(Path("a.jsonl"))
    clm(Path("b.jsonl"))
    in_two_projects()
    alone = dragoman("convert", name, "-t", "markdown")
    assert alone.code in (1, 2)
    said = dragoman("convert", "a.jsonl", name, "b.jsonl", "-t", "markdown", "-o", "out/")
    assert said.code == 1
    assert len(list(Path("out").iterdir())) == 2
    (line,) = [line for line in said.errors.splitlines() if line.startswith("error: ")]
    why = alone.errors.strip().removeprefix(f"dragoman: {name}: ").partition(";")[0]
    assert line == f"error: {name}: 1 input left out ({why})"
    for command in ("scan", "stats"):
        said = dragoman(command, "a.jsonl", name, "b.jsonl")
        assert said.code == 1
        assert f"skipped: {name}: " in said.errors
        assert said.out
        assert dragoman(command, name) == alone
        assert dragoman(command, name, "gone/too") == alone


def test_sessions_of_the_same_id_are_named_by_their_files(dragoman: Run) -> None:
    """The same id stood twice in the list to choose from."""
    in_two_projects()
    projects = f"{os.environ['CLAUDE_CONFIG_DIR']}/projects"
    files = f"{projects}/-a/{SESSION}.jsonl, {projects}/-b/{SESSION}.jsonl"
    assert (
        dragoman("convert", SESSION).errors == f"dragoman: {SESSION}: 2 sessions have this id; name the file: {files}\n"
    )
    said = dragoman("convert", SESSION[:8]).errors
    assert f"3 sessions begin so: {files}, {SESSION[:-1]}9\n" in said


def test_each_input_left_out_is_named(dragoman: Run) -> None:
    """Two that were left out for the same reason were one line with one name."""
    clm(Path("a.jsonl"))
    for name in ("1.txt", "2.txt", "3.txt"):
        Path(name).write_text("hello\n")
    said = dragoman("convert", "a.jsonl", "1.txt", "2.txt", "3.txt", "-t", "markdown", "-o", "out/", "-q")
    assert [line.partition(": 1 input left out (")[0] for line in said.errors.splitlines()] == [
        f"error: {name}" for name in ("1.txt", "2.txt", "3.txt")
    ]


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("redact", [[], ["--no-redact"]])
def test_what_is_wrong_with_the_last_of_many_is_reported_once(
    kept: bool, redact: list[str], dragoman: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of inputs too big to be kept, only the sessions that a first look met were ever reported on."""
    monkeypatch.setattr("dragoman.conversion.sources.KEPT", 10**9 if kept else 0)
    for number in range(12):
        path = claude_code(Path(f"in/11112222-3333-4444-8555-{number:012x}.jsonl"))
        if number in (0, 11):
            path.write_text(path.read_text() + "{broken\n")
    said = dragoman("convert", "in", "-t", "markdown", "-o", "out/", "--report", "r.json", *redact)
    assert said.code == 0
    (found,) = (
        each for each in json.loads(Path("r.json").read_bytes())["findings"] if each["code"] == "line-unreadable"
    )
    assert found["count"] == 2
    assert [place["count"] for place in found["places"]] == [1, 1]


def test_two_conversations_of_one_file_are_two_sessions_of_claude_code(dragoman: Run) -> None:
    """Both had one UUID, by which Claude Code knows a session: it would never have shown the second."""
    said = [{"messages": [{"role": "user", "content": words}]} for words in ("one", "two")]
    Path("talks.jsonl").write_text("".join(json.dumps(each) + "\n" for each in said))
    assert dragoman("convert", "talks.jsonl", "-t", "claude-code", "-o", "out/").code == 0
    names = {path.stem for path in Path("out").iterdir()}
    assert len(names) == 2
    for name in names:
        records = [json.loads(line) for line in Path(f"out/{name}.jsonl").read_text().splitlines()]
        assert {record["sessionId"] for record in records} == {name}
