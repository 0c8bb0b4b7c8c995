"""Whatever the session, the messages are such as a provider takes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import openai_rules
from dragoman.model import Session
from dragoman.report import Report
from dragoman.writers.openai.conversation import conversation
from strategies import sessions


@settings(max_examples=40, deadline=None)
@given(sessions(depth=0, max_entries=12), st.booleans())
def test_messages_are_valid(session: Session, reasoning: bool) -> None:
    openai_rules.check(conversation(session, Report(), reasoning=reasoning))
