"""What a source holds, and who reads it: a folder may hold sessions of several formats."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dragoman import registry
from dragoman.conversion.guessing import SURE, guess_reader
from dragoman.errors import InputError, UsageError
from dragoman.io.paths import written
from dragoman.io.source import Source
from dragoman.model import Span
from dragoman.report import Code, Report

_PASSED_BY = frozenset({"node_modules", "__pycache__", "site-packages"})
_SUFFIXES = (".jsonl", ".json", ".ndjson", ".log")


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
        asks = getattr(registry.reader(guess.name), "asks_of_others", False)
        source.others = Inside(source, guess.name, walks=not asks)
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
            self._found[path] = "" if name == self._own and path.parent == self._source.path else name
        return bool(self._found[path])

    def sources(self, report: Report) -> list[tuple[Source, str]]:
        """What the others are to read, in the order of the names: files, or folders for readers of folders.

        What is gone through here and is named `.jsonl`, but is nobody's, is reported as left out.
        """
        if self._walks:
            for path in _files_below(self._source.path):
                regular = not path.is_symlink() and path.is_file()
                mine = path.suffix == ".jsonl" and not (self._own and path.parent == self._source.path)
                if not (regular and self(path)) and mine:
                    self._leave_out(path, regular, report)
        parts: dict[tuple[Path, str], None] = {}
        for path, name in sorted(self._found.items()):
            if name:
                parts[path.parent if _takes_folder(name, path.parent) else path, name] = None
        sources = []
        for path, name in parts:
            part = Source(path, self._source.label(path))
            part.named = False
            part.others = lambda _path: True  # each was asked about here
            sources.append((part, name))
        return sources

    def _leave_out(self, path: Path, regular: bool, report: Report) -> None:
        why = "a link or no regular file"
        if regular:
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


def _takes_folder(name: str, folder: Path) -> bool:
    """Whether the reader knows what lies in the folder as a whole."""
    return bool(registry.reader(name).sniff(b"", str(folder)))


def _files_below(folder: Path) -> Iterator[Path]:
    """What may be a session by its name. Links aren't followed, nor are hidden folders and those of packages."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _PASSED_BY)
        for name in sorted(names):
            path = Path(parent, name)
            if path.suffix.lower() in _SUFFIXES:
                yield path
