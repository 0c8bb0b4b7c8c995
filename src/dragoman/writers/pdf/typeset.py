"""One part laid out in this process: HTML in, PDF bytes out, with what the fonts and pictures lacked.

Runs in a worker process, and in the main one for tiny sessions. WeasyPrint is imported here only.
"""

from __future__ import annotations

import contextlib
import logging
import os
import warnings
from collections.abc import Iterator
from typing import Any

from msgspec import Struct


class Setting(Struct, frozen=True):
    """What all parts of a document share. `epoch`: seconds, for what stamps a time into the bytes."""

    css: str
    epoch: int = 0
    variant: str = ""


class Laid(Struct, frozen=True):
    """A part on pages. `missing`: characters that no font here has, counted. `pictures`: ones that can't be drawn."""

    pdf: bytes
    pages: int
    missing: dict[int, int] = {}
    pictures: int = 0


class Typesetter:
    """Lays out part after part with one style sheet, read once."""

    def __init__(self, setting: Setting) -> None:
        with _epoch(setting.epoch):
            from weasyprint import CSS
            from weasyprint.text.fonts import FontConfiguration

            from dragoman.writers.pdf.fetcher import make_fetcher

            self._setting = setting
            self._fetcher = make_fetcher()
            self._fonts = FontConfiguration()
            self._css = CSS(string=setting.css, font_config=self._fonts, url_fetcher=self._fetcher)

    def lay_out(self, html: str) -> Laid:
        """The part as a PDF. Presentational hints: a list that begins at 3 says so in an attribute."""
        from weasyprint import HTML

        options: dict[str, Any] = {}
        if self._setting.variant:
            options["pdf_variant"] = self._setting.variant
        with _epoch(self._setting.epoch), _listening() as heard:
            document = HTML(string=html, url_fetcher=self._fetcher, base_url=None).render(
                stylesheets=[self._css], font_config=self._fonts, presentational_hints=True, **options
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)  # WeasyPrint 70 leaves the colour profile's file open
                data = document.write_pdf(**options)
            missing: dict[int, int] = {}
            for font in document.fonts.values():
                for codepoint in getattr(font, "missing", ()):
                    missing[codepoint] = missing.get(codepoint, 0) + 1
            return Laid(bytes(data or b""), len(document.pages), missing, heard.pictures)


class _Heard(logging.Handler):
    """Counts what WeasyPrint says of pictures; its words never go further, since they may quote the transcript."""

    def __init__(self) -> None:
        super().__init__()
        self.pictures = 0

    def emit(self, record: logging.LogRecord) -> None:
        if str(record.msg).startswith("Failed to load image"):
            self.pictures += 1


@contextlib.contextmanager
def _listening() -> Iterator[_Heard]:
    heard = _Heard()
    loggers = [logging.getLogger("weasyprint"), logging.getLogger("fontTools")]
    before = [(each.handlers[:], each.propagate, each.level) for each in loggers]
    for each in loggers:
        each.handlers, each.propagate = [heard], False
        each.setLevel(logging.WARNING)
    try:
        yield heard
    finally:
        for each, (handlers, propagate, level) in zip(loggers, before, strict=True):
            each.handlers, each.propagate = handlers, propagate
            each.setLevel(level)


@contextlib.contextmanager
def _epoch(seconds: int) -> Iterator[None]:
    """SOURCE_DATE_EPOCH for the while: font files carry the time of their making otherwise."""
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = str(max(seconds, 0))
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before
