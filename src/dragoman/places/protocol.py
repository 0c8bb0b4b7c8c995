"""What a place is: where an agent keeps its sessions, and what lies there, found cheaply."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Protocol

from msgspec import Struct


class Found(Struct, frozen=True, kw_only=True):
    """A session on disk, known from its file's name, metadata and at most a look at its head.

    `project` is where it began, as far as it says so; `folder` the project's own, where that can be told.
    """

    id: str
    path: Path
    reader: str
    bytes: int
    modified: datetime
    project: str = ""
    folder: str = ""
    title: str = ""


class Place(Protocol):
    """An agent's home for sessions. `roots` may name folders that don't exist.

    `of_project` says where in a root the sessions lie that were held in a folder: a project. It is empty where none were,
    and for what lies in the root itself.
    """

    name: str
    reader: str

    def roots(self) -> list[Path]: ...

    def sessions(self, root: Path) -> Iterator[Found]: ...

    def of_project(self, root: Path, folder: Path) -> list[Path]: ...
