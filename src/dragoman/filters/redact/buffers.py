"""What a stretch of a buffer of UTF-8 bytes says: its text, what it names, and where the string ends that it stands in."""

from __future__ import annotations

import re
from functools import lru_cache

from dragoman.filters.redact.names import Name, classify

VALUE_REACH = 6000  # bytes: no value is longer

STRING_END = re.compile(r"""\\{0,7}["'](?=[,:}\])]|\Z)""")
"""The end of the string of JSON, or of code, that a value without quotes of its own stands in."""

MARKUP = re.compile(r"</?[a-z]|&(?:lt|gt|quot|apos|#\w+);")


def decoded(value: bytes) -> str:
    """The text of a stretch, which may have been cut inside a character."""
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return value.decode("utf-8", "replace")


@lru_cache(maxsize=65536)
def classified(name: bytes) -> Name | None:
    """What secret a stretch names."""
    return classify(name.decode("utf-8", "replace"))
