"""Private keys between BEGIN and END: where a body ends, and ends whose beginning was cut off."""

from __future__ import annotations

import re

from dragoman.filters.redact.hits import Hit

_CODED = re.compile(rb"[A-Za-z0-9+/=]{16,}")
_KEY_START = re.compile(
    rb"(?:[^A-Za-z0-9+/=\x00]{1,24}(?:(?:[\w./-]{1,80}:)?[0-9]{1,6}[^A-Za-z0-9+/=\x00]{1,4}|[nr]{1,2})?[A-Za-z0-9+/=]{16,}+(?!\\{0,7}[\"'][ ]?:)){1,400}"
)
_KEY_END = re.compile(rb"-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(
    rb"[^A-Za-z0-9+/=\n]{0,12}(?:\d{1,6}[^A-Za-z0-9+/=\n]{1,4})?(?:[A-Za-z0-9+/=]{24,100}|=[A-Za-z0-9+/]{4}|[A-Za-z0-9+/=]{4,100})[^A-Za-z0-9+/=\n]{0,6}\n"
)


def body_end(match: re.Match[bytes]) -> int:
    """Where the key that begins here ends: at its END, if what stands between is base64 for the most part."""
    start, end = match.span("value")
    data = match.string
    head = data.find(b"-----", start + 5) + 5
    if data[end - 5 : end] == b"-----":
        body = data[head:end]
        coded = sum(len(run) for run in _CODED.findall(body))
        if coded and coded * 2 >= len(body) - 60 and b"BEGIN" not in body:
            return end
    run = _KEY_START.match(data, head)
    return run.end() if run is not None else -1


def lone_ends(buffer: bytes, hits: list[Hit]) -> None:
    """The lines of a private key before an END whose BEGIN was cut off."""
    position = 0
    while (match := _KEY_END.search(buffer, position)) is not None:
        position = match.end()
        start = low = match.start()
        while low > 0 and start - low < 200:
            line = buffer.rfind(b"\n", max(0, low - 200), low - 1) + 1
            if line == 0 or not _KEY_LINE.fullmatch(buffer, line, low):
                break
            start = low = line
        if start < match.start() and buffer.rfind(b"-----BEGIN", max(0, start - 200), match.start()) < 0:
            hits.append(Hit(start, match.end(), "private-key-end", "private-key"))
