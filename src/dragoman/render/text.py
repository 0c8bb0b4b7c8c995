"""Small texts for people: visible forms of invisible characters, durations, sizes, counts and times.

Nothing here knows an output format: escaping is a writer's work.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from functools import cache

from dragoman.errors import UsageError

_ASCII_CONTROLS = "\x00-\x08\x0b-\x1f\x7f"
_DECEIVING = (
    "\x80-\x9f"  # C1: terminals obey some of them
    "\xad"  # soft hyphen: hidden inside words
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # bidi marks, overrides and isolates
    "\u115f\u1160\u3164\uffa0"  # Hangul fillers: blank letters
    "\u180e\u200b\u2060-\u2065\ufeff"  # zero width
    "\u2028\u2029"  # line ends to some programs and not to others
    "\ufff9-\ufffb"  # interlinear annotation
    "\U000e0000-\U000e0fff"  # tags and supplementary selectors: a way to smuggle text
)
# Joiners hold emoji and Indic, Persian and Arabic words together: kept after a letter of theirs.
_JOINERS = "(?:(?<![\u0600-\uffff\U00010000-\U0010ffff])[\u200c\u200d])"

_CONTROL = re.compile(f"[{_ASCII_CONTROLS}]")
_CONTROL_BYTES = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])


@cache
def _hidden() -> re.Pattern[str]:
    """What `visible` replaces. Made when first needed: it takes longer than starting Python."""
    return re.compile(f"[{_ASCII_CONTROLS}{_DECEIVING}]|{_JOINERS}")


@cache
def _hidden_set() -> re.Pattern[str]:
    """The same without a look at what stands before a joiner: quick to search with."""
    return re.compile(f"[{_ASCII_CONTROLS}{_DECEIVING}\u200c\u200d]")


def visible(text: str) -> str:
    """The text with every control, bidi and zero-width character in a form that one can see.

    Controls become their pictures (ESC is ␛), the others their number: ⟦U+202E⟧. Tabs and line feeds stay;
    CR LF and CR are line feeds. Joiners stay where a script or an emoji needs them.
    """
    if not has_hidden(text):
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _hidden().sub(_picture, text)


def has_hidden(text: str) -> bool:
    """Whether `visible` may change the text. Fast: ASCII costs about a nanosecond a character."""
    if text.isascii():
        data = text.encode()
        return len(data.translate(None, _CONTROL_BYTES)) != len(data)
    return _hidden_set().search(text) is not None


def count_hidden(text: str) -> int:
    """How many characters `visible` would replace."""
    if not has_hidden(text):
        return 0
    return sum(1 for _ in _hidden().finditer(text.replace("\r", "")))


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"⟦U+{code:04X}⟧"


def one_line(text: str, limit: int = 120) -> str:
    """The text's first words on one line, visible forms included, cut with an ellipsis at `limit` characters."""
    if len(text) <= limit and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    head = text[: limit * 4]
    words = " ".join(visible(head).split())
    if len(words) > limit:
        return words[: limit - 1].rstrip() + "…"
    return words + "…" if len(head) < len(text) and text[len(head) :].strip() else words


_HELD = "\U0010fffd"  # stands for a code span, in which a mark is a letter
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^`\n]*$", re.MULTILINE)
_JOINED_FENCE = re.compile(r"(?<!\S)`{3,}[\w+#-]*(?=\s|…|\Z)")  # of a text whose lines were joined
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]+)\1(?!`)")
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+|(?<=\s)#{2,6}[ \t]+", re.MULTILINE)
_LINK = re.compile(rf"""!?\[([^\[\]\n]+)\]\([^()\s{_HELD}]*(?:[ ]"[^"\n{_HELD}]*")?\)""")
_STRONG = re.compile(r"\*\*(?=[^\s*/])([^*\n]+)(?<=\S)\*\*")
_EMPHASIS = re.compile(rf"""(?<![\w*])\*(?=[\w"'(“{_HELD}])([^*\n]+)(?<=[\w.,;:!?)"'”…{_HELD}])\*(?![\w*./])""")
_STRIKE = re.compile(r"(?<![\w~])~~(?=[^\s~])([^~\n]+)(?<=\S)~~(?![\w~])")


def unmarked(text: str, limit: int = 120) -> str:
    """The beginning of a Markdown text without its commonest marks, to be read as plain words on one line.

    For titles. Names such as `__init__` and `snake_case` stay, and so does what stands in code.
    """
    head = text[: limit * 4]
    if _HELD in head or not any(mark in head for mark in "`#*[~"):
        return one_line(text, limit)
    head = _JOINED_FENCE.sub("", _FENCE.sub("", head))
    code = (match[2] for match in _CODE.finditer(head))
    held = _CODE.sub(_HELD, head)
    for marks, words in ((_HEADING, ""), (_LINK, r"\1"), (_STRONG, r"\1"), (_EMPHASIS, r"\1"), (_STRIKE, r"\1")):
        held = marks.sub(words, held)
    plain = "".join([next(code) if each == _HELD else each for each in held])
    return one_line(plain + text[limit * 4 :][:limit], limit) or one_line(text, limit)


def duration(milliseconds: float | None) -> str:
    """`850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`; nothing for what isn't known."""
    if milliseconds is None or milliseconds < 0:
        return ""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, whole = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {whole} s" if whole else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def size(n: int) -> str:
    """Bytes in decimal units: `812 B`, `14 kB`, `3.2 MB`."""
    if n < 1000:
        return f"{n} B"
    value, unit = n / 1000, "kB"
    for larger in ("MB", "GB"):
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"


def number(n: int) -> str:
    """With thin groups that do not break: 1,234,567."""
    return f"{n:,}"


def short_number(n: int) -> str:
    """`812`, `14.2k`, `3.1M`."""
    if n < 1000:
        return str(n)
    if n < 999_950:
        return f"{n / 1000:.1f}k".replace(".0k", "k")
    return f"{n / 1_000_000:.1f}M".replace(".0M", "M")


def count(n: int, one: str, several: str = "") -> str:
    """`1 line`, `2,040 lines`."""
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def dollars(amount: float) -> str:
    """`<$0.0001`, `$0.0042`, `$1.23`, `$1,204`: a sum is never shown as nothing."""
    if 0 < amount < 0.0001:
        return "<$0.0001"
    if 0 < amount < 0.01:
        return f"${amount:.4f}"
    return f"${amount:,.2f}" if amount < 1000 else f"${amount:,.0f}"


@cache
def zone(name: str) -> tzinfo:
    """The time zone of that name (`UTC`, `local`, `Europe/Vienna`); UsageError where there is none."""
    if name.upper() in ("UTC", "Z", ""):
        return UTC
    if name == "local":
        local = datetime.now().astimezone().tzinfo
        assert local is not None
        return local
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(f"no time zone is called {name!r}; try UTC, local or a name such as Europe/Vienna") from None


def moment(time: datetime | None, tz: tzinfo) -> str:
    """`2026-11-30 14:05 UTC`, or nothing."""
    there = _there(time, tz)
    if there is None:
        return ""
    return f"{day(there, tz)} {there.hour:02}:{there.minute:02} {there.tzname() or ''}".rstrip()


def clock(time: datetime | None, tz: tzinfo) -> str:
    """`14:05:09`, or nothing."""
    there = _there(time, tz)
    return f"{there.hour:02}:{there.minute:02}:{there.second:02}" if there is not None else ""


def day(time: datetime | None, tz: tzinfo) -> str:
    """`2026-11-30`, or nothing."""
    there = _there(time, tz)
    return f"{there.year:04}-{there.month:02}-{there.day:02}" if there is not None else ""


def iso(time: datetime | None, tz: tzinfo) -> str:
    """RFC 3339 to the second, for machines: `2026-11-30T14:05:09Z`."""
    there = _there(time, tz)
    return there.isoformat(timespec="seconds").replace("+00:00", "Z") if there is not None else ""


def _there(time: datetime | None, tz: tzinfo) -> datetime | None:
    if time is None or time.tzinfo is tz:
        return time
    try:
        return time.astimezone(tz)
    except (OverflowError, ValueError):  # the years 1 and 9999
        return None
