"""Where the output goes, and whose an option is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code, clm


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_standard_output_has_several_names(name: str) -> None:
    """`-o /dev/stdout` said that it existed already."""
    claude_code(Path(f"{SESSION}.jsonl"))
    command = [sys.executable, "-m", "dragoman", "convert", f"{SESSION}.jsonl", "-t", "openai", "-o", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith('[{"role":"user"')


@pytest.mark.parametrize("writer", [[], ["-t", "html"], ["-t", "openai"]])
def test_a_device_is_a_place_to_write_to(writer: list[str], dragoman: Run) -> None:
    """`-o /dev/null` was refused: "no regular file; use a pipe"."""
    clm(Path("a.jsonl"))
    said = dragoman(
        "convert", "a.jsonl", *writer, "-o", "/dev/null", "--report", "/dev/null", "--redact-report", "/dev/null"
    )
    assert (said.code, said.out) == (0, "")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("flag", ["--report", "--redact-report"])
@pytest.mark.parametrize("out", [[], ["-o", "a.md"]])
def test_a_report_goes_to_a_file(flag: str, out: list[str], dragoman: Run) -> None:
    """A file called `-` was written."""
    clm(Path("a.jsonl"))
    said = dragoman("convert", "a.jsonl", "-t", "markdown", *out, flag, "-")
    assert (said.code, said.out) == (2, "")
    assert said.errors == f"dragoman: {flag} -: standard output is the conversation's; give a file\n"
    assert [each.name for each in Path().iterdir()] == ["a.jsonl"]


def test_a_pipe_is_a_place_to_write_to(dragoman: Run) -> None:
    clm(Path("a.jsonl"))
    os.mkfifo("pipe")
    reader = subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE)
    assert dragoman("convert", "a.jsonl", "-t", "openai", "-o", "pipe").code == 0
    assert b"From clm" in reader.communicate()[0]
    assert Path("pipe").is_fifo()


def test_an_input_that_was_left_out_is_not_written_over(dragoman: Run) -> None:
    Path("notes.txt").write_text("mine")
    clm(Path("a.jsonl"))
    said = dragoman("convert", "notes.txt", "a.jsonl", "-t", "markdown", "-o", "notes.txt", "--force")
    assert (said.code, Path("notes.txt").read_text()) == (2, "mine")
    assert "notes.txt is an input" in said.errors


@pytest.mark.parametrize("way", [("--colour", "red"), ("-O", "colour=red"), ("--embed",), ("-O", "embed=true")])
def test_both_ways_of_an_option_say_the_same(way: tuple[str, ...], dragoman: Run) -> None:
    clm(Path("a.jsonl"))
    said = dragoman("convert", "a.jsonl", "-t", "markdown", *way)
    assert said.code == 2
    if "colour" in "".join(way):
        assert said.errors.startswith("dragoman: no option --colour; ")
        assert "markdown has --images, --only, " in said.errors.replace(
            "clm or markdown has --images", "markdown has --images"
        )
    else:
        assert said.errors.startswith("dragoman: --embed is an option of html and pdf, not of ")


@pytest.mark.parametrize(
    ("to", "name", "is_said"),
    [
        ("html", "out/a.pdf", True), ("markdown", "a.html", True), ("clm", "a.json", True), ("html", "a.HTML", False),
        ("html", "a.htm", False), ("openai", "a.jsonl", False), ("native", "a.jsonl", False), ("html", "a.pdf/", False),
        ("markdown", "a.txt", False), ("markdown", "-", False),
    ],
)  # fmt: skip
def test_a_name_of_another_format_is_said(to: str, name: str, is_said: bool, dragoman: Run) -> None:
    """A page was written into `a.pdf` without a word."""
    clm(Path("talk.jsonl"))
    said = dragoman("convert", "talk.jsonl", "-t", to, "-o", name)
    assert said.code == 0
    line = f"note: {name}: written as {to}, though the file's name says another format\n"
    assert (line in said.errors) is is_said
    assert ("another format" in said.errors) is is_said
