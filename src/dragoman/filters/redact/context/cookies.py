"""Cookies: those of a header, and those that a command is given."""

from __future__ import annotations

import re

from dragoman.filters.redact.context.buffers import decoded
from dragoman.filters.redact.hits import Hit, Seen
from dragoman.filters.redact.judge import placeholder, random

_COOKIE_LINE = re.compile(rb"""(?i)cookie["'`]?\s*[:=]?\s*["'`]?(?P<line>(?:[^\n"'`\x00\\]++|\\(?![nr]))++)""")
_COOKIE_REST = re.compile(rb"""(?P<line>(?:[^\n"'`\x00\\]++|\\(?![nr]))++)""")
_COOKIE_REACH = 4200
_COOKIE = re.compile(rb"(?<![\w.%-])(?P<n>[\w.%-]{1,80})=(?P<v>[^;\s,\x00]{12,4000})")
_COOKIE_FLAG = re.compile(rb"-b\s+[\"']?(?P<line>(?:[^\n\"'\x00\\]++|\\(?![nr]))++)")
_HARMLESS_COOKIE = re.compile(
    rb"(?i)_g[ai]|_gat|utm|theme|lang|locale|consent|_fbp|amplitude|mp_|ajs_|optimizely|intercom-id|csrf|xsrf|path|domain|expires|max-age|samesite"
)


def in_header(buffer: bytes, start: int, hits: list[Hit], seen: Seen) -> None:
    """The cookies of a header Cookie or Set-Cookie, and of --cookie."""
    _cookies(buffer, _COOKIE_LINE, start, hits, seen)


def by_flag(buffer: bytes, start: int, hits: list[Hit], seen: Seen) -> None:
    """The cookies that curl is given by -b."""
    _cookies(buffer, _COOKIE_FLAG, start, hits, seen)


def _cookies(buffer: bytes, line: re.Pattern[bytes], start: int, hits: list[Hit], seen: Seen) -> None:
    end = min(len(buffer), start + _COOKIE_REACH)
    looked, ended = ("header", "header-ended") if line is _COOKIE_LINE else ("flag", "flag-ended")
    if start < seen.get(looked, 0):
        if start < seen[ended]:
            return  # the line has ended within what was looked at
        # The line is longer than one look: go on from the last cookie that was whole.
        reached = seen[looked]
        begun = max(start, buffer.rfind(b";", max(start, reached - _COOKIE_REACH), reached))
        found = _COOKIE_REST.match(buffer, begun, end)
    else:
        found = line.match(buffer, start, end)
    if found is None:
        return
    seen[looked] = found.end()
    seen[ended] = found.end() if found.end() < end else 0
    for match in _COOKIE.finditer(buffer, *found.span("line")):
        if _HARMLESS_COOKIE.match(match["n"]):
            continue
        start, end = match.span("v")
        value = buffer[start:end]
        for lead in (b"s%3A", b"s:", b"Bearer%20"):
            if value.startswith(lead):
                start += len(lead)
                value = buffer[start:end]
        text = decoded(value)
        if len(text) >= 16 and random(text) and not placeholder(text):
            hits.append(Hit(start, end, "cookie", "cookie"))
