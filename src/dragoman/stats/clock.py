"""Clock time: spans that may overlap, counted once."""

from __future__ import annotations

from datetime import datetime


class Intervals:
    """A set of spans of time. Its length counts overlaps once."""

    def __init__(self) -> None:
        self._spans: list[tuple[float, float]] = []

    def add(self, start: datetime, end: datetime) -> None:
        """Add a span; one that ends before it starts (a clock was set) is nothing."""
        first, last = start.timestamp(), end.timestamp()
        if first < last:
            self._spans.append((first, last))

    def add_ending(self, end: datetime, duration_ms: int) -> None:
        """Add the span of so many milliseconds before `end`."""
        if duration_ms > 0:
            last = end.timestamp()
            self._spans.append((last - duration_ms / 1000, last))

    def take(self, other: Intervals) -> None:
        self._spans += other._spans

    def length_ms(self) -> int:
        """The time that at least one span covers."""
        total = 0.0
        until = float("-inf")
        for start, end in sorted(self._spans):
            if end > until:
                total += end - max(start, until)
                until = end
        return round(total * 1000)
