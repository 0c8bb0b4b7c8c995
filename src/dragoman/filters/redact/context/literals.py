"""Literals in quotes, as code and data write them."""

from __future__ import annotations

import re

from dragoman.filters.redact.context.buffers import VALUE_REACH

_DOUBLE = re.compile(rb'[rbfuRBFUL@$]{0,2}\\?"(?P<v>(?:[^"\\\n\x00]|\\[^\n\x00])*)"')
_ESCAPED_QUOTE = re.compile(rb"""(\\{1,7})(["'])(?P<v>(?:[^"'\\\n\x00]|\\(?!\\*["']))*)\1\2""")
_SINGLE = re.compile(rb"[rbfuRBFUL@$]{0,2}'(?P<v>(?:[^'\\\n\x00]|\\[^\n\x00]|'(?:\\')?'(?=[^\s,;)\]}]))*)'")
_TICK = re.compile(rb"`(?P<v>[^`\n\x00]*)`")
_TRIPLE = re.compile(rb'[rbfuRBFU]{0,2}("""|\'\'\')\s*(?P<v>[^\n\x00]*?)\s*\1')


def literal_at(buffer: bytes, position: int) -> tuple[int, int] | None:
    """The inside of a quoted literal that starts here."""
    first = buffer[position : position + 3]
    if not first:
        return None
    pattern: re.Pattern[bytes]
    head = first.lstrip(b"rbfuRBFUL@$")[:1] or first[:1]
    if first[:1] == b"\\":
        pattern = _ESCAPED_QUOTE
    elif head == b'"':
        pattern = _DOUBLE
    elif head == b"'":
        pattern = _SINGLE
    elif head == b"`":
        pattern = _TICK
    else:
        return None
    if first.endswith((b'"""', b"'''")) and (triple := _TRIPLE.match(buffer, position, position + VALUE_REACH)):
        return triple.span("v")
    match = pattern.match(buffer, position, position + VALUE_REACH)
    if match is None:
        return None
    start, end = match.span("v")
    if buffer[end - 1 : end] == b"\\" and end > start:
        end -= 1
    return start, end
