"""What a call and its result look like, tool by tool, and that nothing of them is lost."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.model import Media, Message, Text, ToolCall, ToolResult, Unknown
from dragoman.render import tools
from dragoman.render.tools import results, views
from dragoman.render.turns import Call
from strategies import TOOLS, json_values, tool_calls, tool_results

MESSAGE = Message(role="assistant", origin="reply")


def made(name: str, arguments: Any, words: str | None = None, **more: Any) -> Call:
    """A call with its result."""
    text = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
    answer = None if words is None else ToolResult(call_id="c", content=(Text(text=words),), **more)
    return Call("m0-0", ToolCall(id="c", name=name, arguments=text), answer, MESSAGE)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (made("Bash", {"command": "pytest -q"}, "Exit code 1\nF\n3 failed, 2 passed in 1s", outcome="failed", duration_ms=12_000), "Bash  pytest -q · 3 failed · 12 s"),
        (made("Bash", {"command": "false"}, "Exit code 7", outcome="failed"), "Bash  false · exit 7"),
        (made("Bash", {"command": "ls\nls"}, "a"), "Bash  ls ls"),
        (made("Bash", {"command": "x"}), "Bash  x · no result"),
        (made("Bash", {"command": "x"}, "no", outcome="rejected"), "Bash  x · rejected"),
        (made("Read", {"file_path": "/a.py"}, "     1→a\n     2→b"), "Read  /a.py · 2 lines"),
        (made("Read", {"file_path": "/a.py", "offset": 10}, "10\ta\n11\tb", structured={"file": {"totalLines": 90}}), "Read  /a.py · lines 10–11 of 90"),
        (made("Edit", {"file_path": "/a", "old_string": "a\nb", "new_string": "a\nc\nd"}, "ok"), "Edit  /a · +2 −1"),
        (made("Write", {"file_path": "/a", "content": "1\n2\n"}, "ok"), "Write  /a · 2 lines"),
        (made("Grep", {"pattern": "x", "path": "src"}, "a\nb"), "Grep  x in src · 2 files"),
        (made("TodoWrite", {"todos": [{"content": "a", "status": "completed"}, {"content": "b"}]}, "ok"), "TodoWrite · 1 of 2 done"),
        (made("mcp__git__log", {"n": 3, "query": "fix"}, "x"), "git: log  fix"),
        (made("WebFetch", {"url": "https://e.org"}, "x", structured={"code": 404}), "WebFetch  https://e.org · HTTP 404"),
        (made("Agent", {"subagent_type": "Explore", "description": "Look", "prompt": "p"}, "x", structured={"totalTokens": 14_200}), "Agent  Explore: Look · 14.2k tokens"),
        (made("shell", {"command": ["bash", "-lc", "ls -l"]}, '{"output":"x","metadata":{"exit_code":2}}'), "shell  ls -l · exit 2"),
        (made("shell_exec", {"cmd": "ls"}, "a.py"), "shell_exec  ls"),
        (made("edit_file", {"path": "a", "old_str": "x", "new_str": "y"}, "ok"), "edit_file  a · +1 −1"),
        (made("", "{}", "x"), "(unnamed tool)"),
        (made('Task" >\n<x', {"prompt": "p"}, "x"), 'Task" > <x  p'),
    ],
)  # fmt: skip
def test_one_line(call: Call, line: str) -> None:
    assert str(tools.summary(call)) == line


def test_a_terminal_keeps_colours_and_its_error_stream() -> None:
    call = made(
        "Bash",
        {"command": "x", "timeout": 5},
        "out\n\x1b[31mbad\x1b[0m",
        structured={"stdout": "out", "stderr": "\x1b[31mbad\x1b[0m"},
    )
    shown = tools.view(call)
    assert isinstance(shown, views.Terminal)
    assert (shown.stdout, shown.stderr, shown.more) == ("out", "\x1b[31mbad\x1b[0m", {"timeout": 5})


@pytest.mark.parametrize("mark", ["→", "\t"])
def test_line_numbers_come_off(mark: str) -> None:
    numbered = f"     9{mark}a\n    10{mark}{mark}b\n    11{mark}"
    shown = tools.view(made("Read", {"file_path": "x"}, numbered + "\n\n<system-reminder>\nmind\n</system-reminder>"))
    assert isinstance(shown, views.FileRead)
    assert (shown.text, shown.first, shown.lines, shown.reminders) == (f"a\n{mark}b\n", 9, 3, ("mind",))
    assert results.unnumbered(f"     1{mark}a\nb") is None
    assert results.unnumbered(f"     1{mark}a\n\nA remark.") == results.Numbered("a", range(1, 2), "A remark.")


@pytest.mark.parametrize("mark", ["→", "\t"])
def test_numbers_that_jump_are_the_lines_own(mark: str) -> None:
    """Where lines were left out, numbers from 0 stood beside the text's own, and "lines 0–3 of 799" above."""
    text = f"     1{mark}a\n     2{mark}b\n   778{mark}{mark}c"
    call = made("Read", {"file_path": "x"}, text + "\n\nCut.", structured={"file": {"startLine": 1, "totalLines": 799}})
    shown = tools.view(call)
    assert isinstance(shown, views.FileRead)
    assert (shown.listing(), shown.numbered, shown.rest) == ((f"a\nb\n{mark}c", [1, 2, 778]), text, "Cut.")
    assert str(tools.summary(call)) == "Read  x · 3 lines of 799"
    assert str(tools.summary(made("Read", {"file_path": "x"}, text))) == "Read  x · 3 lines between 1 and 778"
    assert results.unnumbered(f"     2{mark}a\n     1{mark}b") is None


def test_lines_without_numbers_are_given_none() -> None:
    call = made("read_file", {"path": "x"}, "a\nb", structured={"file": {"totalLines": 9}})
    shown = tools.view(call)
    assert isinstance(shown, views.FileRead)
    assert (shown.listing(), str(tools.summary(call))) == (("a\nb", ()), "read_file  x · 2 lines")


def test_reminders_in_the_middle_are_somebodys_text() -> None:
    words = "a <system-reminder>x</system-reminder> b"
    assert results.without_reminders(words) == (words, ())


def test_reminders_come_off_both_ends_in_order() -> None:
    one, two, three = (f"<system-reminder>\n{each}\n</system-reminder>" for each in ("1", "2", "3"))
    assert results.without_reminders(f"{one}\ntext\n\n{two}\n{three}\n") == ("text", ("1", "2", "3"))
    assert results.without_reminders("text  \n") == ("text  \n", ())
    assert results.without_reminders("<system-reminder>open") == ("<system-reminder>open", ())
    many = "x" + one * 50_000  # a quadratic reading takes minutes
    assert len(results.without_reminders(many)[1]) == 50_000


def test_the_agents_own_patch_is_used_where_it_fits() -> None:
    arguments = {"file_path": "/a", "old_string": "x", "new_string": "y"}
    patch = [{"oldStart": 40, "newStart": 40, "lines": [" w", "-x", "+y"]}]
    shown = tools.view(made("Edit", arguments, "The file /a has been updated.", structured={"structuredPatch": patch}))
    assert isinstance(shown, views.FileEdit)
    assert shown.hunks[0].old_start == 40 and shown.structured_shown
    assert shown.left_out == ("confirmation of an edit",) and not shown.rest
    foreign = [{"oldStart": 1, "newStart": 1, "lines": ["+other"]}]
    shown = tools.view(made("Edit", arguments, "Odd words.", structured={"structuredPatch": foreign}))
    assert isinstance(shown, views.FileEdit)
    assert shown.hunks[0].lines == ("-x", "+y") and shown.rest == "Odd words."


def test_questions_and_answers() -> None:
    asked = {
        "questions": [
            {"question": "Q?", "header": "H", "options": [{"label": "A", "description": "d"}, {"label": "B"}]}
        ]
    }
    told = 'User has answered your questions: "Q?"="B". You can now continue'
    shown = tools.view(made("AskUserQuestion", asked, told, structured={"answers": {"Q?": "B"}}))
    assert isinstance(shown, views.Questions)
    assert [choice.chosen for choice in shown.questions[0].choices] == [False, True] and not shown.rest
    shown = tools.view(made("AskUserQuestion", asked, told))
    assert shown.rest == told


def test_search_hits_are_links() -> None:
    words = 'Web search results for query: "q"\n\nLinks: [{"title":"T","url":"https://e.org"}]\n\nSaid.'
    shown = tools.view(made("WebSearch", {"query": "q"}, words))
    assert isinstance(shown, views.WebSearch)
    assert (shown.hits, shown.text) == ((views.Hit("T", "https://e.org"),), "Said.")


def test_errors_lose_their_tags() -> None:
    shown = tools.view(made("Read", {"file_path": "x"}, "<tool_use_error>No such file</tool_use_error>"))
    assert shown.rest == "No such file" and shown.rest_is_error


def test_task_output_is_taken_apart() -> None:
    words = (
        "<status>completed</status>\n\n<exit_code>3</exit_code>\n\n<stdout>\nout\n</stdout>\n\n<stderr>\nerr\n</stderr>"
    )
    shown = tools.view(made("BashOutput", {"bash_id": "b1"}, words))
    assert isinstance(shown, views.Terminal)
    assert (shown.stdout, shown.stderr, shown.exit_code, shown.more) == ("out", "err", 3, {"status": "completed"})


WORDS = "Wave 2.\n\nRead `docs/`, then **stop**."


def sent(said: str = "Message sent to tide's inbox", **rest: Any) -> dict[str, Any]:
    """A result of SendMessage as Claude Code writes it: as JSON for the model, and as its twin."""
    route = {"sender": "lead", "target": "@tide", "summary": "wave 2", "content": WORDS, **rest}
    return {"success": True, "message": said, "routing": route}


def test_a_message_is_shown_once() -> None:
    """It stood there three times: itself, among the further arguments, and in the result's JSON."""
    both = {"to": "tide", "summary": "wave 2", "message": WORDS, "type": "message", "recipient": "tide", "content": WORDS}  # fmt: skip
    shown = tools.view(made("SendMessage", both, orjson.dumps(sent()).decode(), structured=sent()))
    assert isinstance(shown, views.MessageToHuman)
    assert (shown.text, shown.to, shown.rest) == (WORDS, "tide", "")
    assert shown.more == {"summary": "wave 2", "sender": "lead"}
    assert shown.left_out == ("repetition of a message", "confirmation of a message")
    assert shown.structured_shown


def test_what_a_messages_result_adds_is_kept() -> None:
    call = {"to": "tide", "message": WORDS, "type": "broadcast", "content": "Another."}
    told = sent("The agent had ended; it goes on.", summary="w", colour=["red"])
    shown = tools.view(made("SendMessage", call, orjson.dumps(told).decode()))
    assert shown.rest == "The agent had ended; it goes on."
    assert shown.more == {"type": "broadcast", "content": "Another.", "sender": "lead", "summary": "w", "colour": ["red"]}  # fmt: skip
    clash = orjson.dumps(sent(summary="another")).decode()
    assert tools.view(made("SendMessage", {"to": "tide", "message": WORDS, "summary": "w"}, clash)).rest == clash
    failed = '{"success":false,"message":"Nobody is called tide"}'
    shown = tools.view(made("SendMessage", {"to": "tide", "message": WORDS}, failed))
    assert (shown.rest, shown.more) == ("Nobody is called tide", {"success": False})


def test_a_messages_result_that_is_no_json_any_more_is_known_by_its_twin() -> None:
    """In sessions that were made anonymous, `true` is another word."""
    broken = orjson.dumps(sent()).decode().replace("true", "gabr")
    call = {"to": "tide", "message": WORDS}
    shown = tools.view(made("SendMessage", call, broken, structured=sent()))
    assert (shown.rest, shown.more) == ("", {"sender": "lead", "summary": "wave 2"})
    assert tools.view(made("SendMessage", call, broken)).rest == broken
    assert tools.view(made("SendMessage", call, '{"other":', structured=sent())).rest == '{"other":'


@pytest.mark.parametrize(
    "name", [*TOOLS, "NotebookEdit", "Skill", "BashOutput", "SendMessage", "Brief", "update_plan", "LS"]
)
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_any_types_in_any_key(name: str, data: st.DataObject) -> None:
    keys = ("command", "file_path", "old_string", "todos", "questions", "plan", "edits", "content", "query", "answers", "taskId", "status", "file", "structuredPatch", "originalFile", "stderr")  # fmt: skip
    odd = st.dictionaries(st.sampled_from(keys), json_values | st.lists(st.dictionaries(st.sampled_from(("content", "question", "options", "label", "old_string")), json_values, max_size=3), max_size=2), max_size=6)  # fmt: skip
    call = made(name, data.draw(odd), data.draw(st.text(max_size=30)), structured=data.draw(odd), outcome=data.draw(st.sampled_from(("ok", "failed", "rejected"))))  # fmt: skip
    shown = tools.view(call)
    assert isinstance(str(tools.summary(call, shown)), str)
    msgspec.json.encode(shown)


@settings(deadline=None, max_examples=200)
@given(call=tool_calls(), answer=st.none() | tool_results())
def test_every_word_is_in_the_view(call: ToolCall, answer: ToolResult | None) -> None:
    shown = tools.view(Call("a", call, answer, MESSAGE))
    told = msgspec.json.encode(shown).decode()
    if answer is not None:
        for block in answer.content:
            if isinstance(block, Text):
                assert all(word in told for word in re.findall(r"w[0-9a-f]{1,8}w", block.text))
            elif isinstance(block, Media):
                assert block in shown.media
            elif isinstance(block, Unknown):
                assert block in shown.unknown
