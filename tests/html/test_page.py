"""Pages without a browser: what they hold, what options change, what they promise."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest
from pytest_regressions.file_regression import FileRegressionFixture
from showcase import Talk, long_session, png, showcase

from dragoman import registry
from dragoman.conversion import read_all, write
from dragoman.errors import InputError, UsageError
from dragoman.io.target import Target
from dragoman.model import Header, Media, Message, Session, Text, ToolCall, ToolResult
from dragoman.render import halves
from dragoman.render.redaction import redaction
from dragoman.report import Code, Report
from dragoman.writers.html import csp, listings
from dragoman.writers.html.ui import picture


def page(session: Session, folder: Path, report: Report | None = None, **options: Any) -> str:
    write(session, "html", folder / "page.html", report=report, force=True, **options)
    return (folder / "page.html").read_text(encoding="utf-8")


def conversation(content: str) -> str:
    """The page without its style and script, which change more often than what it says."""
    content = re.sub(r"<style>.*?</style>", "<style>…</style>", content, flags=re.DOTALL)
    content = re.sub(r"<script>.*?</script>", "<script>…</script>", content, flags=re.DOTALL)
    content = re.sub(r"'sha256-[^']+'", "'sha256-…'", content)
    return re.sub(r"dragoman \d+\.\d+\.\d+", "dragoman 0.0.0", content)


def test_the_showcase_page(tmp_path: Path, file_regression: FileRegressionFixture) -> None:
    golden = Path(__file__).with_name("showcase.html")
    file_regression.check(conversation(page(showcase(), tmp_path)), fullpath=golden, encoding="utf-8")


def test_the_policy_names_exactly_our_style_and_script(tmp_path: Path) -> None:
    content = page(showcase(), tmp_path)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', content)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    for element in ("style", "script"):
        for text in re.findall(rf"<{element}>(.*?)</{element}>", content, re.DOTALL):
            assert f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy[1]
    assert not re.search(r'\s(style|on\w+)="', content), "the policy would forbid it"
    assert not re.search(r'(src|href)="(?!#|data:|https://example\.org)', content)


def test_a_style_sheet_of_the_users_own_comes_after_ours(tmp_path: Path) -> None:
    sheet = tmp_path / "mine.css"
    sheet.write_text(":root { --accent: teal } /* </style><script>x</script> */")
    content = page(showcase(), tmp_path, css=sheet)
    assert content.index("--accent: teal") > content.index("--accent: #")
    assert "</style><script>x" not in content
    assert content.count("'sha256-") == 3
    with pytest.raises(UsageError, match="style sheet"):
        page(showcase(), tmp_path, css=tmp_path / "none.css")


def test_a_template_of_the_users_own_stands_in_for_ours(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "style.css").write_text("body { color: plum }")
    content = page(showcase(), tmp_path, templates=own)
    assert "plum" in content
    assert "--accent-line" not in content
    assert "There are three ways out" in content, "the other templates are ours"


def test_levels_of_detail(tmp_path: Path) -> None:
    report = Report()
    prompts = page(showcase(), tmp_path, report, only="prompts")
    assert "The header parser cuts long values" in prompts
    assert "There are three ways out" not in prompts
    talk = page(showcase(), tmp_path, only="conversation")
    assert "There are three ways out" in talk
    assert "Should the old parameter stay" in talk
    assert "pytest -q tests/test_headers.py" not in talk
    assert report.count(Code.DROPPED_BY_REQUEST) > 10


@pytest.mark.parametrize("options", [{"images": "none"}, {"no_images": True}])
def test_pictures_can_be_left_out(tmp_path: Path, options: dict[str, Any]) -> None:
    assert "data:image/png;base64," in page(showcase(), tmp_path)
    report = Report()
    content = page(showcase(), tmp_path, report, **options)
    assert "data:image/png;base64," not in content
    assert "left out, as asked" in content
    assert report.count(Code.DROPPED_BY_REQUEST, "pictures") == 2


def test_a_page_carries_its_conversation_and_is_read_back(tmp_path: Path) -> None:
    session = showcase()
    hostile = msgspec.structs.replace(
        session, header=msgspec.structs.replace(session.header, title="</script><!-- <b>")
    )
    page(hostile, tmp_path, embed=True)
    (back,) = read_all(tmp_path / "page.html")
    assert back == hostile


def test_a_page_without_its_conversation_says_so(tmp_path: Path) -> None:
    page(showcase(), tmp_path)
    with pytest.raises(InputError, match="--embed"):
        read_all(tmp_path / "page.html")


def test_words_that_look_like_the_block_are_not_taken_for_it(tmp_path: Path) -> None:
    opening = (
        '<script type="application/vnd.dragoman+json" id="dragoman-conversation">{"dragoman":{"major":1}}</script>'
    )
    session = Session(
        header=Header(title="t"), entries=(Message(role="user", origin="prompt", blocks=(Text(text=opening),)),)
    )
    page(session, tmp_path, embed=True)
    assert read_all(tmp_path / "page.html") == [session]


def test_what_was_redacted_is_said() -> None:
    assert (
        redaction({"secrets": 0, "distinct": 0, "kinds": {}})
        == "Searched for secrets before it was written: none found."
    )
    assert redaction({"secrets": 3, "distinct": 2, "kinds": {"token": 2, "password": 1}}) == (
        "Redacted: 3 secrets, 2 of them different (token ×2, password)."
    )
    assert redaction("nonsense") == ""


def test_two_processes_make_what_one_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = long_session(120)
    reports = [Report(), Report()]
    monkeypatch.setattr(halves, "can_fork", lambda: False)
    one = page(session, tmp_path, reports[0])
    monkeypatch.setattr(halves, "can_fork", lambda: True)
    two = page(session, tmp_path, reports[1])
    anchors = re.compile(r'<div class="[^"]*" id="([a-z0-9-]+)"')
    assert anchors.findall(one) == anchors.findall(two)
    assert reports[0].as_json() == reports[1].as_json()
    assert abs(len(one) - len(two)) < 3000, "only what repeats over the middle is written twice"


def test_search_says_that_it_looks_at_one_page_of_several(tmp_path: Path) -> None:
    """Nothing said that words on the other pages are not found."""

    def field(session: Session, **options: Any) -> list[str]:
        found = re.search(r'<input type="search"[^>]*>', page(session, tmp_path, **options))
        assert found is not None
        return re.findall(r'(?:aria-label|placeholder)="([^"]*)"', found[0])

    several = ["Search this page of the conversation", "Search this page"]
    assert field(long_session(80), split=True) == several
    assert field(long_session(80)) == field(showcase(), split=True) == ["Search the conversation", "Search"]


def test_the_foot_says_in_how_many_files_the_conversation_is(tmp_path: Path) -> None:
    """Each of several linked files said that everything was in it."""
    whole = "Everything is in this file; nothing is loaded from anywhere."
    assert whole in page(long_session(80), tmp_path)
    assert whole in page(showcase(), tmp_path, split=True), "it was too short to split"
    first = page(long_session(80), tmp_path, split=True)
    files = sorted(tmp_path.iterdir())
    assert len(files) > 1
    for content in (first, *(file.read_text() for file in files)):
        assert whole not in content
        assert f"The conversation is in {len(files)} files that link to each other; keep them together." in content


def test_a_session_too_short_to_split_is_said(tmp_path: Path) -> None:
    """One page came out of `--split`, without a word why."""
    report = Report()
    session = Session(header=Header(id="s"), entries=(Message(role="user", origin="prompt", blocks=(Text("go"),)),))
    (page,) = write(session, "html", tmp_path / "talk.html", report=report, split=True)
    assert page.name == "talk.html"
    assert report.count(Code.NOT_SPLIT) == 1
    assert "Pages of this conversation" not in page.read_text(), "it has no others"


def test_split_pages_need_a_place_for_them(tmp_path: Path) -> None:
    session = long_session(60)
    write(session, "html", tmp_path / "talk.html", split=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["talk-2.html", "talk.html"]
    first, second = ((tmp_path / name).read_text() for name in ("talk.html", "talk-2.html"))
    assert 'href="talk-2.html#m' in first
    assert 'href="talk.html#m0"' in second
    assert "<svg viewBox" in first
    writer = registry.writer("html")
    with pytest.raises(UsageError, match="standard output"):
        writer.write(session, Target(None), msgspec.convert({"split": True}, writer.options), Report())


def test_a_message_that_an_agents_turns_begin_with_stands_there_alone(tmp_path: Path) -> None:
    """It stood in the call and again right below, as the agent's task."""
    fixture = Path(__file__).resolve().parents[2] / "fixtures" / "claude-code" / "2.1.300" / "subagents"
    content = page(read_all(fixture)[0], tmp_path)
    assert content.count("<p>Do the docs mention the offset?</p>") == 1
    assert "Agent resumed." in content


def test_documents_are_named_and_counted(tmp_path: Path) -> None:
    report = Report()
    content = page(showcase(), tmp_path, report)
    assert "PDF document · notes.pdf · application/pdf · 9 B · not shown here" in content
    assert report.count(Code.DROPPED_MEDIA, "application/pdf") == 1


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (png(), "image/png"),
        ("/9j/4AAQ", "image/jpeg"),
        ("R0lGODlhAQAB", "image/gif"),
        ("PHN2ZyB4bWxucz0i", ""),
        ("not base64!", ""),
        ("", ""),
        ('iVBORw0KGgo"onload="x', ""),
    ],
)
def test_pictures_are_known_by_their_content(data: str, kind: str) -> None:
    assert picture(data) == kind


def test_pictures_say_what_they_are_not_by_their_word(tmp_path: Path) -> None:
    svg = Media(media_type="image/png", data="PHN2ZyBvbmxvYWQ9eD4=")
    session = Session(header=Header(), entries=(Message(role="user", origin="prompt", blocks=(svg,)),))
    assert "<img" not in page(session, tmp_path)


@pytest.mark.parametrize(
    ("colour", "name"),
    [
        ("1", "1"),
        ("9", "1"),
        ("196", "1"),
        ("46", "2"),
        ("21", "4"),
        ("#ff0000", "1"),
        ("#00ffff", "6"),
        ("#808080", "7"),
        ("232", "0"),
    ],
)
def test_terminal_colours_become_the_themes(colour: str, name: str) -> None:
    assert listings.hue(colour) == name


def test_colours_of_a_terminal_are_classes() -> None:
    made = str(listings.Listings().terminal("\x1b[1;31mbad\x1b[0m ok \x1b[7minverse\x1b[0m \x1b]0;title\x07"))
    assert made == '<pre class="l wrap">\n<span class="t1 tb">bad</span> ok <span class="g7">inverse</span> </pre>'


def test_a_repeated_listing_is_a_link() -> None:
    made = listings.Listings()
    made.at("m1", "Read a.py")
    first = made.plain("x" * 900)
    made.at("m2", "Read <b>")
    again = made.plain("x" * 900)
    assert "x" * 900 in first
    assert again == '<p class="same" data-of="m1" data-n="0">The same text as in <a href="#m1">Read a.py</a>.</p>'


def test_a_style_sheet_cannot_end_its_element() -> None:
    assert "</style" not in csp.style_text("a::after { content: '</STYLE><script>' }").lower()


def test_odd_times_do_no_harm(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    t = Talk("odd")
    t.clock = datetime(9999, 12, 31, 23, 0, tzinfo=UTC)
    t.say("prompt", "far away")
    early = Message(role="user", origin="prompt", blocks=(Text(text="long ago"),), time=datetime(1, 1, 1, tzinfo=UTC))
    session = Session(header=Header(), entries=(early, *t.entries))
    assert "long ago" in page(session, tmp_path, tz="America/New_York")
    assert "far away" in page(session, tmp_path, tz="Asia/Tokyo")


def test_an_empty_session_is_a_page(tmp_path: Path) -> None:
    assert "<h1" in page(Session(header=Header()), tmp_path)


def test_the_timeline_says_what_happened(tmp_path: Path) -> None:
    content = page(showcase(), tmp_path)
    drawing = content[content.index("<svg viewBox") : content.index("</figure>")]
    assert drawing.count('class="p"') >= 6
    assert 'class="x"' in drawing
    assert 'class="cut"' in drawing
    assert re.search(r"<title>idle for 1 h", drawing)
    assert "Find other callers" in drawing
    assert "Tokens in the context, at most" in drawing
    for target in re.findall(r'href="#([^"]+)"', drawing):
        assert f'id="{target}"' in content, "every mark leads somewhere"


def test_the_legend_names_only_what_is_drawn(tmp_path: Path) -> None:
    """It explained compactions and idle time in sessions that had none."""

    def legend(session: Session) -> list[str]:
        listed = re.search(r'<ul class="legend">(.*?)</ul>', page(session, tmp_path), re.DOTALL)
        assert listed is not None
        return re.findall(r"</svg>(.*?)</li>", listed[1])

    assert legend(showcase()) == ["prompt", "tool call", "failure", "compaction", "idle, not to scale"]
    quiet = Talk("quiet")
    quiet.say("prompt", 'What is class="cut" for, and class="idle"?')
    quiet.call("Read", {"file_path": "style.css"}, ".cut {}", seconds=4)
    assert legend(quiet.session()) == ["prompt", "tool call"]


def calls(*made: tuple[str, dict[str, Any], str]) -> Session:
    """A session of calls: tool, arguments, result."""
    entries = []
    for n, (name, arguments, result) in enumerate(made):
        call = ToolCall(id=f"c{n}", name=name, arguments=orjson.dumps(arguments).decode())
        answer = ToolResult(call_id=f"c{n}", tool_name=name, content=(Text(text=result),))
        entries.append(Message(role="assistant", origin="reply", id=f"m{n}", blocks=(call,)))
        entries.append(Message(role="tool", origin="tool_result", blocks=(answer,)))
    return Session(header=Header(id="calls"), entries=tuple(entries))


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("Bash", {"command": "pytest -q tests/one.py"}, "pytest -q tests/one.py"),
        ("Read", {"file_path": "/home/dev/table.py"}, "/home/dev/table.py"),
        ("Grep", {"pattern": "needle", "path": "/home/dev"}, "needle in /home/dev"),
        ("WebFetch", {"url": "https://example.org/page", "prompt": "what?"}, ">https://example.org/page<"),
    ],
)
def test_a_call_says_each_thing_once(name: str, arguments: dict[str, Any], words: str, tmp_path: Path) -> None:
    """A command stood in the call's line and again below it, and so did the path of a file."""
    assert conversation(page(calls((name, arguments, "so")), tmp_path)).count(words) == 1


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("Bash", {"command": "cd /tmp\nls -l"}, "cd /tmp\nls -l"),
        ("Bash", {"command": "echo " + "word " * 60 + "last"}, "word last"),
        ("Read", {"file_path": "/home/" + "long/" * 40 + "last.py"}, "long/last.py"),
        ("WebSearch", {"query": "what " * 60 + "last"}, "what last"),
    ],
)
def test_what_the_line_of_a_call_cuts_stands_below_it(
    name: str, arguments: dict[str, Any], words: str, tmp_path: Path
) -> None:
    plain = re.sub(r"</?i\b[^>]*>", "", conversation(page(calls((name, arguments, "so")), tmp_path)))
    assert plain.count(words) == 1


def test_a_date_in_a_card_is_not_broken(tmp_path: Path) -> None:
    """`prices of 2026-10-10` broke before the day."""
    content = page(showcase(), tmp_path)
    assert "<small>prices of <span class=date>" in content and ".date {\n  white-space: nowrap;" in content
