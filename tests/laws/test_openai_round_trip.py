"""What was written as OpenAI messages is read as what it says: writing it again gives the same messages."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.io.source import Source
from dragoman.model import Session
from dragoman.readers.openai import reader
from dragoman.readers.protocol import NoOptions
from dragoman.report import Report
from dragoman.writers.openai.conversation import conversation
from strategies import sessions


def read(text: str) -> list[Session]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "messages.json"
        path.write_text(text, encoding="utf-8")
        return list(reader.read(Source(path, path.name), NoOptions(), Report()))


@settings(max_examples=40, deadline=None)
@given(sessions(depth=0), st.booleans(), st.sampled_from((None, 1)))
def test_writing_again_gives_the_same_messages(session: Session, reasoning: bool, indent: int | None) -> None:
    messages = conversation(session, Report(), reasoning=reasoning)
    report = Report()
    back = read(json.dumps(messages, indent=indent))
    if not messages:
        assert back == []
        return
    again: list[list[dict[str, Any]]] = [conversation(each, report, reasoning=reasoning) for each in back]
    assert again == [messages]
    assert not [finding for finding in report.findings if finding.code.name not in ("RENAMED_TOOL", "DROPPED_FIELD")]
