"""Where one text of a conversation goes on in the next: neighbouring blocks, parts of a result, streamed pieces.

Only the ends that meet are put together, and only where what meets could be one token or a name and its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from dragoman.filters.redact.broken import drawn
from dragoman.filters.redact.finder import Found
from dragoman.model import Message, Reasoning, Session, Text, ToolResult

_NEAR = 600  # characters of each end that are looked at, and of a piece that is taken whole
_FAR = 8000  # so many where a token is that long
_MOST = 200  # pieces in one seam
_PIECE = 64  # a streamed piece is no longer

_TOKEN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_.-"
_RIGHT = re.compile(r"[A-Za-z0-9+/=_.-]*")
_WORD = re.compile(r"[A-Za-z]?[a-z]*|[A-Z]+")
_NEW_NAME = re.compile(r"[A-Za-z_][\w.-]{1,60}[ \t]*(?:=(?!=?\s*$)|:)")
_SPACE = re.compile(r"\s")


class Part(Struct, frozen=True):
    """Characters low to high of a text, which stand at `at` in the seam. `named`: by the end of the text before."""

    text: str
    low: int
    high: int
    at: int
    named: bool = False


class Seam(Struct, frozen=True):
    """The ends of neighbours as one text."""

    whole: str
    parts: tuple[Part, ...]

    def shares(self, found: Found) -> list[tuple[str, Found]]:
        """What of a find in the seam stands in which text; nothing where it is all in one that doesn't need the other."""
        shares = []
        for part in self.parts:
            low = max(found.start, part.at)
            high = min(found.end, part.at + part.high - part.low)
            if low < high:
                start = part.low + low - part.at
                shares.append((part.text, Found(start, start + high - low, found.rule, found.kind, found.value)))
        named = any(part.named and part.at == found.start for part in self.parts)
        return shares if len(shares) > 1 or named else []


def word(text: str) -> bool:
    """It may be a word that only follows."""
    return _WORD.fullmatch(text) is not None


def neighbours(session: Session) -> Iterator[list[str]]:
    """The texts of the session, in runs in which one may go on in the next: those of one speaker."""
    run: list[str] = []
    role = ""
    for entry in session.entries:
        if not isinstance(entry, Message):
            continue
        if entry.role != role:
            yield run
            run, role = [], entry.role
        for block in entry.blocks:
            if isinstance(block, Text | Reasoning):
                run.append(block.text)
            elif isinstance(block, ToolResult):
                run.extend(part.text for part in block.content if isinstance(part, Text))
    yield run
    for agent in session.subagents:
        yield from neighbours(agent.session)


def seams(texts: Sequence[str]) -> Iterator[Seam]:
    """The seams of a run of neighbours. Pieces that are short enough may be in the middle of one."""
    held: list[tuple[str, int, int, str, bool]] = []  # text, from, to, what stands before it, named
    for before, after in pairwise(texts):
        joint = _joint(before, after)
        if held and (joint is None or len(before) > _NEAR or len(held) == _MOST):
            yield _seam(held)
            held = []
        if joint is None:
            continue
        low, high, start, end, gap, named = joint
        if held:
            text, first, _, between, by_name = held[-1]
            held[-1] = (text, first, high, between, by_name)
        else:
            held = [(before, low, high, "", False)]
        held.append((after, start, end, gap, named))
    if held:
        yield _seam(held)


def _seam(held: list[tuple[str, int, int, str, bool]]) -> Seam:
    parts: list[Part] = []
    said: list[str] = []
    at = 0
    for text, low, high, gap, named in held:
        parts.append(Part(text, low, high, at + len(gap), named))
        said += (gap, text[low:high])
        at += len(gap) + high - low
    return Seam("".join(said), tuple(parts))


def _joint(before: str, after: str) -> tuple[int, int, int, int, str, bool] | None:
    """From where to where two texts may be read as one, what is to stand between, and whether the first names the second.

    None where nothing speaks for it.
    """
    tail, head = before[-_NEAR:], after[:_NEAR]
    left, right = tail.rstrip(), head.lstrip()
    if not left or not right or right[0] not in _TOKEN:
        return None
    low, high = len(before) - len(tail), len(before) - len(tail) + len(left)
    start = len(head) - len(right)
    match = _RIGHT.match(after, start, start + _FAR)
    run = match[0] if match is not None else ""
    end = max(len(head), start + len(run))
    if _NEW_NAME.match(right) is not None:
        return None
    last = left[-1]
    if last in ":=\"'`" and drawn(run, 8):
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
