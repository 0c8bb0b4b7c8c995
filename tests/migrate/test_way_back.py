"""From clm back: what migrate put into a log is no person's words, and what it left in another is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from history import History, go_on, quick_disk

from dragoman.conversion import convert, read
from dragoman.io import clm_notes
from dragoman.migrate import Request, migrate
from dragoman.model import Span
from dragoman.report import Code, Report

__all__ = ["quick_disk"]  # a fixture for every test here


class Moved:
    """A compacted session with an agent, in clm."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.history = History(1)
        self.history.user("Fix the parser")
        self.history.assistant("two")
        self.history.compact("summary")
        self.history.user("and the lexer")
        self.history.agent("searching")
        self.history.write(folder / "claude")
        self.target = folder / "clm"
        self.run()

    def run(self, source: str = "claude", **more: Any) -> None:
        migrate(Request(source=self.folder / source, target=self.target, jobs=1, **more))

    def log(self, words: str) -> Path:
        return next(each for each in self.target.glob("*.jsonl") if words in each.read_text().split("\n")[1])

    @property
    def main(self) -> Path:
        return self.log("since its last compaction")

    @property
    def before(self) -> Path:
        return self.log("up to its last compaction")


@pytest.fixture
def moved(tmp_path: Path) -> Moved:
    return Moved(tmp_path)


def test_our_first_line_is_nobodys_prompt(moved: Moved, tmp_path: Path) -> None:
    """It counted as one (`2 prompts` where a person typed one), and became the title of pages."""
    for log, prompts in ((moved.main, ["and the lexer"]), (moved.before, ["Fix the parser"])):
        session = read(log)
        said = [message.blocks[0] for message in session.messages if message.origin == "prompt"]
        assert [getattr(block, "text", "") for block in said] == prompts
        page = tmp_path / f"{log.stem}.md"
        convert(log, page, writer="markdown")
        assert f"\n# {prompts[0]}\n" in page.read_text()


def test_our_first_line_of_an_agent_alone_is_nobodys_prompt(tmp_path: Path) -> None:
    history = History(1)
    history.user("go")
    history.agent("searching")
    history.write(tmp_path / "claude").unlink()
    migrate(Request(source=tmp_path / "claude", target=tmp_path / "clm", jobs=1))
    (log,) = (tmp_path / "clm").glob("*.jsonl")
    session = read(log)
    assert [message.origin for message in session.messages] == ["injected", "prompt", "reply"]


def test_our_first_line_is_as_it_was_after_the_way_back(moved: Moved, tmp_path: Path) -> None:
    for log in (moved.main, moved.before):
        back = tmp_path / "back" / "projects" / "-w"
        back.mkdir(parents=True, exist_ok=True)
        (made,) = convert(log, f"{back}/{log.stem}.jsonl", writer="claude-code", options={"subagents": "false"})
        users = [record for record in map(json.loads, made.read_text().split("\n")[:-1]) if record["type"] == "user"]
        assert users[0]["isMeta"] is True
        again = tmp_path / f"again-{log.name}"
        convert(made, again, writer="clm", reader="claude-code")
        assert again.read_bytes() == log.read_bytes()
        with made.open("a") as file:  # said in Claude Code since: the log is written anew
            more = {**users[-1], "parentUuid": users[-1]["uuid"], "uuid": "0" * 8, "isMeta": False}
            del more["clm"]
            more["message"] = {"role": "user", "content": "more"}
            file.write(json.dumps(more) + "\n")
        convert(made, again, writer="clm", reader="claude-code", force=True)
        lines = again.read_text().split("\n")
        assert lines[1] == log.read_text().split("\n")[1]
        assert json.loads(lines[-2])["content"] == "more"


def test_a_part_of_a_session_says_which_other_there_is(moved: Moved, tmp_path: Path) -> None:
    """The way back of a compacted session brought its last part, without a word."""
    for log, other in ((moved.main, moved.before), (moved.before, moved.main)):
        report = Report()
        convert(log, f"{tmp_path}/back/", writer="claude-code", report=report, force=True)
        (said,) = (each for each in report.findings if each.code is Code.PART_OF_SESSION)
        assert (said.what, said.places) == (other.stem, (Span(str(log), 2),))
        assert f"another is {other.stem}: name both" in said.sentence
    go_on(moved.main, "in clm")
    moved.history.user("newer")
    moved.history.write(moved.folder / "claude")
    moved.run()
    report = Report()
    convert(moved.log("newer messages"), f"{tmp_path}/newer/", writer="claude-code", report=report)
    assert report.count(Code.PART_OF_SESSION, moved.main.stem) == 1


def test_parts_that_are_brought_together_are_no_parts(moved: Moved, tmp_path: Path) -> None:
    for number, inputs in enumerate(([moved.main, moved.before], [moved.target])):
        report = Report()
        convert(inputs, f"{tmp_path}/{number}/", writer="claude-code", report=report)
        assert report.count(Code.PART_OF_SESSION) == 0


def folders(made: list[Path]) -> set[str]:
    lines = [json.loads(line) for path in made if path.suffix == ".jsonl" for line in path.read_text().split("\n")[:-1]]
    return {line["cwd"] for line in lines if "cwd" in line}


def test_the_way_back_leads_to_the_folder_that_the_receipt_knows(moved: Moved, tmp_path: Path) -> None:
    """It was said to have run in the current folder, and so Claude Code looked for it elsewhere."""
    report = Report()
    made = convert(moved.main, f"{tmp_path}/back/", writer="claude-code", report=report)
    assert len(made) > 1
    assert folders(made) == {"/home/dev/demo"}
    assert report.count(Code.ASSUMED_FOLDER) == 0
    made = convert(moved.main, f"{tmp_path}/asked/", writer="claude-code", options={"cwd": "/srv/demo"})
    assert folders(made) == {"/srv/demo"}


@pytest.mark.parametrize(
    "receipt", [None, b"", b"[]", b"{", b'{"sessions": 3}', b'{"sessions":{"x":{"project":"-home-dev"}}}']
)
def test_without_a_receipt_the_current_folder_is_said(receipt: bytes | None, moved: Moved, tmp_path: Path) -> None:
    path = moved.target / ".dragoman" / "manifest.json"
    path.unlink()
    if receipt is not None:
        path.write_bytes(receipt)
    report = Report()
    made = convert(moved.main, f"{tmp_path}/back/", writer="claude-code", report=report)
    assert folders(made) == {str(Path.cwd())}
    assert report.count(Code.ASSUMED_FOLDER) == 1


def test_a_note_names_the_other_log() -> None:
    for make in (clm_notes.goes_on, clm_notes.came_before, clm_notes.newer):
        assert clm_notes.other_log(make("", "20260301-100001-cf8dbbfa")) == "20260301-100001-cf8dbbfa"
        title = clm_notes.newer("x", "20260301-100001-00000000")
        assert clm_notes.other_log(make(title, "20260301-100001-cf8dbbfa")) == "20260301-100001-cf8dbbfa"
        assert clm_notes.other_log(clm_notes.alone(make("", "20260301-100001-cf8dbbfa"))) == ""
        assert clm_notes.other_log(make("", "x").removeprefix(clm_notes.MARK)) == ""
