"""What templates call to turn the transcript's values into safe HTML: `ui.prose(…)`, `ui.diff(…)` and so on."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

from markupsafe import Markup
from msgspec import Struct

from dragoman.model import Media
from dragoman.render import ansi, text
from dragoman.render.diffs import Hunk
from dragoman.report import Code, Report
from dragoman.writers.html import highlighting
from dragoman.writers.html.listings import Listings
from dragoman.writers.html.prose import Prose

_PICTURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"BM": "image/bmp",
}
_KNOWN = ("application/pdf", "image/svg+xml", "text/plain", "image/png", "image/jpeg", "image/gif", "image/webp")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]*={0,2}\s*")
_WEB = re.compile(r"https?://", re.IGNORECASE)


class Stamp(Struct, frozen=True, gc=False):
    """A time for people: `short` 10:42, `long` with the date where it is another day, `iso` for machines.

    `again`: the last one shown said the same.
    """

    short: str
    long: str
    again: bool
    time: datetime

    @property
    def iso(self) -> str:
        return self.time.strftime("%Y-%m-%dT%H:%M:%SZ")


class Ui:
    """One page's renderers. `level` is that of the headings which an answer may begin with.

    `report` is where what isn't shown is told.
    """

    def __init__(self, zone: tzinfo, *, images: bool) -> None:
        self.zone = zone
        self.images = images
        self.level = 3
        self._prose = Prose()
        self.begin_page()
        self.report = Report()

    def begin_page(self) -> None:
        """Nothing is on the page yet that could be pointed to."""
        self.listings = Listings()
        self._day: tuple[int, int, int] | None = None
        self._minute = ""
        self.plain = self.listings.plain
        self.json = self.listings.json
        self.terminal = self.listings.terminal
        self.numbered = self.listings.numbered

    def prose(self, source: str) -> Markup:
        """Markdown, formatted."""
        if ansi.has_escapes(source):
            self.report.add(Code.ANSI_STRIPPED)
        return Markup(self._prose.html(source, self.level))

    def diff(self, hunks: Sequence[Hunk], path: str) -> Markup:
        """An edit."""
        return self.listings.diff(hunks, path)

    def code(self, source: str, language: str) -> Markup:
        """Source code of a language by name."""
        return self.listings.plain(source, highlighting.of_name(language))

    def hits(self, lines: str) -> Markup:
        """What a search printed: paths, or `path:line:text`."""
        return self.listings.plain(lines)

    def link(self, url: str, words: str) -> Markup:
        """A link where it leads to the web, else the words and the address as text."""
        shown, address = text.visible(words), text.visible(url)
        if _WEB.match(url):
            return Markup('<a href="{}" rel="noopener noreferrer">{}</a>').format(address, shown)
        return (
            Markup("{} <code>{}</code>").format(shown, address) if url and url != words else Markup("{}").format(shown)
        )

    def media(self, media: Media) -> Markup:
        """A picture, shown; another document, named."""
        name = text.one_line(media.name)
        size = len(media.data) * 3 // 4
        if media.data:
            kind = picture(media.data)
            if kind and self.images:
                words = " · ".join(filter(None, (name, kind, text.size(size))))
                return Markup(
                    '<figure class="pic"><img src="data:{};base64,{}" alt="{}" loading="lazy" decoding="async">'
                    "<figcaption>{}</figcaption></figure>"
                ).format(kind, "".join(media.data.split()), name or "Picture in the conversation", words)
            if kind:
                self.report.add(Code.DROPPED_BY_REQUEST, media.span, "pictures")
            else:
                told = media.media_type if media.media_type in _KNOWN else "other"
                self.report.add(Code.DROPPED_MEDIA, media.span, told)
            what = "Picture" if kind else "PDF document" if media.data.startswith("JVBERi") else "Document"
            why = "left out, as asked" if kind else "not shown here"
            words = " · ".join(filter(None, (what, name, text.one_line(media.media_type, 60), text.size(size), why)))
            return Markup('<p class="attached">{}</p>').format(words)
        if media.url:
            return Markup('<p class="attached">Picture or document elsewhere: {}</p>').format(
                self.link(media.url, name or media.url)
            )
        words = " · ".join(filter(None, ("Picture or document that isn't in the transcript", name, media.media_type)))
        return Markup('<p class="attached">{}</p>').format(text.one_line(words))

    def stamp(self, time: datetime | None) -> Stamp | None:
        """A time in the page's zone."""
        if time is None:
            return None
        try:
            local, utc = time.astimezone(self.zone), time.astimezone(UTC)
        except (OverflowError, ValueError):  # the years 1 and 9999
            return None
        short = f"{local.hour:02}:{local.minute:02}"
        day = (local.year, local.month, local.day)
        long = short if day == self._day else f"{local.day} {local:%b %Y}, {short}"
        self._day = day
        again = short == self._minute
        self._minute = short
        return Stamp(short, long, again, utc)


def picture(data: str) -> str:
    """The media type of base64 data that is a picture which browsers show, by its content; else nothing.

    SVG is none: it is a document of its own.
    """
    if not _BASE64.fullmatch(data[:64]) or not _BASE64.fullmatch(data):
        return ""
    try:
        head = b64decode("".join(data[:64].split())[:32] + "==", validate=False)
    except ValueError:
        return ""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return next((kind for start, kind in _PICTURES.items() if head.startswith(start)), "")
