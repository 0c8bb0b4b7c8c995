"""Sessions that migrate put into several logs: where a run brings one of them only, it says which other there is."""

from __future__ import annotations

from dragoman.io import clm_notes
from dragoman.model import Message, Session, Span, Text
from dragoman.report import Code, Report


class Parts:
    """The sessions that a run brings, and the further logs that they name."""

    def __init__(self) -> None:
        self._brought: set[str] = set()
        self._named: list[tuple[Span | None, str]] = []

    def see(self, session: Session) -> None:
        """Look at a session as it was read."""
        self._brought.add(session.header.id)
        first = next(session.messages, None)
        if session.header.format == "clm" and first is not None and (other := clm_notes.other_log(_words(first))):
            self._named.append((first.span, other))

    def report(self, report: Report) -> None:
        """Say of what was brought only a part, once all was seen."""
        for span, other in self._named:
            if other not in self._brought:
                report.add(Code.PART_OF_SESSION, span, other)


def _words(message: Message) -> str:
    block = message.blocks[0] if len(message.blocks) == 1 else None
    return block.text if isinstance(block, Text) else ""
