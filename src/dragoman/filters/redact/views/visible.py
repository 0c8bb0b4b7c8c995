"""What of a text can be seen: without terminal codes and characters of no width, look-alikes as the letters they show.

Facts: Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt), NFKC (UAX 15), ECMA-48 for terminals.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_NO_WIDTH = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_C1 = "\x80-\x84\x86-\x9f"  # \x85 is the end of a line
_CSI = "[0-9:;<=>?]*[ -/]*[@-~]"
_STRING = "[^\x07\x1b\n\x90\x98\x9c-\x9f]{0,2000}(?:\x07|\x1b\\\\|\x9c)"
# It begins with a set, so that `re` can run over what holds none of it.
_MARK = f"[\x00-\x08\x0e-\x1f\x7f{_C1}{_NO_WIDTH}]"
_BARE = re.compile(rf"{_MARK}(?:(?<=\x1b)\[{_CSI}|(?<=\x9b){_CSI}|)")
HIDDEN = re.compile(
    rf"{_MARK}(?:(?<![\x1b\x90\x98\x9b\x9d-\x9f])"
    rf"|(?<=\x1b)(?:\[{_CSI}|[]PX^_]{_STRING}|[ -/]+[0-~]|[0-~])|(?<=\x9b){_CSI}|(?<=[\x90\x98\x9d-\x9f]){_STRING}|)"
)
"""What takes no room on a screen: escapes are taken whole (ECMA-48, 5.3 to 5.6; ECMA-35, 13.2 for those of two and more)."""

_OVERSTRUCK = re.compile("(.)\x08(?=\\1)|" + HIDDEN.pattern)
"""The same where letters are made bold by striking twice, as in manual pages."""

_SWALLOWS = re.compile("[\x1b\x90\x98\x9d-\x9f](?!\\[)")
"""An escape that takes letters with it: by mistake, where a lone ESC came into a word; a title, where a secret may stand."""

_LOOK_ALIKES = (
    (0xFF0B, 0xFF5F),  # full width
    (0x1D400, 0x1D800),  # mathematical alphabets
    (0x2100, 0x2140),  # letter-like
    (0x2460, 0x24EB),  # circled
)
_SIGNS = frozenset("_-+/=.~%@")
_ODD = re.compile(f"[{_C1}" + _NO_WIDTH + "".join(f"{chr(low)}-{chr(high - 1)}" for low, high in _LOOK_ALIKES) + "]")
_ASCII = bytes(range(128))
_CONTROLS = bytes((*range(9), *range(0x0E, 0x20), 0x7F))
_EACH_CONTROL = _CONTROLS.decode("ascii")
_LONG = 1000


@lru_cache(maxsize=4096)
def _shown_as(mark: str) -> str:
    """What an odd character shows: nothing, or the single letter, digit or sign of a token that NFKC makes of it."""
    if HIDDEN.match(mark):
        return ""
    plain = unicodedata.normalize("NFKC", mark)
    return plain if len(plain) == 1 and plain.isascii() and (plain.isalnum() or plain in _SIGNS) else mark


def letters(text: str) -> str:
    """Look-alikes as what they look like, one for one."""
    for mark in _odd(text):
        if plain := _shown_as(mark):
            text = text.replace(mark, plain)
    return text


def _odd(text: str) -> list[str]:
    """The characters beyond ASCII in the text that show nothing, or may look like others."""
    if text.isascii():
        return []
    others = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return _ODD.findall("".join(set(others)))


def readings(text: str) -> list[tuple[str, re.Pattern[str]]]:
    """What the text shows, with what was taken out of it; twice where an escape may be no escape.

    Empty where the text shows itself.
    """
    shown = visible(text)
    if shown is None:
        return []
    found = [(shown, _hidden(text))]
    if _SWALLOWS.search(text) is not None and (bare := letters(_BARE.sub("", text))) != shown:
        found.append((bare, _BARE))
    return found


def visible(text: str) -> str | None:
    """The text as it shows; None where that is the text itself."""
    controls = _controls(text)
    odd = _odd(text)
    if controls or any(mark < "\xa0" for mark in odd):
        shown = letters(_without_hidden(text))
    elif odd:
        shown = text
        for mark in odd:
            shown = shown.replace(mark, _shown_as(mark))
    else:
        return None
    return shown if shown != text else None


def _without_hidden(text: str) -> str:
    if "\x08" not in text:
        return HIDDEN.sub("", text)
    # No match runs over the end of a line, and the slower pattern is for those lines that need it.
    return "\n".join(_hidden(line).sub("", line) for line in text.split("\n"))


def _hidden(text: str) -> re.Pattern[str]:
    return _OVERSTRUCK if "\x08" in text else HIDDEN


def _controls(text: str) -> bool:
    """Whether one of ASCII's controls stands in the text that show nothing. Both ways are faster than `re`."""
    if text.isprintable():
        return False
    if len(text) > _LONG:
        return any(map(text.__contains__, _EACH_CONTROL))
    data = text.encode("utf-8", "surrogatepass")
    return len(data.translate(None, _CONTROLS)) != len(data)
