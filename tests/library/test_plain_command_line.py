"""The plainest command lines are read without typer; what they mean is what typer says."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest
from typer.main import get_command

from dragoman.cli.commands import build
from dragoman.cli.plain import plain

PLAIN = [
    ["convert", "a.jsonl"],
    ["convert", "-", "-t", "clm", "-o", "-"],
    ["convert", "a.jsonl", "b.jsonl", "--from", "claude-code", "--to", "openai", "--output", "out/", "--force"],
    ["convert", "-f", "clm", "-t", "native", "-q", "--no-redact", "last", "-o", "x=y.json"],
]
LEFT_TO_TYPER = [
    [],
    ["convert"],
    ["scan", "a.jsonl"],
    ["convert", "a.jsonl", "--help"],
    ["convert", "a.jsonl", "-tclm"],
    ["convert", "a.jsonl", "--to=clm"],
    ["convert", "a.jsonl", "-t"],
    ["convert", "a.jsonl", "-t", "-q"],
    ["convert", "a.jsonl", "-t", "clm", "--to", "openai"],
    ["convert", "a.jsonl", "--redact", "all"],
    ["convert", "a.jsonl", "--lines", "true"],
    ["convert", "-qt", "clm", "a.jsonl"],
    ["convert", "--", "a.jsonl"],
]


@pytest.mark.parametrize("line", PLAIN, ids=" ".join)
def test_it_means_what_typer_says(line: list[str]) -> None:
    wanted = plain(line)
    assert wanted is not None
    command = get_command(build("convert")).commands["convert"]  # type: ignore[attr-defined]
    said = command.make_context("convert", line[1:]).params
    assert msgspec.structs.asdict(wanted) == {
        name: list(value) if isinstance(value, tuple) else value for name, value in said.items()
    }


@pytest.mark.parametrize("line", LEFT_TO_TYPER, ids=" ".join)
def test_anything_else_is_left_to_typer(line: list[str]) -> None:
    assert plain(line) is None


def test_typer_is_not_imported_for_a_plain_line() -> None:
    program = (
        "import sys; from dragoman.cli.app import run; code = run(['convert', 'nowhere.jsonl', '-t', 'clm', '-q']);"
        "print(code, 'typer' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1] == "False"
