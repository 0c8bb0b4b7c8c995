"""The check after rendering: the bytes about to be written hold no known value, and nothing that tells itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.filters.protocol import Leak
from dragoman.filters.redact.context import Context
from dragoman.filters.redact.finder import Finder, inside_mark
from dragoman.filters.redact.judge import MARK
from dragoman.filters.redact.values import Search

_PIECE = 1_000_000  # bytes
_OVERLAP = 4_096
_INVISIBLE = re.compile(rb"\x1b\[[0-9;:?]*[ -/]*[@-~]|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf")

SPEAKS_FOR_ITSELF = frozenset(
    {
        "url-password",
        "private-key",
        "private-key-end",
        "client-key-data",
        "basic-auth",
        "putty-key",
        "one-time-code",
        "shadow-line",
    }
)
"""Rules of context that need no name from around. The others depend on what stands side by side, and a
rendering puts things side by side that weren't; they had their say on the conversation itself."""


def leaks(file_name: str, data: bytes, search: Search | None, finder: Finder, allowed: frozenset[str]) -> list[Leak]:
    """Whatever still stands in rendered output, by rule and line. An empty list lets it be written."""
    found: list[Leak] = []
    if search is not None:
        for start, _, copy in search.find(file_name.encode("utf-8", "surrogatepass")):
            found.append(Leak(file=f"name of the file (at {start})", rule=f"known {copy.kind}", line=0))
    found += [
        Leak(file="name of the file", rule=rule, line=0)
        for rule, value in _told(file_name.encode("utf-8", "surrogatepass"), finder)
        if value.decode("utf-8", "replace") not in allowed
    ]
    for low, piece in _pieces(data):
        if search is not None:
            for start, _, copy in search.find(piece):
                if copy.text not in allowed:
                    found.append(
                        Leak(file=file_name, rule=f"known {copy.kind}", line=data.count(b"\n", 0, low + start) + 1)
                    )
        for rule, value in _told(piece, finder):
            if value.decode("utf-8", "replace") not in allowed:
                line = data.count(b"\n", 0, low + max(0, piece.find(value))) + 1
                found.append(Leak(file=file_name, rule=rule, line=line))
    return sorted(set(found), key=lambda leak: (leak.file, leak.line, leak.rule))


_speaking: list[Context] = []
_STEPS = (
    (b"\\\\", b"\x01"), (b"\\n", b"\n"), (b'\\"', b'"'), (b"\\t", b"\t"), (b"\\r", b"\r"), (b"\\/", b"/"), (b"\x01", b"\\"),
    (b"&quot;", b'"'), (b"&#39;", b"'"), (b"&#x27;", b"'"), (b"&lt;", b"<"), (b"&gt;", b">"), (b"&amp;", b"&"),
)  # fmt: skip
_CODED = re.compile(
    rb"\\u(?:00)?([0-7][0-9a-fA-F])|\\u[0-9a-fA-F]{4}|((?:%[0-9a-fA-F]{2})+)|&#(\d{2,3});|&#x([0-9a-fA-F]{2});"
)
_CODE = re.compile(rb"\\[\\nrtu/\"]|&[a-z#]|%[0-9a-fA-F]{2}")


def _told(data: bytes, finder: Finder) -> Iterator[tuple[str, bytes]]:
    """What tells itself in the data, with up to four layers of escapes undone: rule and value."""
    if not _speaking:
        _speaking.append(Context(SPEAKS_FOR_ITSELF))
    shown = _INVISIBLE.sub(b"", data) if b"\x1b" in data or b"\xe2\x80\x8b" in data else data
    for layer in range(4):
        # No token holds an escape, so the first layer says all that the data itself says.
        plain = _undone(shown)
        for hit in (*finder.engine.find(plain), *_speaking[0].find(plain)):
            value = plain[hit.start : hit.end]
            before = plain[max(0, hit.start - 80) : hit.end + 1].decode("utf-8", "replace")
            size = len(value.decode("utf-8", "replace"))
            inside = MARK in before and inside_mark(before, len(before) - size - 1, len(before) - 1)
            if not finder.engine.by_name(hit.rule) and MARK.encode() not in value and not inside:
                yield hit.rule, value
        if plain == shown and layer:
            return
        shown = b"\n".join(line for line in plain.split(b"\n") if _CODE.search(line))
        if not shown:
            return


def _undone(data: bytes) -> bytes:
    for old, new in _STEPS:
        if old in data:
            data = data.replace(old, new)
    return _CODED.sub(_character, data) if b"\\u" in data or b"%" in data or b"&#" in data else data


def _character(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes((int(match[1], 16),))
    if match[2]:
        return bytes.fromhex(match[2].decode().replace("%", ""))
    if match[3]:
        return bytes((int(match[3]),)) if int(match[3]) < 128 else b" "
    return bytes((int(match[4], 16),)) if match[4] and int(match[4], 16) < 128 else b" "


def _pieces(data: bytes) -> Iterator[tuple[int, bytes]]:
    start = 0
    size = len(data)
    while start < size:
        end = min(size, start + _PIECE)
        if end < size:
            line = data.rfind(b"\n", start + _PIECE // 2, end)
            end = line + 1 if line >= 0 else end
        low = max(0, start - _OVERLAP)
        while low < start and data[low] & 0xC0 == 0x80:
            low += 1
        yield low, data[low:end]
        start = end
