"""The only file that joins the two sides: sources and readers, filters, writers and targets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from dragoman import registry
from dragoman.errors import DragomanError, InputError, LeakError, UnavailableError, UsageError
from dragoman.filters.protocol import Filter, Leak
from dragoman.io import reads
from dragoman.io.source import Source, open_source
from dragoman.io.target import Target
from dragoman.model import Session, Span, walk
from dragoman.readers.protocol import Reader
from dragoman.report import Code, Report
from dragoman.writers.protocol import Packing, Writer

SURE = 0.5
"""A guess below this is said to the user."""

CERTAIN = 0.9
"""At this confidence no other reader is asked, and so none is imported."""

KEPT = 512 * 1024**2
"""Bytes of input up to which sessions are read once and kept in memory."""

NAMED = 8
"""So many sessions are named where there are too many."""

KINDS_NAMED = 4
"""So many kinds of files are named where a folder holds no session."""

_PLACE = re.compile(r"(?::\d{1,20})?: ")
"""Between an input's name and what is wrong with it, with a line or without."""

Progress = Callable[[str, str, int, int], None]
"""Called with what is being done, the name of the session, its number, and of how many (0 where that isn't known yet)."""


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
        if source.is_folder:
            raise InputError(f"{source.name}: {_nothing_in(source.path)}")
        if not head.strip():
            raise InputError(f"{source.name}: empty")
        known = ", ".join(registry.names("readers"))
        raise UsageError(f"{source.name}: can't tell what format this is; say so with -f (one of: {known})")
    return best


def _nothing_in(folder: Path) -> str:
    """What a folder holds in which no session was found."""
    kinds = Counter(each.suffix.lower() or "no suffix" for each in folder.rglob("*") if each.is_file())
    if not kinds:
        return "nothing in it"
    count = kinds.total()
    named = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common(KINDS_NAMED))
    more = ", …" if len(kinds) > KINDS_NAMED else ""
    others = f"{count} other file{'s' if count != 1 else ''}"
    return f"no session of Claude Code or clm in it, only {others} ({named}{more})"


def guess_writer(path: Path) -> str:
    """Which writer a file name asks for. UsageError where none does."""
    fitting = _writers_of(path)
    preferred = {".json": "openai", ".jsonl": "clm"}.get(path.suffix.lower())
    if preferred in fitting:
        return preferred
    if fitting:
        return fitting[0]
    known = ", ".join(registry.names("writers"))
    raise UsageError(f"{path}: its name doesn't tell the format; say so with -t (one of: {known})")


def report_guess(path: Path, writer: str, readers: Iterable[str], report: Report) -> None:
    """Report a guessed writer where others write files of that suffix, and no input is of its format."""
    others = [name for name in _writers_of(path) if name != writer]
    if others and writer not in readers:
        also = " and ".join(f"-t {name}" for name in others)
        what = f"written as {writer}; {also} write{'s' if len(others) == 1 else ''} {path.suffix}, too"
        report.add(Code.GUESSED, Span(path.name, 0), what)


def _writers_of(path: Path) -> list[str]:
    """The formats whose files have that suffix."""
    suffix = path.suffix.lower()
    return [name for name in registry.names("writers") if suffix and registry.writer(name).suffix == suffix]


class Option(Struct, frozen=True):
    """An option that a component declares: a field of its `options`, its meaning from `msgspec.Meta`."""

    name: str
    type: Any
    default: Any
    meaning: str = ""

    @property
    def flag(self) -> str:
        """As it is written on the command line."""
        return f"--{self.name.replace('_', '-')}"


def options_of(component: Reader | Writer) -> dict[str, Option]:
    """A component's options by name."""
    found: dict[str, Option] = {}
    for field in msgspec.structs.fields(component.options):
        kind, meaning = field.type, ""
        if get_origin(kind) is Annotated:
            kind, *more = get_args(kind)
            meaning = next((each.description for each in more if isinstance(each, Meta) and each.description), "")
        found[field.name] = Option(field.name, kind, field.default, meaning)
    return found


def owners(name: str) -> list[str]:
    """The formats that have an option of this name."""
    found: dict[str, None] = {}
    for each in dict.fromkeys([*registry.names("readers"), *registry.names("writers")]):
        try:
            reader = registry.reader(each) if each in registry.names("readers") else None
            writer = registry.writer(each) if each in registry.names("writers") else None
        except UsageError:  # a broken plugin is named by `dragoman formats`
            continue
        if any(name in options_of(side) for side in (reader, writer) if side is not None):
            found[each] = None
    return list(found)


def no_such_option(name: str, formats: Iterable[str], known: Mapping[str, Option]) -> UsageError:
    """Whose option it is, where it is another format's; else which there are."""
    flag = f"--{name.replace('_', '-')}"
    here = list(dict.fromkeys(formats))
    elsewhere = owners(name)
    if others := [each for each in here if elsewhere and each not in elsewhere]:
        return UsageError(f"{flag} is an option of {' and '.join(elsewhere)}, not of {' or '.join(others)}")
    listed = ", ".join(known[each].flag for each in sorted(known)) or "none"
    return UsageError(
        f"no option {flag}; {' or '.join(here)} has {listed}, and `dragoman convert --help` lists those for every format"
    )


def make_options(component: Reader | Writer, given: dict[str, str], *, role: str) -> Any:
    """A component's options from `key=value` strings. UsageError names what it doesn't have or can't be."""
    fields = options_of(component)
    for key in given:
        if key not in fields:
            raise no_such_option(key, [component.name], fields)
    try:
        return msgspec.convert(given, component.options, strict=False)
    except msgspec.ValidationError as error:
        choices = "; ".join(
            f"{field.flag} is one of {', '.join(get_args(field.type))}"
            for name, field in fields.items()
            if name in given and get_origin(field.type) is Literal and given[name] not in get_args(field.type)
        )
        raise UsageError(f"the {component.name} {role}: {choices or error}") from None


def split_options(
    reader: Reader, writer: Writer | None, given: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Hand each `-O key=value` to the component that has it. UsageError where neither does."""
    of_reader = options_of(reader)
    of_writer = options_of(writer) if writer else {}
    for key in given:
        if key not in of_reader and key not in of_writer:
            formats = [reader.name, *([writer.name] if writer else [])]
            raise no_such_option(key, formats, {**of_reader, **of_writer})
    return (
        {key: value for key, value in given.items() if key in of_reader},
        {key: value for key, value in given.items() if key in of_writer},
    )


def read_source(
    source: Source, report: Report, *, reader: str | None = None, options: dict[str, str] | None = None
) -> Iterator[Session]:
    """The sessions of one source, by the named reader or by a guess."""
    report.merge(source.damage)
    if reader is None:
        guess = guess_reader(source)
        reader = guess.name
        if guess.confidence < SURE:
            report.add(Code.GUESSED, Span(source.name, 0), f"read as {reader}")
    component = registry.reader(reader)
    return component.read(source, make_options(component, options or {}, role="reader"), report)


class Sessions:
    """All sessions of a run's sources, for going through more than once.

    Small inputs are read once and kept; an archive beyond `KEPT` bytes is read anew at every pass, a
    session at a time, and reports only what its first pass found.
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
        self._keeps = sum(_size(source.path) for source, _, _ in sources) <= KEPT

    def __iter__(self) -> Iterator[Session]:
        if self._kept is None and self._keeps:
            self._kept = list(self._read())
        return self._read() if self._kept is None else iter(self._kept)

    def _read(self) -> Iterator[Session]:
        self._passes += 1
        report = self._report if self._passes == 1 else Report()
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
                    raise
                leave_out(source.name, error, report)
        self.found = number


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
            for session in _watched(sessions, "writing", progress):
                if self.target.is_folder and not says_anything(session):
                    continue  # its reader has noted that there is no conversation in it
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
            return self.target.commit(self._verify if self.filters else None)
        finally:
            self.target.discard()

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
            raise LeakError(
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


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())


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
    out: Path | str | BinaryIO,
    *,
    report: Report | None = None,
    filters: Sequence[Filter] = (),
    force: bool = False,
    **options: Any,
) -> list[Path]:
    """Write a session into a file, a folder (`out` is one, or ends with a slash), or an open binary stream.

    Redacts only by the filters given. `options` are the format's own. Returns the files made.
    """
    return write_all([session], format, out, report=report, filters=filters, force=force, **options)


def write_all(
    sessions: Iterable[Session],
    format: str,
    out: Path | str | BinaryIO,
    *,
    report: Report | None = None,
    filters: Sequence[Filter] = (),
    force: bool = False,
    **options: Any,
) -> list[Path]:
    """Write sessions into one file or stream of a format that can hold them, or into a folder."""
    if not isinstance(out, str | Path):
        target = Target(None, stream=out)
    elif str(out).endswith("/"):
        target = Target.folder(Path(out), force=force)
    else:
        target = Target.at(Path(out), force=force)
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
    chosen, writer = writer, writer or guess_writer(Path(out))
    several = [inputs] if isinstance(inputs, str | Path) else list(inputs)
    with reads.remembered(), ExitStack() as stack:
        opened = open_all([Path(each) for each in several], stack, report)
        sources, of_writer = plan(opened, writer, options or {}, report, reader=reader)
        if not chosen:
            report_guess(Path(out), writer, [name for _, name, _ in sources], report)
        return write_all(
            Sessions(sources, report), writer, out, report=report, filters=filters, force=force, **of_writer
        )


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
        name = reader
        if name is None:
            try:
                guess = guess_reader(source)
            except DragomanError as error:
                problems.append(error)
                leave_out(source.name, error, report)
                continue
            name = guess.name
            if guess.confidence < SURE:
                report.add(Code.GUESSED, Span(source.name, 0), f"read as {name}")
        of_reader, of_writer = split_options(registry.reader(name), registry.writer(writer), options)
        planned.append((source, name, of_reader))
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


def leave_out(name: str, error: DragomanError, report: Report) -> None:
    """Report an input that is passed over for the sake of the others."""
    why = _PLACE.sub("", str(error).removeprefix(name), count=1).partition(";")[0]
    report.add(Code.INPUT_SKIPPED, Span(name, 0), why)


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
