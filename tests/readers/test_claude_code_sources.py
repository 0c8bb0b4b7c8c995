"""What a source may be: files, folders, other wrappings, damage, a file that is being written (sections 1, 10, 13)."""

from __future__ import annotations

import json
import os
import sys
import tarfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import SID, Log, agent_file, call, events, jsonl, read, read_all, text, told, write

from dragoman.errors import InputError
from dragoman.io.source import Source, open_source
from dragoman.model import Span
from dragoman.readers.claude_code import reader
from dragoman.report import Code, Report

OTHER = "22222222-2222-4333-8444-555555555555"


def small(words: str = "hello", sid: str = SID) -> Log:
    log = Log(sid=sid)
    log.user(words)
    log.reply("hi")
    return log


def test_a_projects_root_holds_many_sessions(tmp_path: Path) -> None:
    write(tmp_path, small(), f"-home-a/{SID}.jsonl")
    write(tmp_path, small("other", OTHER), f"-home-b/{OTHER}.jsonl")
    assert [session.header.id for session in read_all(tmp_path)] == [SID, OTHER]


def test_only_transcripts_are_taken_for_sessions(tmp_path: Path) -> None:
    project = "projects/-home-mira-tides"
    write(tmp_path, small(), f"{project}/{SID}.jsonl")
    for name in (f"{SID}.jsonl.bak", f"{SID}.jsonl.tmp"):
        write(tmp_path, small(), f"{project}/{name}")
    write(tmp_path, small(), f"jobs/1/{OTHER}.jsonl")
    (tmp_path / project / "x.wakatime").write_text("1760000000.5")
    (tmp_path / "history.jsonl").write_text('{"display":"fix it","sessionId":"x"}\n')
    (tmp_path / "notes.jsonl").write_text('{"a":1}\n')
    (tmp_path / project / "sessions-index.json").write_text("{}")
    report = Report()
    (session,) = read_all(tmp_path, report)
    assert session.header.id == SID
    assert report.count(Code.FILE_LEFT_OUT, "not a Claude Code session") == 1
    assert report.count(Code.FILE_LEFT_OUT, "a copy of the session beside it, by its name") == 2


def test_links_and_pipes_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(project, small())
    elsewhere = write(tmp_path, small("secret", OTHER), f"{OTHER}.jsonl")
    (project / f"{OTHER}.jsonl").symlink_to(elsewhere)
    os.mkfifo(project / "pipe.jsonl")
    (project / f"{OTHER[:-1]}6.jsonl").mkdir()
    report = Report()
    assert [session.header.id for session in read_all(project, report)] == [SID]
    assert report.count(Code.FILE_LEFT_OUT) == 2


def test_a_file_called_by_another_id(tmp_path: Path) -> None:
    report = Report()
    session = read(write(tmp_path, small(), f"{OTHER}.jsonl"), report)
    assert session.header.id == SID
    assert report.count(Code.ID_MISMATCH) == 1


def test_places_are_named_as_the_user_knows_them(tmp_path: Path) -> None:
    write(tmp_path, small(), f"p/{SID}.jsonl")
    agent_file(tmp_path / "p", Log(agent="a1b2c3d"))
    (session,) = reader.read(Source(tmp_path / "p", "my/project"), reader.options(), Report())
    assert next(session.messages).span == Span(f"my/project/{SID}.jsonl", 1)
    assert session.header.files[0].path == f"my/project/{SID}.jsonl"
    assert session.subagents[0].session.header.files[0].path == f"my/project/{SID}/subagents/agent-a1b2c3d.jsonl"


def test_a_session_s_own_folder_is_that_session(tmp_path: Path) -> None:
    write(tmp_path, small())
    agent_file(tmp_path, Log(agent="a1b2c3d"))
    session = read(tmp_path / SID)
    assert told(session) == [("prompt", "hello"), ("reply", "hi")]
    assert len(session.subagents) == 1


def test_a_title_in_a_file_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, small())
    (tmp_path / SID).mkdir()
    (tmp_path / SID / "custom-title.json").write_text('{"customTitle": "Beside"}')
    assert read(path).header.title == "Beside"


def test_a_linked_folder_of_agents_is_not_followed(tmp_path: Path) -> None:
    agent_file(tmp_path / "elsewhere", Log(agent="a1b2c3d"))
    path = write(tmp_path / "p", small())
    (tmp_path / "p" / SID).mkdir()
    (tmp_path / "p" / SID / "subagents").symlink_to(tmp_path / "elsewhere" / SID / "subagents")
    assert read(path).subagents == ()


def test_file_names_that_are_no_unicode(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    path = write(folder, small(), os.fsdecode(b"s\xff.jsonl"))
    inside = folder / os.fsdecode(b"s\xff") / "subagents"
    write(inside, Log(agent="x"), os.fsdecode(b"agent-\xff.jsonl"))
    (inside / os.fsdecode(b"agent-\xff.meta.json")).write_text('{"agentType": "Explore"}')
    for source in (path, folder):
        report = Report()
        (session,) = read_all(source, report)
        assert msgspec.json.encode(session)
        assert msgspec.json.encode(report.as_json())
        assert [agent.kind for agent in session.subagents] == ["Explore"]


def test_an_archive_of_a_project(tmp_path: Path) -> None:
    write(tmp_path / "p", small())
    agent_file(tmp_path / "p", Log(agent="a1b2c3d"))
    with tarfile.open(tmp_path / "p.tgz", "w:gz") as tar:
        tar.add(tmp_path / "p", "p")
    with open_source(tmp_path / "p.tgz") as source:
        assert reader.sniff(source.head(), str(source.path)) >= 0.5
        (session,) = reader.read(source, reader.options(), Report())
    assert len(session.subagents) == 1


def test_standard_input_has_nothing_beside_it(tmp_path: Path) -> None:
    path = write(tmp_path, small(), "stdin")
    assert told(read(path)) == [("prompt", "hello"), ("reply", "hi")]


@pytest.mark.parametrize("content", [b"", b"\n\n", b'{"type":"ai-title","aiTitle":"x","sessionId":"s"}\n'])
def test_a_file_without_a_conversation(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / f"{SID}.jsonl"
    path.write_bytes(content)
    report = Report()
    assert list(read(path, report).messages) == []
    assert report.count(Code.EMPTY) == 1


def test_what_cannot_be_read_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read(tmp_path / "nowhere.jsonl")


# other wrappings


@pytest.mark.parametrize(
    "wrap", [lambda x: x, lambda x: {"title": "t", "loglines": x}, lambda x: {"data": x}, lambda x: [x]]
)
@pytest.mark.parametrize("indent", [None, 2])
def test_documents_with_a_list_of_records(tmp_path: Path, wrap: Any, indent: int | None) -> None:
    lines = [
        {"type": "user", "timestamp": "2025-12-24T10:00:00.000Z", "message": {"role": "user", "content": "hi"}},
        {
            "type": "assistant",
            "timestamp": "2025-12-24T10:00:05.000Z",
            "message": {"role": "assistant", "content": [text("hello")]},
        },
        "stray",
    ]
    path = tmp_path / "session.json"
    path.write_text(json.dumps(wrap(lines), indent=indent), encoding="utf-8")
    report = Report()
    session = read(path, report)
    assert told(session) == [("prompt", "hi"), ("reply", "hello")]
    assert report.count(Code.LINE_NOT_OBJECT) == 1
    assert reader.sniff(path.read_bytes(), str(path)) >= 0.5


def test_a_first_line_with_data_makes_no_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole file was decoded as one value only because its first line was a progress line."""
    from dragoman.readers.claude_code import documents

    monkeypatch.setattr(documents, "loads", None)
    log = Log("2.1.39")
    log.add("progress", data={"type": "hook_progress"}, note="x" * 9_000)
    log.user("hello")
    assert told(read(write(tmp_path, log))) == [("prompt", "hello")]


def stream(*lines: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"session_id": "st-1", "uuid": f"i{number}", **line} for number, line in enumerate(lines)]


INIT = {
    "type": "system",
    "subtype": "init",
    "cwd": "/w",
    "tools": ["Bash"],
    "model": "m",
    "claude_code_version": "2.1.300",
}


def said(id: str, *blocks: Any, parent: str | None = None) -> dict[str, Any]:
    message = {"id": id, "role": "assistant", "model": "m", "content": list(blocks), "usage": {"output_tokens": 1}}
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent}


def test_a_stream_json_log(tmp_path: Path) -> None:
    lines = stream(
        INIT,
        said("m1", call("toolu_1", "Task", prompt="look")),
        {"type": "user", "parent_tool_use_id": "toolu_1", "message": {"role": "user", "content": "look"}},
        said("m2", text("seen"), parent="toolu_1"),
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "seen"}],
            },
            "tool_use_result": {"x": 1},
        },
        said("m3", text("Done.")),
        {"type": "rate_limit_event", "rate_limit_info": {}},
        {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "total_cost_usd": 0.5},
    )
    report = Report()
    session = read(write(tmp_path, lines, "run.jsonl"), report)
    assert told(session) == [("reply", "ToolCall"), ("result", "ToolResult"), ("reply", "Done.")]
    assert (session.header.id, session.header.cwd, session.header.agent_version) == ("st-1", "/w", "2.1.300")
    (agent,) = session.subagents
    assert [(link.call_id, link.evidence) for link in agent.links] == [("toolu_1", "stream")]
    assert told(agent.session) == [("task", "look"), ("reply", "seen")]
    (result,) = [event for event in events(session) if event.name == "result"]
    assert (result.text, result.data["total_cost_usd"]) == ("success", 0.5)
    assert next(m for m in session.messages if m.role == "tool").blocks[0].structured == {"x": 1}
    assert not [found for found in report.findings if found.code.name.startswith("UNKNOWN")]


def test_only_a_result(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    line = {"type": "result", "subtype": "success", "is_error": False, "result": "The answer.", "session_id": "s"}
    for content in (json.dumps(line), json.dumps(line, indent=2)):
        path.write_text(content)
        assert reader.sniff(path.read_bytes(), str(path)) >= 0.5
        assert told(read(path)) == [("reply", "The answer.")]


def test_a_run_that_failed(tmp_path: Path) -> None:
    lines = stream(INIT, {"type": "result", "subtype": "error_max_turns", "is_error": True})
    session = read(write(tmp_path, lines, "run.jsonl"))
    assert [(event.kind, event.text) for event in events(session) if event.name == "result"] == [
        ("error", "error_max_turns")
    ]


def pieces(id: str, words: list[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"type": "message_start", "message": {"id": id, "model": "m"}}]
    found.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    found += [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": each}} for each in words
    ]
    return [{"type": "stream_event", "event": event, "parent_tool_use_id": None} for event in found]


def test_messages_in_pieces_are_told_once(tmp_path: Path) -> None:
    lines = stream(INIT, *pieces("m1", ["Hel", "lo"]), said("m1", text("Hello")), *pieces("m2", ["Broken ", "off"]))
    report = Report()
    session = read(write(tmp_path, lines, "run.jsonl"), report)
    assert told(session) == [("reply", "Hello"), ("reply", "Broken off")]
    assert list(session.messages)[-1].extra["partial"] is True
    assert report.count(Code.DUPLICATE_RECORD, "stream_event") == 7


def test_newest_lines_with_both_spellings_are_no_stream(tmp_path: Path) -> None:
    log = small()
    for line in log.lines:
        line["session_id"] = "an-earlier-one"
    session = read(write(tmp_path, log))
    assert session.header.id == SID
    assert session.header.extra["earlier_session_id"] == "an-earlier-one"


# damage


def test_every_readable_record_is_recovered_and_each_repair_said(tmp_path: Path) -> None:
    one, two, three, four = (jsonl([line])[:-1] for line in (small("a").lines + small("b", OTHER).lines))
    for number, line in enumerate((one, two, three, four)):
        assert line.startswith(b"{"), number
    data = (
        b"\xef\xbb\xbf" + one + b"\r\n\0\0\0" + two.replace(b'"u2"', b'"u9"') + three.replace(b'"u1"', b'"u7"') + b"\n"
    )
    data += b"// a comment\n[1]\n" + four.replace(b"hi", b"caf\xe9 \\ud83d")[:-1]
    path = tmp_path / f"{SID}.jsonl"
    path.write_bytes(data)
    report = Report()
    assert [words for _, words in told(read(path, report))] == ["a", "hi", "b"]
    for code in (Code.BYTE_ORDER_MARK, Code.NUL_BYTES, Code.LINE_SEVERAL, Code.TAIL_CUT):
        assert report.count(code) == 1, code
    assert report.count(Code.LINE_NOT_OBJECT) == 2
    assert {place.file for found in report.findings for place in found.places} == {str(path)}


def test_a_file_that_grows_is_read_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A running Claude Code appends while we read: half a line is no damage, and nothing of it is told twice."""
    path = write(tmp_path, small())
    whole = path.read_bytes()
    path.write_bytes(whole + jsonl(small("next", OTHER).lines)[:100])
    report = Report()
    assert len(told(read(path, report))) == 2
    assert [found.code for found in report.findings] == [Code.TAIL_CUT]
    before = path.stat()
    assert read(path) is not None
    assert path.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(
    "line",
    [
        {"type": "user"},
        {"type": "user", "message": None},
        {"type": "user", "message": "a bare string"},
        {"type": "user", "message": ["x"]},
        {"type": "assistant"},
        {"type": "assistant", "message": 5},
        {"type": "assistant", "message": {"content": 5, "usage": [], "id": 7, "model": {}, "stop_reason": []}},
        {"type": "system", "subtype": 5, "content": {}},
        {"type": "attachment"},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": 5}},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "x", "origin": []}},
        {"type": "progress", "data": 5},
        {"type": "progress", "data": {"type": "agent_progress", "agentId": [], "message": 5}},
        {"type": "queue-operation", "operation": [], "content": 5},
        {"type": "summary", "summary": 5, "leafUuid": []},
        {"type": "last-prompt", "lastPrompt": 5},
        {"type": "custom-title", "customTitle": []},
        {"type": [], "message": {"role": "user", "content": "x"}},
        {"message": {"role": "assistant", "content": "no type"}},
        {},
    ],
)
def test_wrong_types_everywhere(tmp_path: Path, line: dict[str, Any]) -> None:
    session = read(write(tmp_path, [{**line, "sessionId": SID, "uuid": "x"}, *small().lines]))
    assert told(session)[-2:] == [("prompt", "hello"), ("reply", "hi")]


# sniffing


@pytest.mark.parametrize(
    ("line", "certain"),
    [
        (small().lines[0], True),
        ({"type": "mode", "mode": "normal", "sessionId": "s"}, True),
        ({"type": "summary", "summary": "x", "leafUuid": "y"}, True),
        ({"type": "system", "subtype": "init", "session_id": "s"}, True),
        ({"type": "meta", "v": 1, "id": "x"}, False),
        ({"role": "user", "content": "x", "type": "msg"}, False),
        ({"messages": [{"role": "user", "content": "x"}]}, False),
        ({"timestamp": "t", "type": "session_meta", "payload": {}}, False),
        ([{"role": "user", "content": "x"}], False),
    ],
)
def test_what_is_one_of_ours(line: Any, certain: bool) -> None:
    assert (reader.sniff(json.dumps(line).encode(), "x") >= 0.9) is certain
    assert certain or reader.sniff(json.dumps(line).encode(), "x") < 0.3


def test_a_head_that_is_cut_in_a_huge_line(tmp_path: Path) -> None:
    line = json.dumps({**small().lines[0], "message": {"role": "user", "content": "x" * 100_000}}).encode()
    assert reader.sniff(line[:65_536], "x") >= 0.7
