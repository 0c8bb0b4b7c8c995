"""A finished PDF with what was reported on the way, and the sessions that are made into some."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pdf_sessions
from msgspec import Struct

from dragoman.model import Session
from dragoman.report import Report


class Made(Struct):
    """A PDF and its report."""

    session: Session
    path: Path
    report: Report

    @property
    def data(self) -> bytes:
        return self.path.read_bytes()


def small_refactoring() -> Session:
    """Short enough for tests."""
    return pdf_sessions.refactoring(turns=3)


SESSIONS: dict[str, Callable[[], Session]] = {**pdf_sessions.EVERY, "refactoring": small_refactoring}
