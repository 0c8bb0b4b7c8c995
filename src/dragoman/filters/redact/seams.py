"""Where one text of a conversation goes on in the next: neighbouring blocks, parts of a result, streamed pieces.

Only the ends that meet are put together, and only where what meets could be one token or a name and its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

from dragoman.filters.redact.finder import Found
from dragoman.filters.redact.views.broken import AROUND, drawn
from dragoman.model import Message, Reasoning, Session, Text, ToolResult

_NEAR = 600  # characters of each end that are looked at, and of a piece that is taken whole
_FAR = 8000  # so many where a token is that long
_MOST = 4000  # pieces in one seam: a stream may have one character in each
_PIECE = 64  # a streamed piece is no longer

_TOKEN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_.-"
_NAMES = ":=\"'`"
_ENDS = frozenset(_TOKEN + _NAMES)
_RIGHT = re.compile(r"[A-Za-z0-9+/=_.-]*")
_WORD = re.compile(r"[A-Za-z]?[a-z]*|[A-Z]+")
_NEW_NAME = re.compile(r"[A-Za-z_][\w.-]{1,60}[ \t]*(?:=(?!=?\s*$)|:)")
_COMMIT = re.compile(r"[0-9a-f]{7,12}[ \t]+[A-Za-z]")  # a commit's short hash, and its title
_FINISHED = re.compile(r"(?:[^\W\d]{1,32},?[ \n]){3}[^\W\d]{2,32}[.!?]\Z")  # a sentence
_SPACE = re.compile(r"\s")
_AROUND = 80  # characters of marks at an end
_ESCAPE = 12


class Part(Struct, frozen=True):
    """Characters low to high of a text, which stand at `at` in the seam. `named`: by the end of the text before.

    `number`: which of the run it is.
    """

    text: str
    low: int
    high: int
    at: int
    named: bool = False
    number: int = 0


class Seam(Struct, frozen=True):
    """The ends of neighbours as one text."""

    whole: str
    parts: tuple[Part, ...]

    def shares(self, found: Found) -> list[tuple[Part, Found]]:
        """What of a find in the seam stands in which text; nothing where it is all in one that doesn't need the other."""
        shares = []
        for part in self.parts:
            low = max(found.start, part.at)
            high = min(found.end, part.at + part.high - part.low)
            if low < high:
                start = part.low + low - part.at
                shares.append((part, Found(start, start + high - low, found.rule, found.kind, found.value)))
        named = any(part.named and part.at == found.start for part in self.parts)
        return shares if len(shares) > 1 or named else []


def word(text: str) -> bool:
    """It may be a word that only follows."""
    return _WORD.fullmatch(text) is not None


class Place(NamedTuple):
    """Where a text stands in a session: entry, block, and part of a result (-1: the block itself)."""

    entry: int
    block: int
    part: int


def runs(session: Session) -> Iterator[tuple[list[str], list[Place]]]:
    """The texts of the session, in runs in which one may go on in the next: those of one speaker. Not its agents'."""
    texts: list[str] = []
    places: list[Place] = []
    role = ""
    for number, entry in enumerate(session.entries):
        if not isinstance(entry, Message):
            continue
        if entry.role != role:
            yield texts, places
            texts, places, role = [], [], entry.role
        for index, block in enumerate(entry.blocks):
            if isinstance(block, Text | Reasoning):
                texts.append(block.text)
                places.append(Place(number, index, -1))
            elif isinstance(block, ToolResult):
                for each, part in enumerate(block.content):
                    if isinstance(part, Text):
                        texts.append(part.text)
                        places.append(Place(number, index, each))
    yield texts, places


def neighbours(session: Session) -> Iterator[list[str]]:
    """The runs of the session and of its agents."""
    for texts, _ in runs(session):
        yield texts
    for agent in session.subagents:
        yield from neighbours(agent.session)


def seams(texts: Sequence[str]) -> Iterator[Seam]:
    """The seams of a run of neighbours. Pieces that are short enough may be in the middle of one."""
    held: list[Part] = []
    said: list[str] = []
    size = 0
    for number, (before, after) in enumerate(pairwise(texts), 1):
        joint = _joint(before, after)
        if held and (joint is None or len(before) > _NEAR or len(held) == _MOST):
            yield Seam("".join(said), tuple(held))
            held = []
        if joint is None:
            continue
        low, high, start, end, gap, named = joint
        if held:
            last = held[-1]
            low = last.low
            size -= len(said.pop())
        else:
            held, said, size = [Part(before, low, high, 0, False, number - 1)], [], 0
            last = held[0]
        held[-1] = Part(last.text, low, high, last.at, last.named, last.number)
        said += (before[low:high], gap, after[start:end])
        size += high - low + len(gap)
        held.append(Part(after, start, end, size, named, number))
        size += end - start
    if held:
        yield Seam("".join(said), tuple(held))


def _joint(before: str, after: str) -> tuple[int, int, int, int, str, bool] | None:
    """From where to where two texts may be read as one, what is to stand between, and whether the first names the second.

    None where nothing speaks for it.
    """
    tail, head = before[-_NEAR:], after[:_NEAR]
    left, right = tail.rstrip(), head.lstrip()
    if not left or not right:
        return None
    if right[0] not in _TOKEN:
        mark = AROUND.match(right)
        right = right[mark.end() :] if mark is not None else ""
        if not right or right[0] not in _TOKEN:
            return None
    if left[-1] not in _ENDS or "\x1b" in left[-_ESCAPE:]:
        left = _to_token(left)
    low, high = len(before) - len(tail), len(before) - len(tail) + len(left)
    start = len(head) - len(right)
    match = _RIGHT.match(after, start, start + _FAR)
    run = match[0] if match is not None else ""
    end = max(len(head), start + len(run))
    if _NEW_NAME.match(right) is not None or _COMMIT.match(right) is not None or _FINISHED.search(left) is not None:
        return None
    last = left[-1]
    if last in _NAMES and drawn(run, 8):
        return low, high, start, end, " " if last == ":" else "", True
    if last not in _TOKEN:
        return None
    stretch = left[len(left.rstrip(_TOKEN)) :]
    if len(stretch) == len(left) and low:
        tail = before[-_FAR:high]
        low = high - len(tail[len(tail.rstrip(_TOKEN)) :]) - 1
    streamed = (
        high == len(before)
        and start == 0
        and min(len(before), len(after)) <= _PIECE
        and _SPACE.search(before if len(before) <= len(after) else after) is None
    )
    if not streamed and not drawn(stretch[-_PIECE:] + run[:_PIECE], 12):
        return None
    return max(0, low), high, start, end, "", False


def _to_token(tail: str) -> str:
    """The end of a text without marks, tags, and what doesn't show."""
    code = tail.rfind("\x1b", -_ESCAPE)
    if code > 0 and AROUND.fullmatch(tail, code) is not None:
        tail = tail[:code]
    for place in range(len(tail), max(0, len(tail) - _AROUND), -1):
        if tail[place - 1] in _ENDS and AROUND.fullmatch(tail, place) is not None:
            return tail[:place]
    return tail
