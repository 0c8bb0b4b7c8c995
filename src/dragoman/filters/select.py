"""Choose and name: what `--title` and `--drop` ask for."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from dragoman.filters.protocol import Leak
from dragoman.model import Session
from dragoman.report import Report


class SelectOptions(Struct, frozen=True):
    """`title` replaces the session's own where it isn't empty."""

    title: str = ""


def _sound(text: str) -> str:
    """Without the surrogates that stand for bytes a shell passed and nobody can decode."""
    return text.encode("utf-8", "replace").decode("utf-8")


class SelectFilter:
    """Sets a session's title."""

    name = "select"

    def __init__(self, options: SelectOptions) -> None:
        self.options = options

    def prepare(self, sessions: Iterable[Session], report: Report) -> None:
        """Nothing to learn."""

    def apply(self, session: Session, report: Report) -> Session:
        """The session under its new title."""
        if not self.options.title:
            return session
        return replace(session, header=replace(session.header, title=_sound(self.options.title)))

    def verify(self, file_name: str, data: bytes) -> list[Leak]:
        """A title hides nothing, so nothing can leak."""
        return []
