"""Which sessions there are, and which of them have news: told from names and file times alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from dragoman import registry
from dragoman.errors import InputError
from dragoman.io.paths import expanded, real, written
from dragoman.migrate import orphans
from dragoman.migrate.manifest import Manifest, Moved
from dragoman.migrate.request import Request
from dragoman.migrate.storage import Storage, stamp
from dragoman.places.protocol import Found


class Step(Struct, frozen=True, kw_only=True):
    """A source session and why it is (or isn't) to be moved now."""

    found: Found
    uuid: str
    why: Literal["new", "changed", "unchanged"]
    files: tuple[tuple[str, int, int], ...]
    """Path, size and time of each of its files, as they were when the plan was made."""
    neighbours: str


def plan(request: Request, manifest: Manifest, storage: Storage) -> list[Step]:
    """A step for each session that was asked for. Raises InputError where a named one isn't there."""
    steps, seen = [], set[str]()
    beside: dict[Path, str] = {}
    place = registry.place("claude-code")
    logs = _logs(storage.target)
    for found in place.sessions(request.root):
        if not _asked_for(found, request):
            continue
        folder = found.path.parent
        if folder not in beside:
            beside[folder] = _flat_agents(folder)
        uuid = _once(found.id, found, seen)
        seen.add(uuid)
        steps.append(_step(found, uuid, beside[folder], request, manifest, logs))
    for found in orphans.find(request.root) if request.subagents else ():
        known = manifest.sessions.get(found.id)
        uuid = _once(orphans.key(found), found, seen)
        came_with_it = known is not None and known.outputs and uuid not in manifest.sessions
        if not _asked_for(found, request) or came_with_it:
            continue  # those of a session that was there once came over with it
        seen.add(uuid)
        steps.append(_step(found, uuid, "", request, manifest, logs))
    for project in request.projects:
        if not request.sessions and not any(_is_in(step.found, project) for step in steps):
            raise InputError(f"{project}: no session of this project{_since(request)} under {request.root}")
    for wanted in request.sessions:
        if not any(step.found.id.startswith(wanted) for step in steps):
            raise InputError(f"{wanted}: no session with this id under {request.root}")
    return steps


def _asked_for(found: Found, request: Request) -> bool:
    if request.sessions and not found.id.startswith(request.sessions):
        return False
    if request.since is not None and found.modified < request.since:
        return False
    if not request.projects:
        return True
    return any(_is_in(found, project) for project in request.projects)


def _is_in(found: Found, project: str) -> bool:
    wanted = project.rstrip("/")
    return wanted in (found.path.parent.name, found.project) or found.project == str(real(expanded(wanted)))


def _since(request: Request) -> str:
    return f" that was changed since {request.since:%Y-%m-%d}" if request.since is not None else ""


def _step(
    found: Found,
    uuid: str,
    neighbours: str,
    request: Request,
    manifest: Manifest,
    logs: dict[str, tuple[int, int]],
) -> Step:
    files = tuple(_files(found.path))
    moved = manifest.sessions.get(uuid)
    why: Literal["new", "changed", "unchanged"] = "new"
    if moved is not None:
        why = "unchanged" if _same(moved, files, neighbours, request, logs) else "changed"
    return Step(found=found, uuid=uuid, why=why, files=files, neighbours=neighbours)


def _once(key: str, found: Found, seen: set[str]) -> str:
    """The key; with the project's folder behind it for a copy of a session that lies in another project too."""
    return key if key not in seen else f"{key}@{written(found.path.parent.name)}"


def _files(path: Path) -> Iterator[tuple[str, int, int]]:
    """The session's file and all that lies in its folder; for a folder, all in it."""
    for each in (path, *_below(path.with_suffix(""))) if path.suffix == ".jsonl" else _below(path):
        status = stamp(each)
        if status is not None:
            yield str(each), *status


def _below(folder: Path) -> list[Path]:
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders.sort()
        found += [Path(parent, name) for name in sorted(names)]
    return found


def _flat_agents(folder: Path) -> str:
    """A word for the agents' files beside the sessions (2.0.28 to 2.1.1): any session's, told by their lines only."""
    digest = hashlib.sha256()
    some = False
    for path in sorted(folder.glob("agent-*.jsonl")):
        some = True
        digest.update(f"{path.name}\0{stamp(path)}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16] if some else ""


def _logs(target: Path) -> dict[str, tuple[int, int]]:
    try:
        with os.scandir(target) as entries:
            return {entry.name: (s.st_size, s.st_mtime_ns) for entry in entries if (s := entry.stat()) is not None}
    except OSError:  # not there yet
        return {}


def _same(
    moved: Moved,
    files: tuple[tuple[str, int, int], ...],
    neighbours: str,
    request: Request,
    logs: dict[str, tuple[int, int]],
) -> bool:
    if moved.state == "failed" or moved.neighbours != neighbours:
        return False
    if moved.state == "moved" and moved.choices != request.choices:
        return False
    known = [(each.path, each.bytes, each.mtime_ns) for each in moved.source]
    if known != [(written(path), size, modified) for path, size, modified in files]:
        return False
    return all(f"{part.id}.jsonl" in logs for parts in moved.outputs.values() for part in parts)
