"""Sessions on their way from readers through filters to a writer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from dragoman import registry
from dragoman.conversion.options import make_options
from dragoman.conversion.parts import Parts
from dragoman.conversion.sources import Progress, Sessions
from dragoman.errors import InputError, LeakError, PictureLeakError, UnavailableError, UsageError
from dragoman.filters.protocol import Filter, Leak
from dragoman.io.paths import written
from dragoman.io.target import Target
from dragoman.model import Session, Span, walk
from dragoman.report import Code, Report
from dragoman.writers.protocol import Packing, Spreading

NAMED = 8
"""So many sessions are named where there are too many."""


class Conversion:
    """Sessions on their way through filters into one target: all of it becomes visible, or nothing."""

    def __init__(
        self,
        writer: str,
        target: Target,
        report: Report,
        *,
        options: dict[str, str] | None = None,
        filters: Sequence[Filter] = (),
    ) -> None:
        self.writer = registry.writer(writer)
        reason = self.writer.unavailable()
        if reason:
            raise UnavailableError(reason)
        self.options = make_options(self.writer, options or {}, role="writer")
        if target.main_name is not None:
            target.refuse_taken([target.main_name])
        self.target = target
        self.report = report
        self.filters = filters
        self._made_of: dict[str, str] = {}
        """The name of each output's session, as the user knows it; empty where several share the output."""

    def run(self, sessions: Iterable[Session], progress: Progress | None = None) -> list[Path]:
        """Filter, write, check and commit. Returns the files made (none for standard output).

        `sessions` is gone through once, and once more before that for each filter, and for names that may be taken.
        """
        self._refuse_what_does_not_fit(sessions)
        if self.target.holds_anything:
            likely = (self.writer.file_name(each, self.options) for each in sessions if says_anything(each))
            self.target.refuse_taken(likely)
        try:
            for each in self.filters:
                each.prepare(_watched(sessions, "searching", progress), self.report)
            names: dict[str, str] = {}
            parts = Parts()
            for session in _watched(sessions, "writing", progress):
                if self.target.is_folder and not says_anything(session):
                    self.report.retell(Code.EMPTY, Code.SESSION_LEFT_OUT, _whole(session))
                    continue
                parts.see(session)
                filtered = session
                self.report.at = _whole(session)
                for each in self.filters:
                    filtered = each.apply(filtered, self.report)
                names |= _renamed(session, filtered)
                self.target.begin()
                self.report.at = _whole(filtered)
                before = len(self.target.names)
                self.writer.write(filtered, self.target, self.options, self.report)
                self._remember(session, self.target.names[before:])
                self.report.at = None
            self.report.relabel(names)
            parts.report(self.report)
            made = self.target.commit(self._verify if self.filters else None)
        finally:
            self.target.discard()
        self._report_what_lies_beside(made)
        return made

    def _report_what_lies_beside(self, made: Sequence[Path]) -> None:
        """Whoever passes on what was made passes on these, too: pictures, say, that were to be left out this time."""
        if not made or not isinstance(self.writer, Spreading):
            return
        ours = frozenset(made)
        for name in self.target.mains:
            main = self.target.place(name)
            assert main is not None
            others = sorted(each for each in self.writer.beside(main) if each not in ours)
            if not others:
                continue
            first, last = others[0], others[-1]
            if first.parent != main.parent:
                place = str(first.parent)
            else:
                place = str(first) if first == last else f"{first} … {last.name}"
            self.report.add(Code.LEFT_BESIDE, Span(written(place), 0), count=len(others))

    def _refuse_what_does_not_fit(self, sessions: Iterable[Session]) -> None:
        first = list(islice(sessions, NAMED + 1))
        if not first:
            raise InputError("no conversation in it" if self.report.worst() is None else _nothing_read(self.report))
        if len(first) > 1 and not self.writer.several and not self.target.is_folder:
            ids = ", ".join(session.header.id or session.header.title or "?" for session in first[:NAMED])
            more = " …" if len(first) > NAMED else ""
            raise UsageError(f"several sessions: {ids}{more}; name one of them, or use -o FOLDER/")

    def _remember(self, session: Session, opened: Sequence[str]) -> None:
        """Of which session the files were made. What isn't opened anew is shared."""
        place = _whole(session)
        self._made_of.update(dict.fromkeys(opened, place.file if place is not None else session.header.id))
        if not opened:
            self._made_of.clear()

    def _verify(self, name: str, data: bytes) -> None:
        leaks: list[Leak] = []
        if isinstance(self.writer, Packing) and name.endswith(self.writer.suffix):
            data = self.writer.searchable(data)
        for each in self.filters:
            leaks.extend(each.verify(name, data))
        if leaks:
            first = leaks[0]
            place = f"{first.file}:{first.line}" if first.line else first.file
            more = f" and {len(leaks) - 1} more" if len(leaks) > 1 else ""
            source = f" in what was made of {of}" if (of := self._made_of.get(name)) else ""
            kind = LeakError if first.file.endswith(self.writer.suffix) or first.file != name else PictureLeakError
            raise kind(
                f"{place}: the check after rendering found a secret ({first.rule}){more}{source}; nothing was written"
            )


class _Watched:
    """Sessions, telling of each that is gone on to."""

    def __init__(self, sessions: Iterable[Session], doing: str, progress: Progress) -> None:
        self._sessions = sessions
        self._doing = doing
        self._progress = progress

    def __iter__(self) -> Iterator[Session]:
        for number, session in enumerate(self._sessions, 1):
            total = self._sessions.found if isinstance(self._sessions, Sessions) else 0
            self._progress(self._doing, session.header.id, number, total)
            yield session


def _watched(sessions: Iterable[Session], doing: str, progress: Progress | None) -> Iterable[Session]:
    return sessions if progress is None else _Watched(sessions, doing, progress)


def _whole(session: Session) -> Span | None:
    """The place of what concerns no line of a session."""
    files = session.header.files
    return Span(files[0].path, 0) if files else None


def _renamed(session: Session, filtered: Session) -> dict[str, str]:
    """What a filter calls each of the session's files: its new name to the one that the user knows."""
    names: dict[str, str] = {}
    for (old, _), (new, _) in zip(walk(session), walk(filtered), strict=False):
        for before, after in zip(old.header.files, new.header.files, strict=False):
            if before.path != after.path:
                names[after.path] = before.path
    return names


def says_anything(session: Session) -> bool:
    """Whether there is a conversation in it: agents also leave files that hold only bookkeeping."""
    return bool(session.subagents) or next(session.messages, None) is not None


def _nothing_read(report: Report) -> str:
    first = report.findings[0]
    return first.sentence if first.code is Code.EMPTY else f"no conversation in it; {first.sentence}"
