"""What is made for clm from another format: loads without a fault, loses nothing in silence."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clm_loader import Loader, find_loader, find_shared
from dragoman import registry
from dragoman.io.target import Target
from dragoman.model import (
    AgentLink,
    Block,
    Entry,
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
    walk,
)
from dragoman.report import Code, Report
from strategies import marked, sessions

LIMIT = 65_535


@pytest.fixture(scope="module")
def loader(shared: Path) -> Loader:
    return find_loader(shared)


def convert(session: Session, folder: Path, **options: Any) -> tuple[list[Path], Report]:
    report = Report()
    target = Target.folder(folder)
    writer = registry.writer("clm")
    writer.write(session, target, writer.options(**options), report)
    return target.commit(), report


def user(text: str, **more: Any) -> Message:
    return Message(role="user", origin=more.pop("origin", "prompt"), blocks=(Text(text),), **more)


def assistant(*blocks: Block, **more: Any) -> Message:
    return Message(role="assistant", origin="reply", blocks=blocks, **more)


def result(call_id: str, text: str, **more: Any) -> Message:
    return Message(role="tool", origin="result", blocks=(ToolResult(call_id, (Text(text),), **more),))


def call(call_id: str, name: str = "Bash", arguments: str = '{"command": "ls"}') -> ToolCall:
    return ToolCall(call_id, name, arguments)


def session_of(*entries: Entry, **header: Any) -> Session:
    return Session(header=Header(id="0a0b0c0d-1111-4222-8333-444455556666", **header), entries=entries)


def load(session: Session, folder: Path, loader: Loader, **options: Any) -> tuple[list[dict[str, Any]], Report]:
    """The history that clm would show for the main session, after all of its files were found faultless."""
    paths, report = convert(session, folder, **options)
    for path in paths:
        assert loader.faults(path) == []
    main = next(p for p in paths if "agent" not in json.loads(p.read_text().split("\n")[0]))
    return loader.history(main), report


@settings(max_examples=60, deadline=None)
@given(sessions())
def test_any_session_loads_without_a_fault(session: Session) -> None:
    shared = find_shared()
    if shared is None:
        pytest.skip("../shared is not here")
    loader = find_loader(shared)
    with tempfile.TemporaryDirectory() as folder:
        paths, _ = convert(session, Path(folder))
        for path in paths:
            assert loader.faults(path) == []


def _live(session: Session) -> list[Message]:
    return [m for m in session.messages if m.status == "live" and not m.branch and not any(b.status for b in m.blocks)]


@settings(max_examples=60, deadline=None)
@given(sessions())
def test_every_word_is_in_the_output_or_in_the_report(session: Session) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths, report = convert(session, Path(folder))
        records = [json.loads(line) for path in paths for line in path.read_text().split("\n") if line]
        everything = "\n".join(str(record.get("content")) for record in records)
        reasoning = signatures = media = 0
        hidden = {id(a.session) for s, _ in walk(session) for a in s.subagents if a.hidden}
        stack, shown = [session], []
        while stack:
            current = stack.pop()
            shown.append(current)
            stack += [a.session for a in current.subagents if id(a.session) not in hidden]
        for current in shown:
            for message in _live(current):
                for block in message.blocks:
                    match block:
                        case Text(text=text):
                            assert text.replace("\0", "\ufffd") in everything or not text.strip()
                        case Reasoning(text=text):
                            reasoning += bool(text)
                            signatures += not text
                        case Media():
                            media += 1
                        case ToolResult(content=content):
                            for part in content:
                                if isinstance(part, Text):
                                    assert part.text.replace("\0", "\ufffd") in everything or not part.text.strip()
                        case _:
                            pass
        assert report.count(Code.DROPPED_REASONING) >= reasoning
        assert report.count(Code.DROPPED_SIGNATURE) >= signatures
        assert report.count(Code.DROPPED_MEDIA) >= media


@settings(max_examples=60, deadline=None)
@given(st.text("aé漢😀\n", max_size=40), st.integers(0, 3000), st.sampled_from(("user", "assistant", "tool")))
def test_long_content_is_continued_or_cut_on_a_character(text: str, times: int, role: str) -> None:
    long = "x" + text * times * 8
    entries = [user("go"), assistant(Text(long))] if role == "assistant" else [user(long)]
    if role == "tool":
        entries = [user("go"), assistant(call("c1")), result("c1", long)]
    with tempfile.TemporaryDirectory() as folder:
        (path,), report = convert(session_of(*entries), Path(folder))
        records = [json.loads(line) for line in path.read_text().split("\n")[1:] if line]
        ours = [record["content"] for record in records if record["role"] == role and record.get("content") != "go"]
        assert all(len(each.encode()) <= LIMIT for each in ours)
        if role != "tool":
            assert "".join(ours) == long
            assert (report.count(Code.CONTINUED) > 0) == (len(ours) > 1)
        elif len(long.encode()) > LIMIT:
            kept, _, note = ours[0].rpartition("\n… [truncated: ")
            assert long.startswith(kept)
            assert len(ours[0].encode()) > LIMIT - 6
            assert int(note.split()[0]) == len(long.encode()) - len(kept.encode())
            assert report.count(Code.TRUNCATED) == 1
        else:
            assert ours == [long]


def test_results_follow_their_calls_whatever_stands_between(tmp_path: Path, loader: Loader) -> None:
    session = session_of(
        user("go"),
        assistant(Text("two"), call("a"), call("b")),
        result("b", "B"),
        user("wait", origin="queued_prompt"),
        result("a", "A"),
        assistant(Text("done")),
    )
    history, report = load(session, tmp_path, loader)
    assert [(m["role"], m.get("content")) for m in history] == [
        ("user", "go"),
        ("assistant", "two"),
        ("tool", "A"),
        ("tool", "B"),
        ("user", "wait"),
        ("assistant", "done"),
    ]
    assert report.count(Code.REORDERED) == 1


def test_unanswered_calls_and_orphan_results(tmp_path: Path, loader: Loader) -> None:
    session = session_of(user("go"), result("gone", "left over"), assistant(call("a")), user("stop"))
    history, report = load(session, tmp_path, loader)
    assert history[1]["content"] == ("[context update] result of a call that is not in this conversation:\nleft over")
    assert history[3]["content"].startswith("error: no result was recorded")
    assert report.count(Code.ORPHAN_RESULT) == 1
    assert report.count(Code.SYNTHETIC_RESULT) == 1


def test_the_same_call_id_again_is_another_call(tmp_path: Path, loader: Loader) -> None:
    turns = [(assistant(call("call_1")), result("call_1", str(n))) for n in range(3)]
    history, report = load(session_of(user("go"), *(m for turn in turns for m in turn)), tmp_path, loader)
    assert [m["content"] for m in history if m["role"] == "tool"] == ["0", "1", "2"]
    assert len({m["tool_call_id"] for m in history if m["role"] == "tool"}) == 3
    assert report.count(Code.RENAMED_ID) == 2


@pytest.mark.parametrize(
    ("given_arguments", "written", "code"),
    [
        ('{"a":  1}', '{"a":  1}', None),
        ("[1]", '{"value":[1]}', Code.BAD_ARGUMENTS),
        ('{"a": ', '{"text":"{\\"a\\": "}', Code.BAD_ARGUMENTS),
        ("", "{}", Code.BAD_ARGUMENTS),
        ('{"a":"\\u0000"}', '{"a":"\ufffd"}', Code.CONTROL_CHARACTERS),
        ('{"a":"\\\\u0000"}', '{"a":"\\\\u0000"}', None),
        ('{"a":"\\ud83d"}', '{"a":"\ufffd"}', Code.LONE_SURROGATE),
    ],
)
def test_arguments(given_arguments: str, written: str, code: Code | None, tmp_path: Path, loader: Loader) -> None:
    history, report = load(
        session_of(user("go"), assistant(call("a", arguments=given_arguments)), result("a", "")), tmp_path, loader
    )
    assert history[1]["tool_calls"][0]["args"] == written
    for each in (Code.BAD_ARGUMENTS, Code.CONTROL_CHARACTERS, Code.LONE_SURROGATE):
        assert report.count(each) == (each is code)


def test_arguments_nested_deeper_than_clm_reads(tmp_path: Path, loader: Loader) -> None:
    deep = '{"a":' + "[" * 1010 + "]" * 1010 + "}"
    history, _ = load(session_of(user("go"), assistant(call("a", arguments=deep))), tmp_path, loader)
    assert isinstance(json.loads(history[1]["tool_calls"][0]["args"]), dict)


def test_names_that_differ_stay_two(tmp_path: Path, loader: Loader) -> None:
    history, report = load(
        session_of(user("go"), assistant(call("a", "x.y"), call("b", "x_y"), call("c", "x y"), call("d", "x.y"))),
        tmp_path,
        loader,
    )
    names = [each["name"] for each in history[1]["tool_calls"]]
    assert names[0] == names[3]
    assert len(set(names)) == 3
    assert report.count(Code.RENAMED_TOOL) >= 3


def test_what_is_not_text(tmp_path: Path, loader: Loader) -> None:
    session = session_of(
        Message(role="user", origin="prompt", blocks=(Text("see"), Media("image/png", data="A" * 16_000))),
        assistant(Reasoning("hm"), Unknown("odd", {"secret": "inside"}), Text("a cat")),
        assistant(call("a")),
        result("a", "bad", error="yes", outcome="failed"),
    )
    history, report = load(session, tmp_path, loader)
    assert [m.get("content") for m in history] == [
        "see\n\n[image: image/png, 12 KB]",
        "[odd]\n\na cat",
        "error: bad",
    ]
    assert report.count(Code.MERGED) == 1
    for code in (Code.DROPPED_REASONING, Code.DROPPED_MEDIA, Code.DROPPED_BLOCK, Code.DROPPED_ERROR_FLAG):
        assert report.count(code) == 1


def test_machinery_is_context_and_what_was_withdrawn_is_left_out(tmp_path: Path, loader: Loader) -> None:
    session = session_of(
        Message(role="system", origin="instructions", blocks=(Text("be kind"),)),
        user("reminder", origin="injected"),
        user("<command-name>/init</command-name>\n<command-args>all</command-args>", origin="slash_command"),
        assistant(Text("old"), status="retracted"),
        user("left", branch="b1"),
        assistant(Text("   ")),
        assistant(Text("new")),
    )
    history, report = load(session, tmp_path / "one", loader)
    assert [m["content"] for m in history] == [
        "[context update] be kind",
        "[context update] reminder",
        "/init all",
        "new",
    ]
    for code in (Code.DROPPED_RETRACTED, Code.DROPPED_BRANCH, Code.EMPTY_MESSAGE):
        assert report.count(code) == 1
    history, _ = load(session, tmp_path / "two", loader, branches=True)
    assert "left" in [m["content"] for m in history]


def test_the_providers_own_tools_answer_in_their_place(tmp_path: Path, loader: Loader) -> None:
    session = session_of(
        user("go"),
        assistant(
            Text("searching"),
            ToolCall("s", "web_search", "{}", server=True),
            ToolResult("s", (Text("hit"),)),
            Text("so"),
        ),
    )
    history, report = load(session, tmp_path, loader)
    assert [(m["role"], m["content"]) for m in history[1:]] == [
        ("assistant", "searching"),
        ("tool", "hit"),
        ("assistant", "so"),
    ]
    assert report.count(Code.REORDERED) == 0


def test_a_conversation_begins_with_the_user(tmp_path: Path, loader: Loader) -> None:
    history, report = load(session_of(assistant(Text("hello"))), tmp_path, loader)
    assert history[0]["role"] == "user"
    assert report.count(Code.SYNTHETIC_MESSAGE) == 1


def family() -> Session:
    inner = Session(header=Header(id="s"), entries=(user("inner task"), assistant(Text("inner done"))))
    outer = Session(
        header=Header(id="s"),
        entries=(user("outer task"), assistant(call("in", "Agent"))),
        subagents=(Subagent(agent_id="b2", links=(AgentLink(call_id="in", evidence="meta"),), session=inner),),
    )
    housekeeping = Session(header=Header(id="s"), entries=(user("Warmup"),))
    return Session(
        header=Header(id="0a0b0c0d-1111-4222-8333-444455556666"),
        entries=(user("go"), assistant(call("out", "Agent")), result("out", "finished")),
        subagents=(
            Subagent(agent_id="a1", kind="Explore", links=(AgentLink(call_id="out", evidence="meta"),), session=outer),
            Subagent(agent_id="c3", hidden=True, session=housekeeping),
        ),
    )


def test_subagents_are_sessions_beside_the_main_one(tmp_path: Path, loader: Loader) -> None:
    paths, report = convert(family(), tmp_path)
    metas = [json.loads(path.read_text().split("\n")[0]) for path in paths]
    assert [meta.get("agent") for meta in metas] == [None, "Explore", "subagent"]
    assert all(loader.faults(path) == [] for path in paths)
    assert f"finished\n[subagent session: {metas[1]['id']}]" == loader.history(paths[0])[-1]["content"]
    assert metas[2]["id"] in loader.history(paths[1])[-1]["content"]
    assert report.count(Code.DROPPED_HIDDEN_AGENT) == 1
    again, _ = convert(family(), tmp_path / "again")
    assert [path.name for path in again] == [path.name for path in paths]


def test_to_standard_output_goes_the_main_session_only(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    report = Report()
    target = Target(None)
    writer = registry.writer("clm")
    writer.write(family(), target, writer.options(), report)
    target.commit()
    assert capfdbinary.readouterr().out.count(b'"type":"meta"') == 1
    assert report.count(Code.DROPPED_SUBAGENT) == 1


def test_the_chosen_name_is_the_id(tmp_path: Path) -> None:
    target = Target(tmp_path / "20260102-030405-0badcafe.jsonl")
    writer = registry.writer("clm")
    writer.write(session_of(user("go")), target, writer.options(), Report())
    (path,) = target.commit()
    assert json.loads(path.read_text().split("\n")[0])["id"] == "20260102-030405-0badcafe"


def test_repair_mends_a_faulty_log(tmp_path: Path, shared: Path, loader: Loader) -> None:
    from dragoman.io.source import Source

    faulty = shared / "examples" / "clm" / "20260824-060842-deadbeef.jsonl"
    reader = registry.reader("clm")
    (session,) = reader.read(Source(faulty), reader.options(), Report())
    paths, report = convert(session, tmp_path, repair=True)
    assert [path.name for path in paths] == [faulty.name]
    assert loader.faults(paths[0]) == []
    assert report.count(Code.MENDED) >= 3


@settings(max_examples=60, deadline=None)
@given(marked)
def test_a_lone_surrogate_of_a_program_is_replaced(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (path,), report = convert(session_of(user(text + "\ud83d")), Path(folder))
        assert json.loads(path.read_text().split("\n")[1])["content"].endswith("\ufffd")
        assert report.count(Code.LONE_SURROGATE) == 1


def test_places_are_reported() -> None:
    span = Span("a.jsonl", 7)
    with tempfile.TemporaryDirectory() as folder:
        _, report = convert(session_of(user("go"), assistant(call("a"), span=span)), Path(folder))
    (finding,) = (each for each in report.findings if each.code is Code.SYNTHETIC_RESULT)
    assert finding.places == (span,)
