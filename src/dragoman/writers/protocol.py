"""What a writer is: it turns one neutral session into bytes, and says what it had no place for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from dragoman.io.target import Target
from dragoman.model import Session
from dragoman.report import Report


class NoOptions(Struct, frozen=True):
    """The options of a component that has none."""


class Writer(Protocol):
    """A format's writer. An object with these members is one; nothing need be inherited.

    `suffix` has its dot. `binary` output never goes to a terminal. `several` says that one file
    can hold more than one session: `write` is then called once a session on the same target, and
    what it opens under the same name goes on where the last call stopped. `file_name` is the
    name of the main file in a folder, known before anything is written; it must be safe, and may not come from the transcript's text.
    `unavailable` says in one line why the format can't be used on this machine and what to
    install, or is empty.
    """

    name: str
    description: str
    suffix: str
    media_type: str
    binary: bool
    several: bool
    options: type[Struct]

    def unavailable(self) -> str: ...

    def file_name(self, session: Session, options: Any) -> str: ...

    def write(self, session: Session, target: Target, options: Any, report: Report) -> None: ...


@runtime_checkable
class Packing(Protocol):
    """A writer whose files hold text that their bytes don't show: compressed, encoded, or laid out.

    `searchable` gives everything in a finished file that the check after rendering must search:
    a page's own text and its data island decoded, a PDF's text, metadata and attachments.
    """

    def searchable(self, data: bytes) -> bytes: ...


@runtime_checkable
class Spreading(Protocol):
    """A writer that puts further files beside a session's main one.

    `beside` gives those that lie beside a main file as if they were made with it, by this run or by an earlier one:
    what an earlier run left there would be passed on together with this one's files.
    """

    def beside(self, main: Path) -> Iterable[Path]: ...
