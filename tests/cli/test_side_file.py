"""The files beside the output: what becomes of them is never said of the output."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code

from dragoman.report import Report


def test_a_report_that_is_no_json_is_said_to_be_left_out_alone(dragoman: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line was that nothing was written: the output was there, and the receipt wasn't."""
    monkeypatch.setattr(Report, "as_json", lambda self: ["\udcff"])
    claude_code(Path(f"{SESSION}.jsonl"))
    said = dragoman(
        "convert",
        f"{SESSION}.jsonl",
        "-t",
        "markdown",
        "-o",
        "out/",
        "--report",
        "r.json",
        "--redact-report",
        "rr.json",
    )
    assert said.code == 1
    assert "r.json: can't be written as JSON" in said.errors
    assert "nothing was written" not in said.errors
    assert Path(f"out/{SESSION}.md").is_file() and Path("rr.json").is_file()
    assert not Path("r.json").exists()
