"""Where the files of a session lie, from the oldest builds to the newest (the catalogue's section 1)."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, field

from dragoman.errors import InputError
from dragoman.io.folders import COPY, SUFFIXES, Below, is_copy, is_named_as_session, may_be_session
from dragoman.io.paths import written
from dragoman.io.source import HEAD, Source, as_utf8, open_regular
from dragoman.model import Span
from dragoman.readers.claude_code.flat_agents import agents_beside, session_of
from dragoman.readers.claude_code.sniffing import likeness
from dragoman.report import Code, Report

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_CERTAIN = 0.9
"""From here on no other reader is asked."""
_AGENT = re.compile(r"agent-(.{1,200})\.(?i:jsonl)", re.DOTALL)
_PROJECT = re.compile(r"-|[A-Za-z]--")
"""How the name of a project's folder begins, after the path that was worked in."""

_NO_SESSIONS_AT_HOME = frozenset(
    "file-history todos tasks plans shell-snapshots statsig debug backups ide teams jobs dump-prompts paste-cache memory "
    "session-memory tool-results remote-agents mcp-tasks".split()
)
"""Folders beside `projects` in Claude Code's own home that hold no transcripts of sessions, or only copies of them."""

_NO_SESSIONS_BESIDE_SESSION = frozenset("file-history session-memory tool-results remote-agents mcp-tasks".split())
"""Folders in `<session>/`, whose files a session names."""


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
        yield _of_file(main)  # a session's own folder: what it belongs to lies beside it
        yield from _in_folder(source, report, own=path)
        return
    yield _of_file(path)


def _of_file(path: Path) -> Bundle:
    folder = path.with_suffix("") if path.suffix == ".jsonl" else None
    if folder is not None and (not _is_folder(folder)):
        folder = None
    bundle = Bundle(written(path.stem or path.name), path, folder)
    if folder is not None:
        bundle.agents = _agents_below(folder)
    if _AGENT.fullmatch(path.name) is None and path.suffix == ".jsonl":
        bundle.agents += [agent for each in agents_beside(path) for agent in _agent(each)]
    return bundle


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
    for path in filter(_is_file, Below(folder / "subagents")):
        run = path.parent.name if path.parent.parent.name == "workflows" else ""
        found += _agent(path, run)
    return found


def _holds_no_sessions(folder: Path) -> bool:
    """Whether it is one of Claude Code's own folders for other things. In any other place such a name means nothing."""
    if folder.name in _NO_SESSIONS_BESIDE_SESSION and _UUID.fullmatch(folder.parent.name):
        return True
    return folder.name in _NO_SESSIONS_AT_HOME and _is_home(folder.parent)


def _is_home(folder: Path) -> bool:
    """Whether a folder is Claude Code's own: `~/.claude`, or a copy of it."""
    projects = folder / "projects"
    try:
        return _is_folder(projects) and any(_PROJECT.match(each.name) for each in projects.iterdir())
    except OSError:
        return False


def _in_folder(source: Source, report: Report, own: Path | None = None) -> Iterator[Bundle]:
    """The sessions of a folder; `own` is the folder of a session that is read already."""
    skipped: list[Path] = []
    others: set[Path] = set()
    mains: dict[Path, Bundle] = {}
    orphans: dict[Path, list[AgentFile]] = {}
    flat: dict[Path, list[Path]] = {}
    below = Below(source.path, avoid=_holds_no_sessions)
    for path in below:
        if not _is_file(path):
            skipped.append(path)
        elif _AGENT.fullmatch(path.name):
            session = next((each.parent for each in path.parents if each.name == "subagents"), None)
            if _is_of_others(path, source):
                others.add(path)
            elif session is None:
                flat.setdefault(path.parent, []).append(path)
            else:
                orphans.setdefault(session, [])
        elif is_copy(path):
            report.add(Code.FILE_LEFT_OUT, Span(written(source.label(path)), 0), COPY)
        elif may_be_session(path) or is_named_as_session(path):
            if not _is_main(path, source, report):
                continue
            folder = path.with_suffix("")
            mains[path] = Bundle(written(path.stem), path, folder if _is_folder(folder) else None)
    if own is not None:
        orphans.pop(own, None)
    for bundle in mains.values():
        if bundle.folder is not None:
            bundle.agents = _agents_below(bundle.folder)
            orphans.pop(bundle.folder, None)
    found = list(mains.values())
    found += [Bundle(written(folder.name), None, folder, _agents_below(folder)) for folder in orphans]
    for bundle in found:
        bundle.agents = [agent for agent in bundle.agents if agent.path not in others]
    found += _share_out(flat, mains)
    for path in skipped:
        code = Code.FILE_LEFT_OUT if is_named_as_session(path) else Code.FILE_SKIPPED
        report.add(code, Span(written(source.label(path)), 0), "a link or no regular file")
    if source.named:
        below.tell(source, report)
    yield from sorted(found, key=lambda each: str(each.main or each.folder or ""))


def _is_of_others(path: Path, source: Source) -> bool:
    """Whether a file that is named as Claude Code's is surely another's."""
    try:
        return likeness(_head(path)) < 0.5 and source.taken_elsewhere(path)
    except InputError:
        return False


def _is_main(path: Path, source: Source, report: Report) -> bool:
    named = path.suffix.lower() == ".jsonl" and _UUID.fullmatch(path.stem) is not None
    head = b""
    likely = 0.0
    try:
        head = _head(path)
    except InputError:
        why = "it can't be read"
    else:
        likely = likeness(head)
        why = "not a Claude Code session" if head.strip() else "empty"
    if likely >= _CERTAIN:
        return True
    if source.taken_elsewhere(path):
        return False
    if likely >= 0.5 or (named and path.stat().st_size):
        return True
    if is_named_as_session(path) and not _is_known(path, head):
        report.add(Code.FILE_LEFT_OUT, Span(written(source.label(path)), 0), why)
    return False


def _is_known(path: Path, head: bytes) -> bool:
    """Whether a file is one that Claude Code keeps beside its sessions, so that it needs no word."""
    if path.name == "history.jsonl":
        return b'"display"' in head
    return path.name == "journal.jsonl" and "subagents" in path.parts


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
    for path in filter(_is_file, Below(folder, avoid=_holds_no_sessions)):
        suffix = path.suffix.lower()
        named = (suffix == ".jsonl" and _UUID.fullmatch(path.stem)) or _AGENT.fullmatch(path.name)
        if suffix not in SUFFIXES:
            continue
        looked += 1
        try:
            head = _head(path)
        except InputError:
            continue
        if likeness(head) >= 0.5 or (named and head.strip()):
            return True
        if looked > 200:
            break
    return False
