"""Subagents: every layout, every kind of evidence, nesting, hidden ones (catalogue, section 7)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import SID, Log, agent_file, call, events, read, read_all, read_log, text, told, write

from dragoman.model import Subagent, walk
from dragoman.readers.claude_code import flat_agents
from dragoman.report import Code, Report


@pytest.fixture
def run() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def main(**more: Any) -> Log:
    log = Log()
    log.user("start")
    log.reply(call("toolu_1", "Agent", prompt="Find the tests", description="Find tests", subagent_type="Explore"))
    log.result("toolu_1", more.pop("answer", "found"), **more)
    return log


def agent(id: str = "a1b2c3d4e5f60718", prompt: str = "Something else", answer: str = "found") -> Log:
    log = Log(agent=id)
    log.user(prompt)
    log.reply(answer)
    return log


def links(found: Subagent) -> list[tuple[str, str]]:
    return [(link.call_id, link.evidence) for link in found.links]


def only(folder: Path, log: Log, report: Report | None = None) -> Subagent:
    (found,) = read_log(folder, log, report).subagents
    return found


def test_the_meta_file_names_the_call(tmp_path: Path) -> None:
    agent_file(tmp_path, agent(), {"toolUseId": "toolu_1", "agentType": "Explore", "description": "d", "spawnDepth": 1})
    found = only(tmp_path, main())
    assert (found.agent_id, found.kind, found.description) == ("a1b2c3d4e5f60718", "Explore", "d")
    assert links(found) == [("toolu_1", "meta")]
    assert told(found.session) == [("task", "Something else"), ("reply", "found")]
    assert found.extra == {"spawnDepth": 1}
    parent = found.session.header.parent
    assert parent is not None and (parent.session_id, parent.kind) == (SID, "spawned")


@pytest.mark.parametrize("broken", ["", "{", "[1]", "null", '{"toolUseId": 5}'])
def test_a_broken_meta_file_is_no_reason_to_lose_the_agent(tmp_path: Path, broken: str) -> None:
    agent_file(tmp_path, agent(), broken)
    assert links(only(tmp_path, main(toolUseResult={"agentId": "a1b2c3d4e5f60718"}))) == [("toolu_1", "result")]


def test_a_meta_file_may_name_a_call_that_is_nowhere(tmp_path: Path) -> None:
    agent_file(tmp_path, agent(prompt="Find the tests"), {"toolUseId": "toolu_nowhere"})
    assert links(only(tmp_path, main())) == [("toolu_1", "prompt")]


def test_the_result_s_text_names_the_agent(tmp_path: Path) -> None:
    agent_file(tmp_path, agent())
    answer = [text("found"), text("agentId: a1b2c3d4e5f60718 (use SendMessage with to: …)\n<usage>…</usage>")]
    assert links(only(tmp_path, main(answer=answer))) == [("toolu_1", "text")]


def test_progress_lines_name_the_agent(tmp_path: Path) -> None:
    agent_file(tmp_path, agent())
    log = main()
    log.add("progress", data={"type": "agent_progress", "agentId": "a1b2c3d4e5f60718"}, parentToolUseID="toolu_1")
    assert links(only(tmp_path, log)) == [("toolu_1", "progress")]


@pytest.mark.parametrize("where", ["user", "queue", "json", "attachment"])
def test_a_notification_names_the_agent(tmp_path: Path, where: str) -> None:
    agent_file(tmp_path, agent())
    log = main()
    note = (
        "<task-notification><task-id>a1b2c3d4e5f60718</task-id><tool-use-id>toolu_1</tool-use-id></task-notification>"
    )
    if where == "user":
        log.user(note)
    elif where == "queue":
        log.queue("enqueue", note)
    elif where == "json":
        log.queue("enqueue", json.dumps({"task_id": "a1b2c3d4e5f60718", "tool_use_id": "toolu_1"}))
    else:
        log.add("attachment", attachment={"type": "queued_command", "prompt": note, "commandMode": "task-notification"})
    assert links(only(tmp_path, log)) == [("toolu_1", "notification")]


def test_equal_prompts_are_taken_in_order(tmp_path: Path) -> None:
    log = Log()
    log.reply(call("toolu_1", "Task", prompt=" Count "), call("toolu_2", "Task", prompt="Count"))
    agent_file(tmp_path, agent("a000000001", "Count"))
    later = agent("a000000002", "Count\n")
    for line in later.lines:
        line["timestamp"] = line["timestamp"].replace("T10", "T11")
    agent_file(tmp_path, later)
    session = read_log(tmp_path, log)
    assert [links(each) for each in session.subagents] == [[("toolu_1", "prompt")], [("toolu_2", "prompt")]]


def test_an_agent_without_a_call_has_its_own_place(tmp_path: Path) -> None:
    report = Report()
    agent_file(tmp_path, agent())
    found = only(tmp_path, main(), report)
    assert found.links == ()
    assert report.count(Code.AGENT_UNLINKED) == 1


def test_flat_files_belong_to_the_session_that_they_name(tmp_path: Path) -> None:
    log = main(toolUseResult={"agentId": "0a1b2c3d"})
    mine, other = agent("0a1b2c3d"), agent("deadbeef")
    for line in other.lines:
        line["sessionId"] = "another"
    path = write(tmp_path, log)
    write(tmp_path, mine, "agent-0a1b2c3d.jsonl")
    write(tmp_path, other, "agent-deadbeef.jsonl")
    assert [links(each) for each in read(path).subagents] == [[("toolu_1", "result")]]
    assert len(read_all(tmp_path)) == 2  # the other one is what is left of a session


def test_flat_files_that_come_later_are_seen(tmp_path: Path, run: ExitStack) -> None:
    """What lies in a folder is remembered: not longer than it is so."""
    path = write(tmp_path, main(toolUseResult={"agentId": "0a1b2c3d"}))
    run.enter_context(flat_agents.remembered())
    assert read(path).subagents == ()
    begun = tmp_path / "agent-0a1b2c3d.jsonl"
    begun.touch()
    os.utime(tmp_path, ns=(1, 1))  # some clocks are coarse
    assert read(path).subagents == ()
    written = write(tmp_path / "elsewhere", agent("0a1b2c3d"), begun.name)
    with begun.open("ab") as file:  # its folder doesn't change
        file.write(written.read_bytes())
    os.utime(tmp_path, ns=(1, 1))
    assert [each.agent_id for each in read(path).subagents] == ["0a1b2c3d"]


def test_a_folder_of_flat_files_is_gone_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file's first record was read for each session: 1,000 of both were a million readings."""
    paths = []
    for number in range(20):
        log, own = main(toolUseResult={"agentId": f"{number:08x}"}), agent(f"{number:08x}")
        for line in (*log.lines, *own.lines):
            line["sessionId"] = f"s{number}"
        paths.append(write(tmp_path, log, f"s{number}.jsonl"))
        write(tmp_path, own, f"agent-{number:08x}.jsonl")
    asked: list[Path] = []
    first = flat_agents.first_record
    monkeypatch.setattr(flat_agents, "first_record", lambda path, name: asked.append(path) or first(path, name))
    with flat_agents.remembered():
        assert [[each.agent_id for each in read(path).subagents] for path in paths] == [[f"{n:08x}"] for n in range(20)]
    assert len(asked) == 40


def test_outside_of_a_run_no_folder_is_remembered(tmp_path: Path) -> None:
    path = write(tmp_path, main(toolUseResult={"agentId": "0a1b2c3d"}))
    flat = write(tmp_path, agent("0a1b2c3d"), "agent-0a1b2c3d.jsonl")
    assert [each.agent_id for each in read(path).subagents] == ["0a1b2c3d"]
    flat.write_bytes(flat.read_bytes().replace(SID.encode(), b"another"))  # its folder doesn't change
    assert read(path).subagents == ()


def test_nested_agents_hang_under_the_agent_that_called_them(tmp_path: Path) -> None:
    outer, inner = agent(), agent("a5ddddddddddddddd", "Look deeper")
    outer.reply(call("toolu_N", "Agent", prompt="Look deeper"))
    outer.result("toolu_N", [text("x"), text("agentId: a5ddddddddddddddd\n")])
    agent_file(tmp_path, outer, {"toolUseId": "toolu_1"})
    agent_file(tmp_path, inner)
    session = read_log(tmp_path, main())
    assert [(owner.agent_id if owner else "") for _, owner in walk(session)] == [
        "",
        "a1b2c3d4e5f60718",
        "a5ddddddddddddddd",
    ]
    assert len(session.subagents) == 1


def test_an_agent_may_name_its_parent_only(tmp_path: Path) -> None:
    agent_file(tmp_path, agent(), {"toolUseId": "toolu_1"})
    agent_file(tmp_path, agent("a5ddddddddddddddd"), {"parentAgentId": "a1b2c3d4e5f60718"})
    (outer,) = read_log(tmp_path, main()).subagents
    assert [each.agent_id for each in outer.session.subagents] == ["a5ddddddddddddddd"]


def test_cycles_of_agents_end(tmp_path: Path) -> None:
    """Three agents, each started by a call of the next: a loop that hangs from nowhere."""
    names = ["a000000000000001", "a000000000000002", "a000000000000003"]
    for number, name in enumerate(names):
        log = agent(name)
        log.reply(call(f"toolu_{number}x", "Agent", prompt="p"))
        agent_file(tmp_path, log, {"toolUseId": f"toolu_{(number + 1) % 3}x"})
    session = read_log(tmp_path, main())
    assert sorted(owner.agent_id for _, owner in walk(session) if owner) == names


def test_a_very_long_chain_of_agents_is_no_deep_tree(tmp_path: Path) -> None:
    for number in range(120):
        log = agent(f"a{number:015}")
        log.reply(call(f"toolu_d{number + 1}", "Agent", prompt="p"))
        agent_file(tmp_path, log, {"toolUseId": f"toolu_d{number}"})
    session = read_log(tmp_path, main())
    assert sum(1 for _ in walk(session)) == 121


def test_a_resumed_agent_is_split_at_its_prompts(tmp_path: Path) -> None:
    log = main(toolUseResult={"agentId": "a1b2c3d4e5f60718"})
    log.reply(call("toolu_2", "SendMessage", to="a1b2c3d4e5f60718", message="and the docs?"))
    log.result("toolu_2", "resumed", toolUseResult={"success": True, "resumedAgentId": "a1b2c3d4e5f60718"})
    log.reply(call("toolu_3", "Task", resume="a1b2c3d4e5f60718", prompt="third"))
    worker = agent()
    worker.user("and the docs?")
    worker.reply("fine")
    worker.user("third")
    agent_file(tmp_path, worker)
    found = only(tmp_path, log)
    assert [(link.call_id, link.first_entry) for link in found.links] == [
        ("toolu_1", 0),
        ("toolu_2", 2),
        ("toolu_3", 4),
    ]


@pytest.mark.parametrize(
    ("id", "hidden"),
    [
        ("acompact-9f9f9f", True),
        ("aprompt_suggestion-1a2b3c", True),
        ("aside_question-1a2b3c", True),
        ("asession_memory-1", True),
        ("aaway_summary-1", True),
        ("ahook-1", True),
        ("aspeculation-1", True),
        ("areviewer-1a2b3c", False),
        ("acompactor-1a2b3c", False),
        ("a1b2c3d", False),
    ],
)
def test_housekeeping_is_hidden(tmp_path: Path, id: str, hidden: bool) -> None:
    agent_file(tmp_path, agent(id))
    assert only(tmp_path, main()).hidden is hidden


def test_a_fork_is_shown_from_its_directive_on(tmp_path: Path) -> None:
    log = main(toolUseResult={"isAsync": True, "agentId": "a4cccccccccccccc0"})
    fork = Log(agent="a4cccccccccccccc0")
    fork.bare("fork-context-ref", agentId=fork.agent, parentSessionId=SID, parentLastUuid="u2", contextLength=2)
    spawn = log.lines[1]
    fork.add("assistant", message=spawn["message"], requestId=spawn["requestId"])
    started = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Fork started"}
    fork.user([started, text("<fork-boilerplate>You are a fork.</fork-boilerplate>\n\nYour directive: do it")])
    fork.reply("FORK_DONE")
    agent_file(tmp_path, fork, {"agentType": "fork", "toolUseId": "toolu_in_no_transcript"})
    report = Report()
    session = read_log(tmp_path, log, report)
    (found,) = session.subagents
    assert links(found) == [("toolu_1", "result")]
    assert told(found.session) == [
        ("injected", "Fork started"),
        ("injected", "<fork-boilerplate>You are a fork.</fork-boilerplate>"),
        ("task", "Your directive: do it"),
        ("reply", "FORK_DONE"),
    ]
    assert report.count(Code.REPLAYED) == 1


def test_usage_of_a_copied_message_is_counted_once(tmp_path: Path) -> None:
    log = main()
    copy = Log(agent="acompact-123456")
    spawn = log.lines[1]
    message = {**spawn["message"], "usage": {"output_tokens": 50}}
    copy.add("assistant", message=message, requestId=spawn["requestId"])
    copy.reply("summary", out=7)
    agent_file(tmp_path, copy)
    outputs = [
        [m.usage.output if m.usage else None for m in part.messages if m.role == "assistant"]
        for part, _ in walk(read_log(tmp_path, log))
    ]
    assert outputs == [[50], [None, 7]]


def test_workflow_agents_are_a_group_with_what_their_run_says(tmp_path: Path) -> None:
    log = Log()
    log.reply(call("toolu_W", "Workflow", script="x"))
    log.result("toolu_W", "launched", toolUseResult={"status": "async_launched", "taskId": "w1", "runId": "wf_1"})
    agent_file(tmp_path, agent("wfag1", "Review a"), {"agentType": "workflow-subagent"}, "workflows/wf_1/")
    folder = tmp_path / SID
    journal = [{"type": "started", "agentId": "wfag1"}, {"type": "result", "agentId": "wfag1", "result": {"ok": True}}]
    write(tmp_path, journal, f"{SID}/subagents/workflows/wf_1/journal.jsonl")
    (folder / "workflows").mkdir()
    run = {
        "runId": "wf_1",
        "workflowName": "review",
        "agents": [{"agentId": "wfag1", "label": "review:a", "phaseTitle": "Review", "phaseIndex": 1}],
    }
    (folder / "workflows" / "wf_1.json").write_text(json.dumps(run), encoding="utf-8")
    session = read_log(tmp_path, log)
    (found,) = session.subagents
    assert (found.group, found.description, links(found)) == ("wf_1", "review:a", [("toolu_W", "result")])
    assert (found.extra["phase"], found.extra["journal"]["result"]) == ("Review", {"ok": True})
    (event,) = [each for each in events(session, "context") if each.name == "workflow-run"]
    assert event.data["workflowName"] == "review"


def test_an_agent_known_from_progress_lines_only(tmp_path: Path) -> None:
    log = Log("2.1.39")
    log.reply(call("toolu_1", "Task", prompt="Find", subagent_type="Explore", description="Find it"))
    for number, message in enumerate(
        (
            {"type": "user", "message": {"role": "user", "content": [text("Find")]}},
            {
                "type": "assistant",
                "message": {"id": "msg_a", "content": [text("Found")], "usage": {"output_tokens": 3}},
            },
        )
    ):
        embedded = {**message, "uuid": f"p{number}", "timestamp": "2026-03-01T10:00:00Z"}
        for _ in range(2):
            log.add(
                "progress",
                data={"type": "agent_progress", "agentId": "a99", "message": embedded},
                parentToolUseID="toolu_1",
            )
    session = read_log(tmp_path, log)
    (found,) = session.subagents
    assert (found.agent_id, found.kind, found.extra["source"]) == ("a99", "Explore", "progress")
    assert links(found) == [("toolu_1", "progress")]
    assert told(found.session) == [("task", "Find"), ("reply", "Found")]
    assert [m.usage for m in found.session.messages] == [None, None]


def test_progress_lines_add_only_what_the_agent_s_file_lacks(tmp_path: Path) -> None:
    worker = agent("a99")
    agent_file(tmp_path, worker)
    log = main()
    for message in (
        worker.lines[1],
        {**worker.lines[1], "uuid": "lost", "message": {"id": "m", "content": [text("lost")]}},
    ):
        log.add(
            "progress", data={"type": "agent_progress", "agentId": "a99", "message": message}, parentToolUseID="toolu_1"
        )
    assert told(only(tmp_path, log).session)[1:] == [("reply", "found"), ("reply", "lost")]


def test_sidechains_inside_the_main_file(tmp_path: Path) -> None:
    log = Log("1.0.98")
    log.user("start")
    log.reply(call("toolu_1", "Task", prompt="Count"), call("toolu_2", "Task", prompt="Measure"))
    spawn = log.last
    roots = []
    for prompt in ("Measure ", "Count"):
        log.user(prompt, isSidechain=True, parentUuid=None)
        roots.append(log.last)
    log.reply("3 metres", isSidechain=True, parentUuid=roots[0])
    log.reply("3 files", isSidechain=True, parentUuid=roots[1])
    log.result("toolu_1", "3 files", parentUuid=spawn)
    session = read_log(tmp_path, log)
    assert [origin for origin, _ in told(session)] == ["prompt", "reply", "result"]
    assert [(links(each), told(each.session)[1][1]) for each in session.subagents] == [
        ([("toolu_2", "prompt")], "3 metres"),
        ([("toolu_1", "prompt")], "3 files"),
    ]


def test_agents_of_a_session_that_is_gone(tmp_path: Path) -> None:
    agent_file(tmp_path, agent())
    (session,) = read_all(tmp_path)
    assert session.header.id == SID
    assert session.entries == ()
    assert told(session.subagents[0].session) == [("task", "Something else"), ("reply", "found")]


def test_an_agent_s_file_by_itself_is_a_session(tmp_path: Path) -> None:
    agent_file(tmp_path, agent())
    session = read(tmp_path / SID / "subagents" / "agent-a1b2c3d4e5f60718.jsonl")
    assert told(session) == [("task", "Something else"), ("reply", "found")]
    assert session.subagents == ()
