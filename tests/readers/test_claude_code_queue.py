"""Prompts typed while the agent worked: none lost, none doubled (catalogue, 3.2 and 3.4)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import Log, call, read_log, text, told


def working(version: str = "2.1.49") -> Log:
    log = Log(version)
    log.user("start")
    log.reply(call("toolu_1"))
    return log


def people(folder: Path, log: Log) -> list[tuple[str, str]]:
    return [each for each in told(read_log(folder, log)) if each[0] not in ("reply", "result")]


def attachment(log: Log, prompt: Any, **more: Any) -> None:
    log.add("attachment", attachment={"type": "queued_command", "prompt": prompt, **more})


def test_a_prompt_that_only_the_queue_tells(tmp_path: Path) -> None:
    log = working()
    log.queue("enqueue", "and the docs")
    log.result("toolu_1", "ok")
    log.queue("remove")
    log.reply("yes")
    session = read_log(tmp_path, log)
    assert told(session) == [
        ("prompt", "start"),
        ("reply", "ToolCall"),
        ("result", "ToolResult"),
        ("queued_prompt", "and the docs"),
        ("reply", "yes"),
    ]


def test_a_prompt_in_the_queue_and_as_an_attachment_is_one(tmp_path: Path) -> None:
    log = working("2.1.170")
    log.queue("enqueue", "and  the\ndocs")
    log.queue("remove")
    attachment(log, "and the docs", commandMode="prompt", origin={"kind": "human"})
    assert people(tmp_path, log) == [("prompt", "start"), ("queued_prompt", "and the docs")]


def test_an_attachment_without_a_queue(tmp_path: Path) -> None:
    log = working("2.1.280")
    attachment(
        log,
        [
            text("look"),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
        ],
    )
    assert people(tmp_path, log) == [("prompt", "start"), ("queued_prompt", "look + Media")]


def test_a_dequeued_prompt_is_its_line(tmp_path: Path) -> None:
    log = working()
    log.queue("enqueue", "next")
    log.queue("dequeue")
    log.user("next")
    assert people(tmp_path, log) == [("prompt", "start"), ("prompt", "next")]


def test_a_prompt_whose_line_comes_a_little_later(tmp_path: Path) -> None:
    log = working()
    log.queue("enqueue", "next")
    log.queue("remove")
    log.result("toolu_1", "ok")
    log.user("<system-reminder>x</system-reminder>next")
    assert people(tmp_path, log)[-1] == ("prompt", "next")
    assert len(people(tmp_path, log)) == 3


def test_a_prompt_pulled_back_was_not_sent(tmp_path: Path) -> None:
    log = working()
    log.queue("enqueue", "never mind")
    log.queue("popAll", "never mind")
    assert people(tmp_path, log) == [("prompt", "start")]


def test_what_waits_at_the_end_is_unsent(tmp_path: Path) -> None:
    log = working()
    log.queue("enqueue", "too late")
    assert people(tmp_path, log) == [("prompt", "start"), ("unsent_prompt", "too late")]


@pytest.mark.parametrize(
    "content",
    ['{"task_id":"b3","tool_use_id":"toolu_1"}', "<task-notification><task-id>1</task-id></task-notification>"],
)
def test_machinery_in_the_queue_is_no_prompt(tmp_path: Path, content: str) -> None:
    log = working()
    log.queue("enqueue", content)
    log.queue("remove")
    log.queue("enqueue", content + " ")
    assert people(tmp_path, log) == [("prompt", "start")]


def test_a_remove_takes_the_oldest_human_entry(tmp_path: Path) -> None:
    log = working()
    log.queue("enqueue", '{"task_id":"b3"}')
    log.queue("enqueue", "words")
    log.queue("remove")
    assert people(tmp_path, log)[-1] == ("queued_prompt", "words")


def test_a_remove_with_content_takes_that_entry(tmp_path: Path) -> None:
    log = working("2.1.210")
    log.queue("enqueue", "first")
    log.queue("enqueue", "second")
    log.queue("remove", "second")
    assert people(tmp_path, log)[1:] == [("queued_prompt", "second"), ("unsent_prompt", "first")]


@pytest.mark.parametrize(
    ("version", "more", "sent"),
    [
        ("2.1.245", {}, True),
        ("2.1.246", {}, False),
        ("2.1.246", {"reason": "absorbed_mid_turn"}, True),
        ("2.1.300", {"reason": "deleted"}, False),
    ],
)
def test_since_2_1_246_a_remove_gives_its_reason(
    tmp_path: Path, version: str, more: dict[str, str], sent: bool
) -> None:
    log = working(version)
    log.queue("enqueue", "words")
    log.queue("remove", **more)
    assert (("queued_prompt", "words") in people(tmp_path, log)) is sent


def test_a_list_of_blocks_in_the_queue(tmp_path: Path) -> None:
    log = working("2.0.42")
    log.queue("enqueue", [text("in a list")])
    log.queue("remove")
    assert people(tmp_path, log)[-1] == ("queued_prompt", "in a list")


def test_a_notification_delivered_without_a_row_leaves_the_queue(tmp_path: Path) -> None:
    log = working()
    note = "<task-notification><task-id>1</task-id><summary>s</summary></task-notification>"
    log.queue("enqueue", note)
    log.queue("enqueue", "words")
    log.user(note)
    log.queue("dequeue")
    log.user("words")
    assert people(tmp_path, log)[1:] == [("notification", "s"), ("prompt", "words")]


def test_a_queued_slash_command(tmp_path: Path) -> None:
    log = working()
    log.queue("enqueue", "/compact now")
    log.queue("remove")
    assert people(tmp_path, log)[-1] == ("slash_command", "/compact now")


@pytest.mark.parametrize(
    ("more", "origin"),
    [
        ({"commandMode": "task-notification"}, "notification"),
        ({"commandMode": "prompt", "origin": {"kind": "peer"}}, "agent_message"),
        ({"commandMode": "prompt", "isMeta": True}, "injected"),
        ({"commandMode": "prompt", "origin": {"kind": "human"}}, "queued_prompt"),
        ({"commandMode": "prompt"}, "queued_prompt"),
        ({}, "queued_prompt"),
    ],
)
def test_whose_a_queued_command_is(tmp_path: Path, more: dict[str, Any], origin: str) -> None:
    log = working("2.1.280")
    attachment(log, "words", **more)
    assert people(tmp_path, log)[-1] == (origin, "words")


def test_two_equal_prompts_are_two(tmp_path: Path) -> None:
    log = working()
    for _ in range(2):
        log.queue("enqueue", "again")
        log.queue("remove")
        for _ in range(12):
            log.add("system", subtype="turn_duration", durationMs=1)
    assert people(tmp_path, log)[1:] == [("queued_prompt", "again")] * 2
