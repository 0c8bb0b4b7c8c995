"""Moving in: what is brought over, found again, brought up to date, and never touched."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from history import BEGAN, History, go_on, quick_disk, snapshot, tree

from clm_loader import find_loader
from dragoman.conversion import convert
from dragoman.errors import DragomanError
from dragoman.migrate import Request, Summary, migrate, verify

__all__ = ["quick_disk"]  # a fixture for every test here


class Move:
    """A source, a target, and runs between them."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "claude"
        self.target = folder / "state" / "clm"

    def run(self, **more: Any) -> Summary:
        return migrate(Request(source=self.source, target=self.target, jobs=1, **more))

    def states(self, **more: Any) -> dict[str, str]:
        return {line.uuid[-4:]: line.state for line in self.run(**more).lines}

    def contents(self, clm_id: str) -> list[str]:
        lines = (self.target / f"{clm_id}.jsonl").read_text().split("\n")[1:]
        return [str(json.loads(line).get("content")) for line in lines if line]

    def logs(self) -> list[Path]:
        return sorted(self.target.glob("*.jsonl"))

    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.target / ".dragoman" / "manifest.json").read_text())
        return found


@pytest.fixture
def move(tmp_path: Path) -> Move:
    return Move(tmp_path)


def simple(number: int = 1) -> History:
    history = History(number)
    history.user("list the files")
    call = history.call(command="ls")
    history.result(call, "a.py")
    history.assistant("One file.")
    return history


def test_a_session_comes_over(move: Move, shared: Path) -> None:
    simple().write(move.source)
    before = tree(move.source)
    summary = move.run()
    (log,) = move.logs()
    assert find_loader(shared).faults(log) == []
    local = BEGAN.astimezone()
    assert log.stem.startswith(f"{local:%Y%m%d-%H}")
    assert move.contents(log.stem) == ["list the files", "None", "a.py", "One file."]
    (line,) = summary.lines
    assert (line.state, line.log, line.messages, line.calls, line.results) == ("new", log.stem, 4, 1, 1)
    assert tree(move.source) == before
    for path in move.target.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert stat.S_IMODE(move.target.stat().st_mode) == 0o700
    source = json.loads(json.dumps(move.manifest()["sessions"]))
    (moved,) = source.values()
    assert moved["losses"]["dropped-field"] > 0
    assert moved["outputs"]["main"][0]["id"] == log.stem


def test_a_second_run_without_news_changes_nothing(move: Move) -> None:
    for number in (1, 2, 3):
        simple(number).write(move.source)
    move.run()
    before = tree(move.target)
    assert set(move.states().values()) == {"unchanged"}
    assert tree(move.target) == before


def test_logs_are_listed_in_the_order_of_the_sources(move: Move) -> None:
    path = simple().write(move.source)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    move.run()
    assert move.logs()[0].stat().st_mtime == 1_700_000_000


def test_what_has_grown_is_brought_up_to_date(move: Move) -> None:
    history = simple()
    history.write(move.source)
    move.run()
    (log,) = move.logs()
    history.user("and now?")
    history.write(move.source)
    assert list(move.states().values()) == ["grown"]
    assert move.logs() == [log]
    assert move.contents(log.stem)[-1] == "and now?"


def test_a_call_that_was_open_gets_its_result_later(move: Move) -> None:
    history = History()
    history.user("go")
    call = history.call(command="sleep")
    history.write(move.source)
    move.run()
    (log,) = move.logs()
    assert move.contents(log.stem)[-1].startswith("error: no result was recorded")
    history.result(call, "slept")
    history.write(move.source)
    assert list(move.states().values()) == ["grown"]
    assert move.contents(log.stem) == ["go", "None", "slept"]


def test_a_session_that_went_on_in_clm_is_never_touched(move: Move, shared: Path) -> None:
    history = simple()
    history.write(move.source)
    move.run()
    (log,) = move.logs()
    go_on(log, "said in clm")
    theirs = log.read_bytes()
    assert list(move.states().values()) == ["unchanged"]
    history.user("said in Claude Code")
    history.assistant("indeed")
    history.write(move.source)
    summary = move.run()
    assert [line.state for line in summary.lines] == ["continued"]
    assert log.read_bytes() == theirs
    (other,) = (each for each in move.logs() if each != log)
    contents = move.contents(other.stem)
    assert contents[0].startswith("[migrated] ")
    assert log.stem in contents[0]
    assert contents[1:] == ["said in Claude Code", "indeed"]
    assert find_loader(shared).faults(other) == []
    # the further log grows as long as nobody goes on with it, and then makes room for another
    history.user("once more")
    history.write(move.source)
    assert list(move.states().values()) == ["grown"]
    assert move.contents(other.stem)[-1] == "once more"
    go_on(other, "in clm too")
    theirs_too = other.read_bytes()
    history.user("the last")
    history.write(move.source)
    assert list(move.states().values()) == ["continued"]
    assert (log.read_bytes(), other.read_bytes()) == (theirs, theirs_too)
    third = next(each for each in move.logs() if each not in (log, other))
    assert move.contents(third.stem)[1:] == ["the last"]
    assert list(move.states().values()) == ["unchanged"]


def test_the_figures_beside_a_log_are_its_own(move: Move) -> None:
    """Those of the whole session stood beside the id of its last piece: `9 messages 1 call` of a log with three and none."""
    history = simple()
    history.user("more")
    history.agent("searching")
    history.compact("summary")
    history.user("on")
    history.write(move.source)

    def check(state: str) -> None:
        (line,) = move.run().lines
        contents = move.contents(line.log)
        results = (move.target / f"{line.log}.jsonl").read_bytes().count(b'{"role":"tool",')
        assert (line.state, line.messages, line.calls, line.results) == (state, len(contents), results, results)
        (moved,) = move.manifest()["sessions"].values()
        assert moved["calls"] == 2
        for part in (part for parts in moved["outputs"].values() for part in parts):
            data = (move.target / f"{part['id']}.jsonl").read_bytes()[: part["bytes"]]
            assert part["lines"] == data.count(b'"type":"msg"') - bool(part["note"])
            assert part["calls"] == data.count(b'{"role":"tool",')

    check("new")
    history.assistant("grown")
    history.write(move.source)
    check("grown")
    go_on(next(log for log in move.logs() if "since its last" in log.read_text()), "in clm")
    history.user("said in Claude Code")
    history.write(move.source)
    check("continued")


def test_figures_where_an_older_manifest_has_none(move: Move) -> None:
    history = simple()
    history.agent("searching")
    history.write(move.source)
    move.run()
    path = move.target / ".dragoman" / "manifest.json"
    manifest = move.manifest()
    (moved,) = manifest["sessions"].values()
    for part in (part for parts in moved["outputs"].values() for part in parts):
        del part["calls"]
    path.write_text(json.dumps(manifest))
    go_on(move.target / f"{moved['outputs']['main'][0]['id']}.jsonl", "in clm")
    (lines,) = history.agents.values()
    lines.append({**lines[-1], "uuid": "0" * 8, "message": {"role": "user", "content": "more"}, "type": "user"})
    history.write(move.source)
    (line,) = move.run().lines
    assert (line.state, line.messages, line.calls) == ("grown", 5, 2)


def test_newer_lines_begin_where_no_call_is_open(move: Move, shared: Path) -> None:
    history = History()
    history.user("go")
    call = history.call(command="sleep")
    history.write(move.source)
    move.run()
    (log,) = move.logs()
    go_on(log, "never mind")
    history.result(call, "slept")
    history.assistant("done")
    history.write(move.source)
    move.run()
    (other,) = (each for each in move.logs() if each != log)
    assert find_loader(shared).faults(other) == []
    assert move.contents(other.stem)[1:] == ["None", "slept", "done"]


def test_a_log_that_clm_rewrote_still_counts_as_gone_on_with(move: Move) -> None:
    history = simple()
    history.write(move.source)
    move.run()
    (log,) = move.logs()
    meta = log.read_text().split("\n")[0]
    log.write_text(f'{meta}\n{{"role":"user","content":"compacted by clm","type":"msg"}}\n')
    theirs = log.read_bytes()
    history.user("newer")
    history.write(move.source)
    assert list(move.states().values()) == ["continued"]
    assert log.read_bytes() == theirs
    (other,) = (each for each in move.logs() if each != log)
    assert move.contents(other.stem)[1:] == ["newer"]


def test_a_source_that_lost_something_takes_nothing_away(move: Move) -> None:
    history = simple()
    history.user("precious")
    history.assistant("indeed")
    history.write(move.source)
    move.run()
    (log,) = move.logs()
    held = log.read_bytes()
    history.lines = history.lines[-2:]
    history.user("and on")
    history.write(move.source)
    assert list(move.states().values()) == ["kept"]
    assert log.read_bytes() == held
    assert len(move.logs()) == 2
    assert list(move.states().values()) == ["unchanged"]


def test_two_side_files_of_one_name(move: Move) -> None:
    """One was taken for the other, as if the source had lost something, and what is shorter now became another log."""
    history = simple()
    kept = history.user("left")
    history.assistant("going left")
    folder = history.write(move.source).with_suffix("")
    for number in (1, 2):
        path = folder / "tool-results" / str(number) / "result.txt"
        path.parent.mkdir(parents=True)
        path.write_text("x" * number)
    move.run()
    history.rewind(kept)
    history.user("right")
    history.assistant("going right")
    history.write(move.source)
    assert list(move.states().values()) == ["grown"]
    assert len(move.logs()) == 1


def test_a_log_that_was_deleted_comes_again(move: Move) -> None:
    simple().write(move.source)
    move.run()
    (log,) = move.logs()
    held = log.read_bytes()
    log.unlink()
    move.run()
    assert log.read_bytes() == held


def test_identity_does_not_hang_on_the_time_zone(move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    history = simple()
    history.agent("x")
    history.write(move.source)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        move.run()
        names = [log.name for log in move.logs()]
        monkeypatch.setenv("TZ", "America/Lima")
        time.tzset()
        history.user("more")
        history.write(move.source)
        move.run()
        assert [log.name for log in move.logs()] == names
        # the manifest is lost: the hash in the name is enough
        (move.target / ".dragoman" / "manifest.json").unlink()
        history.user("even more")
        history.write(move.source)
        move.run()
        assert [log.name for log in move.logs()] == names
    finally:
        monkeypatch.undo()
        time.tzset()


def test_without_a_manifest_a_log_that_went_on_is_known_by_its_words(move: Move) -> None:
    history = simple()
    history.write(move.source)
    move.run()
    (log,) = move.logs()
    go_on(log, "in clm")
    theirs = log.read_bytes()
    (move.target / ".dragoman" / "manifest.json").unlink()
    history.user("newer")
    history.write(move.source)
    move.run()
    assert log.read_bytes() == theirs
    (other,) = (each for each in move.logs() if each != log)
    assert move.contents(other.stem)[1:] == ["newer"]


def test_a_compacted_session_starts_at_its_last_compaction(move: Move, shared: Path) -> None:
    history = History()
    history.user("Fix the parser")
    history.assistant("first answer")
    history.compact("summary one")
    kept = history.user("second prompt")
    history.assistant("second answer")
    history.compact("summary two", [kept])
    history.user("third prompt")
    history.write(move.source)
    summary = move.run()
    main = summary.lines[0].log
    (before,) = (log.stem for log in move.logs() if log.stem != main)
    contents = move.contents(main)
    assert contents[0].startswith("[migrated] Fix the parser")
    assert before in contents[0]
    assert contents[1:] == ["[context update] summary two", "second prompt", "third prompt"]
    contents = move.contents(before)
    assert contents[0].startswith("[migrated] Fix the parser")
    assert main in contents[0]
    assert contents[1:] == [
        "Fix the parser",
        "first answer",
        "[context update] summary one",
        "second prompt",
        "second answer",
    ]
    for log in move.logs():
        assert find_loader(shared).faults(log) == []
    # the next compaction moves the line; nothing is lost by it
    history.compact("summary three")
    history.user("fourth prompt")
    history.write(move.source)
    assert list(move.states().values()) == ["grown"]
    assert len(move.logs()) == 2
    assert move.contents(main)[1:] == ["[context update] summary three", "fourth prompt"]
    assert "third prompt" in move.contents(before)


def test_a_preserved_segment_stays_with_the_results_of_its_calls(move: Move, shared: Path) -> None:
    history = History()
    history.user("one")
    first = history.user("two")
    call = history.call(command="ls")
    last = history.assistant("three")
    history.result(call, "listed")
    history.compact("summary", segment=(first, last))
    history.user("four")
    history.write(move.source)
    main = move.run().lines[0].log
    assert move.contents(main)[1:] == ["[context update] summary", "two", "None", "listed", "three", "four"]
    assert find_loader(shared).faults(move.target / f"{main}.jsonl") == []


def test_full_keeps_a_compacted_session_in_one_log(move: Move) -> None:
    history = History()
    history.user("one")
    history.assistant("two")
    history.compact("summary")
    history.user("three")
    history.write(move.source)
    move.run(full=True)
    (log,) = move.logs()
    assert move.contents(log.stem) == ["one", "two", "[context update] summary", "three"]


def test_subagents_have_sessions_of_their_own(move: Move, shared: Path) -> None:
    history = History()
    history.user("look around")
    history.agent("searching")
    history.write(move.source)
    main = move.run().lines[0].log
    (agent,) = (log for log in move.logs() if log.stem != main)
    assert json.loads(agent.read_text().split("\n")[0])["agent"] == "Explore"
    assert move.contents(main)[-1] == f"searching result\n[subagent session: {agent.stem}]"
    assert move.contents(agent.stem) == ["searching task", "searching done"]
    for log in move.logs():
        assert find_loader(shared).faults(log) == []


def test_no_subagents(move: Move) -> None:
    history = History()
    history.user("look around")
    history.agent("searching")
    history.write(move.source)
    main = move.run(subagents=False).lines[0].log
    assert [log.stem for log in move.logs()] == [main]
    assert move.contents(main)[-1] == "searching result"


def test_branches(move: Move) -> None:
    history = History()
    history.user("go")
    history.assistant("which way?")
    left = history.user("left")
    history.assistant("going left")
    history.rewind(left)
    history.user("right")
    history.assistant("going right")
    history.write(move.source)
    main = move.run().lines[0].log
    assert move.contents(main) == ["go", "which way?", "right", "going right"]
    move.run(branches=True)
    assert "going left" in move.contents(main)


def test_map_tools(move: Move) -> None:
    history = History()
    history.user("go")
    history.result(history.call(command="ls", description="d"), "a.py")
    history.result(history.call("Read", file_path="/a.py"), "text")
    history.result(history.call("mcp__x__y", q=1), "z")
    history.write(move.source)
    main = move.run(map_tools=True).lines[0].log
    records = [json.loads(line) for line in (move.target / f"{main}.jsonl").read_text().split("\n") if line]
    calls = [call for record in records for call in record.get("tool_calls", ())]
    assert [(call["name"], json.loads(call["args"])) for call in calls] == [
        ("shell_exec", {"cmd": "ls", "description": "d"}),
        ("read_file", {"path": "/a.py"}),
        ("mcp__x__y", {"q": 1}),
    ]
    assert next(record["tool_name"] for record in records if record.get("role") == "tool") == "shell_exec"


def test_export_media(move: Move, tmp_path: Path) -> None:
    history = History()
    history.user("see")
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    history.lines[0]["message"]["content"] = [{"type": "text", "text": "see"}, image]
    history.write(move.source)
    folder = tmp_path / "media"
    main = move.run(export_media=folder).lines[0].log
    (picture,) = folder.iterdir()
    assert picture.read_bytes() == b"\x89PNG\r\n\x1a\n"
    assert move.contents(main) == [f"see\n\n[image: {picture}]"]
    assert stat.S_IMODE(picture.stat().st_mode) == 0o600


def test_choices_are_narrowed_down(move: Move) -> None:
    for number, project in ((1, "-home-dev-demo"), (2, "-home-dev-demo"), (3, "-home-dev-other")):
        path = simple(number).write(move.source, project)
        os.utime(path, (1_800_000_000 + number, 1_800_000_000 + number))
    assert list(move.states(dry_run=True)) == ["0001", "0002", "0003"]
    assert list(move.states(dry_run=True, projects=("-home-dev-other",))) == ["0003"]
    assert list(move.states(dry_run=True, projects=("/home/dev/demo",))) == ["0001", "0002", "0003"]
    assert list(move.states(dry_run=True, sessions=(History(2).uuid,))) == ["0002"]
    since = datetime.fromtimestamp(1_800_000_002, UTC)
    assert list(move.states(dry_run=True, since=since)) == ["0002", "0003"]
    with pytest.raises(DragomanError, match="no session with this id"):
        move.run(sessions=("ffff",))


def test_a_dry_run_makes_nothing(move: Move) -> None:
    simple().write(move.source)
    assert list(move.states(dry_run=True).values()) == ["new"]
    assert not move.target.exists()
    move.run()
    assert list(move.states(dry_run=True).values()) == ["unchanged"]


def test_a_file_of_bookkeeping_only_is_no_conversation(move: Move) -> None:
    history = History()
    history.lines = [{"type": "mode", "mode": "normal", "sessionId": history.uuid}]
    history.write(move.source)
    assert list(move.states().values()) == ["empty"]
    assert move.logs() == []
    assert list(move.states().values()) == ["empty"]


def test_one_bad_session_does_not_keep_the_others(move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    from dragoman.errors import InputError
    from dragoman.readers import claude_code

    bad = simple(1).write(move.source)
    simple(2).write(move.source)
    read = claude_code.reader.read

    def refuse(source: Any, options: Any, report: Any) -> Any:
        if source.path == bad:
            raise InputError("cannot be read")
        return read(source, options, report)

    with monkeypatch.context() as patch:
        patch.setattr(type(claude_code.reader), "read", lambda self, *given: refuse(*given))
        assert move.states() == {"0001": "failed", "0002": "new"}
    assert move.states() == {"0001": "new", "0002": "unchanged"}


def test_two_runs_at_once(move: Move) -> None:
    import fcntl

    simple().write(move.source)
    move.run()
    with (move.target / ".dragoman" / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(DragomanError, match="another migration is at work"):
            move.run()
    assert list(move.states().values()) == ["unchanged"]


def test_verify(move: Move) -> None:
    history = simple()
    history.agent("x")
    history.write(move.source)
    move.run()
    request = Request(source=move.source, target=move.target)
    (verdict,) = verify(request)
    assert verdict.problems == ()
    assert verdict.source == verdict.logs
    assert (verdict.logs.messages, verdict.logs.calls, verdict.logs.results) == (7, 2, 2)
    before = tree(move.target)
    main, agent = sorted(move.logs(), key=lambda log: '"agent"' in log.read_text().split("\n")[0])
    go_on(main, "more")
    (verdict,) = verify(request)
    assert verdict.problems == ()
    assert verdict.went_on
    agent.unlink()
    (verdict,) = verify(request)
    assert "the log is gone" in verdict.problems[0]
    for name, (data, _) in before.items():
        (move.target / name).write_bytes(data)
    history.user("newer")
    history.write(move.source)
    (verdict,) = verify(request)
    assert "has changed since" in verdict.problems[0]


def test_verify_of_a_project_whose_name_is_no_utf8(move: Move) -> None:
    """It was said that Claude Code had deleted it."""
    history = simple()
    history.agent("searching")
    history.write(move.source, os.fsdecode(b"-home-caf\xe9"))
    move.run()
    (verdict,) = verify(Request(source=move.source, target=move.target))
    assert (verdict.gone, verdict.problems) == (False, ())
    assert verdict.source == verdict.logs


def test_verify_of_a_compaction_that_was_rewound(move: Move) -> None:
    """The log of what came before it stays, though the source gives none any more: the figures were said to differ."""
    history = History()
    history.user("one")
    history.compact("summary")
    history.write(move.source)
    move.run()
    history.assistant("on")
    history.rewind(next(line["uuid"] for line in history.lines if line.get("isCompactSummary")))
    history.user("another way")
    history.assistant("indeed")
    history.write(move.source)
    move.run()
    assert len(move.logs()) == 2
    (verdict,) = verify(Request(source=move.source, target=move.target))
    assert verdict.problems == ()


def test_verify_of_what_claude_code_has_deleted(move: Move) -> None:
    """It deletes transcripts after a month: the log is all that is left, and nothing is wrong with it."""
    simple().write(move.source)
    move.run()
    for path in move.source.rglob("*.jsonl"):
        path.unlink()
    (verdict,) = verify(Request(source=move.source, target=move.target, jobs=1))
    assert verdict.gone and verdict.problems == ()
    move.logs()[0].unlink()
    (verdict,) = verify(Request(source=move.source, target=move.target, jobs=1))
    assert verdict.problems


def test_a_project_that_nobody_has(move: Move) -> None:
    simple().write(move.source)
    with pytest.raises(DragomanError, match="no session of this project"):
        move.run(projects=("nope",))


def test_a_session_that_came_from_clm_gets_an_id_of_its_own(move: Move, tmp_path: Path) -> None:
    """Its lines went through byte for byte, the id of the log that it once was included."""
    log = tmp_path / "20260824-060842-544d4eb3.jsonl"
    meta = '{"type":"meta","v":1,"id":"20260824-060842-544d4eb3","created":1787551722}'
    log.write_text(meta + '\n{"role":"user","content":"From clm","type":"msg"}\n')
    project = move.source / "projects" / "-w"
    project.mkdir(parents=True)
    convert(log, f"{project}/", writer="claude-code", reader="clm")
    move.run()
    (moved,) = move.logs()
    assert json.loads(moved.read_text().split("\n")[0])["id"] == moved.stem
    assert move.contents(moved.stem) == ["From clm"]


def test_a_log_of_a_lost_manifest_that_holds_more_than_the_source_stays(move: Move) -> None:
    """Found by the laws: it was adopted as somebody's own, and then said to differ."""
    history = simple()
    history.user("more")
    history.write(move.source)
    move.run()
    (log,) = move.logs()
    held = log.read_bytes()
    (move.target / ".dragoman" / "manifest.json").unlink()
    history.lines = history.lines[:2]
    history.write(move.source)
    move.run()
    assert log.read_bytes() == held
    (verdict,) = verify(Request(source=move.source, target=move.target))
    assert verdict.went_on


def test_verify_notices_what_was_changed(move: Move) -> None:
    simple().write(move.source)
    move.run()
    (log,) = move.logs()
    data = log.read_bytes()
    manifest = move.target / ".dragoman" / "manifest.json"
    import hashlib

    changed = data.replace(b"One file.", b"No files.")
    log.write_bytes(changed)
    manifest.write_text(
        manifest.read_text().replace(hashlib.sha256(data).hexdigest(), hashlib.sha256(changed).hexdigest())
    )
    (verdict,) = verify(Request(source=move.source, target=move.target))
    assert "differs from what the source gives" in verdict.problems[0]


def test_several_processes_make_the_same(move: Move, tmp_path: Path) -> None:
    for number in range(1, 6):
        simple(number).write(move.source)
    move.run()
    other = tmp_path / "other"
    code = (
        "import sys; from pathlib import Path; from dragoman.migrate import Request, migrate\n"
        "if __name__ == '__main__': migrate(Request(source=Path(sys.argv[1]), target=Path(sys.argv[2]), jobs=2))"
    )
    script = tmp_path / "run.py"
    script.write_text(code)
    subprocess.run([sys.executable, str(script), str(move.source), str(other)], check=True)
    assert snapshot(other) == snapshot(move.target)


def test_a_manifest_of_a_newer_version_is_left_alone(move: Move) -> None:
    simple().write(move.source)
    move.run()
    manifest = move.target / ".dragoman" / "manifest.json"
    manifest.write_text('{"version": 2}')
    with pytest.raises(DragomanError, match="newer dragoman"):
        move.run()
    assert manifest.read_text() == '{"version": 2}'


def orphaned(move: Move) -> Path:
    """A session with an agent and one with flat agents' files, both without their transcripts; and a whole one."""
    history = History(1)
    history.user("go")
    history.agent("searching")
    path = history.write(move.source)
    path.unlink()
    flat = History(2)
    flat.user("flat")
    flat.write(move.source)
    for name, session, words in (
        ("0a0b0c0d", history.uuid, "counting boats"),
        ("0a0b0c0e", flat.uuid, "with its session"),
        ("0a0b0c0f", history.uuid, "Warmup"),
    ):
        line = {"type": "user", "uuid": name, "isSidechain": True, "sessionId": session, "agentId": name}
        line |= {"message": {"role": "user", "content": words}, "cwd": "/home/dev/demo"}
        (path.parent / f"agent-{name}.jsonl").write_text(json.dumps(line) + "\n")
    return path


def test_agents_whose_session_is_gone_come_over_alone(move: Move, shared: Path) -> None:
    """They were counted as skipped files: what they had found out stayed behind."""
    orphaned(move)
    assert sorted(move.states().values()) == ["empty", "new", "new", "new"]
    first = sorted(move.contents(log.stem)[0] for log in move.logs())
    gone = "(a subagent's work; its own session is gone from Claude Code)"
    assert first == [
        f"[migrated] counting boats {gone}",
        f"[migrated] searching task {gone}",
        "flat",
        "with its session",
    ]
    assert all(find_loader(shared).faults(log) == [] for log in move.logs())
    assert [verdict.problems for verdict in verify(Request(source=move.source, target=move.target))] == [()] * 3
    before = tree(move.target)
    assert set(move.states().values()) == {"unchanged", "empty"}
    assert tree(move.target) == before


def test_agents_that_came_over_with_their_session_do_not_come_again_without_it(move: Move) -> None:
    """Claude Code deletes a transcript after thirty days, and leaves its folder."""
    history = History(1)
    history.user("go")
    history.agent("searching")
    path = history.write(move.source)
    move.run()
    path.unlink()
    before = tree(move.target)
    assert move.states() == {}
    assert {k: v for k, v in tree(move.target).items() if k.endswith("jsonl")} == {
        k: v for k, v in before.items() if k.endswith("jsonl")
    }


def test_what_came_over_is_counted_in_every_run(move: Move) -> None:
    """Agents lay alone in one project while their session lay in another: the second run was silent about them, and the
    counts of two runs with nothing changed between them didn't add up."""
    simple(1).write(move.source, "-home-dev-a")
    path = simple(2).write(move.source, "-home-dev-b")
    for name, words in (("0a0b0c0d", "counting boats"), ("0a0b0c0f", "Warmup")):
        line = {"type": "user", "uuid": name, "isSidechain": True, "sessionId": simple(1).uuid, "agentId": name}
        line |= {"message": {"role": "user", "content": words}, "cwd": "/home/dev/demo"}
        (path.parent / f"agent-{name}.jsonl").write_text(json.dumps(line) + "\n")
    assert Counter(line.state for line in move.run().lines) == {"new": 3, "empty": 1}
    for dry_run in (True, False, False):
        assert Counter(line.state for line in move.run(dry_run=dry_run).lines) == {"unchanged": 3, "empty": 1}


def test_without_subagents_those_alone_stay_too(move: Move) -> None:
    orphaned(move)
    assert list(move.states(subagents=False).values()) == ["new"]


def test_redaction_is_off_and_one_flag_away(move: Move) -> None:
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"[:36]
    history = History()
    history.user(f"my token is {secret}")
    history.write(move.source)
    main = move.run().lines[0].log
    assert secret in move.contents(main)[0]
    assert move.run(redact=True).lines[0].state == "grown"
    assert secret not in move.contents(main)[0]


def test_the_same_session_in_two_projects(move: Move) -> None:
    one, two = simple(1), simple(1)
    two.user("only here")
    one.write(move.source, "-home-dev-a")
    two.write(move.source, "-home-dev-b")
    move.run()
    assert len(move.logs()) == 2
    assert set(move.states().values()) == {"unchanged"}
