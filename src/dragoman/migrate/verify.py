"""What was moved, read back and compared with its source: messages, calls, results, bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from dragoman import registry
from dragoman.errors import DragomanError
from dragoman.io.paths import meant
from dragoman.io.source import Source
from dragoman.migrate.manifest import Manifest, Moved, Part, SourceState
from dragoman.migrate.moving import Task, move
from dragoman.migrate.orphans import source_of
from dragoman.migrate.placing import Log
from dragoman.migrate.request import Request
from dragoman.migrate.run import Progress
from dragoman.migrate.storage import Storage, hash_of, stamp
from dragoman.model import Message, Session, ToolCall, ToolResult, walk
from dragoman.report import Report


class Counts(Struct, frozen=True, kw_only=True):
    """What a session holds, or the logs made of it. `bytes` is of the logs' lines."""

    messages: int = 0
    calls: int = 0
    results: int = 0
    bytes: int = 0


class Verdict(Struct, frozen=True, kw_only=True):
    """How a moved session compares with its source. `problems` is empty where all is well.

    `gone`: Claude Code has deleted the source since (it does after a month), so only the log could be looked at.
    """

    uuid: str
    title: str
    log: str
    source: Counts
    logs: Counts
    went_on: bool = False
    gone: bool = False
    problems: tuple[str, ...] = ()


def verify(request: Request, progress: Progress | None = None) -> Iterator[Verdict]:
    """Compare every moved session that was asked for with its source. Writes nothing."""
    storage = Storage(request.target)
    manifest = Manifest(storage)
    chosen = [moved for moved in manifest.sessions.values() if _chosen(moved, request)]
    for number, moved in enumerate(chosen, 1):
        yield _verdict(moved, request, storage)
        if progress is not None:
            progress(number, len(chosen), moved.title or moved.uuid)


def _chosen(moved: Moved, request: Request) -> bool:
    if moved.state != "moved" or (request.sessions and not moved.uuid.startswith(request.sessions)):
        return False
    return not request.projects or any(
        project.rstrip("/") in (moved.project, *(Path(each.path).parent.name for each in moved.source[:1]))
        for project in request.projects
    )


def _verdict(moved: Moved, request: Request, storage: Storage) -> Verdict:
    problems: list[str] = []
    theirs: set[str] = set()
    logs, by_output = Counts(), dict[str, Counts]()
    for output, parts in moved.outputs.items():
        for part in parts:
            there, problem, touched = _read_back(part, storage)
            if touched:
                theirs.add(part.id)
            if problem:
                problems.append(problem)
            logs = _sum(logs, there)
            by_output[output] = _sum(by_output.get(output, Counts()), there)
    source = Counts()
    gone = all(stamp(meant(state.path)) is None for state in moved.source)
    unchanged = "" if gone else _source_problem(moved.source)
    if unchanged:
        problems.append(unchanged)
    elif not gone:
        source, given = _again(moved, request, theirs, problems)
        # Where a compaction was rewound, or an agent's file is gone, a log stays that the source gives no more.
        compared = Counts()
        for output in given & by_output.keys():
            compared = _sum(compared, by_output[output])
        if not theirs and not problems and all(len(parts) == 1 for parts in moved.outputs.values()):
            problems += [
                f"{name}: {ours} in the source, {theirs} in the logs"
                for name, ours, theirs in (
                    ("calls", source.calls, compared.calls),
                    ("bytes", source.bytes, compared.bytes),
                    ("messages", source.messages, compared.messages),
                )
                if ours != theirs
            ]
    main = moved.outputs.get("main") or next(iter(moved.outputs.values()), [])
    return Verdict(
        uuid=moved.uuid,
        title=moved.title,
        log=main[-1].id if main else "",
        source=source,
        logs=logs,
        went_on=bool(theirs),
        gone=gone,
        problems=tuple(problems),
    )


def _source_problem(states: list[SourceState]) -> str:
    for state in states:
        path = meant(state.path)
        status = stamp(path)
        if status is None:
            return f"{path.name}: no longer there, so it can't be compared"
        if status[0] != state.bytes or hash_of(path) != state.sha256:
            return f"{path.name}: has changed since; migrate again, then verify"
    return ""


def _read_back(part: Part, storage: Storage) -> tuple[Counts, str, bool]:
    """What a log of ours holds of what we gave it, what is wrong with it, and whether the user went on with it."""
    path = storage.log(part.id)
    if stamp(path) is None:
        return Counts(), f"{part.id}: the log is gone", False
    actual = hash_of(path)
    reader = registry.reader("clm")
    try:
        (session,) = reader.read(Source(path), reader.options(subagents=False), Report())
    except DragomanError as error:
        return Counts(), str(error), False
    messages = list(session.messages)
    touched = actual != part.sha256
    if touched:
        data = path.read_bytes()[: part.bytes]
        if hashlib.sha256(data).hexdigest() != part.sha256:
            return Counts(), "", True  # clm itself may rewrite a log that it went on with
        messages = messages[: part.lines + bool(part.note)]
    return _count(messages, part.bytes), "", touched


def _count(messages: list[Message], size: int) -> Counts:
    blocks = [block for message in messages for block in message.blocks]
    return Counts(
        messages=len(messages),
        calls=sum(isinstance(block, ToolCall) for block in blocks),
        results=sum(isinstance(block, ToolResult) for block in blocks),
        bytes=size,
    )


def _sum(a: Counts, b: Counts) -> Counts:
    return Counts(
        messages=a.messages + b.messages,
        calls=a.calls + b.calls,
        results=a.results + b.results,
        bytes=a.bytes + b.bytes,
    )


def _again(moved: Moved, request: Request, theirs: set[str], problems: list[str]) -> tuple[Counts, set[str]]:
    """What the source converted once more gives, with the outputs; its calls are counted on their own, too, in the
    neutral conversation."""
    flags = [flag == "1" for flag in moved.choices[:5]]
    full, branches, subagents, mapped, redacted = flags if len(flags) == 5 else (False, False, True, False, False)
    media = moved.choices[5:]
    as_moved = replace(
        request,
        full=full,
        branches=branches,
        subagents=subagents,
        map_tools=mapped,
        redact=redacted,
        export_media=Path(media) if media else None,
    )
    task = Task(
        uuid=moved.uuid,
        path=str(source_of(moved)),
        files=tuple((str(meant(each.path)), each.bytes, each.mtime_ns) for each in moved.source),
        ids={key: parts[0].id for key, parts in moved.outputs.items() if parts},
        strays={},
        before=(),
        temporaries="",
        request=as_moved,
    )
    outcome = move(task)
    if outcome.error:
        problems.append(outcome.error)
        return Counts(), set()
    total = Counts()
    for staged in outcome.staged:
        parts = moved.outputs.get(staged.output)
        if not parts:
            problems.append(f"{staged.output}: was not moved")
            continue
        if len(parts) == 1 and parts[0].id not in theirs and staged.sha256 != parts[0].sha256:
            problems.append(f"{parts[0].id}: differs from what the source gives")
        log = Log.parse(staged.data)
        total = _sum(
            total, Counts(messages=staged.messages, calls=staged.results, results=staged.results, bytes=staged.bytes)
        )
        assert log is not None
    calls = _calls_in_source(moved, as_moved)
    if calls is not None and calls > total.calls:
        problems.append(f"calls: {calls} in the source, {total.calls} in the logs")
    return total, {staged.output for staged in outcome.staged}


def _calls_in_source(moved: Moved, request: Request) -> int | None:
    """The live calls of the session and its subagents, counted without any of our writing."""
    reader = registry.reader("claude-code")
    path = source_of(moved)
    try:
        sessions = list(reader.read(Source(path), reader.options(), Report()))
    except DragomanError:
        return None
    return sum(_calls(session, request) for session in sessions)


def _calls(session: Session, request: Request) -> int:
    hidden = {id(agent.session) for each, _ in walk(session) for agent in each.subagents if agent.hidden}
    total = 0
    stack = [session]
    while stack:
        current = stack.pop()
        for message in current.messages:
            if message.role == "assistant" and (request.branches or not message.branch):
                total += sum(
                    isinstance(block, ToolCall) and (block.status or message.status) == "live"
                    for block in message.blocks
                )
        if request.subagents:
            stack += [agent.session for agent in current.subagents if id(agent.session) not in hidden]
    return total
