"""From a session to a PDF: blocks, parts, layout side by side, joining. The only module that knows all of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime
from itertools import chain, islice
from typing import BinaryIO

from dragoman import stats
from dragoman.errors import UnavailableError, UsageError
from dragoman.io.target import Progress
from dragoman.model import Session, Span
from dragoman.render import reading, text
from dragoman.report import Code, Report
from dragoman.writers.pdf import document as html
from dragoman.writers.pdf.availability import fontless, unavailable
from dragoman.writers.pdf.blocks import Measure, Setter
from dragoman.writers.pdf.body import Body
from dragoman.writers.pdf.cover import cover
from dragoman.writers.pdf.fonts import report_missing
from dragoman.writers.pdf.join import Bookmark, Plan, finish, join
from dragoman.writers.pdf.layout import lay_out, lay_out_here
from dragoman.writers.pdf.options import PdfOptions
from dragoman.writers.pdf.parts import TINY, cut
from dragoman.writers.pdf.stamps import sheet_body
from dragoman.writers.pdf.typeset import Laid, Setting

EPOCH = 946_684_800
"""2000-01-01: the time of making of what has no time of its own."""


class Making:
    """One document on its way. Everything in it follows from the session and the options."""

    def __init__(self, session: Session, options: PdfOptions, report: Report) -> None:
        if options.tagged and options.pdfa:
            raise UsageError("--tagged and --pdfa exclude each other: a PDF is laid out as the one or the other")
        reason = unavailable() or fontless()
        if reason:
            raise UnavailableError(reason)
        self.session = session
        self.options = options
        self.report = report
        self.tz = text.zone(options.tz)
        self.document = reading.read(session, options.only, report)
        self.title = html.title(self.document)
        self.language = html.guess_language(self.document)
        self.setter = Setter(Measure(html.columns(options.paper), options.full), report)
        self.figures = stats.of(session)
        self.body = Body(self.document, self.figures, self.setter, self.tz)
        self.turns = max(1, len(self.document.prompts))

    def write(self, out: BinaryIO, progress: Progress | None = None) -> int:
        """Lay the document out and write it. Returns its pages."""
        if self.options.tagged:
            return self._write_tagged(out)
        parts = cut(self.body.blocks())
        ahead = list(islice(parts, 2))
        frame = html.Frame(self.title, self.language)
        fronts = [frame.page(body, front=True) for body in self.fronts(frame)]
        turns: list[int] = [0] * (1 + len(fronts))

        def bodies() -> Iterator[str]:
            for part in chain(ahead, parts):
                turns.append(part.turns)
                yield frame.page(part.html, running=part.running)

        pages = chain([frame.page(sheet_body(), front=True)], fronts, bodies())
        setting = self.setting("pdf/a-3u" if self.options.pdfa else "")
        if (len(ahead) < 2 and sum(part.lines for part in ahead) <= TINY) or not sys.executable:
            laid = lay_out_here(pages, setting)
        else:
            laid = lay_out(pages, setting)
        done = 0
        finished: list[Laid] = []
        for number, part_laid in enumerate(laid):
            finished.append(part_laid)
            done += turns[number]
            if progress is not None:
                progress(min(done, self.turns), self.turns)
        self.tell(finished)
        joined = join(finished[1:], finished[0], self.plan(), out)
        self.report.add(Code.UNTAGGED)
        return joined.pages

    def whole(self) -> str:
        """The document as one page of HTML, with the layout's own counters for numbers."""
        frame = html.Frame(self.title, self.language, whole=True)
        return html.whole(self.fronts(frame), cut(self.body.blocks()), frame)

    def _write_tagged(self, out: BinaryIO) -> int:
        (laid,) = lay_out_here([self.whole()], self.setting("pdf/ua-1"))
        self.tell([laid])
        return finish(laid, self.plan(), out)

    def fronts(self, frame: html.Frame) -> Iterator[str]:
        """The bodies of the cover and the contents."""
        return html.front(
            cover(self.document, self.title, self.figures, self.options, self.tz),
            html.entries(self.document, self.tz),
            frame,
        )

    def setting(self, variant: str) -> Setting:
        """What every part's layout shares."""
        when = self.when()
        epoch = EPOCH if when is None else max(0, int(when.timestamp()))
        return Setting(html.style(self.options.paper, whole=self.options.tagged), epoch, variant)

    def when(self) -> datetime | None:
        """The document's date: the session's end, else its beginning."""
        return self.session.header.ended or self.session.header.started

    def author(self) -> str:
        """The program and its model: the only author that a session is sure of."""
        header = self.session.header
        program = " ".join(each for each in (header.agent, header.agent_version) if each)
        models = ", ".join(header.models[:3])
        return text.one_line(f"{program} ({models})" if program and models else program or models, 160)

    def bookmarks(self) -> list[Bookmark]:
        """The contents, then what the body gave."""
        listed = [Bookmark(0, "Contents", "contents")] if self.document.prompts else []
        return [*listed, *self.body.bookmarks]

    def plan(self) -> Plan:
        """What the joined document is beside its parts."""
        header = self.session.header
        return Plan(
            title=self.title,
            author=self.author(),
            subject=text.one_line(f"Session {header.id}", 120) if header.id else "",
            language=self.language,
            creator=f"dragoman {version()}",
            created=header.started or header.ended,
            modified=self.when(),
            margin=html.RIGHT,
            bookmarks=self.bookmarks(),
            pdfa=self.options.pdfa,
            attachment=self.attachment(),
        )

    def attachment(self) -> bytes | None:
        """The neutral conversation, where it was asked for."""
        if not self.options.embed:
            return None
        from dragoman.io.native import encode

        return encode(self.session)

    def tell(self, finished: list[Laid]) -> None:
        """Report what the layouts lacked."""
        missing: dict[int, int] = {}
        for each in finished:
            for codepoint, count in each.missing.items():
                missing[codepoint] = missing.get(codepoint, 0) + count
        files = self.session.header.files
        self.report.at = Span(files[0].path, 0) if files else None
        report_missing(missing, self.report)
        pictures = sum(each.pictures for each in finished)
        if pictures:
            self.report.add(Code.DROPPED_MEDIA, None, "can't be drawn", pictures)


def version() -> str:
    """dragoman's own version."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("dragoman")
    except PackageNotFoundError:
        return ""
