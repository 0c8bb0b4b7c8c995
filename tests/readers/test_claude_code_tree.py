"""Rewinds, compaction, copies and replays (catalogue, section 6)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import Line, Log, call, events, read_all, read_log, text, told, write

from dragoman.model import Session
from dragoman.report import Code, Report


def branches(session: Session) -> dict[str, str]:
    """Text to branch, of every message that is on one."""
    return {str(getattr(m.blocks[0], "text", "?")): m.branch for m in session.messages if m.branch}


def forked() -> tuple[Log, str | None]:
    log = Log()
    log.user("start")
    log.reply("started")
    return log, log.last


def test_a_later_prompt_at_the_same_place_is_a_rewind(tmp_path: Path) -> None:
    log, fork = forked()
    log.user("use argparse")
    log.reply(call("toolu_1"))
    log.result("toolu_1", "x")
    log.reply("argparse it is")
    log.user("use click", parentUuid=fork)
    log.reply("click it is")
    session = read_log(tmp_path, log)
    assert branches(session) == {"use argparse": "rewind-1", "?": "rewind-1", "argparse it is": "rewind-1"}
    assert len(told(session)) == 8


def test_two_rewinds_have_names_of_their_own(tmp_path: Path) -> None:
    log, fork = forked()
    log.user("one")
    log.user("two", parentUuid=fork)
    log.user("three", parentUuid=fork)
    assert branches(read_log(tmp_path, log)) == {"one": "rewind-1", "two": "rewind-2"}


def test_a_rewind_past_an_answer(tmp_path: Path) -> None:
    log, _ = forked()
    log.user("go")
    prompt = log.last
    log.reply("answer")
    log.user("go on instead", parentUuid=prompt)
    assert branches(read_log(tmp_path, log)) == {"answer": "rewind-1"}


def test_what_goes_on_after_the_prompt_was_not_abandoned(tmp_path: Path) -> None:
    log, fork = forked()
    log.user("first")
    first = log.last
    log.user("typed in between", parentUuid=fork)
    last = log.last
    log.reply("to the first", parentUuid=first)
    log.reply("to the other", parentUuid=last)
    assert branches(read_log(tmp_path, log)) == {}


def test_forks_of_local_commands_are_no_rewinds(tmp_path: Path) -> None:
    log, _ = forked()
    log.user("<local-command-caveat>Caveat</local-command-caveat>", isMeta=True)
    caveat = log.last
    log.user("<command-name>/exit</command-name>")
    log.user("<local-command-stdout>Bye</local-command-stdout>")
    log.reply("No response requested.", message={"model": "<synthetic>"}, parentUuid=caveat)
    log.user("<bash-input>ls</bash-input>", parentUuid=caveat)
    log.user("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>")
    log.user("and now?")
    assert branches(read_log(tmp_path, log)) == {}


def test_lines_of_one_message_are_no_rewind_of_each_other(tmp_path: Path) -> None:
    log = Log()
    log.user("go")
    first = log.reply("a", id="msg_1")
    log.reply("b", id="msg_1")
    log.user("next", parentUuid=first["uuid"])
    assert branches(read_log(tmp_path, log)) == {}


def test_a_compaction_takes_nothing_away(tmp_path: Path) -> None:
    log, report = Log(), Report()
    log.user("before")
    log.reply("answer")
    last = log.last
    log.add(
        "system",
        subtype="compact_boundary",
        content="Conversation compacted",
        parentUuid=None,
        logicalParentUuid=last,
        compactMetadata={"trigger": "auto", "preservedMessages": {"uuids": [last], "allUuids": [last]}},
    )
    log.user("This session is being continued…", isCompactSummary=True)
    log.user("after")
    log.reply("another answer")
    session = read_log(tmp_path, log, report)
    assert [origin for origin, _ in told(session)] == ["prompt", "reply", "compaction_summary", "prompt", "reply"]
    (divider,) = events(session, "compaction")
    assert divider.refs == (last,)
    assert branches(session) == {}


@pytest.mark.parametrize("metadata", [None, "auto", {}, {"preservedSegment": None}, {"preservedMessages": []}])
def test_compaction_marks_may_be_broken(tmp_path: Path, metadata: Any) -> None:
    log = Log()
    log.user("before")
    log.add("system", subtype="compact_boundary", parentUuid=None, compactMetadata=metadata)
    assert len(events(read_log(tmp_path, log), "compaction")) == 1


def test_microcompaction_is_an_event(tmp_path: Path) -> None:
    log = Log("2.1.12")
    log.add("system", subtype="microcompact_boundary", microcompactMetadata={"tokensSaved": 5})
    (event,) = events(read_log(tmp_path, log), "microcompaction")
    assert event.data["microcompactMetadata"] == {"tokensSaved": 5}


def replay(lines: list[Line], log: Log) -> None:
    """Write the history again as the VS Code extension did: new uuids, one line a block, the same times and ids."""
    log.last = None
    for line in lines:
        content = line["message"]["content"]
        for block in content if isinstance(content, list) else [text(content)]:
            again = {**line, "uuid": f"again-{len(log.lines)}", "parentUuid": log.last, "version": "2.1.22"}
            again["message"] = {**line["message"], "content": [block]}
            again.pop("toolUseResult", None)
            log.lines.append(again)
            log.last = again["uuid"]


def test_a_replayed_history_is_told_once(tmp_path: Path) -> None:
    log, report = Log("2.1.14"), Report()
    log.user([text("<ide_opened_file>x</ide_opened_file>"), text("read it")])
    log.reply(
        {"type": "thinking", "thinking": "", "signature": "a"},
        {"type": "thinking", "thinking": "", "signature": "b"},
        "Reading.",
        call("toolu_1"),
    )
    log.result("toolu_1", "# Plan", toolUseResult={"x": 1})
    log.reply("A plan.")
    replay(list(log.lines), log)
    log.user("and now")
    log.reply("new")
    session = read_log(tmp_path, log, report)
    assert [words for _, words in told(session)] == [
        "<ide_opened_file>x</ide_opened_file>",
        "read it",
        " +  + Reading. + ToolCall",
        "ToolResult",
        "A plan.",
        "and now",
        "new",
    ]
    assert branches(session) == {}
    assert report.count(Code.REPLAYED) == 8
    assert next(m for m in session.messages if m.role == "tool").blocks[0].structured == {"x": 1}


def test_the_same_words_at_another_time_are_another_prompt(tmp_path: Path) -> None:
    log = Log()
    log.user("continue")
    log.reply("done")
    log.user("continue")
    assert [words for _, words in told(read_log(tmp_path, log))] == ["continue", "done", "continue"]


def test_calls_replayed_at_another_time_are_known_by_their_ids(tmp_path: Path) -> None:
    log, report = Log(), Report()
    log.reply(call("toolu_1", command="ls"))
    log.result("toolu_1", "out")
    log.reply(call("toolu_1", command="ls"), id="msg_other")
    log.result("toolu_1", "out")
    log.result("toolu_1", "something else")
    assert [origin for origin, _ in told(read_log(tmp_path, log, report))] == ["reply", "result", "result"]
    assert report.count(Code.REPLAYED) == 2


def test_a_line_written_twice_is_told_once(tmp_path: Path) -> None:
    log, report = Log(), Report()
    log.user("once")
    log.lines.append(dict(log.lines[0]))
    assert told(read_log(tmp_path, log, report)) == [("prompt", "once")]
    assert report.count(Code.DUPLICATE_RECORD, "user") == 1


def test_one_uuid_with_two_contents_keeps_both(tmp_path: Path) -> None:
    log, report = Log(), Report()
    log.user("one")
    log.user("two", uuid=log.lines[0]["uuid"])
    log.reply("Half", id="msg_1", uuid="same")
    log.reply("Half and whole", id="msg_1", uuid="same")
    session = read_log(tmp_path, log, report)
    assert told(session) == [("prompt", "one"), ("prompt", "two"), ("reply", "Half + Half and whole")]
    reply = list(session.messages)[-1]
    assert [block.status for block in reply.blocks] == ["superseded", None]
    assert report.count(Code.UUID_REUSED) == 2


@pytest.mark.parametrize("parents", [("u1", "u2"), ("u2", "u1"), ("u2", "u3"), ("nowhere", "nowhere")])
def test_strange_parents_are_survived(tmp_path: Path, parents: tuple[str, str]) -> None:
    log = Log()
    log.user("a", parentUuid=parents[0])
    log.user("b", parentUuid=parents[1])
    log.user("c", parentUuid="u1")
    assert [words for _, words in told(read_log(tmp_path, log))] == ["a", "b", "c"]


def test_a_copied_history_is_whole_in_each_file(tmp_path: Path) -> None:
    log = Log("1.0.65")
    log.user("4+4*4?")
    log.reply("20")
    write(tmp_path, log)
    other = "22222222-2222-4333-8444-555555555555"
    again = [{**line, "sessionId": other} for line in log.lines]
    write(tmp_path, again, f"{other}.jsonl")
    first, second = read_all(tmp_path)
    assert told(first) == told(second)
    assert (first.header.id, second.header.id) == (log.sid, other)


def test_a_fork_names_its_parent(tmp_path: Path) -> None:
    log = Log()
    log.user("a", forkedFrom={"sessionId": "s-old", "messageUuid": "m-1"})
    log.reply("b", forkedFrom={"sessionId": "s-old", "messageUuid": "m-2"})
    log.user("c")
    parent = read_log(tmp_path, log).header.parent
    assert parent is not None
    assert (parent.session_id, parent.kind, parent.entry_uuid) == ("s-old", "forked", "m-2")
