"""What `dragoman scan` prints: a line a find."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from dragoman.cli.scan import scan

VALUE = "Vq8k" + "T2mZ" + "r9Xw" + "L4pB"


@pytest.mark.parametrize("columns", [0, 80, 160])
def test_a_find_is_one_line_whatever_the_length_of_its_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    """A path was broken over three to five lines, in pipes too. 0 columns: no terminal."""
    file = tmp_path / ("a-project-with-a-long-name-" * 4) / "talk.jsonl"
    file.parent.mkdir()
    file.write_text(json.dumps({"messages": [{"role": "user", "content": f"the word is {VALUE}"}]}) + "\n")
    words = tmp_path / "words.txt"
    words.write_text(VALUE + "\n")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: columns > 0)
    monkeypatch.setenv("COLUMNS", str(columns))
    given = {"reader": "", "json": False, "sarif": False, "check": False, "what": "", "own_rules": "", "redact_key": ""}
    scan([str(file)], own_text=str(words), known=False, keep="", **given)  # type: ignore[arg-type]
    head, row, _ = capsys.readouterr().out.splitlines()
    assert head.split() == ["place", "kind", "field", "characters", "value"]
    place = row.split()[0]
    assert VALUE not in row
    if columns:
        assert place.startswith("…")
        assert place.endswith("/talk.jsonl:1")
        assert len(row) <= columns
    else:
        assert place.endswith("/".join(file.parts[-2:]) + ":1")
        assert "…" not in row
