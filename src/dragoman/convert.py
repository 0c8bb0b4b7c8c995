"""The only file that joins the two sides: sources and readers, filters, writers and targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from dragoman import registry
from dragoman.errors import InputError, LeakError, UnavailableError, UsageError
from dragoman.filters.protocol import Filter, Leak
from dragoman.io.source import Source, open_source
from dragoman.io.target import Target
from dragoman.model import Session, Span
from dragoman.readers.protocol import Reader
from dragoman.report import Code, Report
from dragoman.writers.protocol import Writer

SURE = 0.5
"""A guess below this is said to the user."""

CERTAIN = 0.9
"""At this confidence no other reader is asked, and so none is imported."""

Progress = Callable[[str, int], None]
"""Called with a session's name and how many are done."""


class Guess(Struct, frozen=True):
    """A reader's name and how sure the look at the head was."""

    name: str
    confidence: float


def guess_reader(source: Source) -> Guess:
    """Which reader a source is for, by its content first and its suffix second. UsageError where none is."""
    head = source.head()
    suffix = source.path.suffix.lower()
    best = Guess("", 0.0)
    for name in registry.names("readers"):
        try:
            reader = registry.reader(name)
            confidence = reader.sniff(head, str(source.path))
        except UsageError:  # a broken plugin is named by `dragoman formats`
            continue
        if confidence and suffix in reader.suffixes:
            confidence = min(1.0, confidence + 0.05)
        if confidence > best.confidence:
            best = Guess(name, confidence)
        if confidence >= CERTAIN:
            break
    if not best.name:
        known = ", ".join(registry.names("readers"))
        raise UsageError(f"{source.name}: can't tell what format this is; say so with -f (one of: {known})")
    return best


def guess_writer(path: Path) -> str:
    """Which writer a file name asks for. UsageError where its suffix names none, or several could."""
    suffix = path.suffix.lower()
    fitting = [name for name in registry.names("writers") if suffix and registry.writer(name).suffix == suffix]
    preferred = {".json": "openai", ".jsonl": "clm"}.get(suffix)
    if preferred in fitting:
        return preferred
    if fitting:
        return fitting[0]
    known = ", ".join(registry.names("writers"))
    raise UsageError(f"{path}: its name doesn't tell the format; say so with -t (one of: {known})")


def make_options(component: Reader | Writer, given: dict[str, str], *, role: str) -> Any:
    """A component's options from `key=value` strings. UsageError names what it doesn't have or can't be."""
    fields = {field.name: field for field in msgspec.structs.fields(component.options)}
    for key in given:
        if key not in fields:
            known = ", ".join(fields) or "none"
            raise UsageError(f"the {component.name} {role} has no option {key!r}; it has: {known}")
    try:
        return msgspec.convert(given, component.options, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"an option of the {component.name} {role} doesn't fit: {error}") from None


def split_options(
    reader: Reader, writer: Writer | None, given: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Hand each `-O key=value` to the component that has it. UsageError where neither does."""
    of_reader = {field.name for field in msgspec.structs.fields(reader.options)}
    of_writer = {field.name for field in msgspec.structs.fields(writer.options)} if writer else set[str]()
    for key in given:
        if key not in of_reader | of_writer:
            known = ", ".join(sorted(of_reader | of_writer)) or "none"
            raise UsageError(
                f"neither {reader.name} nor {writer.name if writer else 'it'} has an option {key!r}; there are: {known}"
            )
    return (
        {key: value for key, value in given.items() if key in of_reader},
        {key: value for key, value in given.items() if key in of_writer},
    )


def read_source(
    source: Source, report: Report, *, reader: str | None = None, options: dict[str, str] | None = None
) -> Iterator[Session]:
    """The sessions of one source, by the named reader or by a guess."""
    if reader is None:
        guess = guess_reader(source)
        reader = guess.name
        if guess.confidence < SURE:
            report.add(Code.GUESSED, Span(source.name, 0), f"read as {reader}")
    component = registry.reader(reader)
    return component.read(source, make_options(component, options or {}, role="reader"), report)


class Conversion:
    """Sessions read, on their way through filters into one target.

    `write` may be called once, or once a session where the writer holds several or the target is a
    folder. Nothing is visible before `commit`, and nothing is left behind after `discard`.
    """

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
        self.target = target
        self.report = report
        self.filters = filters

    def run(self, sessions: Sequence[Session], progress: Progress | None = None) -> list[Path]:
        """Filter, write, check and commit. Returns the files made (none for standard output)."""
        if not sessions:
            raise InputError("no conversation to convert")
        if len(sessions) > 1 and not self.writer.several and not self.target.is_folder:
            raise UsageError(f"{len(sessions)} sessions don't fit one {self.writer.name} file; use -o FOLDER/")
        try:
            for each in self.filters:
                each.prepare(sessions, self.report)
            for number, session in enumerate(sessions):
                if progress is not None:
                    progress(session.header.id, number)
                filtered = session
                for each in self.filters:
                    filtered = each.apply(filtered, self.report)
                self.writer.write(filtered, self.target, self.options, self.report)
            return self.target.commit(self._verify if self.filters else None)
        finally:
            self.target.discard()

    def _verify(self, name: str, data: bytes) -> None:
        leaks: list[Leak] = []
        for each in self.filters:
            leaks.extend(each.verify(name, data))
        if leaks:
            first = leaks[0]
            place = f"{first.file}:{first.line}" if first.line else first.file
            more = f" and {len(leaks) - 1} more" if len(leaks) > 1 else ""
            raise LeakError(
                f"{place}: the check after rendering found a secret ({first.rule}){more}; nothing was written"
            )


def read_all(path: Path | str, *, reader: str | None = None, report: Report | None = None) -> list[Session]:
    """Every session of a file, folder or archive. Raises DragomanError where nothing can be read."""
    report = Report() if report is None else report
    with open_source(Path(path)) as source:
        return list(read_source(source, report, reader=reader))


def read(path: Path | str, *, reader: str | None = None, report: Report | None = None) -> Session:
    """The one session of a source. Raises DragomanError where there is none, or more than one."""
    sessions = read_all(path, reader=reader, report=report)
    if len(sessions) != 1:
        found = "no conversation" if not sessions else f"{len(sessions)} sessions"
        raise InputError(f"{path}: {found} in it, where one was asked for")
    return sessions[0]


def write(
    session: Session,
    format: str,
    out: Path | str,
    *,
    report: Report | None = None,
    filters: Sequence[Filter] = (),
    force: bool = False,
    **options: Any,
) -> list[Path]:
    """Write a session into a file, or into a folder where `out` is one. Redacts only by the filters given."""
    return write_all([session], format, out, report=report, filters=filters, force=force, **options)


def write_all(
    sessions: Sequence[Session],
    format: str,
    out: Path | str,
    *,
    report: Report | None = None,
    filters: Sequence[Filter] = (),
    force: bool = False,
    **options: Any,
) -> list[Path]:
    """Write sessions into one file that can hold them, or into a folder."""
    target = Target.folder(Path(out), force=force) if str(out).endswith("/") else Target(Path(out), force=force)
    given = {key: _as_text(value) for key, value in options.items()}
    return Conversion(format, target, Report() if report is None else report, options=given, filters=filters).run(
        sessions
    )


def convert(
    inputs: Path | str | Iterable[Path | str],
    out: Path | str,
    *,
    reader: str | None = None,
    writer: str | None = None,
    filters: Sequence[Filter] = (),
    report: Report | None = None,
    force: bool = False,
    options: dict[str, str] | None = None,
) -> list[Path]:
    """Convert files, folders or archives into `out`. Redacts only by the filters given."""
    report = Report() if report is None else report
    writer = writer or guess_writer(Path(out))
    several = [inputs] if isinstance(inputs, str | Path) else list(inputs)
    with ExitStack() as stack:
        sources = [stack.enter_context(open_source(Path(each))) for each in several]
        sessions: list[Session] = []
        given = options or {}
        of_writer = given
        for source in sources:
            name = reader or guess_reader(source).name
            of_reader, of_writer = split_options(registry.reader(name), registry.writer(writer), given)
            sessions.extend(read_source(source, report, reader=name, options=of_reader))
        return write_all(sessions, writer, out, report=report, filters=filters, force=force, **of_writer)


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
