"""Makes text fit what clm stores: no NUL, no lone surrogate, at most 65,535 bytes of UTF-8 a message."""

from __future__ import annotations

import re

from dragoman.io.clm import CONTENT_LIMIT
from dragoman.model import Span
from dragoman.report import Code, Report

_SURROGATES = re.compile("[\ud800-\udfff]")
_NEWLINE_WITHIN = 4096
"""A text that is continued is divided after a line's end, if there is one in so many last bytes."""


def clean(text: str, span: Span | None, report: Report) -> str:
    """The text without what ends a C string early: NUL becomes U+FFFD."""
    if "\0" in text:
        report.add(Code.CONTROL_CHARACTERS, span, "NUL", text.count("\0"))
        text = text.replace("\0", "\ufffd")
    return text


def without_surrogates(text: str, span: Span | None, report: Report) -> str:
    """The text with each lone surrogate replaced by U+FFFD (readers leave none; a program may)."""
    mended, count = _SURROGATES.subn("\ufffd", text)
    if count:
        report.add(Code.LONE_SURROGATE, span, count=count)
    return mended


def fits(text: str) -> bool:
    """Whether clm keeps all of it."""
    if len(text) * 4 <= CONTENT_LIMIT:
        return True
    return len(text) <= CONTENT_LIMIT and (text.isascii() or len(_encoded(text)) <= CONTENT_LIMIT)


def cut(text: str, suffix: str, span: Span | None, report: Report) -> str:
    """The text and `suffix`; where that is too long, the text is cut on a character, and says so."""
    if fits(whole := text + suffix):
        return whole
    data, end = _encoded(text), _encoded(suffix)
    room = CONTENT_LIMIT - len(end) - len(_note(len(data)).encode())
    kept = _whole_characters(data, max(room, 0))
    report.add(Code.TRUNCATED, span, "a result's content")
    return kept.decode("utf-8", "surrogatepass") + _note(len(data) - len(kept)) + suffix


def divide(text: str, prefix: str, span: Span | None, report: Report) -> list[str]:
    """The text in as many messages as it takes, each beginning with `prefix`. Joined they are the text again."""
    if fits(whole := prefix + text):
        return [whole]
    data, parts, start = _encoded(text), [], 0
    room = CONTENT_LIMIT - len(_encoded(prefix))
    while start < len(data):
        part = _whole_characters(data[start : start + room + 1], room)
        if start + len(part) < len(data):
            line_end = part.rfind(b"\n", len(part) - _NEWLINE_WITHIN) + 1
            part = part[:line_end] or part
        start += len(part)
        parts.append(part)
    # A message of nothing but white space would be refused by providers.
    joined: list[bytes] = []
    for part in parts:
        if joined and (not part.strip() or not joined[-1].strip()) and len(joined[-1]) + len(part) <= room:
            joined[-1] += part
        else:
            joined.append(part)
    report.add(Code.CONTINUED, span)
    return [prefix + part.decode("utf-8", "surrogatepass") for part in joined]


def _note(lost: int) -> str:
    return f"\n… [truncated: {lost} bytes more]"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _whole_characters(data: bytes, room: int) -> bytes:
    """At most `room` bytes of `data`, ending with a whole character."""
    if len(data) <= room:
        return data
    while room > 0 and data[room] & 0xC0 == 0x80:
        room -= 1
    return data[:room]
