"""Lines become turns: merging, order, usage once, results (catalogue, 0, 4, 6.1, 8)."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import Log, call, events, read, read_log, text, told, write

from dragoman.model import Reasoning, Text, ToolCall, ToolResult
from dragoman.report import Code, Report


def result_of(folder: Path, line: dict[str, Any], log: Log | None = None) -> ToolResult:
    message = [m for m in read_log(folder, log or [line]).messages if m.role == "tool"][-1]
    block = message.blocks[0]
    assert isinstance(block, ToolResult)
    return block


def test_lines_of_a_message_are_one_though_results_stand_between(tmp_path: Path) -> None:
    log = Log()
    log.user("go")
    a = log.reply({"type": "thinking", "thinking": "hm", "signature": "s"}, id="msg_1", stop=None)
    b = log.reply(call("toolu_A"), id="msg_1", stop=None)
    log.result("toolu_A", "one", parentUuid=b["uuid"])
    c = log.reply(call("toolu_B"), id="msg_1", out=9)
    log.result("toolu_B", "two")
    session = read_log(tmp_path, log)
    assert [m.role for m in session.messages] == ["user", "assistant", "tool", "tool"]
    reply = list(session.messages)[1]
    assert [type(block) for block in reply.blocks] == [Reasoning, ToolCall, ToolCall]
    assert (reply.uuid, reply.id, reply.request_id) == (a["uuid"], "msg_1", "req_msg_1")
    assert [block.uuid for block in reply.blocks] == ["", b["uuid"], c["uuid"]]
    assert reply.usage is not None and (reply.usage.output, reply.usage.complete) == (9, True)
    assert reply.stop_reason == "end_turn"


def test_blocks_stand_in_the_order_of_their_index(tmp_path: Path) -> None:
    log = Log()
    log.reply("second", id="msg_1", apiBlockIndex=1)
    log.reply("first", id="msg_1", apiBlockIndex=0)
    assert told(read_log(tmp_path, log)) == [("reply", "first + second")]


def test_file_order_is_kept_against_time_and_parents(tmp_path: Path) -> None:
    log = Log()
    log.user("one", timestamp="2026-03-01T12:00:00Z", parentUuid="later")
    log.user("two", timestamp="2026-03-01T11:00:00Z", parentUuid=None)
    log.user("three", timestamp="2026-03-01T10:00:00Z", uuid="later", parentUuid="nowhere")
    assert [words for _, words in told(read_log(tmp_path, log))] == ["one", "two", "three"]


def test_parallel_results_are_not_lost_beside_progress(tmp_path: Path) -> None:
    log = Log("2.1.39")
    log.user("go")
    use = log.reply(call("toolu_1"))
    log.add("progress", data={"type": "hook_progress", "hookName": "x"}, parentToolUseID="toolu_1")
    progress = log.last
    log.result("toolu_1", "built", parentUuid=use["uuid"])
    log.reply("done", parentUuid=progress)
    session = read_log(tmp_path, log)
    assert [each[0] for each in told(session)] == ["prompt", "reply", "result", "reply"]
    assert all(not message.branch for message in session.messages)


@pytest.mark.parametrize("id", ["", None, "msg_proxy"])
def test_gateways_that_give_one_id_to_every_message(tmp_path: Path, id: Any) -> None:
    log = Log()
    for number in range(3):
        log.user(f"question {number}")
        log.reply(f"answer {number}", id=id, message={"id": id}, requestId=f"req_{number}")
    session = read_log(tmp_path, log)
    assert [words for origin, words in told(session) if origin == "reply"] == [f"answer {n}" for n in range(3)]
    assert sum(m.usage.output for m in session.messages if m.usage) == 15


def test_lines_without_a_message_id_go_by_their_request(tmp_path: Path) -> None:
    log = Log()
    log.reply("a", message={"id": None}, requestId="req_1")
    log.reply("b", message={"id": None}, requestId="req_1")
    log.reply("c", message={"id": None}, requestId=None)
    log.reply("d", message={"id": None}, requestId=None)
    assert told(read_log(tmp_path, log)) == [("reply", "a + b"), ("reply", "c"), ("reply", "d")]


def test_empty_text_beside_other_blocks_is_a_phantom(tmp_path: Path) -> None:
    log = Log()
    log.reply("(no content)", id="msg_1")
    log.reply(call("toolu_1"), id="msg_1")
    log.reply("")
    assert told(read_log(tmp_path, log)) == [("reply", "ToolCall"), ("reply", "")]


# usage


def test_usage_is_that_of_the_line_with_most_output_the_last_on_ties(tmp_path: Path) -> None:
    log = Log()
    log.reply("a", id="msg_1", out=1, stop=None)
    log.reply("b", id="msg_1", out=7, stop=None, message={"usage": {"input_tokens": 1, "output_tokens": 7}})
    log.reply("c", id="msg_1", out=7, message={"usage": {"input_tokens": 3, "output_tokens": 7}})
    (message,) = read_log(tmp_path, log).messages
    assert message.usage is not None
    assert (message.usage.input, message.usage.output, message.usage.complete) == (3, 7, True)


def test_usage_that_was_never_final_is_a_lower_bound(tmp_path: Path) -> None:
    log, report = Log("2.1.20"), Report()
    log.reply("a", stop=None)
    session = read_log(tmp_path, log, report)
    assert [m.usage.complete for m in session.messages if m.usage] == [False]
    assert not session.header.usage_complete
    assert report.count(Code.USAGE_INCOMPLETE) == 1


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"cache_creation_input_tokens": 7}, (7, 0)),
        (
            {
                "cache_creation_input_tokens": 0,
                "cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4},
            },
            (3, 4),
        ),
        (
            {
                "cache_creation_input_tokens": 9,
                "cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4},
            },
            (5, 4),
        ),
        ({"cache_creation_input_tokens": "6", "cache_creation": None}, (6, 0)),
        ({"cache_creation_input_tokens": 2.0}, (2, 0)),
        ({"cache_creation_input_tokens": -5}, (0, 0)),
    ],
)
def test_cache_writes(tmp_path: Path, usage: dict[str, Any], expected: tuple[int, int]) -> None:
    log = Log()
    log.reply("a", message={"usage": usage})
    (message,) = read_log(tmp_path, log).messages
    assert message.usage is not None
    assert (message.usage.cache_write_5m, message.usage.cache_write_1h) == expected


def test_what_else_usage_tells(tmp_path: Path) -> None:
    log = Log()
    advisor = {"type": "advisor_message", "input_tokens": 50, "output_tokens": 9}
    usage = {
        "output_tokens": 30,
        "output_tokens_details": {"thinking_tokens": 5},
        "service_tier": "batch",
        "speed": "fast",
        "inference_geo": "us",
        "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 1},
        "iterations": [{"type": "message"}, advisor],
    }
    log.reply("a", message={"usage": usage}, costUSD=0.25)
    (message,) = read_log(tmp_path, log).messages
    found = message.usage
    assert found is not None
    assert (found.reasoning, found.tier, found.speed, found.region) == (5, "batch", "fast", "us")
    assert (found.web_searches, found.web_fetches, found.cost_usd) == (2, 1, 0.25)
    assert advisor in found.iterations


# results


@pytest.mark.parametrize(
    ("flag", "error", "outcome"),
    [(None, "unsaid", "ok"), (False, "no", "ok"), (True, "yes", "failed"), ("true", "unsaid", "ok")],
)
def test_is_error_has_three_states(tmp_path: Path, flag: Any, error: str, outcome: str) -> None:
    log = Log()
    log.reply(call("toolu_1"))
    line = log.result("toolu_1", "x", flag)
    found = result_of(tmp_path, line, log)
    assert (found.error, found.outcome) == (error, outcome)


REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


@pytest.mark.parametrize(
    ("content", "more", "outcome", "feedback"),
    [
        (REJECTED, {"toolUseResult": "User rejected tool use"}, "rejected", ""),
        (f"{REJECTED} To tell you how to proceed, the user said:\nuse ninja", {}, "rejected", "use ninja"),
        (
            f"{REJECTED} The user provided the following reason for the rejection: use ninja",
            {},
            "rejected",
            "use ninja",
        ),
        (REJECTED, {"userFeedback": "use ninja"}, "rejected", "use ninja"),
        ("no", {"toolDenialKind": "permission-rule"}, "rejected", ""),
        ("no", {"toolDenialKind": "cancelled"}, "interrupted", ""),
        ("[Request interrupted by user for tool use]", {}, "interrupted", ""),
        ("Exit code 2", {"toolUseResult": "Error: Exit code 2"}, "failed", ""),
    ],
)
def test_denials_are_no_failures_and_keep_a_person_s_words(
    tmp_path: Path, content: str, more: dict[str, Any], outcome: str, feedback: str
) -> None:
    log = Log()
    log.reply(call("toolu_1"))
    found = result_of(tmp_path, log.result("toolu_1", content, True, **more), log)
    assert (found.outcome, found.feedback) == (outcome, feedback)


def test_answers_to_questions_are_a_person_s_words(tmp_path: Path) -> None:
    log = Log()
    log.reply(call("toolu_1", "AskUserQuestion"))
    answers = {"questions": [], "answers": {"Which?": "the red one"}, "annotations": {"Which?": {"notes": "but dark"}}}
    found = result_of(tmp_path, log.result("toolu_1", "User has answered", toolUseResult=answers), log)
    assert found.feedback == "the red one\nbut dark"


def test_a_result_knows_its_call(tmp_path: Path) -> None:
    log = Log()
    use = log.reply(call("toolu_1", "Grep"))
    line = log.result("toolu_1", "x", toolUseResult={"mode": "content"}, sourceToolAssistantUUID=use["uuid"])
    message = list(read_log(tmp_path, log).messages)[-1]
    found = result_of(tmp_path, line, log)
    assert (found.tool_name, found.duration_ms, found.structured) == ("Grep", 1000, {"mode": "content"})
    assert message.parent_id == use["uuid"]


def test_a_result_before_its_call(tmp_path: Path) -> None:
    log = Log()
    log.result("toolu_1", "x")
    log.reply(call("toolu_1", "Grep"))
    found = result_of(tmp_path, {}, log)
    assert (found.tool_name, found.duration_ms) == ("Grep", None)


def test_two_results_on_a_line_share_no_structured_twin(tmp_path: Path) -> None:
    log = Log()
    log.reply(call("toolu_1"), call("toolu_2"))
    blocks = [{"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": "x"} for n in (1, 2)]
    log.user(blocks, toolUseResult={"stdout": "whose?"})
    message = list(read_log(tmp_path, log).messages)[-1]
    assert [block.structured for block in message.blocks if isinstance(block, ToolResult)] == [None, None]
    assert message.extra["toolUseResult"] == {"stdout": "whose?"}


# the envelope


def test_what_changes_in_the_middle_is_said(tmp_path: Path) -> None:
    log = Log()
    log.user("a")
    log.user("b", cwd="/elsewhere", gitBranch="topic")
    log.user("c", cwd="/elsewhere", gitBranch="topic", version="2.1.171")
    session = read_log(tmp_path, log)
    assert [(e.name, e.text) for e in events(session, "state")] == [
        ("cwd", "/elsewhere"),
        ("gitBranch", "topic"),
        ("version", "2.1.171"),
    ]
    header = session.header
    assert (header.cwd, header.git_branch, header.agent_version) == ("/home/dev/demo", "main", "2.1.170")


def test_unknown_fields_are_carried_and_counted(tmp_path: Path) -> None:
    log, report = Log(), Report()
    log.user("a", brandNew={"x": 1})
    log.reply("b", message={"novelty": 5})
    prompt, reply = read_log(tmp_path, log, report).messages
    assert prompt.extra["brandNew"] == {"x": 1}
    assert reply.extra["message"] == {"novelty": 5}
    assert report.count(Code.UNKNOWN_FIELD, "line.brandNew") == 1
    assert report.count(Code.UNKNOWN_FIELD, "message.novelty") == 1


def test_content_never_takes_a_name_s_place_in_the_report(tmp_path: Path) -> None:
    log, report = Log(), Report()
    log.user("a", **{"/home/dev/secret plan.txt": 1})
    log.bare("a secret sentence", x=1)
    read_log(tmp_path, log, report)
    assert "secret" not in str(report.as_json())


def test_fields_of_the_oldest_builds(tmp_path: Path) -> None:
    log = Log("0.2.40")
    log.reply("a", costUSD=0.01, durationMs=900)
    (message,) = read_log(tmp_path, log).messages
    assert message.extra["durationMs"] == 900
    assert message.usage is not None and message.usage.cost_usd == 0.01


def test_the_input_as_the_model_sent_it_goes_along(tmp_path: Path) -> None:
    log = Log("2.1.285")
    log.reply(call("toolu_1", command="make"), wireToolInputs={"toolu_1": {"command": "cd x && make"}})
    (message,) = read_log(tmp_path, log).messages
    block = message.blocks[0]
    assert isinstance(block, ToolCall)
    assert block.arguments == '{"command":"make"}'
    assert block.extra["wire_input"] == {"command": "cd x && make"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-03-01T10:00:00.000Z", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-03-01T10:00:00", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-03-01T12:00:00+02:00", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        (1772359200, datetime(2026, 3, 1, 10, tzinfo=UTC)),
        (1772359200000, datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("", None),
        ("yesterday", None),
        (10**400, None),
        ([1], None),
        (None, None),
    ],
)
def test_times_are_read_leniently(tmp_path: Path, written: Any, expected: datetime | None) -> None:
    log = Log()
    log.user("a", timestamp=written)
    (message,) = read_log(tmp_path, log).messages
    assert message.time == expected


# what was withdrawn


def test_retracted_and_superseded_messages_are_marked_and_stay_in_usage(tmp_path: Path) -> None:
    log = Log("2.1.289")
    log.user("go")
    first = log.reply("half an ans", isAbortedMidStream=True)
    log.add(
        "system",
        subtype="model_refusal_fallback",
        content="Switched",
        trigger="refusal",
        retractedMessageUuids=[first["uuid"]],
    )
    second = log.reply("another half")
    log.reply("whole", supersedesUuids=[second["uuid"]])
    session = read_log(tmp_path, log)
    assert [m.status for m in session.messages if m.role == "assistant"] == ["retracted", "superseded", "live"]
    assert all(m.usage for m in session.messages if m.role == "assistant")
    assert events(session, "notice")[0].refs == (first["uuid"],)


def test_one_withdrawn_line_of_a_message_is_marked_on_its_block(tmp_path: Path) -> None:
    log = Log("2.1.289")
    first = log.reply("withdrawn", id="msg_1")
    log.reply("stays", id="msg_1", supersedesUuids=[first["uuid"]])
    (message,) = read_log(tmp_path, log).messages
    assert message.status == "live"
    assert [block.status for block in message.blocks] == ["superseded", None]


def test_a_file_is_read_as_a_whole_though_it_names_two_sessions(tmp_path: Path) -> None:
    log, report = Log(), Report()
    log.user("a")
    log.user("b", sessionId="another")
    log.user("c")
    session = read(write(tmp_path, log), report)
    assert len(list(session.messages)) == 3
    assert session.header.extra["session_ids"] == sorted(["another", log.sid])


def test_texts_are_never_split(tmp_path: Path) -> None:
    log = Log()
    odd = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\r\nh\x00i \u202e"
    log.user([text(odd)])
    (message,) = read_log(tmp_path, log).messages
    assert message.blocks == (Text(odd),)
