"""A clm session's subagents: logs of their own beside it, which the results of its calls name.

clm itself has no subagents; the logs are those that dragoman's clm writer and `dragoman migrate` make.
A log is taken for a subagent's only where the last lines of a result name it, and its meta record
names an `agent`. Each stands in a session's tree once, under the first calls that name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace

from dragoman.errors import InputError
from dragoman.io import clm
from dragoman.io.source import open_regular
from dragoman.model import AgentLink, Session, Span, Subagent, Text, ToolCall, ToolResult
from dragoman.report import Code, Report

DEPTH = 50
"""Agents of agents of agents: beyond this many none are followed."""

PLAIN_KIND = "subagent"
"""The `agent` of a subagent whose kind wasn't known."""

Load = Callable[[Path], Session]
"""Reads one log, without its subagents. Raises InputError."""

_MARK = b"[subagent session: "


class _Named(Struct, frozen=True):
    """A log that is named by a session's calls."""

    id: str
    calls: tuple[ToolCall, ...]
    span: Span | None


class _Member(Struct):
    """A session of the family on its way into the tree; `parent` is the index of another, -1 for the main one."""

    session: Session
    parent: int
    named: _Named | None
    depth: int
    agents: list[Subagent]


def with_agents(main: Session, log: Path, load: Load, report: Report) -> Session:
    """The session of a log with those of its subagents whose logs lie beside it; the others are reported."""
    seen = {log.stem}
    members = [_Member(main, -1, None, 0, [])]
    for number, member in enumerate(members):  # grows on the way
        for named in _named(member.session):
            if named.id in seen:
                continue
            seen.add(named.id)
            if member.depth == DEPTH:
                report.add(Code.DROPPED_SUBAGENT, named.span, f"more than {DEPTH} deep")
            elif (session := _agent(log.with_name(f"{named.id}.jsonl"), load, named, report)) is not None:
                members.append(_Member(session, number, named, member.depth + 1, []))
    if len(members) == 1:
        return main
    for member in reversed(members[1:]):  # those that a session called stand behind it
        assert member.named is not None
        members[member.parent].agents.append(_subagent(member, member.named))
    return replace(main, subagents=tuple(reversed(members[0].agents)))


def heads(logs: Sequence[Path]) -> Iterator[Path]:
    """Those of a folder's logs that no other log there names as its subagent; each log is below one of them."""
    named = {log: _named_in(log) for log in logs}
    by_name = {log.stem: log for log in logs}
    children = {log: [by_name[each] for each in ids if each in by_name] for log, ids in named.items()}
    agents = {child for found in children.values() for child in found if _agent_kind_in(child)}
    reached: set[Path] = set()

    def reach(log: Path) -> None:
        todo = [log]
        while todo:
            current = todo.pop()
            if current not in reached:
                reached.add(current)
                todo += [child for child in children[current] if child in agents]

    for log in logs:
        if log not in agents:
            reach(log)
            yield log
    for log in logs:  # two that name each other
        if log not in reached:
            reach(log)
            yield log


def _agent(path: Path, load: Load, named: _Named, report: Report) -> Session | None:
    if not path.is_file():
        report.add(Code.SIDE_FILE_MISSING, named.span, "a subagent's session")
        return None
    try:
        session = load(path)
    except InputError:
        report.add(Code.SIDE_FILE_UNREADABLE, named.span, "a subagent's session")
        return None
    return session if _kind(session) else None


def _subagent(member: _Member, named: _Named) -> Subagent:
    kind = _kind(member.session)
    header = replace(member.session.header, id=named.id)  # the name under which the calls know it
    return Subagent(
        agent_id=named.id,
        kind="" if kind == PLAIN_KIND else kind,
        description=next(filter(None, map(_description, named.calls)), ""),
        links=tuple(AgentLink(call_id=call.id, evidence="text") for call in named.calls),
        session=replace(member.session, header=header, subagents=tuple(reversed(member.agents))),
    )


def _named(session: Session) -> list[_Named]:
    """The logs that a session's results name, each with all the calls of it."""
    calls: dict[str, ToolCall] = {}
    found: dict[str, _Named] = {}
    for message in session.messages:
        for block in message.blocks:
            if isinstance(block, ToolCall):
                calls[block.id] = block
            elif isinstance(block, ToolResult) and block.content and isinstance(block.content[0], Text):
                call = calls.get(block.call_id)
                if call is None:
                    continue
                for each in clm.agents_named(block.content[0].text):
                    before = found.get(each)
                    if before is None:
                        found[each] = _Named(each, (call,), message.span)
                    else:
                        found[each] = replace(before, calls=(*before.calls, call))
    return list(found.values())


def _kind(session: Session) -> str:
    kept = session.header.extra.get("clm")
    meta = kept.get("meta") if isinstance(kept, dict) else None
    kind = meta.get("agent") if isinstance(meta, dict) else None
    return kind if isinstance(kind, str) else ""


def _description(call: ToolCall) -> str:
    try:
        arguments: Any = orjson.loads(call.arguments)
    except ValueError:
        return ""
    words = arguments.get("description") if isinstance(arguments, dict) else None
    return words if isinstance(words, str) else ""


def _named_in(log: Path) -> list[str]:
    """The ids that a log's results name: only the lines that may are parsed."""
    found: dict[str, None] = {}
    try:
        with open_regular(log) as file:
            for line in file:
                if _MARK in line:
                    record = _object(line)
                    if record.get("role") == "tool" and isinstance(record.get("content"), str):
                        found.update(dict.fromkeys(clm.agents_named(record["content"])))
    except InputError:  # said where it is read
        return []
    return list(found)


def _agent_kind_in(log: Path) -> bool:
    try:
        with open_regular(log) as file:
            meta = _object(file.readline())
    except InputError:
        return False
    return meta.get("type") == "meta" and isinstance(meta.get("agent"), str) and bool(meta["agent"])


def _object(line: bytes) -> dict[str, Any]:
    try:
        record = orjson.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}
