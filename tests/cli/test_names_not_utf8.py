"""Files whose names aren't UTF-8, as old disks have them: nothing that is written may fail for them."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path

import pytest
from cli_made import Run

CAFE, BAD = os.fsdecode(b"caf\xe9.json"), os.fsdecode(b"bad\xff.jsonl")
AS_TOLD = {f"v/s/{name}" for name in ("caf\N{REPLACEMENT CHARACTER}.json", "bad\N{REPLACEMENT CHARACTER}.jsonl")}
KEY = "sk-" + "ant-api03-" + "aB3x" * 24


@pytest.fixture(autouse=True)
def talks() -> None:
    """One of OpenAI's messages and a clm log, with a secret and a fault each, and a sound one."""
    said = json.dumps([{"role": "user", "content": KEY, "novel": 1}])
    folder = Path("v/s")
    folder.mkdir(parents=True)
    (folder / CAFE).write_text(said)
    (folder / "sound.json").write_text(said)
    meta = json.dumps({"type": "meta", "v": 1, "model": "m", "created": 1787551722})
    log = json.dumps({"type": "msg", "role": "user", "content": KEY})
    (folder / BAD).write_text(f"{meta}\n{log}\nno record\n")


def files_in(report: str) -> set[str]:
    return {place["file"] for each in json.loads(Path(report).read_text())["findings"] for place in each["places"]}


@pytest.mark.parametrize("to", ["native", "openai", "clm", "claude-code", "markdown", "html"])
def test_they_are_converted_and_told_of(to: str, dragoman: Run) -> None:
    """A folder with one of them was refused for the neutral form; for any, --report said that nothing was written."""
    said = dragoman(
        "convert",
        "v",
        "-t",
        to,
        "-o",
        "out/",
        "--redact",
        "secrets",
        "--report",
        "r.json",
        "--redact-report",
        "rr.json",
    )
    assert said.code == 0, said.errors
    assert "wrote 3 files" in said.errors
    assert files_in("r.json") >= AS_TOLD
    assert {place["file"] for place in json.loads(Path("rr.json").read_text())["places"]} == AS_TOLD | {
        "v/s/sound.json"
    }


def test_scan_and_stats_print_what_is_json(dragoman: Run) -> None:
    """Both ended as a fault of ours."""
    found = json.loads(dragoman("scan", "v", "--json").out)
    assert {place["file"] for place in found["places"]} > AS_TOLD
    said = dragoman("scan", "v", "--sarif").out
    assert json.loads(said)
    assert "v/s/caf%EF%BF%BD.json" in said
    assert json.loads(dragoman("stats", "v", "--json").out)["sessions"] == 3


def test_inputs_and_outputs_of_such_names_are_told(dragoman: Run) -> None:
    """The user's own words went into the report as they came from the shell."""
    missing, out = os.fsdecode(b"v/none\xff/x"), os.fsdecode(b"o\xff.json")
    said = dragoman("convert", f"v/s/{BAD}", missing, "-t", "clm", "-o", out, "--report", "r.json")
    assert said.code == 1
    assert Path(out).is_file()
    assert files_in("r.json") >= {"v/none\N{REPLACEMENT CHARACTER}/x", "o\N{REPLACEMENT CHARACTER}.json"}


def test_the_folder_that_a_session_is_said_to_have_run_in_is_told(
    dragoman: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report was given up for it, and the session, which was there, was said not to be."""
    here = Path("v").resolve() / os.fsdecode(b"here\xff")
    here.mkdir()
    (here / "a.json").write_text('[{"role": "user", "content": "hi"}]')
    monkeypatch.chdir(here)
    assert dragoman("convert", "a.json", "-t", "claude-code", "-o", "out.jsonl", "--report", "r.json").code == 0
    assert "/here\N{REPLACEMENT CHARACTER}" in Path("r.json").read_text()


def test_they_come_out_of_an_archive_too(dragoman: Run) -> None:
    with tarfile.open("v.tar", "w") as packed:
        packed.add("v/s")
    said = dragoman("convert", "v.tar", "-t", "native", "-o", "out/", "--report", "r.json")
    assert said.code == 0, said.errors
    assert "v.tar/v/s/bad\N{REPLACEMENT CHARACTER}.jsonl" in files_in("r.json")
