"""What the report says on the terminal are words for people, not names out of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dragoman import registry
from dragoman.conversion import read_all
from dragoman.io.target import Target
from dragoman.report import Code, Report

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
JARGON = re.compile(r"\w\.(extra|data)\b|\bextra\b|\bhidden\b|_|\(text\)|\(application/")
OF_THE_FORMAT = (Code.DROPPED_EVENT, Code.UNKNOWN_RECORD, Code.UNKNOWN_BLOCK, Code.UNKNOWN_FIELD, Code.DUPLICATE_RECORD)
"""Those that name the source format's own types: that name is what helps there."""


@pytest.mark.parametrize("writer", ["clm", "html", "markdown", "openai", "claude-code"])
@pytest.mark.parametrize("case", ["claude-code/2.1.300/subagents", "claude-code/2.1.289/newest-shapes"])
def test_nothing_is_said_in_jargon(case: str, writer: str, tmp_path: Path) -> None:
    """A user read "6 value(s) have no place in this format (subagent.extra)"."""
    report = Report()
    made = registry.writer(writer)
    for session in read_all(FIXTURES / case, reader="claude-code", report=report):
        target = Target.folder(tmp_path)
        made.write(session, target, made.options(), report)
        target.discard()
    said = [each.sentence.partition(": ")[2] for each in report.findings if each.code not in OF_THE_FORMAT]
    assert said
    assert [each for each in said if JARGON.search(each)] == []
