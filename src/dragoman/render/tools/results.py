"""Results as agents decorate them for the model: line numbers, reminders, error tags, exit codes.

Every function takes the decoration off and gives it back beside the text, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from dragoman.model import Media, Text, ToolResult, Unknown

_ERROR = re.compile(r"\A\s*<(tool_use_error|error)>(.*)</\1>\s*\Z", re.DOTALL)
_EXIT = re.compile(r"\A(?:Error: )?Exit code (-?\d{1,10})(?:\n|\Z)")
_NUMBERED = re.compile(r"[ ]{0,12}(\d{1,9})(→|\t)")
_OPEN, _CLOSE = "<system-reminder>", "</system-reminder>"


class Plain(Struct, frozen=True, gc=False):
    """A result's content without its decorations."""

    text: str
    failed: bool
    reminders: tuple[str, ...]
    media: tuple[Media, ...]
    unknown: tuple[Unknown, ...]


NOTHING = Plain("", False, (), (), ())


def plain(result: ToolResult | None) -> Plain:
    """The text of a result, its reminders and error tags taken off, and what else it holds."""
    if result is None:
        return NOTHING
    failed = result.error == "yes" or result.outcome in ("failed", "rejected", "interrupted")
    content = result.content
    if len(content) == 1 and isinstance(content[0], Text):
        text = content[0].text
        media: tuple[Media, ...] = ()
        unknown: tuple[Unknown, ...] = ()
    elif not content:
        return Plain("", failed, (), (), ())
    else:
        text = "\n\n".join(each.text for each in content if isinstance(each, Text) and each.text)
        media = tuple(each for each in content if isinstance(each, Media))
        unknown = tuple(each for each in content if isinstance(each, Unknown))
    reminders: tuple[str, ...] = ()
    if _OPEN in text:
        text, reminders = without_reminders(text)
    if "</tool_use_error>" in text or "</error>" in text:
        tagged = _ERROR.match(text)
        if tagged:
            text, failed = tagged[2], True
    return Plain(text, failed, reminders, media, unknown)


def without_reminders(text: str) -> tuple[str, tuple[str, ...]]:
    """Take off `<system-reminder>` tails and heads; such tags in the middle are somebody's text."""
    tails: list[str] = []
    end = kept = len(text)
    while True:
        while end and text[end - 1].isspace():
            end -= 1
        if not text.endswith(_CLOSE, 0, end):
            break
        start = text.rfind(_OPEN, 0, end)
        if start < 0:
            break
        tails.append(text[start + len(_OPEN) : end - len(_CLOSE)].strip())
        while start and text[start - 1] == "\n":
            start -= 1
        end = kept = start
    heads: list[str] = []
    begin = 0
    while text.startswith(_OPEN, begin, kept):
        close = text.find(_CLOSE, begin, kept)
        if close < 0:
            break
        heads.append(text[begin + len(_OPEN) : close].strip())
        begin = close + len(_CLOSE)
        while begin < kept and text[begin] == "\n":
            begin += 1
    return text[begin:kept], tuple(each for each in (*heads, *reversed(tails)) if each)


def exit_code(text: str) -> tuple[int | None, str]:
    """The exit code that a failed command's text begins with, and the text after it."""
    if "xit code" not in text[:24]:
        return None, text
    match = _EXIT.match(text)
    if match is None:
        return None, text
    return int(match[1]), text[match.end() :]


def is_numbered(text: str) -> bool:
    """Whether every line has its `cat -n` number, judged from the first, the last and the count of lines."""
    first = _NUMBERED.match(text)
    if first is None:
        return False
    last = _NUMBERED.match(text, text.rfind("\n") + 1)
    return last is not None and last[2] == first[2] and int(last[1]) - int(first[1]) == text.count("\n")


class Numbered(Struct, frozen=True, gc=False):
    """A text whose lines had numbers: the lines as they are without, their numbers, and what stood below them."""

    text: str
    numbers: Sequence[int]
    remark: str

    @property
    def whole(self) -> bool:
        """Whether no line is left out between the first one and the last."""
        return isinstance(self.numbers, range)


def ends(text: str) -> tuple[int, int]:
    """The numbers of a numbered text's first line and of its last."""
    first = _NUMBERED.match(text)
    last = _NUMBERED.match(text, text.rfind("\n") + 1)
    begin = int(first[1]) if first is not None else 1
    return begin, int(last[1]) if last is not None else begin + text.count("\n")


def unnumbered(text: str) -> Numbered | None:
    """Take off `cat -n` numbers, in both forms (`     1→x`, `1\\tx`).

    The numbers only grow: where lines were left out, they jump. What follows after a blank line without a number
    is a remark of the tool; None where the text isn't numbered throughout.
    """
    match = _NUMBERED.match(text)
    if match is None:
        return None
    mark = match[2]
    numbers: list[int] = []
    lines = text.split("\n")
    bare: list[str] = []
    remark = ""
    for at, line in enumerate(lines):
        told, found, rest = line.partition(mark)
        told = told.strip(" ")
        number = int(told) if told.isdecimal() and len(told) < 10 else 0
        if number <= (numbers[-1] if numbers else -1) or not (found or at == len(lines) - 1):
            remark = "\n".join(lines[at:])
            if remark.strip() and not remark.startswith("\n"):
                return None
            break
        bare.append(rest)  # of a last number alone, the blank after it was stripped
        numbers.append(number)
    first, last = numbers[0], numbers[-1]
    whole = last - first + 1 == len(numbers)
    return Numbered("\n".join(bare), range(first, last + 1) if whole else numbers, remark.strip("\n"))


def joined(parts: Sequence[str]) -> str:
    """Texts with a blank line between them."""
    return "\n\n".join(part for part in parts if part)
