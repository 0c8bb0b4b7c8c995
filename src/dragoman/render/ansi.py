"""Terminal output: ANSI colours as styled spans of text, every other escape dropped. Linear in the input.

`strip` is the fast way for formats without colour; `spans` keeps what SGR sequences say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

# CSI, then strings (OSC, DCS, SOS, PM, APC) up to BEL or ST, then two-character escapes. An
# unfinished string ends with its line, so that one stray ESC can't swallow an output. Each alternative
# starts with ESC (or its C1 twin) and none can match in two ways: no backtracking.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)([0-?]*)([ -/]*)([@-~])"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_STARTS = ("\x1b", "\x9b", "\x9d", "\x90", "\x98", "\x9e", "\x9f")


class Style(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a span looks. A colour is "0".."255" (the first 16 are the theme's), or "#rrggbb", or "" for the default."""

    fg: str = ""
    bg: str = ""
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    inverse: bool = False
    hidden: bool = False


PLAIN = Style()


class Span(Struct, frozen=True, gc=False):
    """A run of text in one style."""

    text: str
    style: Style


def has_escapes(text: str) -> bool:
    """Whether `strip` would change anything. As fast as a search for a character can be."""
    if "\x1b" in text:
        return True
    return not text.isascii() and any(start in text for start in _STARTS)


def strip(text: str) -> str:
    """The text without its escape sequences."""
    return _ESCAPE.sub("", text) if has_escapes(text) else text


def spans(text: str) -> Iterator[Span]:
    """The text in runs of one style, neighbours of the same style joined."""
    if not has_escapes(text):
        if text:
            yield Span(text, PLAIN)
        return
    style = PLAIN
    held: list[str] = []
    position = 0
    for match in _ESCAPE.finditer(text):
        if match.start() > position:
            held.append(text[position : match.start()])
        position = match.end()
        if match[3] != "m" or match[2] or (match[1] and match[1][0] in "<=>?"):
            continue
        changed = _apply(style, match[1])
        if changed != style:
            if held:
                yield Span("".join(held), style)
                held = []
            style = changed
    if position < len(text):
        held.append(text[position:])
    if held:
        yield Span("".join(held), style)


def _apply(style: Style, parameters: str) -> Style:
    """The style after one SGR sequence."""
    values: dict[str, str | bool] = {name: getattr(style, name) for name in Style.__struct_fields__}
    codes = _codes(parameters)
    at = 0
    while at < len(codes):
        code = codes[at]
        at += 1
        if code == 0:
            values = {}
        elif code in _SET:
            values[_SET[code]] = True
        elif code in _CLEAR:
            for name in _CLEAR[code]:
                values.pop(name, None)
        elif 30 <= code <= 37:
            values["fg"] = str(code - 30)
        elif 40 <= code <= 47:
            values["bg"] = str(code - 40)
        elif 90 <= code <= 97:
            values["fg"] = str(code - 82)
        elif 100 <= code <= 107:
            values["bg"] = str(code - 92)
        elif code in (38, 48, 58):
            colour, at = _extended(codes, at)
            if code != 58 and colour:
                values["fg" if code == 38 else "bg"] = colour
    return Style(**values)  # type: ignore[arg-type]


_SET = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse", 8: "hidden", 9: "strike", 21: "underline"}
_CLEAR = {
    22: ("bold", "dim"),
    23: ("italic",),
    24: ("underline",),
    27: ("inverse",),
    28: ("hidden",),
    29: ("strike",),
    39: ("fg",),
    49: ("bg",),
}


def _codes(parameters: str) -> list[int]:
    """The numbers of a sequence. `4:3` (a curly underline) is 4; `38:2::r:g:b` is 38;2;r;g;b."""
    codes: list[int] = []
    for part in parameters[:200].split(";"):
        if ":" not in part:
            codes.append(int(part) if part.isdigit() and len(part) < 5 else 0)
            continue
        numbers = [int(each) if each.isdigit() and len(each) < 5 else -1 for each in part.split(":")]
        if numbers[0] in (38, 48, 58) and len(numbers) > 2:
            if numbers[1] == 2 and len(numbers) > 5:  # the colour space may stand, empty, before the colour
                del numbers[2]
            codes.extend(max(each, 0) for each in numbers)
        elif numbers[0] == 4 and len(numbers) > 1 and numbers[1] == 0:
            codes.append(24)
        else:
            codes.append(max(numbers[0], 0))
    return codes


def _extended(codes: list[int], at: int) -> tuple[str, int]:
    if at < len(codes) and codes[at] == 5:
        return (str(min(codes[at + 1], 255)), at + 2) if at + 1 < len(codes) else ("", at + 1)
    if at < len(codes) and codes[at] == 2:
        if at + 3 < len(codes):
            red, green, blue = (min(each, 255) for each in codes[at + 1 : at + 4])
            return f"#{red:02x}{green:02x}{blue:02x}", at + 4
        return "", len(codes)
    return "", at
