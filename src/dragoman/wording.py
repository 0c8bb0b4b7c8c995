"""Numbers in sentences: one of a thing, or several."""

from __future__ import annotations

import re

_BY_NUMBER = re.compile(r"\[([^|\]]*)\|([^|\]]*)\]")


def counted(count: int, noun: str) -> str:
    """`1 file`, `2 files`, `1,200 files`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def by_number(sentence: str, count: int) -> str:
    """The sentence with the first of each `[line|lines]` for one, the second for any other number."""
    return _BY_NUMBER.sub(lambda found: found[1 if count == 1 else 2], sentence)
