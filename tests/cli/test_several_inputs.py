"""Of several inputs, one that can't be read is left out and said; a single one fails."""

from __future__ import annotations

import json
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
        assert found["places"] == [{"file": f"in/{name}", "line": 0}]
    assert dragoman("convert", *files, "-t", "markdown", "-o", "out2/", "--fail-on", "error").code == 3
    assert dragoman("convert", f"in/{name}", "-t", "markdown", "-o", "out3/").code in (1, 2)


def test_none_that_can_be_read_is_an_error(dragoman: Run) -> None:
    Path("a.txt").write_text("hello\n")
    Path("b.txt").write_text("hello\n")
    said = dragoman("convert", "a.txt", "b.txt", "-o", "out/")
    assert said.code == 2
    assert said.errors.startswith("dragoman: a.txt: can't tell what format this is")


def test_a_name_that_is_not_there_stops_all(dragoman: Run) -> None:
    clm(Path("a.jsonl"))
    said = dragoman("convert", "a.jsonl", "gone.jsonl", "-o", "out/")
    assert said.code == 1
    assert not Path("out").exists()
