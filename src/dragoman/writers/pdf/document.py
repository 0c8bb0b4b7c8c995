"""The document as HTML for print: its front (cover, timeline, contents), its parts, and all of it as one page of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from html import escape
from typing import Any

from msgspec import Struct

from dragoman.model import Message, Text
from dragoman.render import text
from dragoman.render.templates import environment, load
from dragoman.render.turns import Divider, Document, Prompt
from dragoman.writers.pdf import language, shorten, wrap
from dragoman.writers.pdf.join import GO, NUMBER
from dragoman.writers.pdf.parts import Part

PAPERS = {"a4": ("A4", 595.28), "letter": ("letter", 612.0)}
"""Paper: its name in CSS, and its width in points."""

LEFT, RIGHT = 96.0, 57.0
"""Points of margin. The left one holds the prompts' numbers."""

CODE_SIZE = 7.3
"""Points of the type that code is set in."""

ADVANCE = 0.605
"""Width of a monospaced letter, of its size: 0.6 in Noto, Liberation and Courier, 0.602 in DejaVu."""

HEADER = 42
"""Cells of the title in the running header; the prompt beside it gets some more."""

ENTRIES = 220
"""Lines of contents that one part holds: several hundred prompts don't cost memory either."""


PAGEFUL = 30
"""Lines of contents that fit on one page, even where some take two rows."""


def columns(paper: str) -> int:
    """Columns of code on a page."""
    return int((PAPERS[paper][1] - LEFT - RIGHT - 12) / (CODE_SIZE * ADVANCE))


def style(paper: str, *, whole: bool = False) -> str:
    """The style sheet of every part, or of a document laid out whole."""
    page = f"@page {{ size: {PAPERS[paper][0]}; margin: 68pt {RIGHT}pt 62pt {LEFT}pt; }}\n"
    return page + load("pdf/print.css") + (load("pdf/whole.css") if whole else "")


def title(document: Document) -> str:
    """The session's title, else its first prompt, else its id."""
    header = document.session.header
    named = text.unmarked(header.title, 160)
    if named:
        return named
    for prompt in document.prompts:
        return text.one_line(prompt.title, 120)
    return text.one_line(header.id, 80) or "A conversation"


def guess_language(document: Document) -> str:
    """By what people and agents said, in that order of turns."""
    said = (
        block.text
        for entry in document.session.entries
        if isinstance(entry, Message) and entry.role != "tool" and entry.origin not in ("injected", "instructions")
        for block in entry.blocks
        if isinstance(block, Text)
    )
    return language.guess(said)


class Entry(Struct, frozen=True):
    """A line of the contents."""

    number: str
    title: str
    anchor: str
    time: str
    direction: str


def entries(document: Document, tz: tzinfo) -> list[Entry]:
    """The prompts of the session and its breaks, which have no number, with the day where it changes."""
    from dragoman.writers.pdf.blocks import direction

    made = []
    before = ""
    for turn in document.turns:
        if not isinstance(turn, Prompt | Divider):
            continue
        day, clock = text.day(turn.time, tz), text.clock(turn.time, tz)[:5]
        shown = f"{day} {clock}" if day != before else clock
        before = day
        words = text.one_line(turn.title, 150)
        number = str(turn.number) if isinstance(turn, Prompt) else ""
        made.append(Entry(number, words, turn.anchor, shown, direction(words)))
    return made


class Frame:
    """Wraps bodies into pages of HTML. `whole`: all in one document, numbers by the layout's own counters."""

    def __init__(self, document_title: str, document_language: str, *, whole: bool = False) -> None:
        self.title = document_title
        self.language = document_language
        self.whole = whole

    def page(self, body: str, *, running: str = "", front: bool = False) -> str:
        """A part as a document of its own."""
        kind = ' class="whole"' if self.whole else ' class="front"' if front else ""
        return (
            f'<!DOCTYPE html><html lang="{self.language}"><head><meta charset="utf-8"/>'
            f"<title>{escape(self.title)}</title></head><body{kind}>{self.running(running)}{body}</body></html>"
        )

    def running(self, words: str) -> str:
        """Sets what the header says from here on."""
        doc = escape(wrap.head(self.title, HEADER), quote=True)
        prompt = f'<div class="resumed" data-running="{escape(words, quote=True)}"></div>' if words else ""
        return f'{prompt}<div class="running" data-doc="{doc}"></div>'  # the page's first element counts for its header

    def go(self, anchor: str) -> str:
        """Where a link to an anchor leads."""
        return f"#{anchor}" if self.whole else GO + anchor

    def number(self, anchor: str) -> str:
        """What stands where an anchor's page number goes."""
        if self.whole:
            return f'<a class="number" href="#{anchor}"></a>'
        return f'<a class="number" href="{NUMBER}{anchor}">0</a>'


class Front(Struct, frozen=True):
    """What the cover says."""

    title: str
    facts: Sequence[tuple[str, str]]
    receipt: Sequence[str]
    timeline: str
    rule: Sequence[str]


def front(cover: Front, contents: Sequence[Entry], frame: Frame) -> Iterator[str]:
    """The bodies of the front's parts: the cover with the first entries, then the others."""
    templates = environment("pdf")
    cover_html = templates.get_template("cover.html").render(cover=cover)
    listing = templates.get_template("contents.html")
    chunks = [contents[at : at + ENTRIES] for at in range(0, len(contents), ENTRIES)] or [()]
    for number, chunk in enumerate(chunks):
        listed: Any = listing.render(entries=chunk, frame=frame, first=number == 0, most=PAGEFUL) if chunk else ""
        yield (cover_html if number == 0 else "") + listed


def rule(full: bool) -> list[str]:
    """The rule by which long texts are cut, in words."""
    if full:
        return ["Nothing is shortened: this document was made with --full."]
    told = [
        f"{each.name} of more than {each.most} lines to {each.head} + {each.tail}"
        for each in (shorten.OUTPUT, shorten.QUIET, shorten.CHANGE, shorten.THOUGHT)
    ]
    return [
        f"Long texts are shortened to their first and last lines: {', '.join(told)}. "
        "The number of lines left out stands in their place; --full keeps them all."
    ]


def whole(front_bodies: Iterable[str], parts: Iterable[Part], frame: Frame) -> str:
    """All of it as one document: for tagged PDFs, and to measure the layout in parts against."""
    body = "".join(front_bodies) + '<div class="body">' + "\n".join(part.html for part in parts) + "</div>"
    return frame.page(body)
