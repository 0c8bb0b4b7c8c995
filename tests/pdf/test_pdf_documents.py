"""PDFs of five very different sessions, read back with other libraries than made them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pikepdf
import pypdf
import pypdfium2
import pytest
from pdf_made import SESSIONS, Made
from pdf_sessions import image

import dragoman
from dragoman.model import Header, Media, Message, Origin, Session, Text, Unknown
from dragoman.report import Code, Report
from dragoman.writers.pdf.blocks import Block
from dragoman.writers.pdf.document import PAGEFUL, Frame, style
from dragoman.writers.pdf.making import Making
from dragoman.writers.pdf.options import PdfOptions
from dragoman.writers.pdf.parts import cut
from dragoman.writers.pdf.typeset import Setting, Typesetter

NAMES = list(SESSIONS)


def texts(made: Made) -> list[str]:
    document = pypdfium2.PdfDocument(made.path)
    try:
        return [page.get_textpage().get_text_bounded() for page in document]
    finally:
        document.close()


def reader(made: Made) -> pypdf.PdfReader:
    return pypdf.PdfReader(made.path)


def flat(outline: list[Any], level: int = 0) -> Iterator[tuple[int, Any]]:
    for each in outline:
        if isinstance(each, list):
            yield from flat(each, level + 1)
        else:
            yield level, each


def annotations(pdf: pypdf.PdfReader) -> Iterator[tuple[int, Any]]:
    for number, page in enumerate(pdf.pages, 1):
        for each in page.get("/Annots", []):
            yield number, each.get_object()


@pytest.mark.parametrize("name", NAMES)
def test_every_page_says_which_of_how_many_it_is(name: str, made: Callable[..., Made]) -> None:
    pages = texts(made(name))
    for number, words in enumerate(pages, 1):
        assert f"Page {number} of {len(pages)}" in words


@pytest.mark.parametrize("name", NAMES)
def test_the_contents_name_the_real_pages(name: str, made: Callable[..., Made]) -> None:
    """The number at the end of each entry is the page that the entry's own link and the prompt's bookmark lead to."""
    pdf = reader(made(name))
    destinations = pdf.named_destinations
    links = [each for number, each in annotations(pdf) if number == 1 and "/Dest" in each]
    leads_to = [pdf.get_destination_page_number(destinations[str(each["/Dest"])]) + 1 for each in links]
    marked = [
        pdf.get_destination_page_number(mark) + 1
        for level, mark in flat(pdf.outline)
        if level == 0 and (re.match(r"\d+\. ", mark.title) or "compacted" in mark.title)
    ]
    words = texts(made(name))[0].partition("Contents")[2]
    numbers = {int(each) for each in re.findall(r"(?m)(?:^| )(\d+)\s*$", words)}
    assert marked and sorted(set(leads_to)) == sorted(set(marked))
    assert set(marked) <= numbers


@pytest.mark.parametrize("name", ["chat", "refactoring", "agents", "pictures"])
def test_the_talk_stands_in_its_order(name: str, made: Callable[..., Made]) -> None:
    held = made(name)
    words = " ".join("\n".join(texts(held)[1:]).split())
    position = 0
    for message in held.session.messages:
        if message.origin in ("prompt", "reply"):
            for block in message.blocks:
                said = getattr(block, "text", "")
                first = " ".join(re.split(r"[*`|#>\n]", said)[0].split()[:5])
                if first and not said.startswith(("|", "`")):
                    found = words.find(first, position)
                    assert found >= position, first
                    position = found


@pytest.mark.parametrize("name", NAMES)
def test_fonts_are_embedded_and_nothing_leads_out(name: str, made: Callable[..., Made]) -> None:
    pdf = reader(made(name))
    for page in pdf.pages:
        for font in page["/Resources"]["/Font"].values():  # type: ignore[index]
            font = font.get_object()
            if font["/Subtype"] == "/Type3":
                continue
            descriptor = font["/DescendantFonts"][0].get_object()["/FontDescriptor"]
            assert {"/FontFile2", "/FontFile3", "/FontFile"} & set(descriptor)
            assert "/ToUnicode" in font
    for _, each in annotations(pdf):
        action = each.get("/A")
        if action is not None:
            assert action["/S"] == "/URI"
            assert action["/URI"].startswith(("http://", "https://", "mailto:"))
    raw = made(name).data
    for forbidden in (b"/JavaScript", b"/Launch", b"/GoToR", b"/SubmitForm", b"/OpenAction", b"dragoman:"):
        assert forbidden not in raw


def test_links_lead_within_and_out(made: Callable[..., Made]) -> None:
    pdf = reader(made("chat"))
    out = [each["/A"]["/URI"] for _, each in annotations(pdf) if "/A" in each]
    assert out == ["https://www.postgresql.org/docs/current/explicit-locking.html"]
    within = [each for _, each in annotations(pdf) if "/Dest" in each]
    assert len(within) >= 3


def test_the_contents_name_a_compaction(made: Callable[..., Made]) -> None:
    """What followed one belonged to no entry."""
    contents = texts(made("agents"))[0].partition("Contents")[2]
    assert "Conversation compacted" in contents


@pytest.mark.parametrize("prompts", [8, 28, 29, 66, 67])
def test_no_page_holds_a_lone_line_of_the_contents(tmp_path: Path, prompts: int) -> None:
    """Contents that ran over by a line or two left a page nearly empty."""
    said = tuple(
        Message(role="user", origin="prompt", blocks=(Text(f"Question number {n}."),), uuid=f"u{n}")
        for n in range(1, prompts + 1)
    )
    path = tmp_path / "contents.pdf"
    dragoman.write(Session(header=Header(id="contents", title="Many questions"), entries=said), "pdf", path)
    pdf = pypdf.PdfReader(path)
    listed = [0] * len(pdf.pages)
    for number, each in annotations(pdf):
        listed[number - 1] += "/Dest" in each
    held = [count // 2 for count in listed if count]  # a line leads there by its words and by its number
    assert sum(held) == prompts
    assert min(held) >= 4
    assert len(held) == 1 or prompts > PAGEFUL


@pytest.mark.parametrize("first", ["picture", "words", "two pictures"])
def test_a_prompts_picture_stays_with_its_words(tmp_path: Path, first: str) -> None:
    """Its picture and its number stood at the foot of a page, its sentence at the head of the next one."""
    said: list[Message] = []
    for n in range(24):  # at every height of a page
        words = Text(f"Is the line dark? {'It is the one in the middle. ' * 5} Told{n}.")  # longer than a header
        parts: list[Text | Media] = [Media("image/png", image(240, 160), name=f"shot{n}.png"), words]
        if first == "two pictures":
            parts.insert(0, Media("image/png", image(240, 90), name=f"wide{n}.png"))
        elif first == "words":
            parts.reverse()
        said.append(Message(role="user", origin="prompt", blocks=tuple(parts), uuid=f"u{n}"))
        answer = Text("\n\n".join(["A line of the answer."] * (n * 5 % 17 + 1)))
        said.append(Message(role="assistant", origin="reply", blocks=(answer,), uuid=f"a{n}"))
    path = tmp_path / "shots.pdf"
    dragoman.write(Session(header=Header(id="shots", title="Pictures"), entries=tuple(said)), "pdf", path)
    pages = [page.extract_text() for page in pypdf.PdfReader(path).pages]
    for n in range(24):
        body = next(text for text in pages if f"shot{n}.png" in text)
        assert f"Told{n}." in body
        assert first != "two pictures" or f"wide{n}.png" in body


def test_a_prompt_that_begins_with_an_unknown_block_has_its_number(tmp_path: Path) -> None:
    """The contents led nowhere, and the running header kept the prompt before."""
    said = tuple(
        Message(role="user", origin="prompt", blocks=blocks, uuid=f"u{n}")
        for n, blocks in enumerate([(Text("One."),), (Unknown("hologram", {"x": 1}), Text("Two."))])
    )
    path = tmp_path / "unknown.pdf"
    dragoman.write(Session(header=Header(id="unknown", title="Odd"), entries=said), "pdf", path)
    pdf = pypdf.PdfReader(path)
    assert [each.title for _, each in flat(pdf.outline)][-1].startswith("2. ")
    assert sum("/Dest" in each for _, each in annotations(pdf)) == 4


def test_bookmarks_go_down_to_subagents_of_subagents(made: Callable[..., Made]) -> None:
    marks = [(level, mark.title) for level, mark in flat(reader(made("agents")).outline)]
    assert marks[0] == (0, "Contents")
    assert sum(level == 1 and title.startswith("Explore: audit module") for level, title in marks) == 20
    assert (2, "Explore: trace the callers of open_raw()") in marks
    assert any(level == 0 and "compacted" in title for level, title in marks)
    pages = [
        reader(made("agents")).get_destination_page_number(mark) for _, mark in flat(reader(made("agents")).outline)
    ]
    assert pages == sorted(pages)


def test_who_when_and_in_what_language(made: Callable[..., Made]) -> None:
    held = made("chat")
    pdf = reader(held)
    info = pdf.metadata
    assert info is not None
    assert info.title == "Choosing a queue for the harbour office"
    assert info.author == "Claude Code 2.1.97 (claude-opus-4-1)"
    assert info.creation_date == held.session.header.started
    assert info.modification_date == held.session.header.ended
    assert pdf.root_object["/Lang"] == "en"
    assert pdf.root_object["/ViewerPreferences"]["/DisplayDocTitle"]
    assert reader(made("scripts")).root_object["/Lang"] == "ar"
    xmp = pdf.xmp_metadata
    assert xmp is not None
    assert xmp.dc_title == {"x-default": "Choosing a queue for the harbour office"}


def test_the_cover_says_what_the_session_was(made: Callable[..., Made]) -> None:
    words = texts(made("agents"))[0]
    for each in ("/home/dev/harbour", "claude-opus-4-1", "2026-03-02 09:15 UTC", "21 subagents", "Tokens", "Cost", "$"):
        assert each in words


def test_long_outputs_say_how_much_is_left_out(made: Callable[..., Made]) -> None:
    held = made("refactoring")
    words = "\n".join(texts(held))
    assert re.search(r"\d+ lines left out", words)
    assert "Long texts are shortened" in words
    assert held.report.count(Code.TRUNCATED, "outputs") == 12


def test_nothing_is_left_out_of_a_full_document(made: Callable[..., Made]) -> None:
    held = made("pictures", full=True)
    assert held.report.count(Code.TRUNCATED) == 0
    assert "lines left out" not in "\n".join(texts(held))


def test_pictures_that_cannot_be_drawn_are_named_and_reported(made: Callable[..., Made]) -> None:
    held = made("pictures")
    words = "\n".join(texts(held))
    assert "broken.png" in words and "damaged" in words
    assert "tide tables.pdf" in words
    assert held.report.count(Code.DROPPED_MEDIA, "damaged") == 1
    assert held.report.count(Code.DROPPED_MEDIA, "application/pdf") == 1
    drawn = sum(len(page.images) for page in reader(held).pages)
    assert drawn >= 5


def test_every_script_is_in_the_text(made: Callable[..., Made]) -> None:
    words = "\n".join(texts(made("scripts")))
    for each in ("船ごと", "순서", "队列", "Очередь", "σειρά", "हिन्दी", "ภาษาไทย", "├── harbour", "🚢"):
        assert each in words, each


def test_a_joined_document_says_that_it_is_untagged(made: Callable[..., Made]) -> None:
    assert made("chat").report.count(Code.UNTAGGED) == 1


def test_a_tagged_document_has_its_structure_and_the_same_numbers(made: Callable[..., Made]) -> None:
    held = made("chat", tagged=True)
    pdf = reader(held)
    root = pdf.root_object
    assert root["/MarkInfo"]["/Marked"]
    assert "/StructTreeRoot" in root
    assert held.report.count(Code.UNTAGGED) == 0
    pages = texts(held)
    assert f"Page 2 of {len(pages)}" in pages[1]
    assert pdf.outline
    assert "pdfuaid" in (root["/Metadata"].get_object().get_data().decode())


def test_an_archive_document_says_so_and_carries_its_colour_profile(made: Callable[..., Made]) -> None:
    held = made("chat", pdfa=True, embed=True)
    root = reader(held).root_object
    assert "/OutputIntents" in root
    assert "/AF" in root
    metadata = root["/Metadata"].get_object().get_data().decode()
    assert ">3</pdfaid:part>" in metadata
    pdfa = pytest.importorskip("pikepdf.pdfa")
    with pikepdf.open(held.path) as pdf:
        found = pdfa.check(pdf, "3b").findings  # 3b is all that it knows; ours says 3u, which is more
    assert [each for each in found if "conformance is 'U'" not in str(each)] == []


def test_the_header_names_the_prompt_that_a_page_begins_in(made: Callable[..., Made]) -> None:
    """Also where a part begins in the middle of a turn; a page that begins with its first prompt needs none."""
    pages = texts(made("agents"))
    assert "1 · Look at every module" not in pages[1]
    for words in pages[2:]:
        assert "1 · Look at every module" in words
        assert "2 · Make a table" not in words
    sizes = [part.running for part in cut(iter([Block("<p>x</p>", 700.0, n == 0, "1 · Why?") for n in range(3)]))]
    assert sizes == ["", "1 · Why?", "1 · Why?"]
    frame = Frame("A title", "en")
    laid = Typesetter(Setting(style("a4"))).lay_out(frame.page("<p>body</p>", running=sizes[1]))
    document = pypdfium2.PdfDocument(laid.pdf)
    assert "1 · Why?" in document[0].get_textpage().get_text_bounded()
    document.close()


def test_what_a_command_printed_keeps_its_lines_and_is_monospace(tmp_path: Path) -> None:
    """It was set as prose: `git diff --stat` stood on one line."""
    printed = "tides/table.py | 6 +++---\n1 file changed"
    said = {"shell_input": "git diff --stat", "shell_output": printed, "command_output": printed}
    entries = tuple(
        Message(role="user", origin=cast(Origin, each), blocks=(Text(words),)) for each, words in said.items()
    )
    (path,) = dragoman.write(Session(header=Header(id="s"), entries=entries), "pdf", tmp_path / "s.pdf")
    monospace: list[str] = []

    def visit(words: str, _place: Any, _line: Any, font: Any, _size: Any) -> None:
        if "Mono" in str((font or {}).get("/BaseFont", "")):
            monospace.extend(line.strip() for line in words.splitlines())

    for page in pypdf.PdfReader(path).pages[1:]:
        page.extract_text(visitor_text=visit)
    assert [line for line in monospace if line] == ["git diff --stat", *printed.splitlines() * 2]


@pytest.mark.parametrize(
    ("words", "times"),
    [
        ("Which zone should stations without one have?", 1),
        ("UTC — As it is written", 1),
        ("The person said", 1),  # in a rejection
        ("Do the docs mention the offset?", 1),
        ("Fundy", 5),  # an argument, two rows, and two sentences
        ("run_in_background", 0),
        ("in the background", 1),
    ],
)
def test_a_page_says_each_thing_once(words: str, times: int) -> None:
    """A question, its answer, a message and an argument stood in the call's line and again below it."""
    session = dragoman.read(Path(__file__).resolve().parents[2] / "fixtures" / "claude-code" / "2.1.300" / "subagents")
    made = Making(session, PdfOptions(), Report()).whole()
    plain = re.sub(r"<[^>]*>", "", made[made.index('<div class="body">') :])
    assert " ".join(plain.split()).count(words) == times
