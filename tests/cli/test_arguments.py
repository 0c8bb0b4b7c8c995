"""Command lines that can't be meant so: one line that says what is wrong and what to do, and exit code 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code

PROJECT = "-home-mira-tides"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("convert", "no INPUT given; `dragoman convert --help` says what it can be"),
        ("convert --", "no INPUT given; `dragoman convert --help` says what it can be"),
        ("convert --lines -t openai", "no INPUT given; `dragoman convert --help` says what it can be"),
        ("scan --json", "no INPUT given; `dragoman scan --help` says what it can be"),
        ("scna", "no command is called 'scna'; did you mean scan? There are: convert, scan, migrate, stats, doctor, formats"),
        ("formats pdf html", "html: a word too many; `dragoman formats --help` says what the command takes"),
        ("migrate now", "now: a word too many; `dragoman migrate --help` says what the command takes"),
        ("scan a --jsn", "no option --jsn; `dragoman scan --help` lists them"),
        ("--nonsense", "no option --nonsense; `dragoman --help` lists them"),
        ("stats --prices", "--prices needs a value"),
        ("stats --prices=", "--prices needs a value"),
        ("convert a --redact-key=", "--redact-key needs a value"),
        ("convert a --quiet=1", "--quiet takes no value"),
        ("migrate --jobs many", "--jobs is a whole number of 0 or more"),
        ("migrate --jobs -1", "--jobs is a whole number of 0 or more"),
        ("stats -typo", "no option -typo; `dragoman stats --help` lists them (an input that begins so comes after `--`)"),
    ],
)  # fmt: skip
def test_what_is_refused_is_one_line(line: str, said: str, dragoman: Run) -> None:
    """typer drew a box of five lines."""
    got = dragoman(*line.split())
    assert (got.code, got.errors, got.out) == (2, f"dragoman: {said}\n", "")


def test_an_empty_input_is_not_the_current_folder(dragoman: Run) -> None:
    claude_code(Path(f"{SESSION}.jsonl"))
    for command in ("convert", "stats", "scan"):
        said = dragoman(command, "")
        assert (said.code, said.errors) == (2, "dragoman: an empty INPUT; `.` means this folder\n")


def test_no_arguments_are_a_question_for_help(dragoman: Run) -> None:
    said = dragoman()
    assert said.code == 2 and "Commands" in said.out + said.errors


@pytest.mark.parametrize("command", ["convert", "stats", "scan", "doctor"])
def test_what_follows_two_dashes_is_an_input(
    command: str, dragoman: Run, fresh_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every project's folder of Claude Code begins with a dash, and `convert` took it for an option `-h`."""
    projects = fresh_folder.parent / "home" / ".claude" / "projects"
    claude_code(projects / PROJECT / f"{SESSION}.jsonl")
    more = ["-t", "html", "--split", "-o", str(fresh_folder / "out") + "/"] if command == "convert" else []
    said = dragoman(command, *more, "--", PROJECT)
    assert said.code == 0, said.errors
    monkeypatch.chdir(projects)
    said = dragoman(command, *more, *(["--force"] if more else []), "--", PROJECT)
    assert said.code == 0, said.errors
    for folder in (projects, fresh_folder):
        monkeypatch.chdir(folder)
        for before in ([], ["-f", "claude-code"] if command != "doctor" else []):
            said = dragoman(command, *before, PROJECT)
            line = f"{PROJECT}: it begins like an option; put `--` before it: `dragoman {command} -- {PROJECT}`"
            assert (said.code, said.errors) == (2, f"dragoman: {line}\n")


def test_a_value_may_begin_with_a_dash(dragoman: Run) -> None:
    claude_code(Path(f"{SESSION}.jsonl"))
    Path("-out").mkdir()
    assert dragoman("convert", f"{SESSION}.jsonl", "-o", "-out", "-t", "markdown").code == 0
    assert list(Path("-out").iterdir())


def test_an_option_s_own_dashes_are_no_end_of_options(dragoman: Run) -> None:
    claude_code(Path(f"{SESSION}.jsonl"))
    claude_code(Path("--lines.jsonl"))
    said = dragoman("convert", "-t", "openai", "--lines", "-o", "-", "-q", "--", f"{SESSION}.jsonl", "--lines.jsonl")
    assert said.code == 0, said.errors
    assert said.out.count("\n") == 2


def test_an_interrupted_command_says_so() -> None:
    """What typer had read ended without a word."""
    code = (
        "import os, signal; from dragoman.cli import scan, inputs; from dragoman.cli.app import run\n"
        "scan.resolve = lambda *a: os.kill(os.getpid(), signal.SIGTERM)\n"
        "raise SystemExit(run(['scan', 'x']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == "dragoman: interrupted; nothing was left half-written\n"
