"""Writes a conversation as a page to read: one file that needs nothing else, or linked pages."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from dragoman.io.names import stem
from dragoman.io.target import Target
from dragoman.model import Session
from dragoman.report import Report


class HtmlOptions(Struct, frozen=True):
    """`only`: how much is shown. `split`: linked pages and an index, for huge sessions. `embed`: the conversation is
    carried inside, so that the page can be converted again. `images`: inside, or left out (`no_images` and
    `embed_images` say the same in one word). `css`: a style sheet of yours after ours. `templates`: a folder whose files stand in for ours. `tz`: the zone of the times shown.
    """

    only: Literal["prompts", "conversation", "everything"] = "everything"
    split: bool = False
    embed: bool = False
    images: Literal["embed", "none"] = "embed"
    no_images: bool = False
    embed_images: bool = False
    css: str = ""
    templates: str = ""
    tz: str = "UTC"


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

    def file_name(self, session: Session) -> str:
        return f"{stem(session)}.html"

    def write(self, session: Session, target: Target, options: HtmlOptions, report: Report) -> None:
        from dragoman.io.collecting import paused
        from dragoman.render import reading, text
        from dragoman.writers.html.page import Page, looks
        from dragoman.writers.html.split import write_split
        from dragoman.writers.html.survey import Survey
        from dragoman.writers.html.ui import Ui

        shared = looks(
            Path(options.templates) if options.templates else None, Path(options.css) if options.css else None
        )
        zone = text.zone(options.tz)
        document = reading.read(session, options.only, report)
        survey = Survey(document)
        ui = Ui(zone, images=options.embed_images or (options.images == "embed" and not options.no_images))
        page = Page(shared, document, ui, survey, report)
        name = self.file_name(session)
        with paused():
            if options.split:
                write_split(page, target, name, embed=options.embed)
            else:
                page.write(target.main(name), embed=options.embed)


writer = HtmlWriter()
