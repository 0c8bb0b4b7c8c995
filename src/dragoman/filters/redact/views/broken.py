"""Tokens with something in their middle: marks of emphasis, tags, a carriage return, the end of a line.

Marks are taken out of the lines around wherever two stretches that look drawn by a machine meet at one. Ends of
lines stand everywhere, so two lines are put together only where the stretches on both sides look so.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from dragoman.filters.redact.views.visible import HIDDEN

_INLINE = (
    "a|abbr|b|bdi|bdo|big|br|cite|code|del|em|font|i|ins|kbd|mark|nobr|q|s|samp|small|span|strike|strong|sub|sup|tt|u"
    "|var|wbr"
)
_TAG = rf"</?(?:{_INLINE})(?:[ \t][^<>\n]{{0,200}})?/?>|<!--[^<>\n]{{0,100}}-->"
_BLANKS = "\u00a0\x85\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufffd"
"""Blanks and ends of lines beyond ASCII, and what stands for a byte that couldn't be read."""

_EDGE = "[A-Za-z0-9+/_-]"


# What repeats a choice takes what it has for good (`++`, `*+`): else a row of signs costs time without end.
def _between(more: str) -> re.Pattern[str]:
    signs = rf"\*{{1,3}}|`{{1,3}}|~~|==|\r(?!\r?\n)|[{_BLANKS}\x0b\x0c]"
    return re.compile(rf"(?<={_EDGE})(?:{signs}{more})++(?={_EDGE})", re.IGNORECASE)


SIGNS = _between("")
"""What is no part of a token, but may have come into it, without tags."""

MARKS = _between("|" + _TAG)
"""The same with tags that stand within a line."""

AROUND = re.compile(rf"(?:[\s*`~]|{_TAG}|{HIDDEN.pattern})*+", re.IGNORECASE)
"""What may stand around a token at the end of a text."""

_FIRST = tuple(
    (mark, re.compile(f"{re.escape(mark)}(?<={_EDGE}{re.escape(mark)})"))
    for mark in ("*", "`", "~", "<", "==", "\r", "\x0b", "\x0c")
)
_FIRST_BEYOND_ASCII = tuple((mark, re.compile(f"{mark}(?<={_EDGE}{mark})")) for mark in _BLANKS)
"""One pattern for each beginning: `re` is much faster with a fixed one than with a choice."""

_TOKEN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_RIGHT = re.compile(r"[A-Za-z0-9_-]{1,64}")
_REACH = 64
_LEAST = 12

_HASH = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BEGINS = re.compile(
    r"[A-Za-z_][\w.-]{0,60}(?:=(?!=?\Z)|:)"  # a name, and its value
    r"|[a-z]{2,12}[_-](?=[A-Za-z0-9])|AKIA|ASIA|AIza|ya29\.|eyJ|SG\.|EAA|GOCSPX-|SK[0-9a-f]{8}|AC[0-9a-f]{8}"  # a token
)
_IDENTIFIER = re.compile(
    r"(?=(?:\D*\d+){0,2}\D*\Z)(?:_*(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|[A-Z](?=[A-Z][a-z])|\d{1,4}))+_*"
)
"""Words in a row, with a number or two: `getUserById2`."""

_KINDS = bytes.maketrans(
    f"{string.ascii_lowercase}{string.ascii_uppercase}{string.digits}".encode(), b"l" * 26 + b"u" * 26 + b"d" * 10
)
_NO_KIND = bytes(code for code in range(128) if not chr(code).isalnum())
_SAME_KIND = re.compile(b"d+|l+|u+")

_CLOSING = " \t\r│┃|\\\"'`),;]}"


def marked(text: str, marks: re.Pattern[str] = MARKS) -> Iterator[tuple[int, int]]:
    """The runs of lines in which a mark stands in the middle of what looks like a token."""
    places: list[int] = []
    for mark, first in _FIRST if text.isascii() else (*_FIRST, *_FIRST_BEYOND_ASCII):
        if mark in text:
            places.extend(place for match in first.finditer(text) if _parts(text, place := match.start(), marks))
    places.sort()
    start = end = -1
    for place in places:
        if place < end:
            continue
        low = text.rfind("\n", 0, place) + 1
        high = text.find("\n", place)
        high = len(text) if high < 0 else high
        if start >= 0 and low <= end + 1:
            end = high
            continue
        if start >= 0:
            yield start, end
        start, end = low, high
    if start >= 0:
        yield start, end


def _parts(text: str, place: int, marks: re.Pattern[str]) -> bool:
    """Whether the mark at this place parts what looks like a token."""
    mark = marks.match(text, place)
    if mark is None:
        return False
    right = _RIGHT.match(text, mark.end())
    if right is None:
        return False
    before = text[max(0, place - _REACH) : place]
    return drawn(before[len(before.rstrip(_TOKEN)) :] + right[0], _LEAST)


def drawn(stretch: str, least: int) -> bool:
    """Letters and digits, in some length: hardly a word, nor two."""
    return len(stretch) >= least and any(ch.isdigit() for ch in stretch) and any(ch.isalpha() for ch in stretch)


def one_over_two_lines(text: str, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether the stretches at the end of one line and the start of the next look like halves of one token."""
    left, right = text[max(first[0], first[1] - _REACH) : first[1]], text[second[0] : second[1]][: 2 * _REACH + 1]
    if not mixed(left.rstrip("=").rsplit("=", 1)[-1]) or not mixed(right) or on_its_own(right):
        return False
    end = text.find("\n", second[1])
    return alone(text[second[1] : end if end >= 0 else len(text)])


def on_its_own(stretch: str) -> bool:
    """Whether a stretch at the start of a line begins something new: a name with its value, another token, a checksum,
    a word of code. The line above has nothing to do with it then."""
    return _BEGINS.match(stretch) is not None or hashed(stretch) or _IDENTIFIER.fullmatch(stretch) is not None


def alone(behind: str) -> bool:
    """Whether nothing but closing signs stands behind a stretch on its line."""
    return not behind.strip(_CLOSING)


def hashed(stretch: str) -> bool:
    """Whether it has the form of a checksum or a UUID."""
    return _HASH.fullmatch(stretch) is not None or _UUID.search(stretch) is not None


def mixed(stretch: str) -> bool:
    """It changes between letters and digits, or between small and capital ones, more often than a name does."""
    if stretch.isascii():
        kinds = stretch.encode("ascii").translate(_KINDS, _NO_KIND)
    else:
        kinds = bytes(b"dul"[0 if ch.isdigit() else 1 if ch.isupper() else 2] for ch in stretch if ch.isalnum())
    runs = len(_SAME_KIND.findall(kinds))
    return len(kinds) >= 3 and runs >= 3 and (runs - 1) * 5 >= len(kinds)
