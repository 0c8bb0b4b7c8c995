"""The rules of Chat Completions, one by one, and what becomes of all that has no place there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import openai_rules
from dragoman.errors import UsageError
from dragoman.io.source import Source
from dragoman.io.target import Target
from dragoman.model import (
    AgentLink,
    Block,
    Entry,
    Event,
    Header,
    Media,
    Message,
    Reasoning,
    Session,
    Span,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
)
from dragoman.readers.openai import reader
from dragoman.readers.protocol import NoOptions
from dragoman.report import Code, Report
from dragoman.writers.openai import OpenAIOptions, writer
from dragoman.writers.openai.conversation import NO_RESULT, conversation

PICTURE = Media(media_type="image/png", data="iVBORw0KGgo=")


def user(*blocks: Block, **more: Any) -> Message:
    return Message(role="user", origin=more.pop("origin", "prompt"), blocks=blocks, **more)


def reply(*blocks: Block, **more: Any) -> Message:
    return Message(role="assistant", origin="reply", blocks=blocks, **more)


def results(*blocks: Block, **more: Any) -> Message:
    return Message(role="tool", origin="result", blocks=blocks, **more)


def call(identifier: str = "call_1", name: str = "Bash", arguments: str = "{}", **more: Any) -> ToolCall:
    return ToolCall(identifier, name, arguments, **more)


def result(text: str = "ok", identifier: str = "call_1", **more: Any) -> ToolResult:
    return ToolResult(identifier, content=(Text(text),) if text else (), **more)


def written(*entries: Entry, report: Report | None = None, **options: Any) -> list[dict[str, Any]]:
    messages = conversation(Session(header=Header(), entries=entries), report or Report(), **options)
    openai_rules.check(messages)
    return messages


def roles(messages: list[dict[str, Any]]) -> str:
    return " ".join(message["role"] for message in messages)


# --- calls and results ------------------------------------------------------------------------------


def test_results_go_to_their_calls_whatever_stood_between() -> None:
    report = Report()
    messages = written(
        reply(call("call_1"), call("call_2", "Read")),
        user(Text("meanwhile")),
        results(result("two", "call_2")),
        results(result("one", "call_1"), Text("a reminder")),
        report=report,
    )
    assert roles(messages) == "assistant tool tool user user"
    assert [each["content"] for each in messages[1:]] == ["one", "two", "meanwhile", "a reminder"]
    assert report.count(Code.REORDERED, "a result, to its call") == 2


def test_calls_that_were_answered_at_once_are_not_reported_as_moved() -> None:
    report = Report()
    written(
        reply(call("call_1"), call("call_2")),
        results(result("1", "call_1")),
        results(result("2", "call_2")),
        report=report,
    )
    assert report.findings == []


def test_a_call_without_a_result_gets_a_stated_one() -> None:
    report = Report()
    messages = written(reply(call()), user(Text("hello?")), report=report)
    assert messages[1] == {"role": "tool", "tool_call_id": "call_1", "content": NO_RESULT}
    assert report.count(Code.SYNTHETIC_RESULT) == 1


def test_a_result_without_a_call_becomes_words() -> None:
    report = Report()
    messages = written(results(result("lost", "gone", tool_name="Grep", span=Span("a.jsonl", 4))), report=report)
    assert roles(messages) == "user"
    assert [part["text"] for part in messages[0]["content"]] == ["[A result of Grep, whose call isn't here]", "lost"]
    assert report.findings[0].places == (Span("a.jsonl", 4),)


def test_two_results_of_one_call() -> None:
    report = Report()
    messages = written(reply(call()), results(result("first")), results(result("second")), report=report)
    assert roles(messages) == "assistant tool user"
    assert report.count(Code.ORPHAN_RESULT) == 1


def test_an_id_used_twice_is_two_calls_with_their_own_results() -> None:
    report = Report()
    messages = written(
        reply(call(arguments='{"n":1}')),
        results(result("one")),
        reply(call(arguments='{"n":2}')),
        results(result("two")),
        report=report,
    )
    first, second = messages[0]["tool_calls"][0]["id"], messages[2]["tool_calls"][0]["id"]
    assert first == "call_1" and second != first and second.startswith("call_")
    assert [messages[1]["content"], messages[3]["content"]] == ["one", "two"]
    assert report.count(Code.RENAMED_ID) == 1


@pytest.mark.parametrize("identifier", ["x" * 41, "", "spaces in it", "ünï"])
def test_ids_are_short_and_plain(identifier: str) -> None:
    messages = written(reply(call(identifier)), results(result("ok", identifier)))
    assert messages[1]["content"] == "ok"
    assert messages == written(reply(call(identifier)), results(result("ok", identifier)))  # always the same


def test_a_result_that_stands_before_its_call_still_answers_it() -> None:
    messages = written(results(result("early")), reply(call()))
    assert roles(messages) == "assistant tool" and messages[1]["content"] == "early"


def test_a_providers_own_tool_splits_the_reply() -> None:
    """Its result stands inside the reply; the words after it were written with it in view."""
    messages = written(
        reply(
            Text("I search."), call("srv_1", "web_search", server=True), result("found", "srv_1"), Text("Here it is.")
        )
    )
    assert [(each["role"], each["content"]) for each in messages] == [
        ("assistant", "I search."),
        ("tool", "found"),
        ("assistant", "Here it is."),
    ]


def test_words_after_a_call_go_before_it() -> None:
    report = Report()
    (message, _) = written(reply(call(), Text("after")), results(result()), report=report)
    assert message["content"] == "after" and report.count(Code.REORDERED) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"a": 1,  "b": "\\u00e4"}', '{"a": 1,  "b": "\\u00e4"}'),  # as it stood
        ("", "{}"),
        (" ", "{}"),
        ("[1,2]", '{"input":[1,2]}'),
        ('"x"', '{"input":"x"}'),
        ("null", '{"input":null}'),
        ("{broken", '{"input":"{broken"}'),
        ("NaN", '{"input":"NaN"}'),
    ],
)
def test_arguments_are_an_object(arguments: str, expected: str) -> None:
    report = Report()
    (message, _) = written(reply(call(arguments=arguments)), results(result()), report=report)
    assert message["tool_calls"][0]["function"]["arguments"] == expected
    assert report.count(Code.BAD_ARGUMENTS) == (arguments != expected)


# --- names ------------------------------------------------------------------------------------------

LONG = "mcp__" + "very_long_server_name_" * 4 + "__do"


def test_names_that_dont_fit_are_mapped_and_said(tmp_path: Path) -> None:
    report = Report()
    odd = 'Task" >\n<parameter name="description'
    messages = written(
        reply(call("call_1", odd), call("call_2", LONG), call("call_3", odd), call("call_4", "Bash")),
        report=report,
    )
    note = messages[0]
    assert (note["role"], note["name"]) == ("system", "dragoman")
    names = [each["function"]["name"] for each in messages[1]["tool_calls"]]
    assert names[0] == names[2] and names[3] == "Bash" and len(names[1]) <= 64
    assert json.loads(note["content"]) == {"tool_names": {names[0]: odd, names[1]: LONG}}
    assert report.count(Code.RENAMED_TOOL) == 3
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(messages))
    (session,) = reader.read(Source(path), NoOptions(), Report())
    (first, *_) = session.entries
    assert isinstance(first, Message)
    assert [each.name for each in first.blocks if isinstance(each, ToolCall)] == [odd, LONG, odd, "Bash"]


def test_a_mapped_name_never_meets_a_real_one() -> None:
    (_, message, *_) = written(reply(call("call_1", "a b"), call("call_2", "a_b_c8687a08")))
    taken, real = (each["function"]["name"] for each in message["tool_calls"])
    again = written(reply(call("call_1", "a b"), call("call_2", taken)))
    assert len({each["function"]["name"] for each in again[1]["tool_calls"]}) == 2
    assert real == "a_b_c8687a08"


# --- pictures, documents ----------------------------------------------------------------------------


def test_pictures_of_a_result_follow_in_a_user_message() -> None:
    messages = written(
        reply(call("call_1", "shot"), call("call_2")),
        results(ToolResult("call_1", content=(Text("a"), PICTURE, Text("b")))),
        results(result("c", "call_2")),
    )
    assert roles(messages) == "assistant tool tool user"
    assert [part["text"] for part in messages[1]["content"]] == ["a", "[image below]", "b"]
    assert messages[3]["content"] == [
        {"type": "text", "text": "[image from the result of shot]"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
    ]


@pytest.mark.parametrize(
    ("media", "part"),
    [
        (PICTURE, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}),
        (
            Media("image/*", url="https://example.org/a.png"),
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        ),
        (
            Media("application/pdf", data="JVBERg==", name="t.pdf"),
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERg==", "filename": "t.pdf"}},
        ),
        (
            Media("audio/wav", data="UklGRg=="),
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        ),
    ],
)
def test_media_of_a_prompt_are_parts(media: Media, part: dict[str, Any]) -> None:
    report = Report()
    (message,) = written(user(Text("see"), media), report=report)
    assert message["content"] == [{"type": "text", "text": "see"}, part]
    assert report.findings == []


@pytest.mark.parametrize(
    "media",
    [
        Media("image/png", name="lost.png"),
        Media("image/png", url="/etc/passwd"),
        Media("image/png", url="file:///etc/passwd"),
        Media("image/svg,x", data="AAAA"),
        Media("video/mp4", data="AAAA"),
        Media("application/pdf", url="https://example.org/a.pdf"),
        Media(""),
    ],
)
def test_media_that_fit_nowhere_become_a_note(media: Media) -> None:
    report = Report()
    (message,) = written(user(media), report=report)
    assert message["content"].startswith("[") and media.name in message["content"] and media.url in message["content"]
    assert report.count(Code.DROPPED_MEDIA) == 1


# --- what is left out -------------------------------------------------------------------------------


def test_reasoning_is_left_out_or_a_field() -> None:
    blocks = (Reasoning("I think.", signature="s"), Reasoning("", withheld=True, signature="s"), Text("So."))
    report = Report()
    assert written(reply(*blocks), report=report) == [{"role": "assistant", "content": "So."}]
    assert report.count(Code.DROPPED_REASONING) == 1 and report.count(Code.DROPPED_SIGNATURE) == 1
    report = Report()
    (message,) = written(reply(*blocks), report=report, reasoning=True)
    assert message["reasoning_content"] == "I think."
    assert report.count(Code.DROPPED_REASONING) == 0 and report.count(Code.DROPPED_SIGNATURE) == 2


def test_abandoned_and_withdrawn_messages_are_left_out_with_their_results() -> None:
    report = Report()
    messages = written(
        user(Text("old"), branch="b1"),
        reply(Text("wrong"), call("call_1"), status="retracted"),
        results(result("of the withdrawn call")),
        reply(Text("half", status="superseded"), Text("whole")),
        reply(Text("kept", status="live"), Text("not"), status="superseded"),
        report=report,
    )
    assert [each["content"] for each in messages] == ["whole", "kept"]
    assert report.count(Code.DROPPED_BRANCH) == 1
    assert report.count(Code.DROPPED_RETRACTED) == 4


def test_empty_messages_are_left_out() -> None:
    report = Report()
    assert written(user(), user(Text("")), reply(), reply(Text("")), results(), report=report) == []
    assert report.count(Code.EMPTY_MESSAGE) == 5


def test_events_unknown_blocks_and_fields_are_counted() -> None:
    report = Report()
    written(
        Event(kind="compaction"),
        user(Unknown(kind="hologram", value=1), Text("x"), extra={"a": 1, "b": 2}),
        reply(Unknown(kind="<secret name>", value=1), Text("y"), model="m"),
        report=report,
    )
    assert report.count(Code.DROPPED_EVENT, "compaction") == 1
    assert report.count(Code.DROPPED_BLOCK, "hologram") == 1
    assert report.count(Code.DROPPED_BLOCK, "unknown block") == 1
    assert report.count(Code.DROPPED_FIELD, "extra") == 2
    assert report.count(Code.DROPPED_FIELD, "model") == 1


def test_what_a_model_saw_of_an_unknown_result_it_sees_again() -> None:
    answer = ToolResult("call_1", content=(Unknown(kind="tool_reference", value={"tool_name": "Grep"}),))
    assert written(reply(call()), results(answer))[1]["content"] == '{"tool_name":"Grep"}'


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        (result("no such file", error="yes", outcome="failed"), "Error: no such file"),
        (
            result("<tool_use_error>bad</tool_use_error>", error="yes", outcome="failed"),
            "<tool_use_error>bad</tool_use_error>",
        ),
        (result("", error="yes", outcome="failed"), "Error"),
        (result("", error="yes", outcome="rejected"), "[The user rejected this call.]"),
        (result("", outcome="interrupted"), "[This call was interrupted.]"),
        (result("said no", error="yes", outcome="rejected", feedback="said no"), "said no"),
    ],
)
def test_how_a_call_ended_is_said_in_words(answer: ToolResult, content: str) -> None:
    report = Report()
    assert written(reply(call()), results(answer), report=report)[1]["content"] == content
    assert report.count(Code.DROPPED_ERROR_FLAG) == 1


def test_a_persons_words_in_a_rejection_are_kept() -> None:
    answer = result("rejected", error="yes", outcome="rejected", feedback="use the other file")
    content = written(reply(call()), results(answer))[1]["content"]
    assert content[-1]["text"] == "The user said: use the other file"


# --- files ------------------------------------------------------------------------------------------


def with_agents() -> Session:
    inner = Subagent(agent_id="i", session=Session(header=Header(), entries=(user(Text("inner"), origin="task"),)))
    hidden = Subagent(agent_id="h", hidden=True, session=Session(header=Header(), entries=(user(Text("hidden")),)))
    outer = Subagent(
        agent_id="o",
        links=(AgentLink(call_id="call_1", evidence="meta"),),
        session=Session(header=Header(), entries=(user(Text("outer"), origin="task"),), subagents=(inner,)),
    )
    return Session(header=Header(id="main"), entries=(user(Text("main")),), subagents=(outer, hidden))


def put(session: Session, target: Target, report: Report, **options: Any) -> None:
    writer.write(session, target, OpenAIOptions(**options), report)


def test_an_array_holds_the_main_conversation_only(tmp_path: Path) -> None:
    report = Report()
    target = Target(tmp_path / "out.json")
    put(with_agents(), target, report)
    target.commit()
    assert json.loads((tmp_path / "out.json").read_text()) == [{"role": "user", "content": "main"}]
    assert report.count(Code.DROPPED_SUBAGENT) == 2 and report.count(Code.DROPPED_HIDDEN_AGENT) == 1


@pytest.mark.parametrize(
    ("name", "options"), [("out.jsonl", {}), ("out.json", {"lines": True}), ("x", {"tools": True})]
)
def test_lines_hold_each_agent_s_conversation_too(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    report = Report()
    target = Target(tmp_path / name)
    put(with_agents(), target, report, **options)
    put(with_agents(), target, report, **options)
    target.commit()
    lines = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
    assert [line["messages"][0]["content"] for line in lines] == ["main", "outer", "inner"] * 2
    assert all(line.keys() == {"messages"} for line in lines)  # no calls, no tools
    assert report.count(Code.DROPPED_SUBAGENT) == 0 and report.count(Code.DROPPED_HIDDEN_AGENT) == 2


def test_several_sessions_dont_fit_an_array(tmp_path: Path) -> None:
    target = Target(tmp_path / "out.json")
    put(with_agents(), target, Report())
    with pytest.raises(UsageError, match="--lines"):
        put(with_agents(), target, Report())
    target.discard()


def test_tools_are_what_the_calls_let_see(tmp_path: Path) -> None:
    target = Target(tmp_path / "out.json")
    session = Session(
        header=Header(),
        entries=(
            reply(
                call("call_1", "Bash", '{"command": "ls", "timeout": 5}'), call("call_2", "Bash", '{"timeout": null}')
            ),
            reply(call("call_3", "Todo", '{"items": [], "all": true, "at": {}}')),
        ),
    )
    put(session, target, Report(), tools=True)
    target.commit()
    line = json.loads((tmp_path / "out.json").read_text())
    openai_rules.check_tools(line["tools"])
    assert [(each["function"]["name"], each["function"]["parameters"]["properties"]) for each in line["tools"]] == [
        ("Bash", {"command": {"type": "string"}, "timeout": {"type": ["null", "number"]}}),
        ("Todo", {"items": {"type": "array"}, "all": {"type": "boolean"}, "at": {"type": "object"}}),
    ]


def test_every_example_and_every_corpus_session_is_valid(shared: Path) -> None:
    """Real structures of every version, with all their subagents, as a provider would take them."""
    from dragoman import registry

    claude_code = registry.reader("claude-code")
    projects = [*(shared / "examples" / "projects").iterdir(), *(shared / "corpus").glob("*/projects/*")]
    checked = 0
    for project in sorted(projects):
        for session in claude_code.read(Source(project), claude_code.options(), Report()):
            for each in (session, *(agent.session for agent in session.subagents)):
                openai_rules.check(conversation(each, Report()))
                checked += 1
    assert checked > 100
