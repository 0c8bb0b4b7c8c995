"""Sessions as turns: what belongs together is together, and what is left out is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hypothesis import given, settings

from dragoman.model import AgentLink, Event, Header, Message, Session, Subagent, Text, ToolCall, ToolResult
from dragoman.render.reading import read
from dragoman.render.turns import AgentRun, Answer, Branch, Call, Divider, Document, Note, Prompt, Step, Turn
from dragoman.report import Code, Report
from strategies import sessions


def says(words: str, **more: str) -> Message:
    return Message(role="user", origin="prompt", blocks=(Text(text=words),), **more)  # type: ignore[arg-type]


def reply(*blocks: Text | ToolCall | ToolResult) -> Message:
    return Message(role="assistant", origin="reply", blocks=blocks)


def call(identifier: str) -> ToolCall:
    return ToolCall(id=identifier, name="Bash", arguments="{}")


def back(*identifiers: str) -> Message:
    return Message(role="tool", origin="result", blocks=tuple(ToolResult(call_id=each) for each in identifiers))


def document(*entries: Message | Event, subagents: tuple[Subagent, ...] = ()) -> Document:
    return read(Session(header=Header(), entries=entries, subagents=subagents))


def runs_of(turns: tuple[Turn, ...]) -> Iterator[AgentRun]:
    for found in calls_of(turns):
        yield from found.runs


def calls_of(turns: tuple[Turn, ...]) -> Iterator[Call]:
    for turn in turns:
        parts = [turn.parts] if isinstance(turn, (Prompt, Note)) else []
        if isinstance(turn, Answer):
            parts = [item.parts for item in turn.items]
        if isinstance(turn, Branch):
            yield from calls_of(turn.turns)
        yield from (part for each in parts for part in each if isinstance(part, Call))


def test_calls_meet_their_results_wherever_they_stand() -> None:
    shown = document(says("go"), reply(call("a"), call("b")), back("b"), reply(call("c")), back("c", "a"))
    assert [type(turn) for turn in shown.turns] == [Prompt, Answer]
    found = list(calls_of(shown.turns))
    assert [(each.call.id, each.result.call_id) for each in found if each.call and each.result] == [
        ("a", "a"),
        ("b", "b"),
        ("c", "c"),
    ]


def test_equal_ids_are_paired_in_turn_and_the_rest_is_left_over() -> None:
    shown = document(reply(call("a")), back("a"), reply(call("a")), back("a", "a"))
    found = list(calls_of(shown.turns))
    assert [(each.call is not None, each.result is not None) for each in found] == [
        (True, True),
        (True, True),
        (False, True),
    ]


def test_dividers_and_branches() -> None:
    shown = document(
        says("one"), reply(Text(text="x")), Event(kind="compaction"), says("two", branch="b"), says("three")
    )
    assert [type(turn) for turn in shown.turns] == [Prompt, Answer, Divider, Branch, Prompt]
    assert [prompt.number for prompt in shown.prompts] == [1, 2]


def test_notes_within_an_answer_do_not_cut_it() -> None:
    shown = document(reply(Text(text="x")), Event(kind="notice", text="hm"), reply(Text(text="y")))
    (answer,) = shown.turns
    assert isinstance(answer, Answer)
    assert [type(item) for item in answer.items] == [Step, Note, Step]


def test_agents_stand_under_their_calls_or_at_the_end() -> None:
    inner = Session(header=Header(), entries=(says("task"),))
    linked = Subagent(agent_id="x", links=(AgentLink(call_id="a", evidence="meta"),), session=inner)
    stray = Subagent(agent_id="y", links=(AgentLink(call_id="gone", evidence="meta"),), session=inner)
    hidden = Subagent(agent_id="z", hidden=True, session=inner)
    shown = document(reply(call("a")), subagents=(linked, stray, hidden))
    assert [run.agent.agent_id for run in runs_of(shown.turns)] == ["x"]
    assert [run.agent.agent_id for run in shown.loose] == ["y"]
    assert shown.hidden_agents == 1


def test_titles_that_repeat_are_told_once() -> None:
    title = Event(kind="title", text="T")
    shown = document(title, title, Event(kind="title", text="U"), title)
    assert [turn.title for turn in shown.turns if isinstance(turn, Note)] == ["Titled “T”", "Titled “U”", "Titled “T”"]


def test_a_hook_is_told_of_only_where_it_complained() -> None:
    quiet = Event(kind="hook", name="stop_hook_summary", data={"hookErrors": []})
    loud = Event(kind="hook", name="stop_hook_summary", data={"hookErrors": ["lint failed"]})
    report = Report()
    shown = read(Session(header=Header(), entries=(quiet, loud)), "everything", report)
    (note,) = shown.turns
    assert isinstance(note, Note) and note.text == "lint failed" and note.alarm
    assert report.count(Code.DROPPED_EVENT, "stop_hook_summary") == 1


@settings(deadline=None, max_examples=40)
@given(session=sessions(depth=2))
def test_anchors_are_unique_and_every_call_is_there(session: Session) -> None:
    report = Report()
    shown = read(session, "everything", report)
    anchors: Counter[str] = Counter()
    calls = 0

    def visit(turns: tuple[Turn, ...]) -> None:
        nonlocal calls
        for turn in turns:
            anchors[turn.anchor] += 1
            groups = [turn.parts] if isinstance(turn, (Prompt, Note)) else []
            if isinstance(turn, Answer):
                anchors.update(item.anchor for item in turn.items)
                groups = [item.parts for item in turn.items]
            if isinstance(turn, Branch):
                visit(turn.turns)
            for part in (part for group in groups for part in group if isinstance(part, Call)):
                anchors[part.anchor] += 1
                calls += part.call is not None
                for run in part.runs:
                    agent(run)

    def agent(run: AgentRun) -> None:
        anchors[run.anchor] += 1
        visit(run.turns)
        for each in run.loose:
            agent(each)

    visit(shown.turns)
    for run in shown.loose:
        agent(run)
    assert max(anchors.values(), default=1) == 1
    expected = _calls(session)
    assert calls == expected


def _calls(session: Session) -> int:
    own = sum(
        isinstance(block, ToolCall) for entry in session.entries if isinstance(entry, Message) for block in entry.blocks
    )
    return own + sum(_calls(agent.session) for agent in session.subagents if not agent.hidden)
