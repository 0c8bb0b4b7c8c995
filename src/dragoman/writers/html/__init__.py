"""Writes a conversation as a page to read: one file that needs nothing else, or linked pages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, takewhile
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from dragoman.io.names import stem
from dragoman.io.paths import expanded
from dragoman.io.target import Target
from dragoman.model import Session
from dragoman.report import Report


class HtmlOptions(Struct, frozen=True):
    """What can be asked of the HTML writer."""

    only: Annotated[Literal["prompts", "conversation", "everything"], Meta(description="How much is shown.")] = (
        "everything"
    )
    split: Annotated[
        bool, Meta(description="Linked pages and an index, for huge sessions; a short one stays one page.")
    ] = False
    embed: Annotated[
        bool, Meta(description="Carry the conversation inside, so that the page can be converted again.")
    ] = False
    images: Annotated[Literal["embed", "none"], Meta(description="Pictures inside the page, or left out.")] = "embed"
    no_images: Annotated[bool, Meta(description="The same as --images none.")] = False
    embed_images: Annotated[bool, Meta(description="The same as --images embed.")] = False
    css: Annotated[str, Meta(description="A style sheet of yours, after ours.")] = ""
    templates: Annotated[str, Meta(description="A folder whose files stand in for our templates.")] = ""
    tz: Annotated[str, Meta(description="The zone of the times shown: UTC, local, Europe/Vienna.")] = "UTC"

    def __post_init__(self) -> None:
        """A sheet or a folder that can't be used is said before anything is read, even if no page comes of it."""
        if self.templates:
            from dragoman.render import templates

            templates.refuse_strange("html", expanded(self.templates))
        if self.css:
            from dragoman.writers.html.page import own_style

            own_style(expanded(self.css))


class HtmlWriter:
    """A page to read."""

    name = "html"
    description = "a page to read and to send: one self-contained file, offline, searchable"
    suffix = ".html"
    media_type = "text/html"
    binary = False
    several = False
    options = HtmlOptions

    def unavailable(self) -> str:
        return ""

    def file_name(self, session: Session, options: HtmlOptions) -> str:
        return f"{stem(session)}.html"

    def beside(self, main: Path) -> Iterator[Path]:
        pages = (main.with_name(f"{main.stem}-{number}.html") for number in count(2))
        return takewhile(Path.exists, pages)

    def write(self, session: Session, target: Target, options: HtmlOptions, report: Report) -> None:
        from dragoman.io.collecting import paused
        from dragoman.render import reading, templates, text
        from dragoman.writers.html.page import Page, looks
        from dragoman.writers.html.split import write_split
        from dragoman.writers.html.survey import Survey
        from dragoman.writers.html.ui import Ui

        shared = looks(
            expanded(options.templates) if options.templates else None, expanded(options.css) if options.css else None
        )
        zone = text.zone(options.tz)
        document = reading.read(session, options.only, report)
        survey = Survey(document)
        ui = Ui(zone, images=options.embed_images or (options.images == "embed" and not options.no_images))
        name = self.file_name(session, options)
        with paused(), templates.blamed():
            page = Page(shared, document, ui, survey, report)
            if options.split:
                write_split(page, target, name, embed=options.embed)
            else:
                page.write(target.main(name), embed=options.embed)


writer = HtmlWriter()
