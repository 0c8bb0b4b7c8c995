"""Which user lines are a person's, and what the others are (catalogue, section 5)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import Log, call, read_log, text, told

from dragoman.model import Media, Text

PNG = "iVBORw0KGgoAAAANSUhEUg=="


@pytest.mark.parametrize(
    ("content", "origin", "shown"),
    [
        ("plain words", "prompt", "plain words"),
        ("[Request interrupted by user]", "interrupt", "[Request interrupted by user]"),
        (
            [text("[Request interrupted by user for tool use]")],
            "interrupt",
            "[Request interrupted by user for tool use]",
        ),
        ("he said [Request interrupted by user]", "prompt", "he said [Request interrupted by user]"),
        (
            "<command-name>/model</command-name>\n  <command-message>model</command-message>\n  <command-args>opus now</command-args>",
            "slash_command",
            "/model opus now",
        ),
        (
            "<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n<command-args>the <b>bold</b> one</command-args>",
            "slash_command",
            "/review the <b>bold</b> one",
        ),
        (
            "<local-command-stdout>Bye \x1b[1mnow\x1b[22m</local-command-stdout>",
            "command_output",
            "Bye \x1b[1mnow\x1b[22m",
        ),
        ("<local-command-stderr>no</local-command-stderr>", "command_output", "no"),
        ("<bash-input>ls -l</bash-input>", "shell_input", "ls -l"),
        ("<bash-stdout>a.py</bash-stdout><bash-stderr>warn</bash-stderr>", "shell_output", "a.py + warn"),
        ("<bash-stdout></bash-stdout><bash-stderr></bash-stderr>", "shell_output", ""),
        ("<user-memory-input>use tabs</user-memory-input>", "memory_note", "use tabs"),
        ("<system-reminder>be brief</system-reminder>", "injected", "<system-reminder>be brief</system-reminder>"),
        ("<tick>5</tick>", "injected", "<tick>5</tick>"),
        ("<bash-input>what does this tag mean?", "prompt", "<bash-input>what does this tag mean?"),
        ("see <bash-input>ls</bash-input>", "prompt", "see <bash-input>ls</bash-input>"),
        (
            "<local-command-stdout>x</local-command-stdout> why this?",
            "prompt",
            "<local-command-stdout>x</local-command-stdout> why this?",
        ),
        ("<bash-input>ls</bash-input> is what I typed", "prompt", "<bash-input>ls</bash-input> is what I typed"),
        ("<div>why is this red?</div>", "prompt", "<div>why is this red?</div>"),
        ("Implement the following plan:\n\n1. rest", "plan", "Implement the following plan:\n\n1. rest"),
        (
            "This session is being continued from a previous conversation that ran out of context.",
            "compaction_summary",
            "This session is being continued from a previous conversation that ran out of context.",
        ),
    ],
)
def test_words_and_machinery(tmp_path: Path, content: Any, origin: str, shown: str) -> None:
    log = Log()
    log.user(content)
    assert told(read_log(tmp_path, log)) == [(origin, shown)]


@pytest.mark.parametrize(
    ("more", "origin"),
    [
        ({"isMeta": True}, "injected"),
        ({"isCompactSummary": True}, "compaction_summary"),
        ({"isVisibleInTranscriptOnly": True}, "injected"),
        ({"turnCompanion": True}, "injected"),
        ({"origin": {"kind": "channel", "server": "s"}}, "agent_message"),
        ({"origin": {"kind": "peer", "from": "alice"}}, "agent_message"),
        ({"origin": {"kind": "coordinator"}}, "agent_message"),
        ({"origin": {"kind": "task-notification"}}, "notification"),
        ({"origin": {"kind": "auto-continuation"}}, "injected"),
        ({"origin": {"kind": "human"}, "promptSource": "typed"}, "prompt"),
    ],
)
def test_fields_that_tell_more_than_the_text(tmp_path: Path, more: dict[str, Any], origin: str) -> None:
    log = Log()
    log.user("some words", **more)
    assert told(read_log(tmp_path, log)) == [(origin, "some words")]


def test_a_mark_on_the_line_comes_before_its_tags(tmp_path: Path) -> None:
    log = Log()
    log.user("<command-name>/x</command-name>", isMeta=True)
    assert told(read_log(tmp_path, log))[0][0] == "injected"


def test_reminders_around_a_prompt_are_taken_off_and_kept(tmp_path: Path) -> None:
    log = Log()
    log.user("<system-reminder>one</system-reminder>\nplease <b>do</b> it\n\n<system-reminder>two</system-reminder>")
    assert told(read_log(tmp_path, log)) == [
        ("injected", "<system-reminder>one</system-reminder>"),
        ("prompt", "please <b>do</b> it"),
        ("injected", "<system-reminder>two</system-reminder>"),
    ]


def test_what_the_editor_put_beside_a_prompt_is_no_prompt(tmp_path: Path) -> None:
    log = Log()
    log.user([text("<ide_opened_file>x.py</ide_opened_file>"), text("explain")])
    log.user([text("<ide_selection>alone</ide_selection>")])
    assert told(read_log(tmp_path, log)) == [
        ("injected", "<ide_opened_file>x.py</ide_opened_file>"),
        ("prompt", "explain"),
        ("injected", "<ide_selection>alone</ide_selection>"),
    ]


def test_a_prompt_of_text_image_and_document(tmp_path: Path) -> None:
    log = Log()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    log.user([image, text("look at [Image #4]")], imagePasteIds=[4])
    log.user("[Image: original 1200x800, displayed at 600x400.]", isMeta=True)
    session = read_log(tmp_path, log)
    prompt, note = session.messages
    assert prompt.origin == "prompt"
    assert [type(block) for block in prompt.blocks] == [Media, Text]
    assert prompt.extra["imagePasteIds"] == [4]
    assert note.origin == "injected"


def test_a_skill_s_text_speaks_of_its_call(tmp_path: Path) -> None:
    log = Log()
    log.reply(call("toolu_1", "Skill", skill="demo"))
    log.user([text("Base directory for this skill: /x")], isMeta=True, sourceToolUseID="toolu_1")
    message = list(read_log(tmp_path, log).messages)[-1]
    assert (message.origin, message.about) == ("injected", "toolu_1")


def test_a_notification_tells_its_summary_and_result(tmp_path: Path) -> None:
    log = Log()
    inner = (
        "<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<status>completed</status>\n"
        "<summary>Agent done</summary>\n<result>All <result>tags</result> kept.</result>\n<usage><n>1</n></usage>\n</task-notification>"
    )
    log.user(inner)
    log.user(f"<system-reminder>\n{inner}\n</system-reminder>")
    first, second = read_log(tmp_path, log).messages
    for message in (first, second):
        assert message.origin == "notification"
        assert [block.text for block in message.blocks if isinstance(block, Text)] == [
            "Agent done",
            "All <result>tags</result> kept.",
        ]
        assert message.about == "toolu_1"
        assert message.extra["status"] == "completed"


def test_several_speakers_share_a_line(tmp_path: Path) -> None:
    log = Log()
    log.user(
        '<teammate-message teammate_id="alice" color="blue" summary="s">one</teammate-message>\n'
        '<teammate-message teammate_id="bob">two</teammate-message>'
    )
    log.user('<cross-session-message from="uds:/x" from-name="laptop">hello</cross-session-message>')
    first, second = read_log(tmp_path, log).messages
    assert (first.origin, first.about) == ("agent_message", "alice")
    assert [block.extra["teammate_id"] for block in first.blocks] == ["alice", "bob"]
    assert (second.origin, second.about) == ("agent_message", "laptop")


def test_text_beside_a_result_is_injected(tmp_path: Path) -> None:
    log = Log()
    log.reply(call("toolu_1"))
    log.user([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "out"}, text("by the way")])
    assert told(read_log(tmp_path, log))[1:] == [("result", "ToolResult"), ("injected", "by the way")]


def test_a_plan_is_not_kept_twice(tmp_path: Path) -> None:
    log = Log()
    log.user("Implement the following plan:\n\n# Plan\nrest", planContent="# Plan\nrest")
    (message,) = read_log(tmp_path, log).messages
    assert message.origin == "plan"
    assert "planContent" not in message.extra


def test_a_warmed_cache_is_hidden(tmp_path: Path) -> None:
    from claude_code_lines import read, write

    main = Log("2.0.55")
    main.user("Go")
    warm = Log("2.0.55", agent="deadbeef")
    warm.user("Warmup")
    warm.reply("ready")
    path = write(tmp_path, main)
    write(tmp_path, warm, "agent-deadbeef.jsonl")
    (agent,) = read(path).subagents
    assert agent.hidden


def test_synthetic_replies(tmp_path: Path) -> None:
    log = Log()
    log.reply("API Error: 529", message={"model": "<synthetic>"}, isApiErrorMessage=True, error="server_error")
    log.reply("No response requested.", message={"model": "<synthetic>"})
    session = read_log(tmp_path, log)
    assert [m.origin for m in session.messages] == ["synthetic_error", "synthetic"]
    assert [m.usage for m in session.messages] == [None, None]
    assert session.header.models == ()
