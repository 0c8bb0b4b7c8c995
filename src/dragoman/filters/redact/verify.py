"""The check after rendering: the bytes about to be written hold no known value, and nothing that tells itself."""

from __future__ import annotations

from collections.abc import Iterator

from dragoman.filters.protocol import Leak
from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.judge import MARK
from dragoman.filters.redact.values import Search

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
        for start, _, value in search.find(file_name.encode("utf-8", "surrogatepass")):
            found.append(Leak(file=f"name of the file (at {start})", rule=f"known {value.kind}", line=0))
    found += [
        Leak(file="name of the file", rule=finding.rule, line=0)
        for finding in finder.scan(file_name)
        if finding.value not in allowed and _counts(finding.rule)
    ]
    for low, piece in _pieces(data):
        if search is not None:
            for start, _, value in search.find(piece):
                if value.text not in allowed:
                    found.append(
                        Leak(file=file_name, rule=f"known {value.kind}", line=data.count(b"\n", 0, low + start) + 1)
                    )
        text = piece.decode("utf-8", "replace")
        for finding in finder.fresh(text):
            if _counts(finding.rule) and finding.value not in allowed and MARK not in finding.value:
                line = data.count(b"\n", 0, low) + text.count("\n", 0, finding.start) + 1
                found.append(Leak(file=file_name, rule=finding.rule, line=line))
    return sorted(set(found), key=lambda leak: (leak.file, leak.line, leak.rule))


def _counts(rule: str) -> bool:
    return rule in SPEAKS_FOR_ITSELF or not (rule.startswith("named-") or rule == "cookie" or rule in _PHRASES)


def _phrase_ids() -> frozenset[str]:
    from dragoman.filters.redact.catalog import phrases

    return frozenset(rule.id for rule in phrases()) | {"named-column", "kubernetes-secret"}


_PHRASES = _phrase_ids() - SPEAKS_FOR_ITSELF


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
