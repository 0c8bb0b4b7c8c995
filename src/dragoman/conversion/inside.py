"""What a source holds, and who reads it: a folder may hold sessions of several formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dragoman import registry
from dragoman.conversion.guessing import SURE, guess_reader
from dragoman.errors import InputError, UsageError
from dragoman.io.folders import COPY, Below, is_copy, is_named_as_session, may_be_session
from dragoman.io.paths import written
from dragoman.io.source import Source
from dragoman.model import Span
from dragoman.report import Code, Report


def parts_of(source: Source, report: Report, reader: str | None = None) -> list[tuple[Source, str]]:
    """The source with the named reader, or with the one that it is for; that this was guessed is reported.

    A folder that no reader takes as a whole: what lies in it, each with its own. A folder's reader is told of files that
    are another's (`Source.others`). UsageError or InputError where nothing is known.
    """
    if reader is not None:
        return [(source, reader)]
    try:
        guess = guess_reader(source)
    except InputError:
        if source.is_folder and (found := Inside(source, "", walks=True).sources(report)):
            return found
        raise
    if source.is_folder:
        source.others = Inside(source, guess.name, walks=not _asks(guess.name))
    if guess.confidence < SURE:
        report.add(Code.GUESSED, Span(source.name, 0), f"read as {guess.name}")
    return [(source, guess.name)]


class Inside:
    """Asked by the folder's own reader of each file that it doesn't take; afterwards it has the sources of the others.

    For a reader that doesn't ask (`walks`), or where there is none, the folder is gone through.
    """

    def __init__(self, source: Source, own: str, *, walks: bool) -> None:
        self._source = source
        self._own = own
        self._walks = walks
        self._found: dict[Path, str] = {}

    def __call__(self, path: Path) -> bool:
        """Whether another reader takes the file."""
        if path not in self._found:
            name = _reader_of(Source(path, self._source.label(path)))
            self._found[path] = "" if name == self._own and self._reaches(path) else name
        return bool(self._found[path])

    def _reaches(self, path: Path) -> bool:
        """Whether the folder's own reader looks at the file: one that doesn't ask reads what lies in the folder itself."""
        return bool(self._own) and (not self._walks or path.parent == self._source.path)

    def sources(self, report: Report) -> list[tuple[Source, str]]:
        """What the others are to read, in the order of the names: files, or folders for readers of folders.

        What is gone through here and is named `.jsonl`, but is nobody's, is reported as left out.
        """
        if self._walks:
            below = Below(self._source.path)
            for path in below:
                regular = not path.is_symlink() and path.is_file()
                taken = regular and may_be_session(path) and self(path)
                looked_at = self._reaches(path) and path.is_file() and may_be_session(path)
                if not taken and is_named_as_session(path) and not looked_at:
                    self._leave_out(path, regular, report)
            below.tell(self._source, report)
        parts: dict[tuple[Path, str], None] = {}
        wholes: set[tuple[Path, str]] = set()
        """Folders that a reader takes with all that is below them."""
        folders = sorted({(path.parent, name) for path, name in self._found.items() if name})
        takes = {each for each in folders if _takes_folder(each[1], each[0])}
        for folder, name in folders:
            if (folder, name) in takes and _asks(name) and not any((each, name) in wholes for each in folder.parents):
                wholes.add((folder, name))
        for path, name in sorted(self._found.items()):
            if not name:
                continue
            whole = next((each for each in reversed(path.parents) if (each, name) in wholes), None)
            parts[whole or (path.parent if (path.parent, name) in takes else path), name] = None
        sources = []
        for path, name in parts:
            part = Source(path, self._source.label(path))
            part.named = False
            part.others = self._others_of(name)
            sources.append((part, name))
        return sources

    def _others_of(self, name: str) -> Callable[[Path], bool]:
        """Each file was asked about here: what isn't the reader's own is another's, or was reported."""
        return lambda path: self._found.get(path) != name

    def _leave_out(self, path: Path, regular: bool, report: Report) -> None:
        why = "a link or no regular file"
        if regular and is_copy(path):
            why = COPY
        elif regular:
            try:
                why = "no session of a known format" if Source(path).head().strip() else "empty"
            except InputError:
                why = "it can't be read"
        report.add(Code.FILE_LEFT_OUT, Span(written(self._source.label(path)), 0), why)


def _reader_of(source: Source) -> str:
    """The reader that a file is surely for; nothing where that can't be told."""
    try:
        guess = guess_reader(source)
    except (UsageError, InputError):
        return ""
    return guess.name if guess.confidence >= SURE else ""


def _asks(name: str) -> bool:
    """Whether the reader goes through all that is below a folder, and asks of what it doesn't take."""
    return bool(getattr(registry.reader(name), "asks_of_others", False))


def _takes_folder(name: str, folder: Path) -> bool:
    """Whether the reader knows what lies in the folder as a whole."""
    return bool(registry.reader(name).sniff(b"", str(folder)))
