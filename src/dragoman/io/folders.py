"""What lies below a folder and may be a session. Links are never followed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from dragoman.errors import InputError
from dragoman.io.paths import written
from dragoman.io.source import Source, as_utf8, open_regular
from dragoman.model import Span
from dragoman.report import Code, Report

SUFFIXES = (".jsonl", ".json", ".ndjson", ".log")
"""How sessions are named, in small letters or large."""

_PASSED_BY = frozenset({"node_modules", "__pycache__", "site-packages", ".git"})
_BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:[\[{]|%PDF-|<!doctype html|<html)", re.IGNORECASE)
_BEGINNING = 256
_COPIES = frozenset((".bak", ".old", ".orig", ".tmp"))

COPY = "a copy of the session beside it, by its name"
"""Why such a file isn't read."""


class Below:
    """The files below a folder, in the order of their names, and what is passed by on the way.

    `avoid` says of a folder that nothing is to be looked for in it, and that this needs no word.
    """

    def __init__(self, folder: Path, avoid: Callable[[Path], bool] | None = None) -> None:
        self._folder = folder
        self._avoid = avoid
        self._packages: list[Path] = []
        self._closed: list[Path] = []

    def __iter__(self) -> Iterator[Path]:
        """Everything that is no folder, links and what is no regular file too."""
        self._packages.clear()
        self._closed.clear()
        for parent, folders, names in os.walk(self._folder, onerror=self._cannot_list):
            here = Path(parent)
            links = [name for name in folders if (here / name).is_symlink()]
            self._packages += [here / name for name in folders if name in _PASSED_BY and name not in links]
            folders[:] = sorted(
                name
                for name in folders
                if name not in links
                and name not in _PASSED_BY
                and not (self._avoid is not None and self._avoid(here / name))
            )
            for name in sorted(names + links):
                yield here / name

    def _cannot_list(self, error: OSError) -> None:
        self._closed.append(Path(os.fsdecode(error.filename)))

    def tell(self, source: Source, report: Report) -> None:
        """Report what was passed by, once all was gone through."""
        for path in self._closed:
            report.add(Code.FILE_LEFT_OUT, Span(written(source.label(path)), 0), "a folder that can't be read")
        for path in self._packages:
            report.add(Code.FILE_SKIPPED, Span(written(source.label(path)), 0), "a folder of packages, or git's own")


def may_be_session(path: Path) -> bool:
    """Whether a regular file is named as a session, or begins as one."""
    if path.suffix.lower() in SUFFIXES:
        return True
    if is_copy(path):
        return False
    try:
        with open_regular(path) as file:
            return _BEGINS.match(as_utf8(file.read(_BEGINNING))) is not None
    except InputError:
        return False


def is_named_as_session(path: Path) -> bool:
    """Whether by its name the file is a session for certain: one that isn't read must be named as left out."""
    return ".jsonl" in (suffix.lower() for suffix in path.suffixes)


def is_copy(path: Path) -> bool:
    """Whether it is `x.jsonl.bak` beside `x.jsonl`: read too, its session would be there twice."""
    return path.suffix.lower() in _COPIES and is_named_as_session(path) and path.with_suffix("").is_file()
