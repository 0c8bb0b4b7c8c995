"""Subagents' logs beside their caller's: found from its results, and carried there and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_clm_writer import family

from dragoman import registry
from dragoman.io.source import Source
from dragoman.io.target import Target
from dragoman.model import Session
from dragoman.report import Code, Report

MAIN = "20260824-060842-544d4eb3"
AGENT = "20260824-060843-0badcafe"


def log(folder: Path, own: str, *names: str, agent: str = "", words: str = "done") -> Path:
    """A log with one call, whose result names other logs."""
    meta: dict[str, Any] = {"type": "meta", "v": 1, "id": own, "created": 1787551722}
    call = {"id": "c1", "name": "Agent", "args": '{"description":"Count the boats"}'}
    named = "".join(f"\n[subagent session: {each}]" for each in names)
    records = [
        meta | ({"agent": agent} if agent else {}),
        {"role": "user", "content": words, "type": "msg"},
        {"role": "assistant", "tool_calls": [call], "type": "msg"},
        {"role": "tool", "content": f"{words}{named}", "tool_call_id": "c1", "tool_name": "Agent", "type": "msg"},
    ]
    path = folder / f"{own}.jsonl"
    path.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in records))
    return path


def read(path: Path, report: Report | None = None, name: str = "clm") -> list[Session]:
    reader = registry.reader(name)
    return list(reader.read(Source(path), reader.options(), report or Report()))


def write(sessions: list[Session], name: str, folder: Path, report: Report | None = None, **options: Any) -> list[Path]:
    target, writer = Target.folder(folder), registry.writer(name)
    for session in sessions:
        target.begin()
        writer.write(session, target, writer.options(**options), report or Report())
    return target.commit()


def shape(session: Session) -> list[Any]:
    """Kind and calls of each subagent, with those below it."""
    return [
        (agent.kind, [link.call_id for link in agent.links], shape(agent.session))
        for agent in session.subagents
        if not agent.hidden
    ]


def test_the_way_back_brings_the_subagents(tmp_path: Path) -> None:
    """They stayed behind: a migrated session came back without its helpers' work."""
    (main, *_) = write([family()], "clm", tmp_path / "clm")
    report = Report()
    (session,) = read(main, report)
    assert shape(session) == [("Explore", ["out"], [("", ["in"], [])])]
    assert report.worst() is None
    made = write([session], "claude-code", tmp_path / "back", cwd="/home/dev/demo")
    names = sorted(path.relative_to(tmp_path / "back").parts[1:] for path in made)
    assert [len(each) for each in names] == [0, 2, 2, 2, 2]
    (back,) = read(next(path for path in made if path.parent == tmp_path / "back"), name="claude-code")
    assert shape(back) == [("Explore", ["out"], [("general-purpose", ["in"], [])])]
    write([back], "clm", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(tmp_path / "clm")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_session_that_went_on_in_claude_code_names_each_subagent_once(tmp_path: Path) -> None:
    log(tmp_path, MAIN, AGENT)
    log(tmp_path, AGENT, agent="Explore")
    (path, *_) = write(read(tmp_path / f"{MAIN}.jsonl"), "claude-code", tmp_path / "back", cwd="/home/dev/demo")
    line = {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "and now"}}
    path.write_text(path.read_text() + json.dumps(line) + "\n")
    made = write(read(path, name="claude-code"), "clm", tmp_path / "again")
    words = "".join(each.read_text() for each in made)
    assert "and now" in words
    assert words.count("[subagent session: ") == 1
    assert f"[subagent session: {AGENT}]" in words
    assert AGENT in [each.stem for each in made]


@pytest.mark.parametrize("way", ["folder", "one by one"])
def test_a_folder_is_copied_whole_and_each_log_once(tmp_path: Path, way: str) -> None:
    """An agent that two sessions name is one log; in a folder it is nobody's session of its own."""
    folder = tmp_path / "clm"
    folder.mkdir()
    second = "20260824-060844-00c0ffee"
    for own, names, agent in ((MAIN, (AGENT,), ""), (AGENT, (), "Explore"), (second, (AGENT,), "")):
        log(folder, own, *names, agent=agent)
    sessions = read(folder)
    assert [session.header.id for session in sessions] == [MAIN, second]
    if way == "one by one":
        sessions = [read(path)[0] for path in sorted(folder.iterdir())]
    write(sessions, "clm", tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(folder)


def test_what_is_named_and_not_there_is_said(tmp_path: Path) -> None:
    report = Report()
    (session,) = read(log(tmp_path, MAIN, AGENT, "../../etc/passwd"), report)
    assert session.subagents == ()
    assert report.count(Code.SIDE_FILE_MISSING) == 0  # the last line is no id, so the result names nothing
    (session,) = read(log(tmp_path, MAIN, AGENT), report)
    assert session.subagents == ()
    assert report.count(Code.SIDE_FILE_MISSING, "a subagent's session") == 1


def test_somebodys_own_session_is_nobodys_subagent(tmp_path: Path) -> None:
    """What a tool printed may look like the name of a session: one without an agent's kind stays where it is."""
    log(tmp_path, AGENT)
    (session,) = read(log(tmp_path, MAIN, AGENT))
    assert session.subagents == ()
    assert len(read(tmp_path)) == 2


def test_logs_that_name_each_other_are_read_once(tmp_path: Path) -> None:
    log(tmp_path, MAIN, AGENT, MAIN, agent="a")
    log(tmp_path, AGENT, MAIN, AGENT, agent="b")
    (session,) = read(tmp_path)
    assert session.header.id == MAIN
    assert shape(session) == [("b", ["c1"], [])]


def test_a_long_chain_of_subagents_ends(tmp_path: Path) -> None:
    ids = [f"20260824-060842-{number:08x}" for number in range(120)]
    for own, following in zip(ids, [*ids[1:], ids[0]], strict=True):
        log(tmp_path, own, following, agent="a")
    report = Report()
    (session,) = read(tmp_path / f"{ids[0]}.jsonl", report)
    depth = 0
    while session.subagents:
        session, depth = session.subagents[0].session, depth + 1
    assert depth == 50
    assert report.count(Code.DROPPED_SUBAGENT) == 1


def test_a_folder_that_nobody_named_is_said(tmp_path: Path) -> None:
    """A clm log names no folder: Claude Code was given the current one without a word."""
    report = Report()
    write(read(log(tmp_path, MAIN)), "claude-code", tmp_path / "a", report)
    assert report.count(Code.ASSUMED_FOLDER, str(Path.cwd())) == 1
    report = Report()
    write(read(log(tmp_path, MAIN)), "claude-code", tmp_path / "b", report, cwd="/home/dev/demo")
    assert report.count(Code.ASSUMED_FOLDER) == 0
