"""Tokens whose beginning tells them, cut in two by the end of a line, a tab or an underscore of emphasis.

Such signs stand everywhere in a text, so that it is looked only behind the beginnings that our shapes have: what the
stretches say together must be the shape, and the first of them alone mustn't.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import ahocorasick_rs

from dragoman.filters.redact.catalog import Shape
from dragoman.filters.redact.engine import judged
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.judge import random
from dragoman.filters.redact.views.broken import alone, mixed, on_its_own

_STRETCHES = 12
_BEHIND = 400  # bytes of a line behind a stretch
_PIECE = re.compile(rb"[A-Za-z0-9+/=_.-]{1,4000}")
_END_OF_LINE = re.compile(
    rb"(?:[ \t]*[\\`]?[ \t]*\r{0,2}\n|\r)[ \t]*"
    rb"(?:(?:[>|#+-]|\xe2\x94[\x82\x83])[ \t]?|[0-9]{1,6}(?:\xe2\x86\x92|\t|[ ]?[|:][ ]?))?[ \t]*|\t"
)
_BORDER = rb"[ \t]*(?:\||\xe2\x94[\x82\x83])[ \t]*"
_NEXT_ROW = re.compile(_BORDER + rb"\r?\n" + _BORDER)
"""To the next row of a table: only for what is no token yet, since a row may have a token of its own."""

_WORD = re.compile(rb"[A-Za-z]?[a-z]+[.]?|[A-Z]+[.]?")
_NAMED = re.compile(rb"[ \t]*(?:[=(:]|->)")
_LETTER = re.compile(rb"[A-Za-z0-9]")

_ORDINARY = re.compile(
    r"[a-z]+|(?:test|live|sandbox|secret|api|rel|sdk|key|hook|re|pa|st|sl|mm|fc|organizations|hooks\.slack\.com)[-_./]\w*[-/]?"
)
"""Beginnings that ordinary words have too."""


def heads(pattern: str) -> list[str]:
    """The literal beginnings of what a pattern matches, where it has some that tell anything."""
    import re._parser as parser  # type: ignore[import-not-found]

    def grow(starts: list[str], tokens: Any) -> tuple[list[str], bool]:
        for operation, argument in tokens:
            word = str(operation)
            if word == "AT":
                continue
            if word == "LITERAL":
                starts = [start + chr(argument) for start in starts]
            elif word == "IN" and all(str(each) == "LITERAL" for each, _ in argument) and len(argument) <= 12:
                starts = [start + chr(code) for start in starts for _, code in argument]
            elif word == "SUBPATTERN" and not argument[1]:
                starts, whole = grow(starts, argument[-1])
                if not whole:
                    return starts, False
            elif word == "BRANCH":
                grown = [grow(starts, branch) for branch in argument[1]]
                starts = [each for some, _ in grown for each in some]
                if not all(whole for _, whole in grown):
                    return starts, False
            else:
                return starts, False
            if len(starts) > 64:
                return [], False
        return starts, True

    found, _ = grow([""], parser.parse(pattern))
    return [
        head
        for head in found
        if (len(head) >= 4 or (len(head) == 3 and not head.isalpha())) and _ORDINARY.fullmatch(head) is None
    ]


class Halves:
    """The beginnings of all shapes, compiled once."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        rules: dict[bytes, list[Shape]] = {}
        for shape in shapes:
            for head in heads(shape.pattern):
                rules.setdefault(head.encode(), []).append(shape)
        self._rules = list(rules.items())
        self._automaton = ahocorasick_rs.BytesAhoCorasick(
            [head for head, _ in self._rules], implementation=ahocorasick_rs.Implementation.DFA
        )

    def find(self, buffer: bytes, *, lines: bool = True) -> Iterator[Hit]:
        """Every token in the buffer that was cut in two. Without `lines`: not by the end of a line."""
        done = -1
        for index, start, end in self._automaton.find_matches_as_indexes(buffer, overlapping=True):
            if start < done or (start and _LETTER.match(buffer, start - 1)):
                continue
            head, rules = self._rules[index]
            piece = _PIECE.match(buffer, start)
            if piece is None or piece.end() <= end:
                continue
            whole = piece[0]
            for shape in rules:
                pattern = shape.compiled
                if _says(pattern, whole, len(whole) - 1):
                    hit = _longer(shape, pattern, buffer, start, piece.end()) if lines else None
                elif _says(pattern, whole, 0):
                    break
                else:
                    hit = _without_emphasis(shape, pattern, head, whole, start)
                    if hit is None and lines:
                        hit = _over_lines(shape, pattern, head, buffer, start, piece.end())
                if hit is not None:
                    done = hit.end
                    yield hit
                    break


def _says(pattern: re.Pattern[bytes], text: bytes, least: int) -> re.Match[bytes] | None:
    match = pattern.match(text)
    return match if match is not None and match.end() > least else None


def _without_emphasis(shape: Shape, pattern: re.Pattern[bytes], head: bytes, whole: bytes, start: int) -> Hit | None:
    rest = whole[len(head) :]
    if b"_" not in rest:
        return None
    match = _says(pattern, head + rest.replace(b"_", b""), len(head))
    if match is None:
        return None
    length = match.end() - len(head)  # of the rest, without what was taken out
    at = 0
    while length > 0:
        length -= rest[at] != 0x5F
        at += 1
    return _judge(shape, match[0], start, start + len(head) + at)


def _over_lines(
    shape: Shape, pattern: re.Pattern[bytes], head: bytes, buffer: bytes, start: int, end: int
) -> Hit | None:
    said = buffer[start:end]
    for _ in range(_STRETCHES):
        gap = _END_OF_LINE.match(buffer, end) or _NEXT_ROW.match(buffer, end)
        piece = _PIECE.match(buffer, gap.end()) if gap is not None else None
        if piece is None or _NAMED.match(buffer, piece.end()) or piece[0].startswith(head):
            return None
        if on_its_own(piece[0].decode("ascii")):
            return None
        before = len(said)
        said += piece[0]
        match = _says(pattern, said, before)
        if match is not None:
            last = said[before : match.end()]
            exact = match.end() == len(said) and pattern.fullmatch(said + said[-1:]) is None
            if _WORD.fullmatch(last) and not (exact and last.isupper()):
                return None
            if match.end() < len(said):
                return _judge(shape, match[0], start, piece.start() + len(last))
            said, end = _folded(pattern, buffer, said, piece)
            return _judge(shape, said, start, end)
        end = piece.end()
    return None


def _longer(shape: Shape, pattern: re.Pattern[bytes], buffer: bytes, start: int, end: int) -> Hit | None:
    """One of any length, that is a token by itself, goes on in the next lines with what looks random."""
    gap = _END_OF_LINE.match(buffer, end)
    piece = _PIECE.match(buffer, gap.end()) if gap is not None else None
    if piece is None or _NAMED.match(buffer, piece.end()):
        return None
    more = piece[0].decode("ascii")
    said = buffer[start:end] + piece[0]
    if not random(more) or on_its_own(more) or not _alone(buffer, piece.end()) or pattern.fullmatch(said) is None:
        return None
    said, end = _folded(pattern, buffer, said, piece)
    return _judge(shape, said, start, end)


def _folded(pattern: re.Pattern[bytes], buffer: bytes, said: bytes, line: re.Match[bytes]) -> tuple[bytes, int]:
    """The token with the lines below its last one, as long as they are as wide and look as random; and its end."""
    for _ in range(_STRETCHES):
        gap = _END_OF_LINE.match(buffer, line.end())
        piece = _PIECE.match(buffer, gap.end()) if gap is not None else None
        if piece is None or len(piece[0]) > len(line[0]) or _NAMED.match(buffer, piece.end()):
            break
        more = piece[0].decode("ascii")
        drawn = random(more) or (mixed(more) and any(ch.isdigit() for ch in more))
        if (
            not drawn
            or on_its_own(more)
            or not _alone(buffer, piece.end())
            or pattern.fullmatch(said + piece[0]) is None
        ):
            break
        said += piece[0]
        shorter = len(piece[0]) < len(line[0])
        line = piece
        if shorter:
            break
    return said, line.end()


def _alone(buffer: bytes, place: int) -> bool:
    return alone(buffer[place : place + _BEHIND].split(b"\n", 1)[0].decode("utf-8", "replace"))


def _judge(shape: Shape, value: bytes, start: int, end: int) -> Hit | None:
    hit = judged(shape, value, 0, len(value))
    return Hit(start, end, hit.rule, hit.kind, value.decode("ascii")) if hit is not None else None
