"""The check after rendering: the bytes about to be written hold no known value, and nothing that tells itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.filters.protocol import Leak
from dragoman.filters.redact.context.cues import context
from dragoman.filters.redact.finder import Finder, inside_mark_of
from dragoman.filters.redact.identities.identity_words import telling
from dragoman.filters.redact.judge import MARK
from dragoman.filters.redact.values import Search, Value
from dragoman.filters.redact.views.broken import MARKS, SIGNS, marked
from dragoman.filters.redact.views.visible import readings

_PIECE = 1_000_000  # bytes
_OVERLAP = 4_096

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
        for start, copy in _copies(file_name.encode("utf-8", "surrogatepass"), search):
            found.append(Leak(file=f"name of the file (at {start})", rule=f"known {copy.kind}", line=0))
    found += [
        Leak(file="name of the file", rule=rule, line=0)
        for rule, value in _told(file_name.encode("utf-8", "surrogatepass"), finder, MARKS)
        if value.decode("utf-8", "replace") not in allowed
    ]
    marks = SIGNS if data[:200].lstrip().lower().startswith((b"<!doctype html", b"<html")) else MARKS
    for low, piece in ((low, shown) for low, raw in _pieces(data) for shown in _shown(raw)):
        hits = [(start, copy.text, f"known {copy.kind}") for start, copy in (_copies(piece, search) if search else ())]
        for rule, value in _told(piece, finder, marks):
            hits.append((max(0, piece.find(value)), value.decode("utf-8", "replace"), rule))
        for start, text, rule in hits:
            if text not in allowed:
                line = data.count(b"\n", 0, low) + piece.count(b"\n", 0, start) + 1
                found.append(Leak(file=file_name, rule=rule, line=line))
    return sorted(set(found), key=lambda leak: (leak.file, leak.line, leak.rule))


def _copies(data: bytes, search: Search) -> Iterator[tuple[int, Value]]:
    """The known values in the data, and where. A placeholder may have a word in it that is one: `password`."""
    for start, end, copy in search.find(data):
        if not inside_mark_of(data, start, end) and not everyday(copy):
            yield start, copy


def everyday(value: Value) -> bool:
    """Whether a word of the user's own is one of the formats' too (`summary`, `class`, `role`): it was taken out of the
    conversation, and found again it would be theirs."""
    return value.rules == {"own-text"} and not value.text.isdigit() and not telling(value.text)


_ESCAPES = (
    (b"\\\\", b"\x01"), (b"\\n", b"\n"), (b'\\"', b'"'), (b"\\t", b"\t"), (b"\\r", b"\r"), (b"\\/", b"/"), (b"\x01", b"\\"),
)  # fmt: skip
_ENTITIES = {
    b"quot": b'"', b"#39": b"'", b"#x27": b"'", b"lt": b"<", b"gt": b">", b"amp": b"&", b"shy": b"", b"zwnj": b"",
}  # fmt: skip
_ENTITY = re.compile(b"&(" + b"|".join(_ENTITIES) + b");")
# Both begin with a set, so that `re` can run over what holds none of it.
_CODED = re.compile(
    rb"[\\%&](?:(?<=\\)(?:(?:u00|x)([0-7][0-9a-fA-F])|u([0-9a-fA-F]{4}))"
    rb"|(?<=%)([0-9a-fA-F]{2}(?:%[0-9a-fA-F]{2})*)|(?<=&)#(?:[xX]([0-9a-fA-F]{2,5})|(\d{2,6}));)"
)
_CODE = re.compile(rb"[\\&%](?:(?<=\\)[\\nrtux/\"]|(?<=&)[a-z#]|(?<=%)[0-9a-fA-F]{2})")


def _shown(data: bytes) -> list[bytes]:
    """The data as it shows, or may show. Lines stay lines."""
    return [shown.encode("utf-8") for shown, _ in readings(data.decode("utf-8", "replace"))] or [data]


def _told(data: bytes, finder: Finder, marks: re.Pattern[str]) -> Iterator[tuple[str, bytes]]:
    """What tells itself in the data, with up to four layers of escapes undone: rule and value."""
    shown = data
    for layer in range(4):
        # No token holds an escape, so the first layer says all that the data itself says.
        undone = _undone(shown)
        plain, *also = [undone] if undone is shown else _shown(undone)
        for each in (plain, *also):
            yield from _tells(each, finder)
            text = each.decode("utf-8", "replace")
            mended = "\n\n".join(marks.sub("", text[start:end]) for start, end in marked(text, marks))
            if mended:
                yield from _tells(mended.encode("utf-8"), finder)
        if plain == shown and layer:
            return
        shown = b"\n".join(_lines_with_codes(plain))
        if not shown:
            return


def _lines_with_codes(data: bytes) -> Iterator[bytes]:
    end = -1
    while (match := _CODE.search(data, end + 1)) is not None:
        start = data.rfind(b"\n", end + 1, match.start()) + 1 or end + 1
        end = data.find(b"\n", match.end())
        if end < 0:
            yield data[start:]
            return
        yield data[start:end]


def _tells(plain: bytes, finder: Finder) -> Iterator[tuple[str, bytes]]:
    halves = finder.halves.find(plain, lines=False)
    for hit in (*finder.engine.find(plain), *context(SPEAKS_FOR_ITSELF).find(plain), *halves):
        value = plain[hit.start : hit.end]
        inside = MARK.encode() in value or inside_mark_of(plain, hit.start, hit.end)
        if not inside and not finder.engine.by_name(hit.rule):
            yield hit.rule, value


def _undone(data: bytes) -> bytes:
    if b"\\" in data:
        for old, new in _ESCAPES:
            if old in data:
                data = data.replace(old, new)
    if b"&" in data:
        data = _ENTITY.sub(lambda match: _ENTITIES[match[1]], data)
    return _CODED.sub(_character, data) if any(sign in data for sign in (b"\\u", b"\\x", b"%", b"&#")) else data


def _character(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes((int(match[1], 16),))
    if match[3]:
        return bytes.fromhex(match[3].decode().replace("%", ""))
    code = int(match[5]) if match[5] else int(match[2] or match[4], 16)
    return b" " if 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code).encode("utf-8")


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
