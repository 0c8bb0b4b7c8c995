"""What is found in a buffer of bytes, and up to where it was looked at."""

from __future__ import annotations

from msgspec import Struct


class Hit(Struct, frozen=True):
    """A secret at bytes start to end of a buffer. `value`: what it says, where that isn't what stands there."""

    start: int
    end: int
    rule: str
    kind: str
    value: str = ""


Seen = dict[str, int]
"""Up to where a hook has looked, so that no cue makes it look twice."""
