"""Where the files of a session lie, from the oldest builds to the newest (the catalogue's section 1)."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, field

from dragoman.errors import InputError
from dragoman.io.paths import written
from dragoman.io.source import HEAD, Source, as_utf8, open_regular
from dragoman.model import Span
from dragoman.readers.claude_code.flat_agents import agents_beside, session_of
from dragoman.readers.claude_code.sniffing import likeness
from dragoman.report import Code, Report

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_AGENT = re.compile(r"agent-(.{1,200})\.jsonl", re.DOTALL)
_SUFFIXES = (".jsonl", ".json", ".ndjson", ".log")

_NOT_SESSIONS = frozenset(
    "file-history todos tasks plans shell-snapshots statsig debug backups ide teams jobs dump-prompts paste-cache memory "
    "session-memory tool-results remote-agents mcp-tasks node_modules .git".split()
)
"""Folders that hold no transcripts of sessions, or only copies of them."""

_DEPTH = 12


class AgentFile(Struct, frozen=True):
    path: Path
    agent_id: str
    run: str = ""
    """The run of a workflow that it worked for."""


class Bundle(Struct):
    """The files of one session. `main` is None where only agents' files are left."""

    name: str
    main: Path | None
    folder: Path | None
    """`<session>/` beside the main file, if there is one."""
    agents: list[AgentFile] = field(default_factory=list)


def bundles(source: Source, report: Report) -> Iterator[Bundle]:
    """Every session of a source: a file with what lies beside it, or all that a folder holds."""
    path = source.path
    if source.is_folder:
        main = path.with_name(f"{path.name}.jsonl")
        if not (_is_folder(path / "subagents") and _is_file(main)):
            yield from _in_folder(source, report)
            return
        path = main  # a session's own folder: what it belongs to lies beside it
    folder = path.with_suffix("") if path.suffix == ".jsonl" else None
    if folder is not None and (not _is_folder(folder)):
        folder = None
    bundle = Bundle(written(path.stem or path.name), path, folder)
    if folder is not None:
        bundle.agents = _agents_below(folder)
    if _AGENT.fullmatch(path.name) is None and path.suffix == ".jsonl":
        bundle.agents += [agent for each in agents_beside(path) for agent in _agent(each)]
    yield bundle


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _agent(path: Path, run: str = "") -> list[AgentFile]:
    match = _AGENT.fullmatch(path.name)
    return [AgentFile(path, written(match[1]), written(run))] if match else []


def _agents_below(folder: Path) -> list[AgentFile]:
    """The agents' files below `<session>/subagents/`, workflows' runs included."""
    found: list[AgentFile] = []
    if not _is_folder(folder / "subagents"):
        return found
    for path in _walk(folder / "subagents", []):
        run = path.parent.name if path.parent.parent.name == "workflows" else ""
        found += _agent(path, run)
    return found


def _walk(folder: Path, skipped: list[Path], depth: int = 0, avoid: frozenset[str] = frozenset()) -> Iterator[Path]:
    """Regular files below a folder in a fixed order. Links are never followed."""
    try:
        entries = sorted(folder.iterdir(), key=lambda each: each.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_symlink():
            skipped.append(entry)
        elif _is_folder(entry):
            if depth < _DEPTH and entry.name not in avoid:
                yield from _walk(entry, skipped, depth + 1, avoid)
        elif _is_file(entry):
            yield entry
        else:
            skipped.append(entry)


def _in_folder(source: Source, report: Report) -> Iterator[Bundle]:
    skipped: list[Path] = []
    mains: dict[Path, Bundle] = {}
    orphans: dict[Path, list[AgentFile]] = {}
    flat: dict[Path, list[Path]] = {}
    for path in _walk(source.path, skipped, avoid=_NOT_SESSIONS):
        if _AGENT.fullmatch(path.name):
            session = next((each.parent for each in path.parents if each.name == "subagents"), None)
            if session is None:
                flat.setdefault(path.parent, []).append(path)
            else:
                orphans.setdefault(session, [])
        elif path.suffix in _SUFFIXES and path.name not in ("journal.jsonl", "history.jsonl", "sessions-index.json"):
            if not _is_main(path, source, report):
                continue
            folder = path.with_suffix("")
            mains[path] = Bundle(written(path.stem), path, folder if _is_folder(folder) else None)
    for bundle in mains.values():
        if bundle.folder is not None:
            bundle.agents = _agents_below(bundle.folder)
            orphans.pop(bundle.folder, None)
    found = list(mains.values())
    found += [Bundle(written(folder.name), None, folder, _agents_below(folder)) for folder in orphans]
    found += _share_out(flat, mains)
    for path in skipped:
        code = Code.FILE_LEFT_OUT if path.suffix == ".jsonl" else Code.FILE_SKIPPED
        report.add(code, Span(written(source.label(path)), 0), "a link or no regular file")
    yield from sorted(found, key=lambda each: str(each.main or each.folder or ""))


def _is_main(path: Path, source: Source, report: Report) -> bool:
    named = path.suffix == ".jsonl" and _UUID.fullmatch(path.stem) is not None
    try:
        if named and path.stat().st_size:
            return True
        head = _head(path)
    except (InputError, OSError):
        why = "it can't be read"
    else:
        if likeness(head) >= 0.5:
            return True
        why = "not a Claude Code session" if head.strip() else "empty"
    if not source.taken_elsewhere(path) and path.suffix == ".jsonl":
        report.add(Code.FILE_LEFT_OUT, Span(written(source.label(path)), 0), why)
    return False


def _head(path: Path) -> bytes:
    with open_regular(path) as file:
        return as_utf8(file.read(HEAD))


def _share_out(flat: dict[Path, list[Path]], mains: dict[Path, Bundle]) -> list[Bundle]:
    """Give flat agents' files (2.0.28 to 2.1.1) to the sessions beside them; the rest are sessions without a main file."""
    left: dict[tuple[Path, str], Bundle] = {}
    for folder, paths in flat.items():
        by_session: dict[str, Bundle] = {}
        for bundle in mains.values():
            if bundle.main is not None and bundle.main.parent == folder:
                by_session.setdefault(session_of(bundle.main), bundle)
                by_session.setdefault(bundle.name, bundle)
        for path in paths:
            session = session_of(path)
            owner = by_session.get(session) if session else None
            if owner is None:
                owner = left.setdefault((folder, session), Bundle(session or written(path.stem), None, None))
            owner.agents += _agent(path)
    return list(left.values())


def looks_like_project(folder: Path) -> bool:
    """Whether a folder holds sessions: a project, a projects root, a session's own folder, an unpacked archive."""
    if not _is_folder(folder):
        return False
    looked = 0
    for path in _walk(folder, [], avoid=_NOT_SESSIONS):
        if path.suffix == ".jsonl" and (_UUID.fullmatch(path.stem) or _AGENT.fullmatch(path.name)):
            return True
        if path.suffix in _SUFFIXES:
            looked += 1
            try:
                if likeness(_head(path)) >= 0.5:
                    return True
            except InputError:
                continue
        if looked > 200:
            break
    return False
