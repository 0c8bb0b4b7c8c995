"""Reads back the conversation that a page of the `html` writer carries inside (`--embed`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from dragoman.errors import InputError
from dragoman.io import json
from dragoman.io.native import decode
from dragoman.io.source import Source
from dragoman.model import Session, Span
from dragoman.readers.protocol import NoOptions
from dragoman.report import Report

_OURS = re.compile(rb'<meta name="generator" content="dragoman [\w.+-]*">')
_PAGE = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<!doctype html", re.IGNORECASE)
_OPENING = b'<script type="application/vnd.dragoman+json" id="dragoman-conversation">'
_CLOSING = b"</script>"


class HtmlReader:
    """The neutral conversation in a page's data block. Nothing is guessed from the page's looks."""

    name = "html"
    description = "a page that dragoman made with its conversation inside (--embed)"
    suffixes = (".html", ".htm")
    options = NoOptions

    def sniff(self, head: bytes, name: str) -> float:
        if not _PAGE.match(head):
            return 0.0
        return 0.95 if _OURS.search(head) else 0.1

    def read(self, source: Source, options: Any, report: Report) -> Iterator[Session]:
        if source.is_folder:
            raise InputError(f"{source.name}: a folder; name the page in it")
        data = source.read()
        # The page's own words are escaped, so the opening can't stand in them; the last one is the writer's anyway.
        start = data.rfind(_OPENING)
        end = data.find(_CLOSING, start)
        if start < 0 or end < 0:
            raise InputError(
                f"{source.name}: no conversation inside; pages carry theirs when they are made with --embed"
            )
        span = Span(source.name, data.count(b"\n", 0, start) + 1)
        try:
            value = json.loads(data[start + len(_OPENING) : end], span, report)
        except ValueError as error:
            raise InputError(f"{source.name}:{span.line}: the conversation inside is damaged ({error})") from None
        yield decode(value, span, report)


reader = HtmlReader()
