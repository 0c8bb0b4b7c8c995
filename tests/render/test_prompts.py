"""Documents and `dragoman stats` tell the same number of prompts."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import dragoman
from dragoman.render.prompts import tally
from dragoman.stats import of

SESSION = Path(__file__).resolve().parents[2] / "fixtures" / "claude-code" / "2.1.300" / "subagents"


@pytest.mark.parametrize("writer", ["markdown", "html"])
def test_a_document_s_number_of_prompts_is_that_of_stats(writer: str) -> None:
    """`/cost` and `! git diff` were counted as prompts in documents, and not in stats: 7 and 6 of one session."""
    session = dragoman.read(SESSION)
    main = of(session).main
    assert (main.prompts, main.commands) == (6, 2)
    assert tally(session.messages) == ["6 prompts", "1 of them on an abandoned branch", "2 commands"]
    out = io.BytesIO()
    dragoman.write(session, writer, out)
    made = out.getvalue().decode()
    told = {"markdown": "prompts: 6\ncommands: 2\n", "html": "<dt>Prompts</dt><dd>6<small>"}
    assert told[writer] in made
    assert "1 of them on an abandoned branch · 2 commands" in made
    assert "7 prompts" not in made
