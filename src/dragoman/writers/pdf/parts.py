"""Where the document is cut: at turns, near a bounded size; inside a turn only where it is longer than that.

The cuts follow from the blocks alone, never from the machine: same input, same pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec import Struct

from dragoman.writers.pdf.blocks import Block

PAGE = 50
"""Lines on a page, about."""

TINY = 12 * PAGE
"""A document up to this height is one part, laid out in the main process."""

SMALL, LARGE = 8 * PAGE, 20 * PAGE
"""Heights that parts are cut to. A part of 20 pages takes about 100 MB to lay out."""

LOOKED_AHEAD = 4 * LARGE
"""So much is made before the first cut: a document that ends within it is cut into four."""


_HEADING = re.compile(r'<div class="[^"]*\bhead\b')


class Part(Struct, frozen=True):
    """Blocks that are laid out together. `running`: what the header says where the part begins within a turn."""

    html: str
    lines: float
    running: str
    turns: int


def lookahead(blocks: Iterator[Block], limit: float = LOOKED_AHEAD) -> tuple[list[Block], float, bool]:
    """The first blocks, their height, and whether that is all."""
    held: list[Block] = []
    lines = 0.0
    for block in blocks:
        held.append(block)
        lines += block.lines
        if lines > limit:
            return held, lines, False
    return held, lines, True


def cut(blocks: Iterator[Block]) -> Iterator[Part]:
    """The parts of a document. A tiny one is a single part."""
    held, lines, whole = lookahead(blocks)
    if whole and lines <= TINY:
        wanted = float(TINY)
    elif whole:
        wanted = min(max(lines / 4, SMALL), LARGE)
    else:
        wanted = LARGE
    yield from _cut(chain(held, blocks), wanted)


def _cut(blocks: Iterable[Block], wanted: float) -> Iterator[Part]:
    held: list[Block] = []
    lines = 0.0
    running = ""
    for block in blocks:
        at_turn = block.turn and lines > wanted * 0.7
        heading = held and _HEADING.match(held[-1].html)  # it stays with what follows
        if held and (at_turn or (lines > wanted and not heading and lines + block.lines > wanted * 1.25)):
            yield _part(held, lines, running)
            running = held[-1].running
            held, lines = [], 0.0
        held.append(block)
        lines += block.lines
    if held:
        yield _part(held, lines, running)


def _part(held: list[Block], lines: float, running: str) -> Part:
    begins = "" if held[0].turn else running
    return Part("\n".join(block.html for block in held), lines, begins, sum(block.turn for block in held))
