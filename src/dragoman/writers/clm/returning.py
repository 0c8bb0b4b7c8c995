"""A session that came from clm by way of Claude Code's format: its log again, byte for byte.

The claude-code writer leaves a field `clm` on each of its lines (see `writers/claude_code/marks.py`).
As long as nothing was said since, the log is made of the marks; else the session is written anew.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from dragoman.io import clm
from dragoman.model import Entry, Event, Header, Message, Session

FIELD = "clm"


def originals(session: Session) -> Session:
    """The session, and each of its subagents at any depth, as it was read from clm where it comes from there."""
    agents = tuple(replace(agent, session=_named(agent.session)) for agent in session.subagents)
    return replace(original(session) or session, subagents=agents)


def _named(session: Session) -> Session:
    """A subagent's session; an id of clm's that it was given since stays."""
    made = originals(session)
    given = session.header.id
    return replace(made, header=replace(made.header, id=given)) if clm.OWN_ID.fullmatch(given) else made


def original(session: Session) -> Session | None:
    """The clm session as it was read; None where this one doesn't come from clm, or has grown since."""
    log = _log(session)
    if log is None:
        return None
    marks = [(entry, _mark(entry)) for entry in session.entries]
    # A reader may make several messages of one line: one of them has the mark.
    marked = {_line(entry) for entry, mark in marks if mark is not None}
    entries: list[Entry] = []
    for entry, mark in marks:
        if mark is None:
            if isinstance(entry, Message) and _line(entry) not in marked:
                return None  # said since
        elif "log" not in mark:
            made = _entry(entry, mark)
            if made is None:
                return None
            entries.append(made)
    return Session(header=_header(session.header, log), entries=tuple(entries))


def _log(session: Session) -> dict[str, Any] | None:
    """What the first line says of the log; None where the session begins otherwise."""
    for entry in session.entries:
        if isinstance(entry, Message):
            return None
        mark = _mark(entry)
        if mark is not None and "log" in mark:
            return mark["log"] if isinstance(mark["log"], dict) else {}
    return None


def _line(entry: Entry) -> int:
    return entry.span.line if entry.span else 0


def _mark(entry: Entry) -> dict[str, Any] | None:
    if isinstance(entry, Event):
        mark = entry.data.get(FIELD) if entry.kind == "state" and isinstance(entry.data, dict) else None
    else:
        mark = entry.extra.get(FIELD)
    return mark if isinstance(mark, dict) else None


def _entry(entry: Entry, mark: dict[str, Any]) -> Entry | None:
    line = mark.get("line")
    if isinstance(line, str):
        extra = {clm.RAW_ENCODING: "latin-1"} if mark.get("encoding") == "latin-1" else {}
        if isinstance(entry, Event):
            return Event(kind="unknown", raw=line, span=entry.span, extra=extra)
        return replace(entry, extra=extra, raw=line)
    if not isinstance(entry, Message):
        return None
    return replace(entry, extra={}, raw=None)


def _header(header: Header, log: dict[str, Any]) -> Header:
    meta = log.get("meta")
    own = meta.get("id") if isinstance(meta, dict) else None
    return replace(header, format="clm", id=own if isinstance(own, str) else "", extra={"clm": log})
