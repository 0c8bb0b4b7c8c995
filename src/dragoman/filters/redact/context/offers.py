"""A value that stands by the name of a secret: judged by what it says, and a hit if that is one."""

from __future__ import annotations

from dragoman.filters.redact.context.buffers import STRING_END, VALUE_REACH, decoded, line_of, said, unstressed
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.judge import Stance, is_secret
from dragoman.filters.redact.names import Name

_ENDS = ".,;:!?)\u2026\u2019\u201d\u00bb\u2013\u2014"
"""What closes a sentence, or a part of it."""


def offer(buffer: bytes, name: Name, start: int, end: int, stance: Stance, hits: list[Hit], way: str) -> bool:
    """Judge the value at start to end; a secret becomes a hit."""
    end = line_of(buffer, start, end)
    if end - start < 3 or end - start > VALUE_REACH:
        return False
    value = decoded(buffer[start:end])
    if stance not in ("quoted", "call", "compare"):
        whole = STRING_END.split(value, maxsplit=1)[0]
        if whole != value:
            end, value = start + len(whole.encode("utf-8", "surrogatepass")), whole
    if "*" in value and buffer[start - 1 : start] not in (b'"', b"'"):
        start, end = unstressed(buffer, start, end)
        value = decoded(buffer[start:end])
    if name.sort == "cookie" and "=" in value.rstrip("="):
        return False
    if not is_secret(name.sort, said(value).rstrip(_ENDS) if stance == "prose" else value, stance):
        return False
    hits.append(Hit(start, end, f"named-{way}", name.kind))
    return True
