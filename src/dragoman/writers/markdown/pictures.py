"""Pictures and documents: a file beside the page, data inside it, or a note."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from typing import BinaryIO
from urllib.parse import quote

from dragoman.model import Media, Message, Session, Span, ToolResult, walk
from dragoman.render import text
from dragoman.report import Code, Report
from dragoman.writers.markdown import inline

SUFFIXES = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "application/pdf": "pdf",
}
"""What is written to a file of its kind; the rest (SVG above all, which can hold scripts) becomes `.bin`."""

_WEB = re.compile(r"https?://[^\s<>()\"'`\\\[\]]{1,2000}\Z", re.IGNORECASE)


def holds_media(session: Session) -> bool:
    """Whether any picture or document of the session could become a file."""
    for each, _ in walk(session):
        for entry in each.entries:
            if isinstance(entry, Message):
                for block in entry.blocks:
                    if isinstance(block, Media) and block.data:
                        return True
                    if isinstance(block, ToolResult) and any(isinstance(part, Media) for part in block.content):
                        return True
    return False


class Pictures:
    """Puts out the media of one document. The same picture is one file, however often it is shown."""

    def __init__(self, how: str, stem: str, opener: Callable[[str], BinaryIO] | None, report: Report) -> None:
        self._how = how
        self._folder = f"{stem}-media"
        self._open = opener
        self._report = report
        self._names: dict[str, str] = {}

    def markdown(self, media: Media, span: Span | None) -> str:
        """The paragraph for a picture or document, ended by a line feed."""
        kind = media.media_type.partition(";")[0].strip().lower()
        what = "Picture" if kind.startswith("image/") else "Document"
        told = inline.phrase(media.name) or what
        named = f"{what}: {told}" if media.name.strip() else what
        where = media.span or span
        if media.url and not media.data:
            link = media.url if _WEB.match(media.url) else ""
            self._report.add(Code.DROPPED_MEDIA, where, "a link to it")
            return f"▸ {named} at <{link}>\n" if link else f"▸ {named} at {inline.code(media.url)}\n"
        if not media.data:
            self._report.add(Code.DROPPED_MEDIA, where, "only a reference to it")
            return f"▸ {named} ({inline.phrase(media.media_type) or 'kind not known'}, not in the session)\n"
        size = text.size(len(media.data) * 3 // 4)
        note = f"▸ {named} ({inline.phrase(media.media_type) or 'kind not known'}, {size})\n"
        if self._how == "none":
            self._report.add(Code.DROPPED_MEDIA, where, "as asked")
            return note
        embedded = kind in SUFFIXES and kind.startswith("image/")
        if self._how == "data":
            if not embedded or re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", media.data) is None:
                self._report.add(Code.DROPPED_MEDIA, where, "no picture that Markdown can hold")
                return note
            return f"![{told}](data:{kind};base64,{media.data})\n"
        if self._open is None:
            self._report.add(
                Code.DROPPED_MEDIA, where, "one stream has no room for files; --images data keeps pictures"
            )
            return note
        name = self._file(media.data, SUFFIXES.get(kind, "bin"))
        if not name:
            self._report.add(Code.DROPPED_MEDIA, where, "damaged base64")
            return note
        return f"{'!' if embedded else '▸ '}[{told}]({quote(name)})\n"

    def _file(self, data: str, suffix: str) -> str:
        """The name of the file that holds the data; nothing where the data are damaged."""
        known = self._names.get(data)
        if known is not None:
            return known
        name = f"{self._folder}/{len(self._names) + 1:03d}.{suffix}"
        try:
            content = binascii.a2b_base64(data.encode("ascii"), strict_mode=True)
        except (binascii.Error, ValueError):
            return ""
        assert self._open is not None
        self._open(name).write(content)
        self._names[data] = name
        return name
