"""Whatever stands in a file: the OpenAI and native readers give sessions, or one line of an error."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import InputError
from dragoman.io import native
from dragoman.io.source import Source
from dragoman.model import Session
from dragoman.readers import native as native_reader
from dragoman.readers import openai as openai_reader
from dragoman.readers.protocol import NoOptions, Reader
from dragoman.report import Report
from dragoman.writers.openai.conversation import conversation
from strategies import json_values, sessions

KEYS = (
    "role", "content", "tool_calls", "tool_call_id", "function_call", "function", "name", "arguments", "id", "type",
    "messages", "choices", "message", "request", "response", "usage", "created", "audio", "refusal", "text", "image_url",
    "url", "file", "custom", "input", "reasoning_content", "dragoman", "major", "minor", "header", "entries", "blocks", "subagents",
    "session", "time", "extra", "dragoman:carried", "span", "links",
)  # fmt: skip
WORDS = (
    "user",
    "assistant",
    "system",
    "tool",
    "function",
    "custom",
    "text",
    "message",
    "event",
    "data:,",
    "2026-01-01T00:00:00",
)

nonsense: st.SearchStrategy[Any] = st.recursive(
    st.one_of(json_values, st.sampled_from(WORDS)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)),
    max_leaves=20,
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(WORDS), "content": nonsense}, optional=dict.fromkeys(KEYS[2:20], nonsense)
)


def read(component: Reader, data: bytes) -> list[Session]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        path.write_bytes(data)
        try:
            return list(component.read(Source(path, "input"), NoOptions(), Report()))
        except InputError as error:
            assert "\n" not in str(error)
            return []


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.lists(messages, max_size=4), nonsense), st.sampled_from((None, 1)))
def test_any_json_as_openai(value: Any, indent: int | None) -> None:
    for session in read(openai_reader.reader, json.dumps(value, indent=indent).encode()):
        conversation(session, Report())
        assert native.decode(json.loads(native.encode(session)), SPAN, Report()) == session


@settings(max_examples=40, deadline=None)
@given(sessions(depth=1, max_entries=4), st.data())
def test_native_with_a_value_changed(session: Session, data: st.DataObject) -> None:
    value = json.loads(native.encode(session))
    places: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        each = stack.pop()
        items = each.items() if isinstance(each, dict) else enumerate(each)
        for key, inner in items:
            places.append((each, key))
            if isinstance(inner, dict | list):
                stack.append(inner)
    holder, key = data.draw(st.sampled_from(places))
    holder[key] = data.draw(nonsense)
    for again in read(native_reader.reader, json.dumps(value).encode()):
        written = native.encode(again)
        assert native.decode(json.loads(written), SPAN, Report()) == again


@settings(max_examples=40, deadline=None)
@given(sessions(depth=0, max_entries=3), st.data())
def test_bytes_cut_doubled_or_changed(session: Session, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from((native.encode(session), json.dumps(conversation(session, Report())).encode())))
    cut = data.draw(st.integers(0, len(whole)))
    noise = data.draw(st.binary(max_size=4))
    for damaged in (whole[:cut], whole[:cut] + noise + whole[cut:], whole + b"\n" + whole[:cut], whole[cut:]):
        for component in (native_reader.reader, openai_reader.reader):
            read(component, damaged)


SPAN = native.Span("input", 1)
