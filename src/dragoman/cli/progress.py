"""How far a long run is: one line on stderr, where that is a terminal and somebody wants to know.

It is written where the work is done, never by a thread: with one, a page couldn't be made by two processes.
"""

from __future__ import annotations

import sys
from time import monotonic

from dragoman.cli.terminal import status

OFTEN = 0.1
"""Seconds between two lines: more can't be read."""


class Line:
    """The line of one run."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.wanted = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._doing = self._session = ""
        self._last = 0.0

    def session(self, doing: str, name: str, number: int, total: int = 0) -> None:
        """A session is gone on to."""
        if not self.wanted:
            return
        if doing != self._doing:
            self._doing, self._last = doing, 0.0
        self._session = f"{doing} session {number}{f' of {total}' if total else ''}: {name}"
        self._show(self._session)

    def part(self, done: int, total: int) -> None:
        """So much of the session is done, of so much."""
        self._show(f"{self._session} ({done * 100 // max(total, 1)} %)")

    def end(self) -> None:
        """The line goes."""
        if self.wanted:
            status("")

    def _show(self, text: str) -> None:
        now = monotonic()
        if self.wanted and now - self._last >= OFTEN:
            self._last = now
            status(text)
