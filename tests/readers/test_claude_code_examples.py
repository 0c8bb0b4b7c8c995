"""The shared examples: for each shape what a person must see."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import events, read, read_all, told

from dragoman.model import Message, Session, ToolCall, ToolResult, Unknown, walk
from dragoman.report import Code, Report


@pytest.fixture
def projects(shared: Path) -> Path:
    return shared / "examples" / "projects"


def one(folder: Path) -> tuple[Session, Report]:
    report = Report()
    (session,) = read_all(folder, report)
    return session, report


def results(session: Session) -> dict[str, ToolResult]:
    return {b.call_id: b for m in session.messages for b in m.blocks if isinstance(b, ToolResult)}


def people(session: Session) -> list[tuple[str, str]]:
    machinery = ("reply", "result", "injected", "synthetic", "synthetic_error")
    return [(origin, words) for origin, words in told(session) if origin not in machinery]


def test_the_newest_kind_of_session(projects: Path) -> None:
    session, report = one(projects / "-home-dev-demo")
    assert session.header.title == "JSON flag work"
    assert people(session) == [
        ("prompt", "Add a --json flag to the CLI"),
        ("queued_prompt", "also update the README"),
        ("notification", 'Background command "Wait" completed (exit code 0)'),
        ("prompt", "Media + make it look like [Image #4]"),
        ("prompt", "Media + and this pdf"),
        ("slash_command", "/model opus"),
        ("command_output", "Set model to \x1b[1mopus\x1b[22m"),
        ("slash_command", "/cost"),
        ("command_output", "Total cost: $0.10"),
        ("shell_input", "git status"),
        ("shell_output", "clean"),
        ("interrupt", "[Request interrupted by user for tool use]"),
        ("notification", 'Agent "Long job" completed + All done.'),
        ("agent_message", "96% coverage"),
        ("agent_message", "hello from another session"),
        ("prompt", "use argparse"),
        ("prompt", "use click instead"),
        ("compaction_summary", people(session)[17][1]),
        ("prompt", "continue"),
    ]
    assert [m.branch for m in session.messages if m.branch] == ["rewind-1"] * 2
    assert [report.count(Code.UNKNOWN_BLOCK, "hologram"), report.count(Code.UNKNOWN_RECORD, "future-type")] == [1, 1]


def test_parallel_calls_are_one_reply_with_three_results(projects: Path) -> None:
    session, _ = one(projects / "-home-dev-demo")
    reply = next(m for m in session.messages if m.id == "msg_01par")
    assert [b.id for b in reply.blocks if isinstance(b, ToolCall)] == ["toolu_A", "toolu_B", "toolu_C"]
    found = results(session)
    assert [(found[f"toolu_{x}"].error, found[f"toolu_{x}"].outcome) for x in "ABC"] == [
        ("unsaid", "ok"),
        ("yes", "failed"),
        ("no", "ok"),
    ]
    assert found["toolu_E"].outcome == "rejected"
    assert found["toolu_BIG"].content[0].text == "line 1\n" * 50  # type: ignore[union-attr]


def test_what_ran_at_the_provider(projects: Path) -> None:
    session, _ = one(projects / "-home-dev-demo")
    reply = next(m for m in session.messages if any(isinstance(b, ToolCall) and b.server for b in m.blocks))
    assert [b.content[0].text for b in reply.blocks if isinstance(b, ToolResult)] == [
        "T\nhttps://example.org",
        "Looks fine.",
    ]  # type: ignore[union-attr]
    assert [b.kind for b in reply.blocks if isinstance(b, Unknown)] == ["fallback", "hologram"]


def test_agents_hang_where_they_were_started(projects: Path) -> None:
    session, _ = one(projects / "-home-dev-demo")
    tree = {
        a.agent_id: (a.kind, a.hidden, a.group, [(x.call_id, x.evidence) for x in a.links])
        for _, a in walk(session)
        if a
    }
    assert tree == {
        "a1b2c3d4e5f60718": ("Explore", False, "", [("toolu_AG1", "meta")]),
        "a5dddddddddddddd": ("Explore", False, "", [("toolu_N1", "meta")]),
        "a2aaaaaaaaaaaaaa": ("general-purpose", False, "", [("toolu_AG2", "meta")]),
        "a3bbbbbbbbbbbbbb": ("Explore", False, "", [("toolu_AG3", "meta")]),
        "a4cccccccccccccc": ("fork", False, "", [("toolu_AG4", "meta")]),
        "acompact-9f9f9f": ("compact", True, "", []),
        "wfag1": ("workflow-subagent", False, "wf_0001", [("toolu_WF", "result")]),
    }
    nested = next(a for a in session.subagents if a.agent_id == "a1b2c3d4e5f60718")
    assert [a.agent_id for a in nested.session.subagents] == ["a5dddddddddddddd"]
    fork = next(a for a in session.subagents if a.kind == "fork")
    assert ("task", "Your directive: touch it") in told(fork.session)
    assert all(m.id != "msg_01par" for m in fork.session.messages)


def test_the_shapes_of_2_1_289(projects: Path) -> None:
    session, _ = one(projects / "-home-dev-newest")
    assert people(session) == [
        ("prompt", "Run both checks"),
        ("queued_prompt", "and commit"),
        ("compaction_summary", "This session is being continued from a previous conversation…"),
    ]
    assert results(session)["toolu_Z2"].feedback == "use ninja instead"
    assert [m.status for m in session.messages if m.role == "assistant"] == ["live", "retracted", "live", "live"]
    assert "not a turn" not in str([m.blocks for m in session.messages])


def test_the_queue_the_caveat_and_the_rewind(projects: Path) -> None:
    session, _ = one(projects / "-home-dev-queue")
    assert people(session) == [
        ("prompt", "Refactor it"),
        ("queued_prompt", "and keep the old name"),
        ("prompt", "second prompt"),
        ("slash_command", "/exit"),
        ("command_output", "Bye!"),
        ("shell_input", "git status"),
        ("shell_output", "clean"),
        ("prompt", "I like this idea"),
        ("prompt", "I do not like this idea"),
    ]
    assert [str(m.blocks[0].text) for m in session.messages if m.branch] == ["I like this idea", "Good."]  # type: ignore[union-attr]


def test_a_history_that_was_replayed(projects: Path) -> None:
    session, report = one(projects / "-home-dev-vscode")
    assert [words for _, words in told(session)][-2:] == ["now the new part", "New answer."]
    assert len(told(session)) == 7
    assert report.count(Code.REPLAYED) == 7


def test_a_sidechain_inside_the_file(projects: Path) -> None:
    session, _ = one(projects / "-home-dev-old")
    assert session.header.title == "How many Go files?"
    (agent,) = session.subagents
    assert agent.links[0].call_id == "toolu_T1"
    assert told(agent.session) == [
        ("task", "Count the Go files"),
        ("reply", "ToolCall"),
        ("result", "ToolResult"),
        ("reply", "3 files"),
    ]


def test_flat_agents(projects: Path) -> None:
    session, _ = one(projects / "-home-dev-flat")
    assert [(a.agent_id, a.hidden, len(a.links)) for a in session.subagents] == [
        ("0a1b2c3d", False, 1),
        ("deadbeef", True, 0),
    ]


def test_results_beside_progress(projects: Path) -> None:
    session, _ = one(projects / "-home-dev-prog")
    assert [origin for origin, _ in told(session)] == ["prompt", "reply", "result", "reply"]
    assert not session.header.usage_complete


def test_resumed_copied_and_forked(projects: Path) -> None:
    sessions = read_all(projects / "-home-dev-res")
    assert [len(told(session)) for session in sessions] == [2, 4, 2]
    assert [session.header.title for session in sessions] == ["4+4*4?", "4+4*4?", "4+4*4? (fork)"]
    assert sessions[2].header.parent is not None and sessions[2].header.parent.kind == "forked"


def test_damage(shared: Path) -> None:
    report = Report()
    session = read(shared / "examples" / "damage" / "damaged.jsonl", report)
    assert [words for _, words in told(session)] == [
        "after a BOM",
        "after a run of NULs",
        "two objects",
        "on one line",
        "the record that follows",
        "caf�",
        "lone surrogate � end",
        "NaN usage",
        "a bare string",
        "",
        "no type",
        "str + no type + Unknown",
        "dup",
        "cycle a",
        "cycle b",
    ]
    lines = {(found.code, place.line) for found in report.findings for place in found.places}
    for code, line in (
        (Code.BYTE_ORDER_MARK, 1),
        (Code.NUL_BYTES, 3),
        (Code.LINE_SEVERAL, 4),
        (Code.LINE_SPLICED, 5),
        (Code.BAD_BYTES, 6),
        (Code.LONE_SURROGATE, 7),
        (Code.BIG_NUMBER, 12),
        (Code.DUPLICATE_RECORD, 18),
        (Code.TAIL_CUT, 22),
    ):
        assert (code, line) in lines


@pytest.mark.parametrize("name", ["empty.jsonl", "blank.jsonl", "only-metadata.jsonl"])
def test_nothing_in_it(shared: Path, name: str) -> None:
    report = Report()
    assert not list(read(shared / "examples" / "damage" / name, report).messages)
    assert report.count(Code.EMPTY) == 1


def test_a_stream(shared: Path) -> None:
    session = read(shared / "examples" / "stream-json" / "run.jsonl")
    assert told(session) == [("reply", "ToolCall"), ("result", "ToolResult"), ("reply", "a.py")]
    assert told(session.subagents[0].session) == [("reply", "from a subagent")]
    assert {event.name for event in events(session)} == {"init", "rate_limit_event", "result"}


def test_the_web(shared: Path) -> None:
    session = read(shared / "examples" / "web" / "session.json")
    assert told(session) == [("prompt", "hi"), ("reply", "hello")]


def test_every_entry_knows_its_place(projects: Path) -> None:
    for session in read_all(projects):
        for part, _ in walk(session):
            for entry in part.entries:
                assert entry.span is not None and entry.span.file.endswith((".jsonl", ".json"))
                assert not isinstance(entry, Message) or entry.span.line > 0
