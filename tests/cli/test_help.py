"""What `--help` says."""

from __future__ import annotations

import re

import pytest
from cli_made import Run


@pytest.mark.parametrize("command", ["convert", "doctor", "formats", "migrate", "scan", "stats"])
def test_no_line_of_a_help_ends_within_a_sentence(command: str, dragoman: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`scan --help` had a line that ended in "It is": only a paragraph's end is kept on a terminal, but for the first's."""
    monkeypatch.setenv("COLUMNS", "200")
    about = dragoman(command, "--help").out.partition("╭")[0].splitlines()
    lines = [line.strip() for line in about if line.strip() and "Usage:" not in line]
    assert lines
    assert [line for line in lines if not re.search(r"[.:]$", line)] == []
