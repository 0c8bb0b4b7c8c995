"""Formats told by what a source holds and by what a file is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from dragoman import registry
from dragoman.errors import InputError, UsageError
from dragoman.io.paths import written
from dragoman.io.source import Source
from dragoman.model import Span
from dragoman.report import Code, Report
from dragoman.wording import by_number, counted

SURE = 0.5
"""A guess below this is said to the user."""

CERTAIN = 0.9
"""At this confidence no other reader is asked, and so none is imported."""

KINDS_NAMED = 4
"""So many kinds of files are named where a folder holds no session."""


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
    named = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common(KINDS_NAMED))
    more = ", …" if len(kinds) > KINDS_NAMED else ""
    others = counted(kinds.total(), "other file")
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
        what = by_number(f"written as {writer}; {also} [writes|write] {path.suffix}, too", len(others))
        report.add(Code.GUESSED, Span(written(str(path)), 0), what)


def report_other_name(path: Path, writer: str, report: Report) -> None:
    """Report a file that is named as those of other formats are, and never of this one."""
    own = {registry.writer(writer).suffix}
    if writer in registry.names("readers"):
        own.update(registry.reader(writer).suffixes)
    if path.suffix.lower() not in own and _writers_of(path):
        report.add(Code.NAMED_OTHERWISE, Span(written(str(path)), 0), writer)


def _writers_of(path: Path) -> list[str]:
    """The formats whose files have that suffix."""
    suffix = path.suffix.lower()
    return [name for name in registry.names("writers") if suffix and registry.writer(name).suffix == suffix]
