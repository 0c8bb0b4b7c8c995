"""Finding in strings: raw and through every decoding view, in batches, each string once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache

from msgspec import Struct

from dragoman.filters.redact.beside import Beside
from dragoman.filters.redact.catalog import Shape, shapes
from dragoman.filters.redact.context.cues import context
from dragoman.filters.redact.engine import Engine, build
from dragoman.filters.redact.halves import Halves
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.judge import MARK
from dragoman.filters.redact.views import View, roots, unfold, unnumbered

_ID = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?:toolu|srvtoolu|msg|req|call|resp|chatcmpl)[_-]\w{8,40}|[\w.:-]{1,15}"
)
"""Ids as agents make them, which hold no shape: most of the fields that are random by nature."""

TIMEOUT = "scan-timeout"
"""The rule of a text whose scan didn't end in time."""

_LONGEST = 120
_PLACEHOLDER = re.compile(rf"{re.escape(MARK)}[a-z0-9][a-z0-9 ._-]{{0,60}}:(?:[0-9a-f]{{10}}|[0-9]{{1,9}})\]")
"""What we write where a secret stood; nothing longer, and nothing that only begins so."""

_GAP = b"\n\x00\x00\n"
_BATCH = 400_000  # bytes: small enough for the cache, large enough to make calls cheap
_PIECE = 1_000_000  # bytes: longer texts are cut
_OVERLAP = 20_000  # bytes shared by neighbouring pieces, more than any rule spans
_WORTH_A_THREAD = 100_000  # bytes
_GROWTH = 10  # views of one string may sum to so many times its length


def inside_mark(text: str, start: int, end: int) -> bool:
    """Whether start to end begins or ends within a placeholder, so that it is about nothing but that."""
    for place in (start, end - 1):
        low = text.rfind(MARK, max(0, place - _LONGEST), place + len(MARK))
        mark = _PLACEHOLDER.match(text, low) if low >= 0 else None
        if mark is not None and low <= place < mark.end():
            return True
    return False


def inside_mark_of(data: bytes, start: int, end: int) -> bool:
    """The same for places in bytes."""
    low = max(0, start - _LONGEST)
    if MARK.encode() not in data[low : end + len(MARK)]:
        return False
    return inside_mark(data[low : end + _LONGEST].decode("latin-1"), start - low, end - low)


class Found(Struct, frozen=True):
    """A secret in a string: characters start to end of it, and what it says once decoded."""

    start: int
    end: int
    rule: str
    kind: str
    value: str


def _order(found: Found) -> tuple[int, int, str, str, str]:
    """Of two that begin at one place the longer first; the same in every run, since the first gives a value its kind."""
    return found.start, -found.end, found.rule, found.kind, found.value


@cache
def _halves(extra: tuple[Shape, ...]) -> Halves:
    return Halves((*shapes(), *extra))


class Finder:
    """Finds the secrets in strings and remembers the answer for each."""

    def __init__(self, extra: Sequence[Shape] = (), engine: Engine | None = None) -> None:
        """`extra`: rules of the user's own. `engine`: one that was built with them; else it is built here."""
        self.engine: Engine = engine if engine is not None else build(extra)
        self.halves = _halves(tuple(extra))
        self._context = context()
        self._known: dict[str, tuple[Found, ...]] = {}
        self._exempt: dict[str, tuple[Found, ...]] = {}
        self._veiled: set[str] = set()
        self.telling: set[str] = set()
        """The strings in which something was found."""
        self.bytes_scanned = 0

    def scan(self, text: str, *, exempt: bool = False) -> tuple[Found, ...]:
        """The secrets of one string. `exempt`: shapes only, for fields that are random by nature."""
        self.scan_all([text], exempt=exempt)
        return (self._exempt if exempt else self._known)[text]

    def known(self, text: str, *, exempt: bool = False) -> tuple[Found, ...]:
        """What an earlier scan found in the string; nothing where it wasn't scanned."""
        return (self._exempt if exempt else self._known).get(text, ())

    def forget(self) -> None:
        """Drop the memory of strings."""
        self._known.clear()
        self._exempt.clear()
        self._veiled.clear()
        self.telling.clear()

    def shown(self, text: str) -> list[str]:
        """What the text shows, in each way that it may be read."""
        if text not in self._veiled and (text in self._known or text in self._exempt):
            return [text]
        return [view.text for view in roots(text)]

    def scan_all(self, texts: Iterable[str], *, exempt: bool = False) -> None:
        """Scan every string that wasn't scanned yet; `known` then tells what was found."""
        memory = self._exempt if exempt else self._known
        later: list[str] = []
        self._scan(texts, memory, exempt, later)
        # A numbered copy of a text that was searched and found clean is clean too.
        rest = []
        for text in later:
            plain = unnumbered(text)
            if (plain is not None and memory.get(plain) == ()) or (
                plain is not None and memory.get(plain + "\n") == ()
            ):
                memory[text] = ()
                if plain in self._veiled or plain + "\n" in self._veiled:
                    self._veiled.add(text)
            else:
                rest.append(text)
        self._scan(rest, memory, exempt, None)

    def _scan(
        self, texts: Iterable[str], memory: dict[str, tuple[Found, ...]], exempt: bool, later: list[str] | None
    ) -> None:
        batch: list[tuple[str, View]] = []
        size = 0
        found: dict[str, list[Found]] = {}
        searched: dict[str, tuple[Found, ...]] = {}  # known when all was searched: what breaks this off proves nothing
        for text in texts:
            if text in memory or text in searched:
                continue
            if later is not None and "\u2192" in text[:24]:
                later.append(text)
                continue
            searched[text] = ()
            if len(text) < 6 or (exempt and _ID.fullmatch(text) is not None):
                continue
            bases = roots(text)
            if bases[0].parent is not None:
                self._veiled.add(text)
            for base in bases:
                batch.append((text, base))
                size += len(base.text)
                if not exempt:
                    size += self._views(text, base, batch)
            if size >= _BATCH:
                self._flush(batch, found, exempt)
                batch, size = [], 0
        self._flush(batch, found, exempt)
        for text, hits in found.items():
            searched[text] = tuple(sorted(set(hits), key=_order))
        memory.update(searched)
        self.telling.update(found)

    def _views(self, text: str, base: View, batch: list[tuple[str, View]]) -> int:
        """Put the decoded views of a string into the batch; the sum of their lengths."""
        seen: set[str] | None = None
        allowed = len(text) * _GROWTH + 20_000
        total = 0
        pending = [base]
        while pending:
            for view in unfold(pending.pop()):
                if seen is None:
                    seen = {text}
                if view.text in seen or len(view.text) < 6:
                    continue
                total += len(view.text)
                if total > allowed:
                    return total
                seen.add(view.text)
                batch.append((text, view))
                pending.append(view)
        return total

    def _flush(self, batch: list[tuple[str, View]], found: dict[str, list[Found]], exempt: bool) -> None:
        parts: list[bytes] = []
        starts: list[int] = []
        position = 0
        owners: list[tuple[str, View, bytes]] = []
        for text, view in batch:
            data = view.text.encode("utf-8", "surrogatepass")
            if len(data) > _PIECE:
                self._long(text, view, data, found, exempt)
                continue
            starts.append(position)
            owners.append((text, view, data))
            parts.append(data)
            position += len(data) + len(_GAP)
        if parts:
            hits = self._search(_GAP.join(parts), exempt)
            if len(batch) > 1 and any(hit.rule == TIMEOUT for hit in hits):
                # One of them is slow: only that one is to be given up.
                for each in batch:
                    self._flush([each], found, exempt)
                return
            for hit in hits:
                index = bisect_right(starts, hit.start) - 1
                text, view, data = owners[index]
                self._take(text, view, data, hit, starts[index], found)

    def _long(self, text: str, view: View, data: bytes, found: dict[str, list[Found]], exempt: bool) -> None:
        start = 0
        while start < len(data):
            end = min(len(data), start + _PIECE)
            if end < len(data):
                line = data.rfind(b"\n", end - _OVERLAP, end)
                end = line + 1 if line > 0 else end
            low = max(0, start - _OVERLAP)
            while low < start and low and data[low] & 0xC0 == 0x80:
                low += 1
            while end < len(data) and data[end] & 0xC0 == 0x80:
                end += 1
            for hit in self._search(data[low:end], exempt):
                self._take(text, view, data, hit, -low, found)
            start = end

    def _search(self, buffer: bytes, exempt: bool) -> list[Hit]:
        self.bytes_scanned += len(buffer)
        if exempt:
            return self.engine.find(buffer)
        if len(buffer) < _WORTH_A_THREAD:
            shapes = self.engine.find(buffer)
            return [*shapes, *self._context.find(buffer), *self.halves.find(buffer)]
        beside = Beside(lambda: self.engine.find(buffer))
        told = [*self._context.find(buffer), *self.halves.find(buffer)]
        return [*beside.result(), *told]

    def _take(self, text: str, view: View, data: bytes, hit: Hit, base: int, found: dict[str, list[Found]]) -> None:
        start, end = hit.start - base, min(hit.end - base, len(data))
        if start < 0 or end <= start:
            return
        start, end = view.char(data, start), view.char(data, end)
        value = view.text[start:end]
        core = value.rstrip("\\\"'`")
        if hit.value:
            value = hit.value
        elif core != value and len(core) >= 6:
            # A raw look at something encoded takes escapes along; they aren't part of the value.
            end -= len(value) - len(core)
            value = core
        if inside_mark(view.text, start, end):
            return
        low, high = view.back(start, end)
        found.setdefault(text, []).append(Found(low, high, hit.rule, hit.kind, value))
