"""Known values: found once, they go everywhere, in every form.

Every value is numbered within its kind in the order in which it was first met. To find copies, its
pieces are searched for: all pieces of twelve characters of a random value (so that one cut into lines,
or cut short, is found too), the whole of one that a person chose; raw, as escapes would write it,
and in base64 at each of the three alignments.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import html
import json
import re
import urllib.parse
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

import ahocorasick_rs
from msgspec import Struct

from dragoman.filters.redact.catalog import Shape, shapes
from dragoman.filters.redact.finder import Found
from dragoman.filters.redact.judge import MARK, domain, placeholder, plain_word, random
from dragoman.filters.redact.names import words

PIECE = 12
"""The least stretch of a random value that counts as a copy of it, in characters."""

_OPENSSH, _OPENSSH_HEAD = "b3BlbnNzaC1rZXktdjE", 90  # openssh-key-v1; up to the first number of the key
_CODED_PEM = "LS0tLS1CRUdJTi"  # -----BEGIN
_CODED_DASHES = "LS0t"  # --- , at any of three places
_CODED_HEAD, _CODED_END = 76, 52  # characters: the header and what all keys of a kind begin with, and the last line
_DROPPED = b" \t\r\n\"'+|>\\,-*`~_"
_BETWEEN = b"\0\1\0"
_BOXES = ("│".encode(), "┃".encode())
_ENDS = re.compile(r"\\+[nr]")
_DROPPED_RUN = re.compile(rb"(?:[ \t\r\n\"'+|>\\,*`~_-]|\xe2\x94[\x82\x83])+")


class Value(Struct):
    """A known secret."""

    text: str
    kind: str
    number: int = 0
    rules: set[str] = set()
    everywhere: bool = False
    by_pieces: bool = False
    count: int = 0
    rank: int = 9


def compact(data: bytes) -> bytes:
    """The data without spaces, quotes, emphasis and what else stands in the middle of a value that was cut."""
    short = data.translate(None, _DROPPED)
    for box in _BOXES:
        if box in short:
            short = short.replace(box, b"")
    return short


class _Places:
    """The way back from compact(data) to data."""

    def __init__(self, data: bytes) -> None:
        self._short: list[int] = []
        self._long: list[int] = []
        at = position = 0
        for match in _DROPPED_RUN.finditer(data):
            start = match.start()
            if start > position:
                self._short.append(at)
                self._long.append(position)
                at += start - position
            position = match.end()
        if position < len(data):
            self._short.append(at)
            self._long.append(position)

    def back(self, place: int) -> int:
        """The place in data of the byte at `place` in compact(data)."""
        index = bisect_right(self._short, place) - 1
        return self._long[index] + place - self._short[index]


def rank(rule: str) -> int:
    """How much a rule knows of what it found, best first: our shapes, what names say, the catalogue, a copy."""
    if rule == "known-value":
        return 3
    if "." in rule or "/" in rule:
        return 2
    return (
        1
        if rule.startswith(
            (
                "named-",
                "cookie",
                "authorization",
                "bearer",
                "connection-string",
                "login-command",
                "name-and-value",
                "prefixed-token",
                "sk-key",
                "apify-token",
                "mollie",
            )
        )
        else 0
    )


class Values:
    """The registry of known values of one run."""

    def __init__(self, key: bytes = b"", shapes_also: tuple[Shape, ...] = ()) -> None:
        self._key = key
        self._values: dict[str, Value] = {}
        self._numbers: dict[str, int] = defaultdict(int)
        self._prefixes = sorted(
            {rule.prefix for rule in (*shapes(), *shapes_also) if rule.prefix}, key=len, reverse=True
        )
        self._search: Search | None = None

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._values.values())

    def add(self, found: Found) -> Value:
        """Take up what was found, by the kind of the rule that knows best."""
        return self.add_value(found.value, found.kind, found.rule)

    def add_value(self, text: str, kind: str, rule: str) -> Value:
        """Take up a value by its text."""
        value = self._values.get(text)
        if value is None:
            value = Value(text=text, kind=kind, rules={rule}, rank=rank(rule))
            value.everywhere = rule != "scan-timeout" and spreads(text)
            value.by_pieces = value.everywhere and in_pieces(text)
            self._values[text] = value
            self._search = None
        else:
            value.rules.add(rule)
            if rank(rule) < value.rank and not value.number:
                value.kind, value.rank = kind, rank(rule)
        return value

    def get(self, text: str) -> Value | None:
        """The value of this text, if it is known."""
        return self._values.get(text)

    def label(self, value: Value) -> str:
        """The placeholder that stands for the value: `[REDACTED:kind:number]`, or keyed by the user's key."""
        if self._key:
            digest = hmac.new(self._key, value.text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:10]
            return f"{MARK}{value.kind}:{digest}]"
        if not value.number:
            self._numbers[value.kind] += 1
            value.number = self._numbers[value.kind]
        return f"{MARK}{value.kind}:{value.number}]"

    def freeze(self) -> Search:
        """The automaton over everything known so far."""
        if self._search is None:
            self._search = Search([value for value in self._values.values() if value.everywhere], self._prefixes)
        return self._search


def spreads(text: str) -> bool:
    """Whether a value is distinctive enough to be taken out wherever it stands."""
    if placeholder(text) or len(text) < 6 or domain(text) or not any(map(str.isalnum, text)):
        return False
    if text.lower() in words().placeholder_words or text.lower() in words().common_users:
        return False
    digits = sum(ch.isdigit() for ch in text)
    if text.isdigit():
        return len(text) >= 12
    if plain_word(text) and not random(text):
        return len(text) >= 14 or (bool(re.search(r"[a-z][A-Z]", text)) and len(text) >= 10)
    marks = sum(not ch.isalnum() for ch in text)
    if len(text) < 8:
        return digits >= 1 and (marks >= 1 or digits >= 2)
    return digits >= 1 or marks >= 1 or random(text)


def in_pieces(text: str) -> bool:
    """Whether any twelve characters of the value tell it for certain."""
    return len(text) >= 16 and (random(text) or len(text) >= 48)


class _Needle(Struct):
    """A searched piece: whose it is, and where it stands in which compacted form of that value."""

    value: Value
    form: bytes
    offset: int
    shared: int = 0


class Search:
    def __init__(self, values: list[Value], prefixes: list[str]) -> None:
        needles: dict[bytes, _Needle | None] = {}
        wholes: dict[bytes, Value] = {}
        for value in values:
            seen: set[bytes] = set()
            for form in _forms(value.text):
                data = form.encode("utf-8", "surrogatepass")
                short = compact(data)
                if value.by_pieces and short not in seen:
                    seen.add(short)
                    for bare in _own_parts(form, prefixes):
                        self._pieces(compact(bare.encode("utf-8", "surrogatepass")), value, needles)
                if not value.by_pieces or len(short) < 16:
                    wholes.setdefault(data, value)
                    if len(short) >= 10:
                        needles.setdefault(short, _Needle(value, short, 0))
            for own in _own_parts(value.text, prefixes) if value.by_pieces else [value.text]:
                plain = own.encode("utf-8", "surrogatepass")
                for coded in (*_base64_forms(plain), *_hex_forms(plain)) if len(plain) >= 8 else ():
                    short = compact(coded)
                    if value.by_pieces:
                        self._pieces(short, value, needles)
                    elif len(short) >= 10:
                        needles.setdefault(short, _Needle(value, short, 0))
        kept = [(piece, needle) for piece, needle in needles.items() if needle is not None]
        self._needles = [needle for _, needle in kept]
        self._wholes = list(wholes.items())
        kind = ahocorasick_rs.MatchKind.LeftmostLongest
        self._compact = ahocorasick_rs.BytesAhoCorasick([piece for piece, _ in kept], matchkind=kind) if kept else None
        self._raw = (
            ahocorasick_rs.BytesAhoCorasick([whole for whole, _ in self._wholes], matchkind=kind)
            if self._wholes
            else None
        )

    @staticmethod
    def _pieces(short: bytes, value: Value, needles: dict[bytes, _Needle | None]) -> None:
        last = len(short) - PIECE
        step = 1 if len(short) <= 64 else 2 if len(short) <= 256 else 8
        for index in range(0, last + 1, step):
            piece = short[index : index + PIECE]
            if len(set(piece)) < 5:
                continue
            if piece not in needles:
                needles[piece] = _Needle(value, short, index)
                continue
            other = needles[piece]
            if other is not None and other.value is not value:
                # What several values share is their format's, not theirs; two or three may be one value's variants.
                other.shared += 1
                if other.shared > 8:
                    needles[piece] = None

    def find(self, data: bytes) -> list[tuple[int, int, Value]]:
        """Every copy or piece of a known value in the data: byte places and the value."""
        hits: list[tuple[int, int, Value]] = []
        if self._raw is not None:
            for index, start, end in self._raw.find_matches_as_indexes(data):
                if _bounded(data, start, end):
                    hits.append((start, end, self._wholes[index][1]))
        if self._compact is not None:
            short = compact(data)
            matches = self._compact.find_matches_as_indexes(short)
            if matches:
                places = _Places(data)
                reached = -1
                for index, start, end in matches:
                    if end <= reached:
                        continue
                    needle = self._needles[index]
                    low, high = _grown(short, start, end, needle)
                    reached = high
                    hits.append((places.back(low), places.back(high - 1) + 1, needle.value))
        return hits

    def touched(self, parts: list[bytes]) -> set[int]:
        """Which of the texts may hold a copy; copies that run over two of them touch both."""
        found: set[int] = set()
        joined = _BETWEEN.join(parts)
        for automaton, shorten in ((self._raw, False), (self._compact, True)):
            if automaton is None:
                continue
            data = compact(joined) if shorten else joined
            matches = automaton.find_matches_as_indexes(data)
            if not matches:
                continue
            starts = [0]
            place = data.find(_BETWEEN)
            while place >= 0:
                starts.append(place + 1)
                place = data.find(_BETWEEN, place + 3)
            for _, start, end in matches:
                found.update(range(bisect_right(starts, start) - 1, bisect_right(starts, end - 1)))
        return found


def _grown(short: bytes, start: int, end: int, needle: _Needle) -> tuple[int, int]:
    """The match with as much of the value's form as goes on to its left and right."""
    form = needle.form
    left, low = needle.offset, start
    while left > 0 and low > 0 and form[left - 1] == short[low - 1]:
        left -= 1
        low -= 1
    right, high = needle.offset + (end - start), end
    while right < len(form) and high < len(short) and form[right] == short[high]:
        right += 1
        high += 1
    return low, high


def _bounded(data: bytes, start: int, end: int) -> bool:
    """A whole value stands alone: no letter or digit goes on where it ends with one."""
    word = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    if end - start >= 8:
        # Escapes and flags glue letters on (`\nhunter2`, `-phunter2`), so a long value needs no edge before it.
        return (
            not (data[end : end + 1] in _singles(word) and data[end - 1 : end] in _singles(word)) or end - start >= 10
        )
    before = data[start - 1 : start] if start else b""
    after = data[end : end + 1]
    return before not in _singles(word) and after not in _singles(word)


_SINGLES: dict[bytes, frozenset[bytes]] = {}


def _singles(word: bytes) -> frozenset[bytes]:
    made = _SINGLES.get(word)
    if made is None:
        made = _SINGLES[word] = frozenset(word[i : i + 1] for i in range(len(word)))
    return made


def _own_parts(text: str, prefixes: list[str]) -> list[str]:
    """What of a value is its own, and no format's.

    That is: without a public prefix; of a PEM block, the base64 without its common start; of what is a PEM block
    in base64 again, what stands between its header and its end; of a JWT, all but its header.
    """
    if "-----BEGIN" in text[:200] or "-----END" in text[-120:]:
        runs = re.findall(r"(?:(?<=\\n)|(?<=\\r)|(?<![A-Za-z0-9+/=\\]))[A-Za-z0-9+/=]{24,}", text)
        whole = len(runs[0]) > 100 if runs else False
        common = _OPENSSH_HEAD if "".join(runs[:1]).startswith(_OPENSSH) else 64 if whole else 24
        own = []
        for run in runs:
            own.append(run[common:])
            common = max(0, common - len(run))
        return own
    if text.startswith(_CODED_PEM):
        coded = re.sub(r"\s+", "", text)
        return [coded[_CODED_HEAD : -_CODED_END if coded[-_CODED_END:].find(_CODED_DASHES) >= 0 else None]]
    if text.startswith("eyJ") and text.count(".") >= 2:
        return [text.partition(".")[2]]
    bare = next((text[len(prefix) :] for prefix in prefixes if text.startswith(prefix)), text)
    lines = [line for line in _ENDS.split(bare) if len(line) >= PIECE]
    return lines or [
        bare
    ]  # where `\\n` is written out, a piece over it would be found in what has an end of line there


def _forms(text: str) -> list[str]:
    """The value as it is and as one or two codings would write it."""
    forms = [text]
    if re.fullmatch(r"[A-Za-z0-9_.-]*", text) or len(text) > 600:
        return forms
    for first in (
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        urllib.parse.quote(text, safe="", errors="surrogatepass"),
        urllib.parse.quote(text, errors="surrogatepass"),
        urllib.parse.quote_plus(text, errors="surrogatepass"),
        html.escape(text),
        html.escape(text, quote=False),
        re.sub(r"([\"'\\$`])", r"\\\1", text),
        text.replace("'", "''"),
        text.replace("=", "=3D"),
    ):
        if first not in forms:
            forms.append(first)
    for first in list(forms[1:]):
        for second in (
            json.dumps(first)[1:-1],
            urllib.parse.quote(first, safe="", errors="surrogatepass"),
            html.escape(first),
        ):
            if second not in forms and len(forms) < 24:
                forms.append(second)
    return forms


def _hex_forms(data: bytes) -> tuple[bytes, bytes]:
    """As a dump or a variable has it."""
    digits = data.hex()
    return digits.encode(), digits.upper().encode()


def _base64_forms(data: bytes) -> list[bytes]:
    """What any base64 that holds the data holds: three alignments, without the edges that depend on neighbours."""
    forms = []
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + data)
        start = (0, 2, 3)[shift]
        spare = (len(data) + shift) % 3
        end = len(coded) - (0, 3, 2)[spare] if spare else len(coded)
        inner = coded[start:end]
        if len(inner) >= 8:
            forms.append(inner)
            other = inner.replace(b"+", b"-").replace(b"/", b"_")
            if other != inner:
                forms.append(other)
    return forms
