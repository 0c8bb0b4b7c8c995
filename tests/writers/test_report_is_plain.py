"""What the report says on the terminal are words for people, not names out of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dragoman import registry
from dragoman.conversion import read_all, write
from dragoman.io.target import Target
from dragoman.model import (
    AgentLink,
    Header,
    Media,
    Message,
    Reasoning,
    Session,
    SourceFile,
    Span,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
)
from dragoman.report import Code, Finding, Report, Severity

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


def test_one_and_several_are_said_rightly() -> None:
    for code in Code:
        one, several = (Finding(code=code, what="this", count=count, places=(), counts=()).message for count in (1, 2))
        for said in (one, several):
            assert not re.search(r"\(s\)|[\[\]|]", said)
        if code.sentence.startswith("{n}"):
            assert one.removeprefix("1") != several.removeprefix("2"), code
    assert Finding(code=Code.LINE_NOT_OBJECT, what="value", count=1, places=(), counts=()).message == (
        "1 line skipped that holds no record of a conversation (value)"
    )


@pytest.mark.parametrize("writer", ["clm", "html", "markdown", "openai", "claude-code", "pdf"])
def test_every_loss_has_a_place(writer: str, tmp_path: Path) -> None:
    """A PDF's "1 picture became a note in words" didn't say where."""
    entries = [
        Message(role="user", origin="prompt", blocks=(Text("See"), Media(media_type="application/pdf", data="JVBERi0=")), span=Span("s.jsonl", 1)),
        Message(role="assistant", origin="reply", blocks=(Reasoning("Hm"), Media(media_type="image/svg+xml", data="PHN2Zz4="), Text("Yes")), span=Span("s.jsonl", 2)),
        Message(role="assistant", origin="reply", blocks=(ToolCall("c", "Agent", "{}"),), span=Span("s.jsonl", 3)),
        Message(role="tool", origin="result", blocks=(ToolResult("c", (Text("\n".join(map(str, range(5000)))), Media(media_type="application/pdf", data="JVBERi0="))),), span=Span("s.jsonl", 4)),
    ]  # fmt: skip
    inner = Session(header=Header(id="i"), entries=(Message(role="user", origin="prompt", blocks=(Text("go"),)),))
    agent = Subagent(agent_id="a", links=(AgentLink(call_id="c", evidence="meta"),), session=inner)
    header = Header(id="s", files=(SourceFile(path="s.jsonl"),))
    session = Session(header=header, entries=tuple(entries), subagents=(agent,))
    report = Report()
    write(session, writer, tmp_path / f"out{registry.writer(writer).suffix}", report=report)
    losses = [each for each in report.findings if each.code.severity >= Severity.LOSS]
    assert losses or writer in ("markdown", "claude-code")
    assert [each for each in losses if not each.places] == []
    media = [place for each in losses if each.code is Code.DROPPED_MEDIA for place in each.places]
    assert all(place.line for place in media)
