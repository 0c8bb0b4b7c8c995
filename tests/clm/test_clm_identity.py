"""A clm log goes to the neutral conversation and back byte for byte, its faults included."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman import registry
from dragoman.io import native
from dragoman.io.source import Source
from dragoman.io.target import Target
from dragoman.model import Event, Message, Session, Span, Text
from dragoman.report import Code, Report
from strategies import texts

META = b'{"type":"meta","v":1,"id":"20260824-060842-544d4eb3","created":1787551722,"model":"m"}'


def read(data: bytes, report: Report | None = None) -> Session:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "20260824-060842-544d4eb3.jsonl"
        path.write_bytes(data)
        reader = registry.reader("clm")
        (session,) = reader.read(Source(path, path.name), reader.options(), report or Report())
        return session


class Memory(Target):
    """A target that keeps its files in memory."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(Path(name) if name else Path("folder"))
        self.is_folder = name is None
        self.streams: dict[str, io.BytesIO] = {}

    def open(self, name: str) -> io.BytesIO:  # type: ignore[override]
        return self.streams.setdefault(name, io.BytesIO())

    def files(self) -> Any:
        return [(name, Path(name)) for name in self.streams]


def write(session: Session, report: Report | None = None, **options: Any) -> bytes:
    target = Memory("20260824-060842-544d4eb3.jsonl")
    writer = registry.writer("clm")
    writer.write(session, target, writer.options(**options), report or Report())
    return target.streams["20260824-060842-544d4eb3.jsonl"].getvalue()


keys = st.sampled_from(
    ("role", "content", "type", "tool_calls", "tool_call_id", "tool_name", "id", "name", "args", "x")
)
values = st.one_of(
    st.sampled_from(("user", "assistant", "tool", "system", "msg", "meta", "note", "developer", "{}", '{"a":1}', "")),
    texts,
    st.none(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.just([]),
)
objects = st.dictionaries(keys | texts, values | st.lists(st.dictionaries(keys, values), max_size=2), max_size=6)


@st.composite
def good_messages(draw: st.DrawFn) -> dict[str, Any]:
    """A message as clm prints it."""
    role = draw(st.sampled_from(("user", "assistant", "tool", "system")))
    record: dict[str, Any] = {"role": role}
    if draw(st.booleans()):
        record["content"] = draw(texts)
    if role == "tool":
        record["tool_call_id"] = draw(texts)
        if draw(st.booleans()):
            record["tool_name"] = draw(texts.filter(bool))
    calls = st.builds(lambda i, n, a: {"id": i, "name": n, "args": a}, texts, texts, texts)
    if role == "assistant" and draw(st.booleans()):
        record["tool_calls"] = draw(st.lists(calls, min_size=1, max_size=2))
    record["type"] = "msg"
    return record


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A line as clm prints it, or with any fault and any spacing."""
    record: Any = draw(good_messages() | objects)
    if draw(st.booleans()):
        import json

        data = json.dumps(
            record,
            ensure_ascii=draw(st.booleans()),
            indent=None,
            separators=draw(st.sampled_from(((",", ":"), (", ", ": ")))),
        )
        line = data.encode("utf-8", "surrogatepass")
    else:
        try:
            line = orjson.dumps(record)
        except TypeError:
            line = b"{}"
    fault = draw(st.sampled_from(("", "", "", "cut", "byte", "surrogate", "space", "cr", "nul", "twice", "junk")))
    match fault:
        case "cut":
            return line[: draw(st.integers(0, len(line)))]
        case "byte":
            at = draw(st.integers(0, len(line)))
            return line[:at] + b"\xff" + line[at:]
        case "surrogate":
            return line.replace(b'"content":"', b'"content":"\\ud83d', 1)
        case "space":
            return b"  " + line + b"\t"
        case "cr":
            return line + b"\r"
        case "nul":
            return b"\0" + line
        case "twice":
            return line + line
        case "junk":
            return draw(st.binary(max_size=20)).replace(b"\n", b"")
        case _:
            return line


logs = st.builds(
    lambda first, rest, end: b"\n".join([*first, *rest]) + end,
    st.sampled_from(([META], [META], [], [b""], [b"\xef\xbb\xbf" + META], [META + b" "], [META, META], [b"{}", META])),
    st.lists(lines(), max_size=6),
    st.sampled_from((b"\n", b"", b"\n\n")),
)


@settings(max_examples=60, deadline=None)
@given(logs)
def test_any_log_keeps_its_bytes(data: bytes) -> None:
    try:
        session = read(data)
    except Exception as error:
        assert "newer clm" in str(error)
        return
    for entry in session.entries:
        msgspec.json.encode(entry)  # valid Unicode throughout
    assert write(session) == data


@settings(max_examples=60, deadline=None)
@given(logs)
def test_any_log_keeps_its_bytes_by_way_of_the_neutral_json(data: bytes) -> None:
    try:
        session = read(data)
    except Exception:
        return
    again = native.decode(orjson.loads(native.encode(session)), Span("x", 1), Report())
    assert write(again) == data


@settings(max_examples=60, deadline=None)
@given(st.lists(good_messages(), max_size=5))
def test_what_clm_prints_needs_no_raw(records: list[dict[str, Any]]) -> None:
    session = read(b"".join(orjson.dumps(record) + b"\n" for record in records))
    for entry, record in zip(session.entries, records, strict=True):
        assert entry.raw is None
        assert isinstance(entry, Message)
        assert entry.role == record["role"]


def test_examples_keep_their_bytes(shared: Path) -> None:
    for path in sorted((shared / "examples" / "clm").iterdir()):
        reader = registry.reader("clm")
        (session,) = reader.read(Source(path), reader.options(), Report())
        target = Memory(path.name)
        writer = registry.writer("clm")
        writer.write(session, target, writer.options(), Report())
        assert target.streams[path.name].getvalue() == path.read_bytes()


def test_faults_are_reported_and_stay() -> None:
    report = Report()
    data = META + b'\n{"role":"assistant","tool_calls":[{"id":"c2","name":"x y","args":"not json"}],"type":"msg"}\n{"ro'
    assert write(read(data, report), report) == data
    said = {each.what for each in report.findings if each.code is Code.PASSED_THROUGH}
    assert said == {
        "a damaged line",
        "a call without a result",
        "arguments that are no object",
        "a tool name that providers refuse",
    }


def test_a_changed_message_is_written_from_its_blocks_and_never_from_its_raw() -> None:
    session = read(META + b'\n{"content": "the secret word", "role": "user", "type": "msg"}\n')
    (message,) = session.entries
    assert isinstance(message, Message)
    assert message.raw is not None
    changed = msgspec.structs.replace(message, blocks=(Text("gone"),), raw=None)
    assert write(msgspec.structs.replace(session, entries=(changed,))) == (
        META + b'\n{"role":"user","content":"gone","type":"msg"}\n'
    )


def test_an_event_whose_raw_was_taken_is_not_passed_through() -> None:
    session = read(META + b'\n{"cut": "the sec\n{"role":"user","content":"hi","type":"msg"}\n')
    entries = tuple(msgspec.structs.replace(e, raw=None) if isinstance(e, Event) else e for e in session.entries)
    report = Report()
    out = write(msgspec.structs.replace(session, entries=entries), report)
    assert b"sec" not in out
    assert b'"content":"hi"' in out
    assert report.count(Code.DROPPED_EVENT) == 1


def test_a_newer_format_version_is_refused_in_one_line() -> None:
    with pytest.raises(Exception, match=r"newer clm \(format version 2\)") as caught:
        read(b'{"type":"meta","v":2,"id":"a","created":1}\n')
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (META + b"\n", True),
        (b'{"role":"user","content":"hi","type":"msg"}\n', True),
        (b'{"type":"user","message":{"role":"user","content":"hi"}}\n', False),
        (b'{"role":"user","content":"hi"}\n', False),
        (b"", False),
    ],
)
def test_sniff(head: bytes, sure: bool) -> None:
    assert (registry.reader("clm").sniff(head, "x.jsonl") > 0.9) is sure
