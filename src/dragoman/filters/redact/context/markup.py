"""Values that stand in an element of XML or HTML: `<password>…</password>`."""

from __future__ import annotations

import re

from dragoman.filters.redact.context.offers import offer
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.names import Name

_TAG = re.compile(rb"(?P<v>[^<>\s\x00]{3,512})[ \t]*</")


def element(buffer: bytes, name: Name, position: int, limit: int, hits: list[Hit]) -> bool:
    """Look from `position` for what stands in the element up to its closing tag."""
    tag = _TAG.match(buffer, position, limit)
    return tag is not None and offer(buffer, name, tag.start("v"), tag.end("v"), "quoted", hits, "markup")
