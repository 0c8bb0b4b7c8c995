"""Subagents whose session is gone (Claude Code deletes transcripts after a while): each a log of its own.

Their files lie in a session's folder without its `<uuid>.jsonl`, or, from 2.0.28 to 2.1.1, flat in the
project. Where the session was brought over while it was there, its agents were too.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import orjson
from msgspec.structs import replace

from dragoman.io import clm_notes
from dragoman.io.paths import meant, written
from dragoman.migrate.compaction import telling
from dragoman.migrate.manifest import Moved
from dragoman.model import Message, Session, Subagent, Text
from dragoman.places.claude_code import entries_of
from dragoman.places.protocol import Found
from dragoman.readers.claude_code.fields import string
from dragoman.report import Code, Report

TITLE = "subagents whose session is gone"
_FOLDER, _FLAT = "/agents", "/agent-"
_WARMUP = "Warmup"
"""All that a flat agent that only warms the cache is asked."""


def find(root: Path) -> Iterator[Found]:
    """The folders, and the flat files, of agents whose session isn't there. `id` is the session's, where it is known."""
    for project in entries_of(root):
        if not project.is_dir():
            continue
        entries = entries_of(Path(project.path))
        names = {entry.name for entry in entries}
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                if f"{entry.name}.jsonl" not in names:
                    files = [each for each in path.glob("subagents/**/agent-*.jsonl") if each.is_file()]
                    if files:
                        yield _found(path, entry.name, files)
            elif entry.name.startswith("agent-") and entry.name.endswith(".jsonl") and path.is_file():
                session = string(_first_record(path).get("sessionId"))
                if f"{session}.jsonl" not in names:
                    yield _found(path, session or path.stem, [path])


def key(found: Found) -> str:
    """Under what the manifest has them: never the session's own name, should it come back."""
    return f"{found.id}{_FOLDER}" if found.path.is_dir() else f"{found.id}/{found.path.stem}"


def is_orphan(key: str) -> bool:
    """Whether a key of the manifest is one of these."""
    return _FOLDER in key or _FLAT in key


def source_of(moved: Moved) -> Path:
    """What was read: the session's file, or the folder or file of agents without one."""
    first = meant(moved.source[0].path)
    if _FOLDER in moved.uuid:
        return next((each.parent for each in first.parents if each.name == "subagents"), first)
    return first


def alone(session: Session, key: str, report: Report) -> list[Session]:
    """The sessions to write, each agent's, beginning with a note. `session` is what the reader makes of their source."""
    if _FLAT in key:
        first = next(session.messages, None)
        asked = first.blocks[0] if first is not None and first.blocks else None
        if first is None or (isinstance(asked, Text) and asked.text.strip() == _WARMUP):
            report.add(Code.DROPPED_HIDDEN_AGENT)
            return []
        return [_noted(session, telling(session))]
    made = []
    for agent in session.subagents:
        if agent.hidden:
            report.add(Code.DROPPED_HIDDEN_AGENT)
        else:
            made.append(_noted(agent.session, _words(agent)))
    return made


def project_of(session: Session) -> str:
    """The folder in which the session ran, or its first agent."""
    return session.header.cwd or next((agent.session.header.cwd for agent in session.subagents), "")


def _words(agent: Subagent) -> str:
    said = " ".join(agent.description.split()) or telling(agent.session)
    return said or f"{agent.kind or 'subagent'} {agent.agent_id[:40]}"


def _noted(session: Session, words: str) -> Session:
    note = Message(role="user", origin="injected", blocks=(Text(clm_notes.alone(words)),))
    return replace(session, entries=(note, *session.entries))


def _found(path: Path, session: str, files: list[Path]) -> Found:
    status = [each.stat() for each in files]
    return Found(
        id=session,
        path=path,
        reader="claude-code",
        bytes=sum(each.st_size for each in status),
        modified=datetime.fromtimestamp(max(each.st_mtime for each in status), UTC),
        project=string(_first_record(min(files)).get("cwd")) or written(path.parent.name),
        title=TITLE,
    )


def _first_record(path: Path) -> dict[str, object]:
    """An agent file's first line; nothing where it is none."""
    try:
        with path.open("rb") as file:
            record = orjson.loads(file.readline(1 << 20))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
