"""Values out of records that may hold anything: each with a fallback, none raises."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Any

BELIEVABLE = 2**53
"""Counts from here on are none."""

_LARGEST = sys.float_info.max

_MILLISECONDS_FROM = 100_000_000_000  # as seconds, that would be the year 5138


def string(value: Any) -> str:
    """The value if it is a string, else nothing."""
    return value if type(value) is str else ""


def identifier(value: Any) -> str:
    """An id: a string as it stands; a number as its digits (foreign writers); else nothing."""
    if type(value) is str:
        return value
    return str(value) if type(value) is int else ""


def integer(value: Any) -> int:
    """A count: numbers, and strings of them; 0 for anything else, for what is negative or beyond belief."""
    if type(value) is not int:
        if value is None:
            return 0
        try:
            value = int(float(value)) if type(value) in (float, str) else 0
        except (ValueError, OverflowError):
            return 0
    return value if 0 <= value < BELIEVABLE else 0


def is_count(value: Any) -> bool:
    """Whether `integer` gives just what stands there: a count, as a string too, or null for none."""
    if type(value) in (float, str):
        try:
            value = float(value)
        except ValueError:
            return False
        return bool(value.is_integer() and 0 <= value < BELIEVABLE)
    return value is None or (type(value) is int and 0 <= value < BELIEVABLE)


def amount(value: Any) -> float | None:
    """A finite number from 0 on, or None."""
    return float(value) if type(value) in (int, float) and 0 <= value <= _LARGEST else None


def time(value: Any) -> datetime | None:
    """A point in time: ISO 8601 with or without a zone (UTC then), or seconds or milliseconds since 1970."""
    try:
        if type(value) is str:
            found = datetime.fromisoformat(value)
            return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        if type(value) in (int, float):
            return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS_FROM else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None
