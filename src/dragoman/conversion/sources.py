"""What a run reads: its sources, each with a reader and that reader's options, and the sessions in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from dragoman import registry
from dragoman.conversion.inside import Inside, parts_of
from dragoman.conversion.options import make_options, split_options
from dragoman.errors import DragomanError, InputError
from dragoman.io.paths import written
from dragoman.io.source import Source, open_source
from dragoman.model import Session, Span
from dragoman.report import Code, Report

KEPT = 512 * 1024**2
"""Bytes of input up to which sessions are read once and kept in memory."""

_PLACE = re.compile(r"(?::\d{1,20})?: ")
"""Between an input's name and what is wrong with it, with a line or without."""

Progress = Callable[[str, str, int, int], None]
"""Called with what is being done, the name of the session, its number, and of how many (0 where that isn't known yet)."""


def plan(
    sources: Sequence[Source], writer: str, options: dict[str, str], report: Report, *, reader: str | None = None
) -> tuple[list[tuple[Source, str, dict[str, str]]], dict[str, str]]:
    """Which reader, with which options, for each source; and the writer's options.

    Of several sources, one that no reader is for is reported and left out.
    """
    planned: list[tuple[Source, str, dict[str, str]]] = []
    of_writer: dict[str, str] = {}
    problems: list[DragomanError] = []
    for source in sources:
        try:
            parts = parts_of(source, report, reader)
        except DragomanError as error:
            problems.append(error)
            leave_out(source.name, error, report)
            continue
        for part, name in parts:
            of_reader, of_writer = split_options(registry.reader(name), registry.writer(writer), options)
            planned.append((part, name, of_reader))
    if problems and not planned:
        raise problems[0]
    return planned, of_writer


def open_all(paths: Sequence[Path], stack: ExitStack, report: Report) -> list[Source]:
    """Open what the user named. Of several, one that can't be opened is reported and left out."""
    opened: list[Source] = []
    problems: list[InputError] = []
    for path in paths:
        try:
            opened.append(stack.enter_context(open_source(path)))
        except InputError as error:
            problems.append(error)
            leave_out(str(path), error, report)
    if problems and not opened:
        raise problems[0]
    return opened


def leave_out(name: str, error: DragomanError, report: Report, *, named: bool = True) -> None:
    """Report what is passed over for the sake of the others: an input, or a file within one."""
    name = written(name)
    why = _PLACE.sub("", written(str(error)).removeprefix(name), count=1).partition(";")[0]
    report.add(Code.INPUT_SKIPPED if named else Code.FILE_LEFT_OUT, Span(name, 0), why)


def read_source(
    source: Source, report: Report, *, reader: str | None = None, options: dict[str, str] | None = None
) -> Iterator[Session]:
    """The sessions of one source, by the named reader or by a guess. What can't be read within a folder is reported."""
    report.merge(source.damage)
    readings = []
    for part, name in parts_of(source, report, reader):
        component = registry.reader(name)
        reading = component.read(part, make_options(component, options or {}, role="reader"), report)
        readings.append(reading if part is source else _within(part, reading, report))
    return chain(*readings, _of_others(source, report))


def _within(part: Source, reading: Iterator[Session], report: Report) -> Iterator[Session]:
    """The sessions of a file that lies in what was named."""
    try:
        yield from reading
    except InputError as error:
        leave_out(part.name, error, report, named=False)


def _of_others(source: Source, report: Report) -> Iterator[Session]:
    """The sessions of a folder that its reader left to others."""
    if not isinstance(source.others, Inside):
        return
    for part, name in source.others.sources(report):
        component = registry.reader(name)
        yield from _within(part, component.read(part, component.options(), report), report)


class Sessions:
    """All sessions of a run's sources, for going through more than once.

    Small inputs are read once and kept; an archive beyond `KEPT` bytes is read anew at every pass, a
    session at a time. What the first pass that came to the end found is reported, and no other: one may only look ahead.
    """

    def __init__(
        self, sources: Sequence[tuple[Source, str, dict[str, str]]], report: Report, progress: Progress | None = None
    ) -> None:
        self.found = 0
        """How many there are, once all were read."""
        self._sources = sources
        self._progress = progress
        self._report = report
        self._kept: list[Session] | None = None
        self._passes = 0
        self._reported = False
        self._keeps = sum(_size(source.path) for source, _, _ in sources) <= KEPT

    def __iter__(self) -> Iterator[Session]:
        if self._kept is None and self._keeps:
            self._kept = list(self._read())
        return self._read() if self._kept is None else iter(self._kept)

    def _read(self) -> Iterator[Session]:
        self._passes += 1
        report = Report()
        number = 0
        for source, reader, options in self._sources:
            try:
                for session in read_source(source, report, reader=reader, options=options):
                    number += 1
                    if self._progress is not None and self._passes == 1:
                        self._progress("reading", session.header.id, number, 0)
                    yield session
            except InputError as error:
                if len(self._sources) == 1:
                    self._tell(report)
                    raise
                leave_out(source.name, error, report, named=source.named)
        self.found = number
        self._tell(report)

    def _tell(self, report: Report) -> None:
        if not self._reported:
            self._reported = True
            self._report.merge(report)


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
