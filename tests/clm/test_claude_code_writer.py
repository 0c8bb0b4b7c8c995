"""The way back: clm to Claude Code's own format, which gives the same log again."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_clm_identity import META, Memory, good_messages, logs, read, write

from dragoman import registry
from dragoman.io.source import Source
from dragoman.io.target import Target
from dragoman.model import Message, Session, Text
from dragoman.report import Code, Report
from strategies import sessions, texts

NAME = "20260824-060842-544d4eb3.jsonl"


def to_claude_code(session: Session, folder: Path, report: Report | None = None, **options: Any) -> list[Path]:
    target = Target.folder(folder)
    writer = registry.writer("claude-code")
    writer.write(session, target, writer.options(**({"cwd": "/home/dev/demo"} | options)), report or Report())
    try:
        return target.commit()
    finally:
        target.discard()


def from_claude_code(path: Path) -> Session:
    reader = registry.reader("claude-code")
    (session,) = reader.read(Source(path), reader.options(), Report())
    return session


def there_and_back(data: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        (path,) = to_claude_code(read(data), Path(folder))
        return write(from_claude_code(path))


words = st.one_of(
    texts,
    st.sampled_from(
        (
            "[context update] time 09:00",
            "[Request interrupted by user]",
            "Implement the following plan:\n\nx",
            "<system-reminder>a</system-reminder> real",
            "real <system-reminder>b</system-reminder>",
            "<command-name>/x</command-name>",
            "<persisted-output>\nFull output saved to: /etc/passwd\n</persisted-output>",
            "(no content)",
            "Warmup",
            "error: no",
            "",
            "  ",
        )
    ),
)


@st.composite
def conversations(draw: st.DrawFn) -> bytes:
    """A log as clm makes it: turns of a user and an assistant, calls that are answered, ids that repeat."""
    lines = [META]
    for number in range(draw(st.integers(0, 4))):
        lines.append(orjson.dumps({"role": "user", "content": draw(words), "type": "msg"}))
        call_ids = draw(st.lists(st.sampled_from(("call_1", f"c{number}", "call_2")), max_size=2, unique=True))
        record: dict[str, Any] = {"role": "assistant"}
        if not call_ids or draw(st.booleans()):
            record["content"] = draw(words)
        if call_ids:
            args = draw(
                st.sampled_from(('{"cmd":"ls"}', '{"cmd": "ls"}', "{}", '{"a":1,"a":2}', '{"__unparsedToolInput":"x"}'))
            )
            record["tool_calls"] = [{"id": each, "name": "shell_exec", "args": args} for each in call_ids]
        lines.append(orjson.dumps(record | {"type": "msg"}))
        for each in call_ids:
            result = {
                "role": "tool",
                "content": draw(words),
                "tool_call_id": each,
                "tool_name": "shell_exec",
                "type": "msg",
            }
            lines.append(orjson.dumps(result))
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from((b'{"type":"note","x":1}', b"", b'{"cut'))))
    return b"\n".join(lines) + draw(st.sampled_from((b"\n", b"")))


@settings(max_examples=40, deadline=None)
@given(conversations())
def test_clm_to_claude_code_and_back_is_the_identity(data: bytes) -> None:
    assert there_and_back(data) == data


@settings(max_examples=40, deadline=None)
@given(logs)
def test_even_a_faulty_log_comes_back(data: bytes) -> None:
    try:
        read(data)
    except Exception:
        return
    assert there_and_back(data) == data


@settings(max_examples=40, deadline=None)
@given(st.lists(good_messages(), max_size=6))
def test_even_a_conversation_that_no_provider_takes_comes_back(records: list[dict[str, Any]]) -> None:
    data = META + b"\n" + b"".join(orjson.dumps(record) + b"\n" for record in records)
    assert there_and_back(data) == data


def test_an_ordinary_conversation_is_said_once(tmp_path: Path, shared: Path) -> None:
    """The marks repeat nothing where the line says it all."""
    example = shared / "examples" / "clm" / NAME
    (path,) = to_claude_code(read(example.read_bytes()), tmp_path)
    marks = [json.loads(line).get("clm", {}) for line in path.read_text().split("\n") if line]
    assert [mark.get("line") for mark in marks if "line" in mark] == ['{"type":"note","x":1}']


def test_layout_and_chain(tmp_path: Path, shared: Path) -> None:
    (path,) = to_claude_code(read((shared / "examples" / "clm" / NAME).read_bytes()), tmp_path)
    own = UUID(path.stem)
    assert own.version == 5
    records = [json.loads(line) for line in path.read_text().split("\n") if line]
    assert {record["sessionId"] for record in records} == {path.stem}
    said = [record for record in records if record["type"] in ("user", "assistant")]
    assert [record["parentUuid"] for record in said] == [None, *(record["uuid"] for record in said[:-1])]
    assert all(UUID(record["uuid"]).version == 5 for record in said)
    assert all(record["cwd"] == "/home/dev/demo" and record["version"].startswith("2.1.") for record in said)
    assert [record["timestamp"] for record in said] == sorted(record["timestamp"] for record in said)
    assert said[0]["timestamp"] == "2026-08-24T06:08:43.000Z"
    call = said[1]["message"]["content"][1]
    assert (call["type"], call["input"]) == ("tool_use", {"cmd": "ls"})
    assert said[2]["message"]["content"][0]["tool_use_id"] == call["id"]
    assert said[2]["sourceToolAssistantUUID"] == said[1]["uuid"]
    assert said[3]["isMeta"] is True
    again = to_claude_code(read((shared / "examples" / "clm" / NAME).read_bytes()), tmp_path / "again")
    assert again[0].read_bytes() == path.read_bytes()


def test_what_was_said_since_is_written_for_clm(tmp_path: Path) -> None:
    data = META + b'\n{"role":"user","content":"hi","type":"msg"}\n{"role":"assistant","content":"ho","type":"msg"}\n'
    (path,) = to_claude_code(read(data), tmp_path)
    grown = from_claude_code(path)
    more = Message(role="user", origin="prompt", blocks=(Text("and now?"),))
    from msgspec.structs import replace

    written = write(replace(grown, entries=(*grown.entries, more)))
    contents = [json.loads(line).get("content") for line in written.decode().split("\n") if line]
    assert contents == [None, "hi", "ho", "and now?"]


def test_never_over_anything(tmp_path: Path) -> None:
    session = read(META + b'\n{"role":"user","content":"hi","type":"msg"}\n')
    to_claude_code(session, tmp_path)
    with pytest.raises(Exception, match="exists already"):
        to_claude_code(session, tmp_path)


@settings(max_examples=40, deadline=None)
@given(sessions())
def test_any_session_is_written_and_read(session: Session) -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = Report()
        paths = to_claude_code(session, Path(folder), report)
        main = next(path for path in paths if path.parent == Path(folder))
        reader = registry.reader("claude-code")
        list(reader.read(Source(main), reader.options(), Report()))
        for path in paths:
            for line in path.read_bytes().split(b"\n"):
                assert not line or orjson.loads(line)


def test_subagents_lie_in_the_sessions_folder(tmp_path: Path) -> None:
    from test_clm_writer import family

    report = Report()
    paths = to_claude_code(family(), tmp_path, report)
    names = sorted(str(path.relative_to(tmp_path)) for path in paths)
    own = next(name for name in names if "/" not in name).removesuffix(".jsonl")
    assert len(names) == 5
    assert all(name.startswith((f"{own}.jsonl", f"{own}/subagents/agent-a")) for name in names)
    assert report.count(Code.DROPPED_HIDDEN_AGENT) == 1
    session = from_claude_code(tmp_path / f"{own}.jsonl")
    (outer,) = session.subagents
    assert outer.links[0].call_id == "out"
    assert [each.links[0].call_id for each in outer.session.subagents] == ["in"]


def test_memory_targets_agree_with_files() -> None:
    session = read(META + b'\n{"role":"user","content":"hi","type":"msg"}\n')
    target = Memory()
    writer = registry.writer("claude-code")
    writer.write(session, target, writer.options(cwd="/x"), Report())
    assert list(target.streams) == [writer.file_name(session, writer.options())]
