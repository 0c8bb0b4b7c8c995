"""Decoding views: what a text says once escapes, colours, folds and base64 are undone.

A view is a text made from a stretch of another, with a way back for places. It is built only where a
byte stands that could begin something encoded, and only over the lines around it. The way back is
worked out on demand, by doing the same work again with notes.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from html import unescape as html_unescape
from urllib.parse import unquote

from dragoman.filters.redact.views.broken import MARKS, alone, marked, on_its_own, one_over_two_lines
from dragoman.filters.redact.views.dumps import Characters, dumped
from dragoman.filters.redact.views.visible import letters, readings

DEPTH = 6
"""So many codings inside one another are undone."""

_ESCAPED = re.compile(
    r"""\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|(["\\/bfnrt'`]|e(?=\[)))
      |&(?:\#[0-9]{2,7}|\#[xX][0-9a-fA-F]{2,6}|amp|lt|gt|quot|apos|nbsp|colon|equals|sol|num|excl|dollar|percnt|commat|period|lowbar|hyphen|plus|comma|semi|lpar|rpar|lsqb|rsqb|lcub|rcub|grave|ast|bsol
          |shy|zwn?j|lrm|rlm|ZeroWidthSpace|NoBreak|WordJoiner|InvisibleTimes|InvisibleComma|ApplyFunction|i[tc]|af|NewLine|Tab|ensp|emsp|thinsp);
      |((?:%(?:u[0-9a-fA-F]{4}|[0-9a-fA-F]{2}))+)""",
    re.VERBOSE,
)
# Triggers begin with a set: over what holds none of it `re` runs several times as fast as with a choice.
_ESCAPE_TRIGGER = re.compile(r"[\\&%](?:(?<=\\)|(?<=&)(?:#|[A-Za-z]{2,16};)|(?<=%)(?=[0-9a-fA-Fu]{2}))")
_SIMPLE = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "e": "\x1b",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "'": "'",
    "`": "`",
}
_QUOTED_PRINTABLE = re.compile(
    r"((?:=[0-9A-F]{2})+)"
    # Not an empty value, where the next line has a number: `1→PASSWORD=`, `5:PASSWORD=`.
    r"|(=[ \t]*\r?\n(?![ \t]*[0-9]{1,7}(?:\u2192|\t|[:-][ \t]*[A-Za-z_][\w.-]{0,60}[ \t]*[=:])))"
)
_QP_TRIGGER = re.compile(r"=\r?\n|=3D|=20|=22|=27|=C3|=E2|=2E|=5F")
_JOIN = re.compile(
    r"""["'][ \t]*;?[ \t]*\r?\n[ \t]*\$?[A-Za-z_][\w.]{0,40}[ \t]*[+.]=[ \t]*["']  # "a" newline x += "b"
      | ["'][ \t]*&[ \t]*_[ \t]*\r?\n[ \t]*["']                        # "a" & _ newline "b"
      | (?<=[A-Za-z0-9+/=_-])(?:""|'')(?=[A-Za-z0-9+/=_-])           # "a""b"
      | ["'`]\s*(?:[+.&~]|\.\.|\|\||\\|<>)\s*(?:\\?\r?\n\s*)?["'`]     # "a" + "b"
      | ["'][ \t]*\\?\r?\n[ \t]*[fbru]?["']                              # "a" newline "b"
      | (?:\\|(?<=\w)`)[ \t]*\r?\n[ \t]*                                # a backslash at the end of a line
    """,
    re.VERBOSE,
)
_JOIN_TRIGGER = re.compile(
    r"""["'`\\](?:(?<=[\\`])(?:(?<=\\)|(?<=\w`))[ \t]*\r?\n
      |(?<=[A-Za-z0-9+/=_-]["'])(?:[ \t]*;?[ \t]*\r?\n[ \t]*\$?[A-Za-z_][\w.]{0,40}[ \t]*[+.]=[ \t]*["']|[ \t]*&[ \t]*_[ \t]*\r?\n[ \t]*["']|(?:(?<=")"|(?<=')')(?=[A-Za-z0-9+/=_-]))
      |(?<!\\)(?:[ \t]*(?:[+.&~]|\.\.|\|\||<>)[ \t]*(?:\\?\r?\n[ \t]*)?|[ \t]*\\?\r?\n[ \t]*(?:[+.&][ \t]*|\.\.[ \t]*)?|[ \t]+)[fbru]?["'`](?=[A-Za-z0-9+/=_-]))""",
    re.VERBOSE,
)
_LINE_LEAD = re.compile(
    r"(?:[ \t]*\d{1,7}(?:\u2192|\t|[ ]?[│|:][ ]?)|[+-](?![+-])|[\w./-]{1,120}[:-]\d{1,6}[:-]|[│┃|>][ \t]?|#[ \t])?[ \t]*"
)
_LEADS_TO = frozenset("\n \t\u2192:│|┃>")
"""What a lead ends with. Its other signs may stand in a token."""
_LINE_TAIL = re.compile(r"[ \t]*[│┃|\\`]?[ \t]*\r?\n")
_ANNOUNCES = re.compile(r"[:=][ \t]*(?:[>|][+-]?[ \t]*)?\r?\n\Z")
_TOKEN_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_-.~%"
_TOKEN_MAP = bytes(0x61 if byte in _TOKEN_BYTES else 0x20 for byte in range(256))
_RUN = 16
_LINE = 4000  # what stands further away doesn't tell how wide a fold is
_WIDTHS = frozenset(
    (
        60,
        64,
        65,
        66,
        68,
        70,
        72,
        74,
        75,
        76,
        77,
        78,
        79,
        80,
        90,
        96,
        99,
        100,
        110,
        119,
        120,
        128,
        132,
        140,
        150,
        160,
        200,
    )
)
_TOKEN_RUN = re.compile(r"[A-Za-z0-9+/=_.~%-]+")
_B64_HEAD = re.compile(r"(?:[I-Za-fw-z01][A-Za-z0-9+/_-]{3}|[CD][A-Za-z0-9+/_-]{3}){4}")
_B64_PART = re.compile(r"[=.%~/](?P<part>[A-Za-z0-9][A-Za-z0-9+/_-]{19,})")
_B64_BODY = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX_BODY = re.compile(r"(?:[2-7][0-9a-fA-F]|0[9aAdD]){12,}")
_NEW_NAME = re.compile(r"[ \t]*(?:export[ \t]+)?[A-Za-z_][\w.-]{0,60}[ \t]*(?:=(?!=?\s*$)|:[ \t\"'])")


class View:
    """A text made from `parent` (None: the text itself). `back(a, b)` gives the stretch it came from."""

    __slots__ = ("_chars", "_notes", "depth", "offset", "parent", "remake", "text")

    def __init__(self, text: str, parent: View | None, remake: Callable[[Notes], str] | None, offset: int = 0) -> None:
        self.text = text
        self.parent = parent
        self.remake = remake
        self.offset = offset
        self.depth: int = parent.depth + 1 if parent else 0
        self._notes: Notes | None = None
        self._chars: Chars | None = None

    def char(self, data: bytes, place: int) -> int:
        """Which character stands at a byte of the text's UTF-8."""
        if len(data) == len(self.text):
            return place
        if self._chars is None:
            self._chars = Chars(data)
        return self._chars.at(place)

    def back(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original text that start to end of this view came from."""
        view: View | None = self
        while view is not None and view.parent is not None:
            if view.remake is not None:
                if view._notes is None:
                    notes = Notes()
                    view.remake(notes)
                    view._notes = notes
                start, end = view._notes.back(start, end)
            start += view.offset
            end += view.offset
            view = view.parent
        return start, end


_CONTINUED = bytes(range(0x80, 0xC0))
_STEP = 4096


class Chars:
    """Counts the characters before a byte of UTF-8, without going over all of it each time."""

    __slots__ = ("_before", "_data")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._before = [0]
        for start in range(0, len(data), _STEP):
            self._before.append(self._before[-1] + len(data[start : start + _STEP].translate(None, _CONTINUED)))

    def at(self, place: int) -> int:
        """How many characters begin before the byte at `place`."""
        step = place // _STEP
        return self._before[step] + len(self._data[step * _STEP : place].translate(None, _CONTINUED))


class Notes:
    """Where the pieces of a view came from: places in the view, and in its source, side by side."""

    __slots__ = ("at", "length", "source", "source_length")

    def __init__(self) -> None:
        self.at: list[int] = []
        self.length: list[int] = []  # in the view
        self.source: list[int] = []
        self.source_length: list[int] = []

    def add(self, at: int, length: int, source: int, source_length: int) -> None:
        """`length` characters at `at` came from `source_length` characters at `source`; equal lengths go one by one."""
        self.at.append(at)
        self.length.append(length)
        self.source.append(source)
        self.source_length.append(source_length)

    def back(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the source for a stretch of the view."""
        if not self.at:
            return start, end
        first = max(0, bisect_right(self.at, start) - 1)
        last = max(0, bisect_right(self.at, max(start, end - 1)) - 1)
        low = self.source[first]
        if self.length[first] == self.source_length[first]:
            low += min(start - self.at[first], self.length[first])
        if self.length[last] == self.source_length[last]:
            high = self.source[last] + min(end - self.at[last], self.length[last])
        else:
            high = self.source[last] + self.source_length[last]
        return low, max(low, high)


_NUMBERED = re.compile(r"(?m)^[ \t]*\d{1,7}\u2192")


def unnumbered(text: str) -> str | None:
    """The text without the line numbers that an agent's file viewer puts before each line; None where it has none."""
    if "\u2192" not in text[:24] or _NUMBERED.match(text) is None:
        return None
    return _NUMBERED.sub("", text)


def _noted(units: re.Pattern[str], text: str, decode: Callable[[re.Match[str]], str], notes: Notes) -> str:
    out: list[str] = []
    at = position = 0
    for match in units.finditer(text):
        start, end = match.span()
        if start > position:
            notes.add(at, start - position, position, start - position)
            out.append(text[position:start])
            at += start - position
        new = decode(match)
        if new:
            notes.add(at, len(new), start, end - start)
            out.append(new)
            at += len(new)
        position = end
    if position < len(text):
        notes.add(at, len(text) - position, position, len(text) - position)
        out.append(text[position:])
    return "".join(out)


def _unescape(match: re.Match[str]) -> str:
    last = match.lastindex
    if last is None:
        return html_unescape(match[0])
    if last == 6:
        return _SIMPLE[match[6]]
    if last == 7:
        if "u" in match[7]:
            return re.sub(r"%u([0-9a-fA-F]{4})", lambda m: _chr(int(m[1], 16)), match[7])
        return unquote(match[7], errors="replace")
    if last == 5:
        return chr(int(match[5], 8))
    return _chr(int(match[last], 16))


def _chr(code: int) -> str:
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _unquote_printable(match: re.Match[str]) -> str:
    if match[2]:
        return ""
    return bytes.fromhex(match[1].replace("=", "")).decode("utf-8", "replace")


def _nothing(_match: re.Match[str]) -> str:
    return ""


def _regions(text: str, trigger: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The runs of lines in which the trigger stands, with a line before and two after, merged where they touch."""
    start = end = -1
    position = 0
    while (match := trigger.search(text, position)) is not None:
        place = match.start()
        low = text.rfind("\n", 0, place) + 1
        low = text.rfind("\n", 0, max(0, low - 1)) + 1
        high = text.find("\n", match.end())
        high = len(text) if high < 0 else high
        if start >= 0 and low <= end + 1:
            end = high
        else:
            if start >= 0:
                yield start, end
            start, end = low, high
        position = max(high - 32, match.end())  # one that runs over the end of this line begins before it
        if position >= len(text):
            break
    if start >= 0:
        yield start, end


def _by_pattern(
    view: View, trigger: re.Pattern[str], units: re.Pattern[str], decode: Callable[[re.Match[str]], str]
) -> Iterator[View]:
    text = view.text
    for start, end in _regions(text, trigger):
        stretch = text if start == 0 and end == len(text) else text[start:end]
        new = units.sub(decode, stretch)
        if new != stretch:
            yield View(new, view, _remaker(units, stretch, decode), start)


def _remaker(units: re.Pattern[str], stretch: str, decode: Callable[[re.Match[str]], str]) -> Callable[[Notes], str]:
    return lambda notes: _noted(units, stretch, decode, notes)


def roots(text: str) -> list[View]:
    """The views to begin with: the text itself, or what it shows."""
    base = View(text, None, None)
    return _shown(base) or [base]


def _shown(view: View) -> list[View]:
    text = view.text
    return [View(shown, view, _without(hidden, text)) for shown, hidden in readings(text)]


def _without(hidden: re.Pattern[str], text: str) -> Callable[[Notes], str]:
    return lambda notes: letters(_noted(hidden, text, _nothing, notes))


def _may_escape(text: str) -> bool:
    return "\\" in text or "&" in text or "%" in text


def escapes(view: View) -> Iterator[View]:
    """The stretches that hold escapes of JSON, HTML or percent form, with one layer of them undone."""
    text = view.text
    if _may_escape(text):
        yield from _by_pattern(view, _ESCAPE_TRIGGER, _ESCAPED, _unescape)


def _six(sign: str, rest: str) -> re.Pattern[str]:
    """A fixed beginning first: with it `re` is several times as fast."""
    return re.compile(f"{re.escape(sign)}{rest}(?:{re.escape(sign)}{rest}){{5}}")


_SPELLED = (
    ("%", "%", _six("%", "[2-7][0-9a-fA-F]")),
    ("&", "&#", _six("&#", "(?:[xX][2-7][0-9a-fA-F]|[0-9]{2,3});")),
    ("\\", "\\x", _six("\\x", "[2-7][0-9a-fA-F]")),
    ("\\", "\\u00", _six("\\u00", "[2-7][0-9a-fA-F]")),
)
"""A sign to look for first, since that is quickest; what begins a character's number; six of them."""


def is_spelled(text: str) -> bool:
    """Whether a word in the text is written by the numbers of its characters, as `\\u0041\\u0042`."""
    return _may_escape(text) and any(
        sign in text and beginning in text and six.search(text) is not None for sign, beginning, six in _SPELLED
    )


def spelled(view: View) -> Iterator[View]:
    """What a text says where every character of a word is written by its number."""
    if is_spelled(view.text):
        yield from escapes(view)


def unfold(view: View) -> Iterator[View]:
    """The views one step further in. Every one differs from what it was made of."""
    text = view.text
    if view.depth > DEPTH or len(text) < 8:
        return
    yield from escapes(view)
    if "=" in text and _QP_TRIGGER.search(text) is not None:
        yield from _by_pattern(view, _QP_TRIGGER, _QUOTED_PRINTABLE, _unquote_printable)
    if '"' in text or "'" in text or "`" in text or "\\\n" in text:
        yield from _by_pattern(view, _JOIN_TRIGGER, _JOIN, _nothing)
    if not view.depth and "0000000" in text:
        yield from _dumps(view)
    if "].join(" in text:
        yield from _listed(view)
    for start, end in marked(text):
        stretch = text[start:end]
        yield View(MARKS.sub("", stretch), view, _remaker(MARKS, stretch, _nothing), start)
    if len(text) >= 24:
        yield from _runs(view)
    if view.depth:
        yield from _shown(view)


def _dumps(view: View) -> Iterator[View]:
    for characters in dumped(view.text):
        remake = _lettered(characters)
        yield View(remake(Notes()), view, remake)


def _lettered(characters: Characters) -> Callable[[Notes], str]:
    def remake(notes: Notes) -> str:
        for at, (_, source, length) in enumerate(characters):
            notes.add(at, 1, source, length)
        return "".join(character for character, _, _ in characters)

    return remake


_COMMA = re.compile(r"""["'`][ \t\r\n]*,[ \t\r\n]*["'`]""")
_LISTED = 2000


def _listed(view: View) -> Iterator[View]:
    """Lists of strings that are joined: `['a', 'b'].join('')`."""
    text = view.text
    position = 0
    while (end := text.find("].join(", position)) >= 0:
        start = text.rfind("[", max(position, end - _LISTED), end)
        position = end + 7
        if start >= 0:
            low = max(text.rfind("\n", 0, start) + 1, start - 200)
            stretch = text[low : end + 1]
            new = _COMMA.sub("", stretch)
            if new != stretch:
                yield View(new, view, _remaker(_COMMA, stretch, _nothing), low)


def _runs(view: View) -> Iterator[View]:
    """Folded lines put together, and what base64 and hex say."""
    text = view.text
    data = text.encode("ascii", "replace")  # one byte a character, so that places agree
    marks = data.translate(_TOKEN_MAP)
    position = 0
    size = len(data)
    needle = b"a" * _RUN
    while (start := marks.find(needle, position)) >= 0:
        end = marks.find(b" ", start + _RUN)
        if end < 0:
            end = size
        position = end
        if end < size and text[end] == "\t":
            over = _next_line(text, start, end, end + 1)
            if over is not None:
                yield _joined(view, over, _line_start(text, start))
        tail = _LINE_TAIL.match(text, end) if end < size and text[end] in "\n\r \t│┃|\\`" else None
        if tail is not None:
            folded = _folded(text, start, end, tail.end())
            if folded is not None:
                line_start = _line_start(text, start)
                joined = _joined(view, folded, line_start)
                yield joined
                yield from _decoded(joined, start - line_start, start - line_start + sum(b - a for a, b in folded))
                position = folded[-1][1]
                continue
            over = _next_line(text, start, end, tail.end())
            if over is not None:
                yield _joined(view, over, _line_start(text, start))
        over = _line_before(text, marks, start, end) if start else None
        if over is not None:
            yield _joined(view, over, _line_start(text, over[0][0]))
        yield from _decoded(view, start, end)


def _line_start(text: str, place: int) -> int:
    """Where the line begins, or the one before it where that only announces a value, as `key: >-` does in YAML."""
    start = text.rfind("\n", 0, place) + 1
    low = max(0, start - 160)
    before = max(low, text.rfind("\n", low, max(0, start - 1)) + 1)
    return before if _ANNOUNCES.search(text, before, start) is not None else start


def _joined(view: View, pieces: list[tuple[int, int]], line_start: int) -> View:
    """The lines of the pieces as one: what stands before the first, the pieces, and what stands behind the last."""
    text = view.text
    line_end = text.find("\n", pieces[-1][1])
    remake = _piecer(text, pieces, line_start, len(text) if line_end < 0 else line_end)
    return View(remake(Notes()), view, remake)


def _next_line(text: str, start: int, end: int, following: int) -> list[tuple[int, int]] | None:
    """A run at the end of a line and the one that goes on in the next, if they look like one token."""
    lead = _LINE_LEAD.match(text, following)
    run = _TOKEN_RUN.match(text, lead.end() if lead else following)
    if run is None or not one_over_two_lines(text, (start, end), run.span()):
        return None
    return [(start, end), run.span()]


def _line_before(text: str, marks: bytes, start: int, end: int) -> list[tuple[int, int]] | None:
    """The same for a run at the start of a line, where the one before is too short to be looked at itself."""
    if text[start - 1] not in _LEADS_TO:
        return None
    if text[start - 1 : start] == "\t" and start > 1 and marks[start - 2] == 0x61:
        line = start - 1
    else:
        line = text.rfind("\n", max(0, start - 160), start)
        lead = _LINE_LEAD.match(text, line + 1) if line > 0 else None
        if lead is None or lead.end() != start:
            return None
    high = line
    while high > 0 and text[high - 1] in "\r \t│┃|\\`":
        high -= 1
    low = marks.rfind(b" ", max(0, high - _RUN), high) + 1
    if low == 0 or low == high or not one_over_two_lines(text, (low, high), (start, end)):
        return None
    return [(low, high), (start, end)]


def _piecer(text: str, pieces: list[tuple[int, int]], line_start: int, line_end: int) -> Callable[[Notes], str]:
    def remake(notes: Notes) -> str:
        out: list[str] = []
        at = 0
        spans = [(line_start, pieces[0][1]), *pieces[1:-1], (pieces[-1][0], line_end)]
        for low, high in spans:
            notes.add(at, high - low, low, high - low)
            out.append(text[low:high])
            at += high - low
        return "".join(out)

    return remake


def _folded(text: str, start: int, end: int, following: int) -> list[tuple[int, int]] | None:
    """The pieces of a token cut into lines from start on, if the lines look cut by a machine."""
    pieces = [(start, end)]
    line_start = text.rfind("\n", max(0, start - _LINE), start) + 1
    first = end - line_start
    widths = [first]
    position = following
    while position < len(text) and len(pieces) < 4000:
        lead = _LINE_LEAD.match(text, position)
        low = lead.end() if lead else position
        run = _TOKEN_RUN.match(text, low)
        if run is None or text[pieces[-1][1] - 1] == "=" or _NEW_NAME.match(text, low) or on_its_own(run[0][:_LINE]):
            break
        high = run.end()
        pieces.append((low, high))
        widths.append(high - position)
        if len(pieces) > 2:
            # All lines between the first and the last are of one width: what isn't so is given up at once, lest
            # every line of a long text is compared with every other.
            middle = widths[1]
            fits = abs(middle - first) <= 16 or middle == end - start or middle in _WIDTHS
            if first < 20 or widths[-1] > middle or not fits:
                if len(pieces) > 3:
                    return None
                pieces.pop()
                break
            if widths[-1] < middle:
                break
        tail = _LINE_TAIL.match(text, high) if high < len(text) else None
        if tail is None:
            break
        position = tail.end()
    last = text[pieces[-1][0] : pieces[-1][1]]
    if len(pieces) == 3 and len(last) < 12 and last.isalpha() and (last.islower() or last.istitle() or last.isupper()):
        pieces.pop()  # a word begins what follows
    if len(pieces) < 2:
        return None
    if len(pieces) == 2:
        bare = end - start
        low, high = pieces[1]
        second = text[low:high]
        line_end = text.find("\n", high)
        bare_line = alone(text[high : line_end if line_end >= 0 else len(text)])
        mixed = any(ch.isdigit() for ch in second) or not (second.islower() or second.isupper() or second.istitle())
        if not ((first in _WIDTHS or bare in _WIDTHS) and widths[1] <= max(first, bare) + 2 and bare_line and mixed):
            return None
    return pieces


def _decoded(view: View, start: int, end: int) -> Iterator[View]:
    """What a run of token characters says as base64 or as hex, if that is text."""
    text = view.text
    if end - start < 20:
        return
    hexed = _HEX_BODY.match(text, start, end)
    if hexed is not None and len(hexed[0]) >= 24:
        plain = bytes.fromhex(hexed[0]).decode("utf-8", "replace")
        if "\ufffd" not in plain:
            yield View(plain, view, _pairs(plain), start)
            return
    if _B64_HEAD.match(text, start, end) is not None:
        said = _said(view, start, end)
        if said is not None:
            yield said
            return
    # It may stand behind a sign that tokens may hold: `data=…`, `a.b`, `%3D…`.
    if end - start > 20:
        for part in _B64_PART.finditer(text, start, min(end, start + 4000)):
            place = part.start("part")
            said = _said(view, place, end) if _B64_HEAD.match(text, place, end) is not None else None
            if said is not None:
                yield said
                return


def _said(view: View, start: int, end: int) -> View | None:
    body = _B64_BODY.match(view.text, start, end)
    if body is None or len(body[0]) < 20:
        return None
    plain = _text_of(body[0])
    return View(plain, view, _quads(plain), start) if plain is not None else None


def _text_of(body: str) -> str | None:
    bare = body.rstrip("=").replace("-", "+").replace("_", "/")
    if len(bare) % 4 == 1:
        bare = bare[:-1]
    try:
        raw = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
        plain = raw.decode("utf-8")
    except (binascii.Error, ValueError):
        # The end may be cut, or glued to something: the longest start that is text will do.
        try:
            raw = base64.b64decode(bare[: len(bare) // 4 * 4], validate=True)
        except (binascii.Error, ValueError):
            return None
        plain = raw.decode("utf-8", "ignore")
        if len(plain) < len(raw) * 0.9:
            return None
    bad = sum(ch < " " and ch not in "\n\r\t\x1b" for ch in plain[:2000])
    return plain if bad * 20 <= len(plain[:2000]) and len(plain) >= 12 else None


def _quads(plain: str) -> Callable[[Notes], str]:
    def remake(notes: Notes) -> str:
        # Character by character in steps of bytes; a quad of base64 is the least that can be taken out.
        at = 0
        for index, ch in enumerate(plain):
            width = len(ch.encode("utf-8", "surrogatepass"))
            low = at * 8 // 6
            high = -(-(at + width) * 8 // 6)
            if width == 1 and index and high - low == 1:
                high = low + 2
            notes.add(index, 1, low, max(2, high - low))
            at += width
        return plain

    return remake


def _pairs(plain: str) -> Callable[[Notes], str]:
    def remake(notes: Notes) -> str:
        at = 0
        for index, ch in enumerate(plain):
            width = len(ch.encode())
            notes.add(index, 1, at * 2, width * 2)
            at += width
        return plain

    return remake
