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
_CONTROL = "[0-9;:?]*[ -/]*[@-~]"
# It begins with a set, so that `re` can run over what holds none of it.
HIDDEN = re.compile(
    f"[\x00-\x08\x0e-\x1f\x7f\x9b{_NO_WIDTH}]"
    f"(?:(?<![\x1b\x9b])|(?<=\x1b)(?:\\[{_CONTROL}|\\][^\x07\x1b\n]{{0,2000}}(?:\x07|\x1b\\\\)|[()][AB0])|(?<=\x9b){_CONTROL})"
)
"""What takes no room on a screen."""

_OVERSTRUCK = re.compile("(.)\x08(?=\\1)|" + HIDDEN.pattern)
"""The same where letters are made bold by striking twice, as in manual pages."""

_LOOK_ALIKES = (
    (0xFF0B, 0xFF5F),  # full width
    (0x1D400, 0x1D800),  # mathematical alphabets
    (0x2100, 0x2140),  # letter-like
    (0x2460, 0x24EB),  # circled
)
_SIGNS = frozenset("_-+/=.~%@")
_ODD = re.compile("[\x9b" + _NO_WIDTH + "".join(f"{chr(low)}-{chr(high - 1)}" for low, high in _LOOK_ALIKES) + "]")
_ASCII = bytes(range(128))


@lru_cache(maxsize=4096)
def _shown_as(mark: str) -> str:
    """What an odd character shows: nothing, or the single letter, digit or sign of a token that NFKC makes of it."""
    if HIDDEN.match(mark):
        return ""
    plain = unicodedata.normalize("NFKC", mark)
    return plain if len(plain) == 1 and plain.isascii() and (plain.isalnum() or plain in _SIGNS) else mark


def pattern(text: str) -> re.Pattern[str]:
    """What is hidden in this text."""
    return _OVERSTRUCK if "\x08" in text else HIDDEN


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


def visible(text: str) -> str | None:
    """The text as it shows; None where that is the text itself."""
    # The controls that are met; a search for one costs next to nothing.
    controls = "\x1b" in text or "\x08" in text or "\x00" in text or "\x07" in text or "\x7f" in text
    if not controls and text.isascii():
        return None
    odd = _odd(text)
    if controls or "\x9b" in odd:
        shown = letters(pattern(text).sub("", text))
    else:
        shown = text
        for mark in odd:
            shown = shown.replace(mark, _shown_as(mark))
    return shown if shown != text else None
