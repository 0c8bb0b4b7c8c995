"""What a stretch of a buffer of UTF-8 bytes says: its text, what it names, and where the string ends that it stands in."""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

from dragoman.filters.redact.names import Name, classify

VALUE_REACH = 6000  # bytes: no value is longer

STRING_END = re.compile(r"""\\{0,7}["'](?=[,:}\])]|\Z)""")
"""The end of the string of JSON, or of code, that a value without quotes of its own stands in."""

_WRITTEN_LINE_END = re.compile(rb"\\+[nr]")
_QUOTED = (b'"', b"'", b"`")

MARKUP = re.compile(r"</?[a-z]|&(?:lt|gt|quot|apos|#\w+);")


def decoded(value: bytes) -> str:
    """The text of a stretch, which may have been cut inside a character."""
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return value.decode("utf-8", "replace")


def line_of(buffer: bytes, start: int, end: int) -> int:
    """Where the value at start to end ends at the latest: at a line end that an escape writes (`\\n`, `\\\\r\\\\n`).

    What calls take stands as raw JSON, where the next line goes on without a blank. Only a literal with
    quotes of its own may hold such an escape, and even that doesn't begin with it.
    """
    match = _WRITTEN_LINE_END.search(buffer, start, end)
    if match is None:
        return end
    quote = buffer[start - 1 : start] if start else b""
    if match.start() > start and quote in _QUOTED and buffer[end : end + 9].lstrip(b"\\").startswith(quote):
        return end
    return match.start()


def unstressed(buffer: bytes, start: int, end: int) -> tuple[int, int]:
    """The value without the stars of Markdown around it: `**required**`."""
    inner = start + len(buffer[start:end].rstrip(b"\\"))  # what an escaped quote leaves behind
    for stars in (b"**", b"*"):
        if buffer[start:inner].endswith(stars) and inner - start > 2 * len(stars):
            if buffer.startswith(stars, start):
                return start + len(stars), inner - len(stars)
            if buffer[max(0, start - 2) : start].endswith(stars):
                return start, inner - len(stars)
    return start, end


_ESCAPED_LETTER = re.compile(r"\\{1,8}u([0-9a-fA-F]{4})")
_ENTITY = re.compile(r"&#?\w{1,8};")


def said(value: str) -> str:
    """What the letters of a stretch say where JSON or XML wrote some of them by number or by name."""
    if "\\u" in value:
        value = _ESCAPED_LETTER.sub(lambda match: chr(int(match[1], 16)), value)
    return _ENTITY.sub(lambda match: unescape(match[0]), value) if "&" in value else value


@lru_cache(maxsize=65536)
def classified(name: bytes) -> Name | None:
    """What secret a stretch names."""
    return classify(name.decode("utf-8", "replace"))
