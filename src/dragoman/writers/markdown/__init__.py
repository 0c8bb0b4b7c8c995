"""Writes GitHub-flavoured Markdown that reads as prose in a plain pager and on a code host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from dragoman.io.collecting import paused
from dragoman.io.names import stem
from dragoman.io.paths import files_in
from dragoman.io.target import Target
from dragoman.model import Session
from dragoman.render import halves, text
from dragoman.render.reading import read
from dragoman.render.turns import Level, Turn
from dragoman.report import Report


class MarkdownOptions(Struct, frozen=True):
    """What can be asked of the Markdown writer."""

    only: Annotated[Level, Meta(description="How much is shown.")] = "everything"
    images: Annotated[
        Literal["files", "data", "none"],
        Meta(description="Pictures as files beside the document, as data inside it, or left out."),
    ] = "files"
    tz: Annotated[str, Meta(description="The zone of the times shown: UTC, local, Europe/Vienna.")] = "UTC"


class MarkdownWriter:
    """GitHub-flavoured Markdown: one document a session."""

    name = "markdown"
    description = "GitHub-flavoured Markdown, to read in a pager or on a code host"
    suffix = ".md"
    media_type = "text/markdown"
    binary = False
    several = False
    options = MarkdownOptions

    def unavailable(self) -> str:
        return ""

    def file_name(self, session: Session, options: MarkdownOptions) -> str:
        return f"{stem(session)}.md"

    def beside(self, main: Path) -> list[Path]:
        return files_in(main.with_name(f"{main.stem}-media"))

    def write(self, session: Session, target: Target, options: MarkdownOptions, report: Report) -> None:
        with paused():
            self._write(session, target, options, report)

    def _write(self, session: Session, target: Target, options: MarkdownOptions, report: Report) -> None:
        from dragoman.writers.markdown.document import Page
        from dragoman.writers.markdown.pictures import Pictures, holds_media

        zone = text.zone(options.tz)
        name = target.settle(self.file_name(session, options))
        stream = target.main(name)
        stem = name.rpartition(".")[0] or "session"
        opener = target.open if target.holds_side_files else None
        document = read(session, options.only, report)
        pictures = Pictures(options.images, stem, opener, report)
        page = Page(document, pictures, zone, report)
        stream.write(page.opening().encode())
        if options.images == "files" and holds_media(session):  # files have numbers, which one process gives
            for piece in page.sections(document.turns):
                stream.write(piece.encode())
        else:

            def make(turns: Sequence[Turn], told: Report) -> Iterator[str]:
                media = Pictures(options.images, stem, opener, told)
                return Page(document, media, zone, told).sections(turns)

            for chunk in halves.pieces(document.turns, make, report, share=0.45):
                stream.write(chunk)
        stream.write(page.ending().encode())


writer = MarkdownWriter()
