"""Linked pages instead of one: an index with the head, the timeline and the outline, then so many turns a page."""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.errors import UsageError
from dragoman.io.target import Target
from dragoman.render.turns import Answer, Prompt, Step, Turn
from dragoman.report import Code
from dragoman.writers.html.page import Link, Page

ENTRIES = 400
"""Entries after which a page ends at the next prompt."""


def write_split(page: Page, target: Target, name: str, *, embed: bool) -> None:
    """Write the pages beside the main file. UsageError where only one stream can go out."""
    if not target.holds_side_files:
        raise UsageError("split pages don't fit standard output; use -o FILE or -o FOLDER/")
    main = target.settle(name)
    base = main.removesuffix(".html")
    parts = divided(page.document.turns)
    while any(target.written(f"{base}-{number}.html") for number in range(2, len(parts) + 1)):
        base += "-page"  # another session of this run has such a name
    if len(parts) == 1:
        page.report.add(Code.NOT_SPLIT)
    files = [main, *(f"{base}-{number}.html" for number in range(2, len(parts) + 1))]
    page_of: dict[int, str] = {}
    for file, (begin, end) in zip(files, parts, strict=True):
        page_of.update((turn, file) for turn in range(begin, end))
    for number, (file, (begin, end)) in enumerate(zip(files, parts, strict=True)):
        links = [Link(str(n + 1), other, n == number) for n, other in enumerate(files)]
        stream = target.main(name) if number == 0 else target.open(file)
        here = {turn: "" if other == file else other for turn, other in page_of.items()}
        page.write(
            stream,
            turns=page.document.turns[begin:end],
            pages=links if len(files) > 1 else (),
            page_of=here,
            last=number == len(files) - 1,
            embed=embed and number == 0,
        )


def divided(turns: Sequence[Turn]) -> list[tuple[int, int]]:
    """Where pages begin and end: at prompts."""
    parts: list[tuple[int, int]] = []
    begin = 0
    size = 0
    for position, turn in enumerate(turns):
        if isinstance(turn, Prompt) and size >= ENTRIES:
            parts.append((begin, position))
            begin, size = position, 0
        size += weight(turn)
    parts.append((begin, len(turns)))
    return parts


def weight(turn: Turn) -> int:
    """Entries that a turn makes."""
    if isinstance(turn, Answer):
        return sum(len(item.parts) if isinstance(item, Step) else 1 for item in turn.items)
    return 1
