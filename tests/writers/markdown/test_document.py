"""The document as people see it: golden files, levels of detail, pictures, times."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from markdown_sessions import PICTURE, answers, call, result, says, tour
from pytest_regressions.file_regression import FileRegressionFixture

import dragoman
from dragoman.errors import UsageError
from dragoman.io.target import Target
from dragoman.model import AgentLink, Event, Header, Media, Message, Session, Subagent, Text, Usage
from dragoman.report import Code, Report, Severity
from dragoman.writers.markdown import MarkdownOptions, writer

HERE = Path(__file__).parent


def written(session: Session, folder: Path, report: Report | None = None, **options: Any) -> str:
    """The document, as it is written to `folder/talk.md`."""
    target = Target(folder / "talk.md", force=True)
    writer.write(session, target, MarkdownOptions(**options), Report() if report is None else report)
    target.commit()
    return (folder / "talk.md").read_text()


@pytest.mark.parametrize("level", ["everything", "conversation", "prompts"])
def test_a_tour_of_everything(level: str, tmp_path: Path, file_regression: FileRegressionFixture) -> None:
    document = written(tour(), tmp_path, only=level)
    file_regression.check(document, fullpath=HERE / f"tour-{level}.md")


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    report = Report()
    written(tour(), tmp_path, report)
    assert report.count(Code.DROPPED_HIDDEN_AGENT) == 1
    assert report.count(Code.DROPPED_EVENT, "queue-operation") == 1
    assert report.count(Code.ANSI_STRIPPED) == 1
    assert report.count(Code.DROPPED_FIELD, "confirmation of an edit") == 1
    assert report.worst() == Severity.NOTE


def test_levels_say_what_they_hide(tmp_path: Path) -> None:
    report = Report()
    document = written(tour(), tmp_path, report, only="conversation")
    assert "pytest -q" not in document
    assert "Which style?" in document and "Nearly **done**." in document
    assert report.count(Code.DROPPED_BY_REQUEST, "tool calls") == 10
    assert report.count(Code.DROPPED_BY_REQUEST, "subagents") == 3
    report = Report()
    document = written(tour(), tmp_path, report, only="prompts")
    assert "I will run the tests" not in document and "Please fix" in document and "Which style?" in document
    assert report.count(Code.DROPPED_BY_REQUEST, "answers") > 0


def test_pictures_lie_beside_the_document_once(tmp_path: Path) -> None:
    document = written(tour(), tmp_path)
    assert document.count("(talk-media/001.png)") == 2
    assert [each.name for each in (tmp_path / "talk-media").iterdir()] == ["001.png"]
    assert (tmp_path / "talk-media" / "001.png").read_bytes() == base64.b64decode(PICTURE)


def test_pictures_inside_or_not_at_all(tmp_path: Path) -> None:
    assert f"](data:image/png;base64,{PICTURE})" in written(tour(), tmp_path, images="data")
    assert not (tmp_path / "talk-media").exists()
    report = Report()
    document = written(tour(), tmp_path, report, images="none")
    assert "▸ Picture: shot (image/png, " in document
    assert report.count(Code.DROPPED_MEDIA, "as asked") == 2


@pytest.mark.parametrize(
    "media",
    [
        Media(media_type="image/svg+xml", data=base64.b64encode(b"<svg onload='x()'/>").decode()),
        Media(media_type='image/png" onerror="x()', data=PICTURE),
        Media(media_type="../../etc/passwd", data=PICTURE, name="../../x"),
    ],
)
def test_a_kind_that_is_not_known_names_no_file(media: Media, tmp_path: Path) -> None:
    session = Session(header=Header(), entries=(Message(role="user", origin="prompt", blocks=(media,)),))
    document = written(session, tmp_path)
    assert [each.name for each in (tmp_path / "talk-media").iterdir()] == ["001.bin"]
    assert "![" not in document


def test_damaged_pictures_are_reported(tmp_path: Path) -> None:
    report = Report()
    media = Media(media_type="image/png", data="not base64!")
    session = Session(header=Header(), entries=(Message(role="user", origin="prompt", blocks=(media,)),))
    for how in ("files", "data"):
        written(session, tmp_path, report, images=how)
    assert report.count(Code.DROPPED_MEDIA) == 2


def test_times_in_another_zone(tmp_path: Path) -> None:
    session = Session(header=Header(), entries=(says("Late.", datetime(2026, 1, 31, 23, 30, tzinfo=UTC)),))
    assert "*2026-01-31 23:30:00*" in written(session, tmp_path)
    assert "*2026-02-01 05:00:00*" in written(session, tmp_path, tz="Asia/Kolkata")
    with pytest.raises(UsageError, match="no time zone is called 'Mars/Olympus'"):
        written(session, tmp_path, tz="Mars/Olympus")


def test_agents_nest_to_any_depth_that_is_sane(tmp_path: Path) -> None:
    inner = Session(header=Header(), entries=(says("deepest"),))
    for depth in range(60):
        inner = Session(
            header=Header(),
            entries=(
                says(f"level {depth}"),
                answers(call("c", "Agent", prompt="go")),
                result("c", "done", datetime.now(UTC)),
            ),
            subagents=(
                Subagent(agent_id=f"a{depth}", links=(AgentLink(call_id="c", evidence="meta"),), session=inner),
            ),
        )
    report = Report()
    document = written(inner, tmp_path, report)
    assert document.count("<details>") == document.count("</details>")
    assert "level 30" in document and "deepest" not in document
    assert report.count(Code.DROPPED_SUBAGENT) == 20  # with those below: nothing is lost in silence


def test_an_agent_that_was_resumed_has_its_share_under_each_call(tmp_path: Path) -> None:
    agent = Session(header=Header(), entries=(says("first task"), answers("one"), says("second task"), answers("two")))
    session = Session(
        header=Header(),
        entries=(
            answers(call("c1", "Agent", prompt="first task")),
            answers("in between"),
            answers(call("c2", "Agent", prompt="second task")),
        ),
        subagents=(
            Subagent(
                agent_id="a",
                links=(
                    AgentLink(call_id="c1", evidence="meta"),
                    AgentLink(call_id="c2", evidence="meta", first_entry=2),
                ),
                session=agent,
            ),
        ),
    )
    document = written(session, tmp_path)
    order = ["part 1 of 2", "\nfirst task", "\none", "in between", "part 2 of 2", "\nsecond task", "\ntwo"]
    places = [document.index(word) for word in order]
    assert places == sorted(places)


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    assert written(tour(), tmp_path) == written(tour(), tmp_path)


def test_an_empty_session(tmp_path: Path) -> None:
    assert "# Session" in written(Session(header=Header()), tmp_path)


def test_a_title_cannot_end_the_front_matter(tmp_path: Path) -> None:
    title = "x\n---\n# y <script>\u202e"
    document = written(Session(header=Header(title=title), entries=(says("a"),)), tmp_path)
    head = document.split("\n---\n")[0]
    assert 'title: "x --- y <script>⟦U+202E⟧"' in head
    assert "# x --- y &lt;script>⟦U+202E⟧\n" in document


def test_feedback_is_a_persons_word(tmp_path: Path) -> None:
    words = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nUse tabs."
    refused = result(
        "c", words, datetime(2026, 1, 1, tzinfo=UTC), error="yes", outcome="rejected", feedback="Use tabs."
    )
    session = Session(header=Header(), entries=(answers(call("c", "Bash", command="ls")), refused))
    document = written(session, tmp_path)
    assert document.count("Use tabs.") == 1
    assert "The user said:\n\n> Use tabs." in document
    assert "Use tabs." in written(session, tmp_path, only="prompts")


def test_line_breaks_of_people_hold_and_those_of_agents_flow(tmp_path: Path) -> None:
    session = Session(header=Header(), entries=(says("one\ntwo"), answers("three\nfour")))
    document = written(session, tmp_path)
    assert "one  \ntwo" in document and "three\nfour" in document


def test_results_without_a_call_are_shown(tmp_path: Path) -> None:
    session = Session(header=Header(), entries=(result("nobody", "left over", datetime(2026, 1, 1, tzinfo=UTC)),))
    assert "left over" in written(session, tmp_path)


def test_withdrawn_answers_are_folded(tmp_path: Path) -> None:
    message = Message(role="assistant", origin="reply", status="retracted", blocks=(Text(text="No."),))
    document = written(Session(header=Header(), entries=(says("Hm?"), message)), tmp_path)
    assert "<summary>Withdrawn by the agent</summary>\n\nNo." in document


def test_what_a_line_has_no_room_for_is_shown_below(tmp_path: Path) -> None:
    path = "/a" * 100 + "/end.py"
    long = "word " * 60 + "last"
    session = Session(
        header=Header(),
        entries=(
            answers(
                call("c1", "Read", file_path=path),
                call("c2", "Grep", pattern=long, path=path),
                call("c3", "mcp__s__" + "name_" * 30 + "z", x=1),
                call("c4", "Skill", skill="s", args=long),
                call("c5", "Bash", command=long),
            ),
            Event(kind="compaction", text=long),
            Event(kind="title", text=long),
            Event(kind="link", text="https://example.org/" + "x" * 400 + "y"),
        ),
    )
    document = written(session, tmp_path)
    assert document.count(path) == 2 and document.count(long) == 5
    assert "name_" * 30 + "z" in document and "xxxy" in document


def test_a_small_sum_is_not_nothing_and_a_picture_is_named_once(tmp_path: Path) -> None:
    """The front matter said `cost-usd: 0.00`, and the document `▸ Picture: Picture`."""
    entries = (
        Message(role="user", origin="prompt", blocks=(Media("image/png", data="aGVsbG8="),)),
        Message(
            role="assistant",
            origin="reply",
            model="m",
            blocks=(Text("Yes."),),
            usage=Usage(output=3, cost_usd=0.000412),
        ),
    )
    (path,) = dragoman.write(
        Session(header=Header(id="s"), entries=entries), "markdown", tmp_path / "s.md", images="none"
    )
    made = path.read_text("utf-8")
    assert "cost-usd: 0.00041\n" in made
    assert "▸ Picture (image/png, 6 B)" in made
