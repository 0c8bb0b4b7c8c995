"""One session on its way to clm's bytes: read, changed as asked, written to temporaries. Runs in a worker."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from dragoman import registry
from dragoman.errors import DragomanError, LeakError
from dragoman.filters.protocol import Filter
from dragoman.io.clm import id_hash, make_id
from dragoman.io.collecting import paused
from dragoman.io.paths import written
from dragoman.io.source import Source
from dragoman.io.target import Target
from dragoman.migrate import compaction, media, orphans, tools
from dragoman.migrate.identity import key_of
from dragoman.migrate.manifest import SourceState
from dragoman.migrate.request import Request
from dragoman.migrate.storage import write_temporary
from dragoman.model import Session, Subagent
from dragoman.report import Report

_CHUNK = 1 << 18
"""Bytes hashed at a time."""

RESULT = b'{"role":"tool",'
"""How the line of a result begins. Each call has one in the logs that we make."""

Data = bytes


class Task(Struct, frozen=True, kw_only=True):
    """What a worker needs to know. `ids` are those that outputs have already, `strays` logs that may be theirs, by the
    hash in the name; `before` is the source as last moved."""

    uuid: str
    path: str
    files: tuple[tuple[str, int, int], ...]
    ids: dict[str, str]
    strays: dict[str, str]
    before: tuple[SourceState, ...]
    temporaries: str
    request: Request


class Staged(Struct, frozen=True, kw_only=True):
    """An output, written to a temporary (or kept in `data`), under the id that it has or should get."""

    output: str
    id: str
    temporary: str
    bytes: int
    sha256: str
    messages: int
    results: int
    created: datetime | None
    data: Data = b""


class Outcome(Struct, frozen=True, kw_only=True):
    """What a worker gives back. `only_grew`: all that the source held when it was last moved is still there."""

    uuid: str
    staged: tuple[Staged, ...] = ()
    source: tuple[SourceState, ...] = ()
    only_grew: bool = True
    title: str = ""
    project: str = ""
    losses: dict[str, int] = {}
    calls: int = 0
    report: Report | None = None
    error: str = ""


class Memory(Target):
    """A target that keeps its files in memory."""

    def __init__(self, clm_id: str) -> None:
        super().__init__(Path(f"{clm_id}.jsonl"))
        self.is_folder = False
        self.streams: dict[str, BytesIO] = {}

    def open(self, name: str) -> BinaryIO:
        return self.streams.setdefault(name, BytesIO())

    def files(self) -> Iterator[tuple[str, Path]]:
        for name in self.streams:
            yield name, Path(name)


def move(task: Task) -> Outcome:
    """Convert one session. What goes wrong with it is told in the outcome; OSError of the target is raised."""
    with paused():
        return _move(task)


def _move(task: Task) -> Outcome:
    report = Report()
    source, only_grew = _hashes(task)
    try:
        reader = registry.reader("claude-code")
        sessions = list(reader.read(Source(Path(task.path)), reader.options(), report))
        outputs = _outputs(sessions, task, report)
    except LeakError as error:
        return Outcome(uuid=task.uuid, error=str(error))
    except DragomanError as error:
        return Outcome(uuid=task.uuid, error=str(error))
    except (RecursionError, MemoryError) as error:
        return Outcome(uuid=task.uuid, error=f"{task.path}: {type(error).__name__}")
    main = sessions[0] if sessions else None
    staged = tuple(_stage(output, task) for output in outputs)
    return Outcome(
        uuid=task.uuid,
        staged=staged,
        source=source,
        only_grew=only_grew,
        title=compaction.telling(main) if main else "",
        project=orphans.project_of(main) if main else "",
        losses={finding.code.slug: report.count(finding.code) for finding in report.findings},
        report=report,
    )


class _Output(Struct, frozen=True, kw_only=True):
    key: str
    id: str
    data: bytes
    created: datetime | None


def _outputs(sessions: list[Session], task: Task, report: Report) -> list[_Output]:
    """Agents first, then what came before, the main log last: after a crash the newest is never alone."""
    request = task.request
    filters: list[Filter] = []
    if request.redact:
        redact: Any = registry.filter_type("redact")  # made with its options, those by default here
        filters.append(redact())
        for each in filters:
            each.prepare(sessions, report)
    found: dict[str, _Output] = {}
    for number, session in enumerate(sessions):
        changed = session
        for each in filters:
            changed = each.apply(changed, report)
        if request.map_tools:
            changed = tools.map_tools(changed)
        if request.export_media is not None:
            changed = media.export(changed, request.export_media)
        for output in _of_session(changed, task, "" if number == 0 else f"other/{number}/", report):
            for each in filters:
                if leaks := each.verify(f"{output.id}.jsonl", output.data):
                    raise LeakError(f"{task.path}: a secret was still there after redaction ({leaks[0].rule})")
            found.setdefault(output.key, output)
    return list(found.values())


def _of_session(session: Session, task: Task, prefix: str, report: Report) -> list[_Output]:
    began = session.header.started or next((m.time for m in session.messages if m.time is not None), None)
    names: dict[str, tuple[str, datetime | None]] = {}

    def name(output: str, created: datetime | None) -> str:
        own = _id(task, output, created)
        names[own] = (output, created)
        return own

    main_id = name(f"{prefix}main", began)
    session = _with_ids(session, lambda agent, path: name(f"{prefix}agent/{path}", _began(agent) or began), "")
    files: dict[str, bytes] = {}
    if orphans.is_orphan(task.uuid):
        session = replace(session, header=replace(session.header, id=main_id))
        for each in orphans.alone(session, task.uuid, report):
            files |= _write(each, each.header.id, task, report)
    else:
        before: Session | None = None
        before_id = ""
        if not task.request.full:
            before_id = _id(task, f"{prefix}before", began)
            before, session = compaction.split(session, before_id, main_id)
            names[before_id] = (f"{prefix}before", began)
        if any(True for _ in session.messages):
            if before is not None:
                files |= _write(before, before_id, task, report)
            files |= _write(session, main_id, task, report)
    made = []
    for file_name, data in files.items():
        own = file_name.removesuffix(".jsonl")
        key, created = names.get(own, (f"{prefix}unnamed/{own}", began))
        made.append(_Output(key=key, id=own, data=data, created=created))
    return sorted(made, key=lambda output: ("agent/" not in output.key, not output.key.endswith("before")))


def _id(task: Task, output: str, created: datetime | None) -> str:
    key = key_of(task.uuid, output)
    return task.ids.get(output) or task.strays.get(id_hash(key)) or make_id(created, key)


def _began(agent: Subagent) -> datetime | None:
    session = agent.session
    return session.header.started or next((m.time for m in session.messages if m.time is not None), None)


def _with_ids(session: Session, name: Any, path: str) -> Session:
    """The session with clm's ids for its subagents, at any depth: the writer names them in the calls' results."""
    agents, seen = [], dict[str, int]()
    for agent in session.subagents:
        number = seen[agent.agent_id] = seen.get(agent.agent_id, 0) + 1
        own = f"{path}{agent.agent_id}" + (f"~{number}" if number > 1 else "")
        inner = _with_ids(agent.session, name, f"{own}/")
        header = replace(inner.header, id=name(agent, own)) if not agent.hidden else inner.header
        agents.append(replace(agent, session=replace(inner, header=header)))
    return replace(session, subagents=tuple(agents))


def _write(session: Session, clm_id: str, task: Task, report: Report) -> dict[str, bytes]:
    writer = registry.writer("clm")
    target = Memory(clm_id)
    # Mended, not passed through: a session that came from clm once gets the id that its log here is called by.
    options = writer.options(repair=True, subagents=task.request.subagents, branches=task.request.branches)
    writer.write(session, target, options, report)
    return {name: stream.getvalue() for name, stream in target.streams.items()}


def _stage(output: _Output, task: Task) -> Staged:
    data = output.data
    messages, results = counts(data)
    temporary = ""
    if task.temporaries:
        path = write_temporary(Path(task.temporaries), data)
        modified = task.files[0][2]
        os.utime(path, ns=(modified, modified))  # clm lists by the time of change
        temporary = str(path)
    return Staged(
        output=output.key,
        id=output.id,
        temporary=temporary,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        messages=messages,
        results=results,
        created=output.created,
        data=b"" if temporary else data,
    )


def counts(log: bytes) -> tuple[int, int]:
    """The messages of a log and the results among them. From line to line: `count` looks at each byte, twice."""
    messages = results = 0
    start = log.find(b"\n") + 1  # behind the meta record
    while start and start < len(log):
        messages += 1
        results += log.startswith(RESULT, start)
        start = log.find(b"\n", start) + 1
    return messages, results


def _hashes(task: Task) -> tuple[tuple[SourceState, ...], bool]:
    """The source's files with their hashes, and whether each that was there before only grew."""
    earlier = dict(zip(_names([each.path for each in task.before]), task.before, strict=True))
    names = _names([path for path, _, _ in task.files])
    states, only_grew = [], bool(earlier)
    buffer = memoryview(bytearray(_CHUNK))
    for name, (path, size, modified) in zip(names, task.files, strict=True):
        digest, left = hashlib.sha256(), size
        old = earlier.pop(name, None)
        mark = old.bytes if old is not None else -1
        if mark > size:
            only_grew = False
        try:
            with Path(path).open("rb", buffering=0) as file:
                while left > 0:
                    step = min(left, _CHUNK)
                    done = size - left
                    if done < mark < done + step:
                        step = mark - done
                    count = file.readinto(buffer[:step])
                    if not count:
                        break
                    digest.update(buffer[:count])
                    left -= count
                    if old is not None and size - left == mark and digest.hexdigest() != old.sha256:
                        only_grew = False
        except OSError:  # the reader says what it can't read
            only_grew = False
        states.append(SourceState(path=written(path), bytes=size, mtime_ns=modified, sha256=digest.hexdigest()))
    return tuple(states), only_grew and not earlier


def _names(paths: list[str]) -> list[str]:
    """What to know a session's files by, wherever their project lies: by the way to them from the first."""
    return [os.path.relpath(written(path), Path(written(paths[0])).parent) for path in paths]
