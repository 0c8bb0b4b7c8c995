"""What a filter is: it changes a neutral session, and can check what was rendered from it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct

from dragoman.model import Session
from dragoman.report import Report


class Leak(Struct, frozen=True):
    """Something in rendered output that the filter should have taken out. Never holds the value."""

    file: str
    rule: str
    line: int


class Filter(Protocol):
    """One filter, made with its options. An object with these members is one.

    `prepare` sees every session of the run before any is changed (a first pass, e.g. to learn values
    that must go everywhere). `apply` is pure: the same session gives the same result, and the given
    one is left as it was. `verify` sees each output's bytes (of a PDF: its text) and its file name
    before anything is committed; whatever it returns stops the output.
    """

    name: str

    def prepare(self, sessions: Iterable[Session], report: Report) -> None: ...

    def apply(self, session: Session, report: Report) -> Session: ...

    def verify(self, file_name: str, data: bytes) -> list[Leak]: ...
