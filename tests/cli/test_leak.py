"""Where the check after rendering finds something: nothing is written, and it is said what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code

from dragoman.filters.protocol import Leak
from dragoman.filters.redact import RedactFilter

OTHER = "99992222-3333-4444-8555-666677778888"


@pytest.fixture(autouse=True)
def leaky(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that takes one word for a secret."""

    def verify(self: RedactFilter, name: str, data: bytes) -> list[Leak]:
        return [Leak(file=name, rule="known password", line=7)] if b"Harbour" in data else []

    monkeypatch.setattr(RedactFilter, "verify", verify)


def test_the_session_is_named_and_the_way_out(dragoman: Run) -> None:
    """The line named the output only, which isn't there, and left the user of a folder without a way out."""
    claude_code(Path(f"in/{SESSION}.jsonl"))
    claude_code(Path(f"in/{OTHER}.jsonl"), "Harbour")
    said = dragoman(
        "convert", "in", "-t", "markdown", "-o", "out/", "--report", "report.json", "--redact-report", "receipt.json"
    )
    assert said.code == 4
    assert not Path("out").exists()
    assert f":7: the check after rendering found a secret (known password) in what was made of in/{OTHER}.jsonl; nothing was written" in said.errors  # fmt: skip
    assert "--keep FILE" in said.errors
    assert "findings" in json.loads(Path("report.json").read_text())
    assert json.loads(Path("receipt.json").read_text())
    Path(f"in/{OTHER}.jsonl").unlink()
    assert dragoman("convert", "in", "-t", "markdown", "-o", "out/").code == 0


def test_a_report_that_can_t_be_written_hides_no_leak(dragoman: Run) -> None:
    """It was all that was said, with the code of any output that fails."""
    claude_code(Path(f"in/{OTHER}.jsonl"), "Harbour")
    Path("file").write_text("")
    said = dragoman(
        "convert", "in", "-t", "markdown", "-o", "out/", "--report", "file/r.json", "--redact-report", "receipt.json"
    )
    assert said.code == 4
    assert "file: Not a directory" in said.errors
    assert "the check after rendering found a secret" in said.errors
    assert Path("receipt.json").is_file()


def test_no_session_is_named_where_several_share_the_output(dragoman: Run) -> None:
    claude_code(Path(f"in/{SESSION}.jsonl"))
    claude_code(Path(f"in/{OTHER}.jsonl"), "Harbour")
    said = dragoman("convert", "in", "-t", "native", "-o", "all.json")
    assert said.code == 4
    assert "in what was made of" not in said.errors
