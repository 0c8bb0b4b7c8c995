"""What is said of a report on the terminal: the grave things, with short places, and how many notes there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.cli.file_names import shown_names
from dragoman.cli.terminal import summarize
from dragoman.model import Span
from dragoman.report import Code, Report

ID = "11112222-3333-4444-8555-666677778888"
FAR = f"/home/dev/.claude/projects/-home-dev-shop/{ID}"


def told(report: Report, capfd: pytest.CaptureFixture[str], **options: str) -> list[str]:
    capfd.readouterr()
    summarize(report, **options)
    return capfd.readouterr().err.splitlines()


def test_losses_come_first_and_notes_are_counted(capfd: pytest.CaptureFixture[str]) -> None:
    report = Report()
    report.add(Code.DROPPED_FIELD, Span(f"{FAR}.jsonl", 3), "cwd", 40)
    report.add(Code.DROPPED_FIELD, Span(f"{FAR}.jsonl", 4), "usage", 2)
    report.add(Code.GUESSED, Span("n.jsonl", 0), "written as clm")
    report.add(Code.DROPPED_MEDIA, Span(f"{FAR}/subagents/agent-a1.jsonl", 12), "application/pdf")
    lines = [
        f"loss: {FAR}/subagents/agent-a1.jsonl:12: 1 picture or document became a note in words (a PDF can't be shown inside)",
        "note: n.jsonl: guessed: written as clm",
    ]
    assert told(report, capfd) == [*lines, "and 42 notes of 2 kinds; --report FILE has them"]
    assert told(report, capfd, report_file="r.json") == [*lines, "and 42 notes of 2 kinds; r.json has them"]


def test_nothing_is_added_to_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """A line began with "and" where no finding stood before it."""
    report = Report()
    report.add(Code.DROPPED_FIELD, Span("a.jsonl", 3), "cwd")
    report.add(Code.MERGED, Span("a.jsonl", 1))
    assert told(report, capfd) == ["2 notes of 2 kinds; --report FILE has them"]


def test_one_note_is_said_itself(capfd: pytest.CaptureFixture[str]) -> None:
    report = Report()
    report.add(Code.DROPPED_FIELD, Span(f"{FAR}.jsonl", 3), "cwd")
    assert told(report, capfd) == [
        f"note: {FAR}.jsonl:3: 1 value left out: no place in this format (the folder that it ran in)"
    ]


def test_every_loss_is_said_and_the_rest_counted_by_how_grave_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    """Of nine losses four were shown, and the doubt that pictures can't be searched for secrets was among "more kinds"."""
    report = Report()
    for number in range(9):
        report.add(Code.DROPPED_BLOCK, Span("a.jsonl", number), f"kind {number}")
        report.add(Code.MENDED, Span("a.jsonl", number), f"kind {number}", 2)
    report.add(Code.TAIL_CUT, Span("a.jsonl", 1))
    report.add(Code.UNSCANNED_MEDIA, Span("a.jsonl", 1), "image", 2)
    report.add(Code.MERGED, Span("a.jsonl", 1))
    report.add(Code.EMPTY_MESSAGE, Span("a.jsonl", 1))
    lines = told(report, capfd)
    assert [line.partition(":")[0] for line in lines[:-1]] == ["loss"] * 9 + ["doubt"]
    assert "2 pictures or documents can't be searched for secrets" in lines[-2]
    assert lines[-1] == "and 1 doubt of 1 kind, 18 repairs of 9 kinds and 2 notes of 2 kinds; --report FILE has them"


def test_what_is_milder_than_a_loss_is_told_as_far_as_there_is_room(capfd: pytest.CaptureFixture[str]) -> None:
    report = Report()
    for number in range(5):
        report.add(Code.MENDED, Span("a.jsonl", number), f"kind {number}")
    assert len(told(report, capfd)) == 5
    report.add(Code.DROPPED_REASONING, Span("a.jsonl", 1))
    lines = told(report, capfd)
    assert [line.partition(":")[0] for line in lines[:-1]] == ["loss", "repair", "repair", "repair"]
    assert lines[-1] == "and 2 repairs of 2 kinds; --report FILE has them"


def test_files_of_one_list_are_named_in_one_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`fixtures/openai/odd/input.jsonl` was `input`, beside ids and paths: nobody could find it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/home/dev/.claude")
    monkeypatch.setenv("XDG_STATE_HOME", "/home/dev/state")
    agent, log = f"{FAR}/subagents/agent-a1.jsonl", "/home/dev/state/clm/20260824-060842-544d4eb3.jsonl"
    kept = {f"{FAR}.jsonl": ID, agent: f"{ID}/subagents/agent-a1.jsonl", log: "20260824-060842-544d4eb3"}
    assert shown_names(kept) == kept
    deep = str(tmp_path / "x" / "y" / "z" / "input.jsonl")
    assert shown_names([*kept, deep, "in/c.jsonl"]) == {
        **{each: each for each in kept}, deep: "x/y/z/input.jsonl", "in/c.jsonl": "in/c.jsonl",
    }  # fmt: skip
    twins = [f"{FAR}.jsonl", FAR.replace("shop", "forge") + ".jsonl"]
    assert shown_names(twins) == {each: each for each in twins}


TWO = "2 pictures or documents became notes in words (other)"


@pytest.mark.parametrize(
    ("places", "where"),
    [
        ([("a", 3), ("a", 3)], "a:3"),
        ([("a", 3), ("a", 4)], "a:3 and 1 more place"),
        ([("a", 3), ("b", 4)], "a:3 and 1 more file"),
        ([("a", 0), ("b", 0), ("c", 0)], "a and 2 more files"),
        ([("a", 3), ("a", 5), ("b", 4)], "a:3 and 2 more places in 2 files"),
        ([("a", 3), None], "a:3 and elsewhere"),
        ([("a", n) for n in range(1, 21)], "a:1 and 19 more places"),
        ([("a", n) for n in range(1, 41)], "a:1 and 19 or more further places"),
    ],
)  # fmt: skip
def test_a_line_says_how_far_it_goes(
    places: list[tuple[str, int] | None], where: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The total of all sessions stood behind the first one's place, as if all of it were there."""
    report, merged = Report(), Report()
    for place in places:
        span = None if place is None else Span(f"{place[0]}.jsonl", place[1])
        report.add(Code.DROPPED_MEDIA, span, "other")
        one = Report()
        one.add(Code.DROPPED_MEDIA, span, "other")
        merged.merge(one)
    (line,) = told(report, capfd)
    assert line.startswith(f"loss: {where.replace('a', 'a.jsonl', 1)}: ")
    assert line.endswith(TWO.replace("2", str(len(places)), 1).replace("other", "neither a picture nor a PDF"))
    assert told(merged, capfd) == [line]
    assert f"loss: {report.findings[0].sentence}" == line


def test_each_place_has_its_own_count() -> None:
    report = Report()
    report.add(Code.DROPPED_MEDIA, Span("a.jsonl", 3), count=2)
    for line in range(1, 30):
        report.add(Code.DROPPED_MEDIA, Span("b.jsonl", line))
        report.add(Code.DROPPED_MEDIA, Span("a.jsonl", 3))
    report.relabel({"b.jsonl": "own.jsonl"})
    (found,) = report.as_json()
    assert found["count"] == 60
    assert len(found["places"]) == 20
    assert found["places"][:2] == [
        {"file": "a.jsonl", "line": 3, "count": 31},
        {"file": "own.jsonl", "line": 1, "count": 1},
    ]
