"""What an INPUT may be: a path, a glob, `-`, a session id or its beginning, `last`, or a project."""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from dragoman import registry
from dragoman.conversion.inside import parts_of
from dragoman.errors import DragomanError, InputError, UsageError
from dragoman.io.paths import expanded
from dragoman.io.source import Source
from dragoman.places.protocol import Found, Place
from dragoman.report import Report

ID_BEGINNING = 4
"""A session id's beginning must have so many characters, so that a typo isn't taken for one."""

NAMED = 8
"""So many sessions or projects are named where there are too many."""

_PARTS = re.compile(r"[/\\]+")

LeftOut = Callable[[str, DragomanError], None]
"""Told of an input that is left out, and why."""


def resolve(inputs: list[str], reader: str | None = None, left_out: LeftOut | None = None) -> list[Path]:
    """The files and folders that the user means, each once. Raises one line where an input is nothing known; of several,
    `left_out` hears of it instead, as long as there is another.

    A folder that was worked in is a project: it means its sessions where the agent keeps them, whatever lies in it.
    Any other folder is searched.
    """
    named: dict[Path, None] = {}
    problems: list[tuple[str, DragomanError]] = []
    for each in inputs:
        try:
            named.update(dict.fromkeys(_resolve_one(each, reader)))
        except DragomanError as error:
            if left_out is None:
                raise
            problems.append((each, error))
    paths = list(named)
    if problems and not paths:
        raise problems[0][1]
    if left_out is not None:
        for each, problem in problems:
            left_out(each, problem)
    if len(inputs) == 1 and reader is None and paths == [expanded(inputs[0])] and paths[0].is_dir():
        nothing = _nothing_in(paths[0], inputs[0], reader)
        if nothing:
            raise InputError(nothing)
    return paths


def _resolve_one(text: str, reader: str | None) -> list[Path]:
    if not text:  # else it would be the folder that one is in
        raise UsageError("an empty INPUT; `.` means this folder")
    if text == "-":
        return [Path("-")]
    path = expanded(text)
    if path.is_dir():
        return _project(path, reader) or [path]
    if path.exists():
        return [path]
    if glob.has_magic(text):
        matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - the pattern may be absolute
        if not matches:
            raise InputError(f"{text}: nothing matches")
        return [Path(match) for match in matches if Path(match).is_file()]
    if "/" in text:  # a project that is gone from here may still have its sessions
        projects = _project(path, reader) or _called(text, list(_everything(reader)))
        if not projects:
            raise InputError(f"{text}: no such file or folder, and no project of that name under {_homes(reader)}")
        return projects
    found = list(_everything(reader))
    if text == "last":
        found = [each for each in found if each.bytes]
        if not found:
            raise InputError(f"last: no session lies under {_homes(reader)}")
        return [max(found, key=lambda each: each.modified).path]
    return [_by_id(text, found, reader)]


def _by_id(text: str, found: list[Found], reader: str | None) -> Path:
    exact = [each for each in found if each.id == text]
    wanted = text.lower()  # as ids are written
    near = exact or [each for each in found if len(text) >= ID_BEGINNING and each.id.lower().startswith(wanted)]
    by_project = [] if near else _called(text, found)
    if by_project:
        return by_project[0]
    if not near and len(text) < ID_BEGINNING:
        raise InputError(
            f"{text}: no such file; the beginning of a session's id has at least {ID_BEGINNING} characters"
        )
    if not near:
        raise InputError(
            f"{text}: no such file, and no session with this id or project of this name under {_homes(reader)}"
        )
    if len(near) > 1:
        twice = Counter(each.id for each in near)
        ids = ", ".join(sorted(each.id if twice[each.id] == 1 else str(each.path) for each in near)[:NAMED])
        how = "begin so" if not exact else "have this id; name the file"
        raise UsageError(f"{text}: {len(near)} sessions {how}: {ids}{' …' if len(near) > NAMED else ''}")
    return near[0].path


def _called(text: str, found: list[Found]) -> list[Path]:
    """The folder of the one project that is called so: by the folder's own name, or by the last parts of the path that was
    worked in. UsageError where there are several."""
    own = [each.path.parent for each in found if each.path.parent.name == text]
    if own:
        return own[:1]
    wanted = _PARTS.split(text.rstrip("/"))
    ends = {each.path.parent: each.folder for each in found if _PARTS.split(each.folder)[-len(wanted) :] == wanted}
    if len(ends) > 1:
        names = sorted(ends.values() if len(set(ends.values())) == len(ends) else map(str, ends))
        listed = ", ".join(names[:NAMED]) + (" …" if len(names) > NAMED else "")
        raise UsageError(f"{text}: {len(ends)} projects are called so: {listed}; give more of the path")
    return list(ends)


def _project(folder: Path, reader: str | None) -> list[Path]:
    """Where the sessions lie that were held in a folder; nothing where it is no project."""
    return sorted({found for place, root in _roots(reader) for found in place.of_project(root, folder)})


def _nothing_in(folder: Path, text: str, reader: str | None) -> str:
    """Why a folder that is no project is no input either; empty where a reader knows what lies in it."""
    try:
        parts_of(Source(folder, text), Report())
    except InputError as error:
        return f"{error}; and no project of that name under {_homes(reader)}"
    return ""


def is_there(text: str) -> bool:
    """Whether something here has that name, or the folder of a project does."""
    return expanded(text).exists() or any((root / text).is_dir() for _, root in _roots(None))


def _everything(reader: str | None) -> Iterator[Found]:
    for place, root in _roots(reader):
        yield from place.sessions(root)


def _roots(reader: str | None) -> Iterator[tuple[Place, Path]]:
    """The places' folders that are there."""
    for name in registry.names("places"):
        try:
            place = registry.place(name)
        except UsageError:
            continue
        if reader is None or place.reader == reader:
            yield from ((place, root) for root in place.roots() if root.is_dir())


def _homes(reader: str | None) -> str:
    roots: list[str] = []
    for name in registry.names("places"):
        place = registry.place(name)
        if reader is None or place.reader == reader:
            roots.extend(str(root) for root in place.roots())
    return " or ".join(roots) or "any known place"
