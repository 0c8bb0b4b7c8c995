"""What a reader is: it turns one native source into neutral sessions. It never writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from msgspec import Struct

from dragoman.io.source import Source
from dragoman.model import Session
from dragoman.report import Report


class NoOptions(Struct, frozen=True):
    """The options of a component that has none."""


class Reader(Protocol):
    """A format's reader. An object with these members is one; nothing need be inherited.

    `options` is a msgspec Struct type with a default for each field; the command line's
    `-O key=value` fills it. `sniff` says from a file's first bytes and the user's name for it how
    likely it is this format: 0.0 (no) to 1.0 (certainly). `read` yields sessions, reports what it
    repaired, and raises `InputError` only where nothing at all can be read.

    A reader that takes folders (it sniffs them by their name, without a head) asks `source.taken_elsewhere` of each file that
    it would leave out; it takes every file there that it sniffs, whatever its suffix. One that asks of every file below, whatever its name, says so with `asks_of_others = True`; for any
    other the folder is gone through once more.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    options: type[Struct]

    def sniff(self, head: bytes, name: str) -> float: ...

    def read(self, source: Source, options: Any, report: Report) -> Iterator[Session]: ...
