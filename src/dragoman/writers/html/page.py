"""A page, put together: style, script and policy, the head, the outline, the conversation."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from markupsafe import Markup
from msgspec import Struct

from dragoman import stats
from dragoman.errors import InputError, UsageError
from dragoman.io.source import read_text
from dragoman.render import figures, halves, templates, text, timeline
from dragoman.render.turns import Divider, Document, Prompt, Turn
from dragoman.report import Report
from dragoman.writers.html import csp
from dragoman.writers.html.about import About, about
from dragoman.writers.html.entries import Entries
from dragoman.writers.html.payload import island
from dragoman.writers.html.survey import Heading, Survey
from dragoman.writers.html.ui import Ui

if TYPE_CHECKING:
    from jinja2 import Environment

SCRIPTS = ("1-core", "2-outline", "3-search", "4-filter", "5-keys", "6-copy")

SHARE = 0.56
"""Of the turns, what this process makes itself: the other one starts later and copies what it touches."""

BUFFER = 1 << 18
"""Characters that are gathered before they are written."""

KINDS = (("prompt", "Prompts"), ("answer", "Answers"), ("thinking", "Thinking"), ("tool", "Tools"), ("note", "Notes"))


class Looks(Struct, frozen=True):
    """What all pages of one conversion share: the compiled templates, the styles, the script."""

    environment: Environment
    styles: tuple[str, ...]
    script: str
    policy: str


class Link(Struct, frozen=True):
    """A page among others."""

    name: str
    file: str
    here: bool = False


def looks(folder: Path | None, css: Path | None) -> Looks:
    """Our templates, the user's where they override ours, and the user's own style after ours."""
    environment = _ours() if folder is None else _environment(folder)
    styles = [csp.style_text(templates.load("html/style.css", folder))]
    if css is not None:
        styles.append(own_style(css))
    parts = [templates.load(f"html/script/{name}.js", folder) for name in SCRIPTS]
    script = '(() => {\n"use strict";\n' + "".join(parts) + "})();\n"
    if "</script" in script.lower() or "<!--" in script:
        raise UsageError("a script of the templates would end its own element: write </script and <!-- otherwise")
    return Looks(environment, tuple(styles), script, csp.policy(styles, [script]))


def own_style(path: Path) -> str:
    """A style sheet of the user's."""
    try:
        return csp.style_text(read_text(path))
    except InputError as error:
        raise UsageError(f"{path}: can't be read as a style sheet ({error})") from None


@cache
def _ours() -> Environment:
    """Our own templates, compiled once: that costs more than a small page does."""
    return _environment(None)


def _environment(folder: Path | None) -> Environment:
    environment = templates.environment("html", folder)
    environment.finalize = shown
    return environment


def shown(value: object) -> object:
    """What templates print: strings in visible form. Safe HTML is a Markup, and passes."""
    if type(value) is not str or (value.isascii() and value.isprintable()):
        return value
    return text.visible(value)


class Page:
    """One conversation's page, or one of several where it is split."""

    def __init__(self, looks: Looks, document: Document, ui: Ui, survey: Survey, report: Report) -> None:
        self.looks = looks
        self.document = document
        self.ui = ui
        self.survey = survey
        self.report = report
        self.figures = stats.of(document.session)
        self.about: About = about(document, ui, self.figures)
        self.entries = Entries(
            looks.environment,
            ui,
            survey.numbers,
            {key: number for key, (number, _) in survey.agents.items()},
            self.figures,
            lazy=survey.lazy,
        )

    def write(
        self,
        stream: BinaryIO,
        *,
        turns: Sequence[Turn] | None = None,
        pages: Sequence[Link] = (),
        page_of: dict[int, str] | None = None,
        last: bool = True,
        embed: bool = False,
    ) -> None:
        """Write the page. `pages`: all of them, where there are several. `page_of` says on which of the others a turn stands."""
        outline = [self._linked(heading, page_of or {}) for heading in self.survey.outline]
        sections = self._sections(self.document.turns if turns is None else turns, last=last)
        here = next((number for number, link in enumerate(pages) if link.here), 0)
        drawn = timeline.draw(self.document, self.ui.zone, page_of or {}) if here == 0 else Markup()
        self.ui.begin_page()
        context = {
            "version": _version(),
            "lazy": self.survey.lazy,
            "csp": Markup(self.looks.policy),
            "styles": [Markup(style) for style in self.looks.styles],
            "script": Markup(self.looks.script),
            "about": self.about,
            "kinds": [(kind, words, self.survey.kinds[kind]) for kind, words in KINDS if self.survey.kinds[kind]],
            "tools": sorted(
                (
                    (self.survey.numbers[name], text.one_line(name, 60) or "(unnamed)", n)
                    for name, n in self.survey.tools.items()
                ),
                key=lambda row: (-row[2], row[1]),
            ),
            "agents": list(self.survey.agents.values()),
            "failed": self.survey.failed,
            "outline": outline,
            "outline_title": ", ".join(figures.typed(self.figures.main)),
            "timeline": drawn,
            "happened": [
                {
                    "when": text.clock(each.begun, self.ui.zone),
                    "anchor": each.anchor,
                    "page": each.page,
                    "title": each.title,
                    "facts": each.facts,
                }
                for each in outline
            ],
            "pages": pages,
            "here": pages[here] if pages else None,
            "before": pages[here - 1] if here > 0 else None,
            "after": pages[here + 1] if here + 1 < len(pages) else None,
            "sections": sections,
            "island": island(self.document.session) if embed else "",
        }
        _write(stream, self.looks.environment.get_template("session.html").generate(context))

    def _sections(self, turns: Sequence[Turn], *, last: bool) -> Iterator[Markup]:
        early = takewhile(lambda turn: not isinstance(turn, Prompt), turns)
        if any(not isinstance(turn, Divider) for turn in early):  # their headings are below one, as everywhere
            yield Markup('<h2 class="vh">Before the first prompt</h2>\n')
        whole = getincrementaldecoder("utf-8")()  # a piece may end within a character
        for piece in halves.pieces(turns, self.entries.sections, self.report, share=SHARE):
            yield Markup(whole.decode(piece))
        if last and self.document.loose:
            yield self.entries.loose(self.document.loose, self.report)

    def _linked(self, heading: Heading, page_of: dict[int, str]) -> Heading:
        heading.page = page_of.get(heading.turn, "")
        return heading


def _write(stream: BinaryIO, pieces: Iterable[str]) -> None:
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > BUFFER:
            stream.write("".join(held).encode())
            held, size = [], 0
    stream.write("".join(held).encode())


def _version() -> str:
    from dragoman import __version__

    return __version__
