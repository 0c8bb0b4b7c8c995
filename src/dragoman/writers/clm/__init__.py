"""Writes sessions that clm lists and resumes: one log a conversation, subagents beside their parent."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, BinaryIO

from msgspec import Meta, Struct

from dragoman.io import clm
from dragoman.io.paths import files_in
from dragoman.io.paths import written as valid
from dragoman.io.target import Target
from dragoman.model import Header, Session, Span, Subagent
from dragoman.report import Code, Report
from dragoman.writers.clm import fit, passing, returning
from dragoman.writers.clm.history import Record, records

HASH = 8
"""Digits of a hash at the end of an id."""

BEGINNING = 64 - HASH - 1
"""Characters of a name that an id may begin with."""

_NO_ID = re.compile(r"[^0-9A-Za-z]+")


class ClmOptions(Struct, frozen=True):
    """What can be asked of the clm writer."""

    repair: Annotated[
        bool, Meta(description="Mend the faults of a log that came from clm, instead of passing its bytes through.")
    ] = False
    subagents: Annotated[
        bool, Meta(description="Write each subagent as a session of its own, beside the main one.")
    ] = True
    branches: Annotated[bool, Meta(description="Keep branches that were abandoned by rewinding.")] = False


class ClmWriter:
    """clm's JSON Lines, format version 1, as clm itself prints them."""

    name = "clm"
    description = "clm session log (JSON Lines), to be resumed with clm --resume"
    suffix = ".jsonl"
    media_type = "application/jsonl"
    binary = False
    several = False
    options = ClmOptions

    def unavailable(self) -> str:
        return ""

    def file_name(self, session: Session, options: ClmOptions) -> str:
        """`<id>.jsonl`, since clm finds a session by its file's name."""
        return f"{session_id(session)}.jsonl"

    def beside(self, main: Path) -> list[Path]:
        beginning = _beginning(main.name)
        own = re.compile(rf"{beginning}-[0-9a-f]{{{HASH}}}\.jsonl")
        return [each for each in files_in(main.parent) if own.fullmatch(each.name)] if beginning else []

    def write(self, session: Session, target: Target, options: ClmOptions, report: Report) -> None:
        family = _Family(returning.originals(session), target, options, report)
        for name, each, agents in family.members:
            if self._passes_through(name, each, target, options, report):
                continue
            own = name or family.main_id
            stream = target.open(f"{own}.jsonl") if name else target.main(f"{own}.jsonl")
            history = records(each, agents, report, branches=options.branches)
            _write(own, each, history, family.kinds.get(name, ""), stream, report)

    def _passes_through(self, name: str, session: Session, target: Target, options: ClmOptions, report: Report) -> bool:
        """Write the bytes of a log that comes from clm; False where they aren't to be had, or to be mended."""
        found = clm.log_lines(session)
        if found is None:
            return False
        passing.report_faults(found, session, Code.MENDED if options.repair else Code.PASSED_THROUGH, report)
        if options.repair or (name and _meta(session.header, "id") != name):
            return False
        own = f"{name}.jsonl" if name else self.file_name(session, options)
        if not name and target.main_name not in (None, own):
            report.add(Code.ID_MISMATCH, Span(valid(target.main_name or own), 1))
        if not (target.is_folder and _is_there(session, own, target)):
            passing.write(found, session, target.open(own) if name else target.main(own))
        return True


def _is_there(session: Session, name: str, target: Target) -> bool:
    """Whether this run has written the very log before, for another session that has the same subagent."""
    written = target.written(name)
    found = clm.log_lines(session) if written is not None else None
    return written is not None and found is not None and written.read_bytes() == passing.render(found, session)


def session_id(session: Session) -> str:
    """The id for a session: its own where it is clm's, else made from its time and its id."""
    session = returning.original(session) or session
    if clm.OWN_ID.fullmatch(session.header.id) or (
        session.header.format == "clm" and clm.ID.fullmatch(session.header.id)
    ):
        return session.header.id
    return clm.make_id(created(session), _key(session))


def created(session: Session) -> datetime | None:
    """When the session began, as far as it says."""
    if session.header.started is not None:
        return session.header.started
    return next((message.time for message in session.messages if message.time is not None), None)


def _key(session: Session) -> str:
    if session.header.id:
        return session.header.id
    return session.header.files[0].path if session.header.files else ""


def _beginning(chosen: str) -> str:
    """How the ids beside a file begin whose name the user chose."""
    chosen = chosen.removesuffix(".jsonl")
    return "" if clm.OWN_ID.fullmatch(chosen) else _NO_ID.sub("-", chosen)[:BEGINNING].strip("-")


class _Family:
    """The main session and those of its subagents that are written, each with its id."""

    def __init__(self, session: Session, target: Target, options: ClmOptions, report: Report) -> None:
        self._report = report
        self._target = target
        self._names: set[str] = set()
        chosen = (target.main_name or "").removesuffix(".jsonl")
        self._beside = _beginning(chosen)
        self.main_id = chosen if clm.ID.fullmatch(chosen) else self._free(session_id(session), _key(session), session)
        self._names.add(self.main_id)
        self.kinds: dict[str, str] = {}
        self.members: list[tuple[str, Session, dict[str, list[str]]]] = []
        """Id ("" for the main one), session, and for each call the ids of the subagents that it started."""
        self._root = _key(session) or self.main_id
        self._began = created(session)
        wanted = options.subagents and target.holds_side_files
        why = "left out as asked" if not options.subagents else "to standard output goes the main session only"
        queue: list[tuple[str, Session, str]] = [("", session, "agent")]
        while queue:
            name, current, path = queue.pop()
            agents: dict[str, list[str]] = {}
            for subagent in current.subagents:
                if subagent.hidden:
                    report.add(Code.DROPPED_HIDDEN_AGENT)
                elif not wanted:
                    code = Code.DROPPED_BY_REQUEST if not options.subagents else Code.DROPPED_SUBAGENT
                    report.add(code, None, "subagents" if not options.subagents else why)
                else:
                    own = self._subagent(subagent, f"{path}/{subagent.agent_id}")
                    queue.append((own, subagent.session, f"{path}/{subagent.agent_id}"))
                    for link in subagent.links:
                        agents.setdefault(link.call_id, []).append(own)
            self.members.append((name, current, agents))

    def _subagent(self, subagent: Subagent, path: str) -> str:
        session = subagent.session
        own = session.header.id
        known = clm.OWN_ID.fullmatch(own) or (session.header.format == "clm" and clm.ID.fullmatch(own))
        if not known or (self._is_taken(own) and not _is_there(session, f"{own}.jsonl", self._target)):
            key = f"{self._root}/{path}"
            own = self._free(self._made_id(created(session) or self._began, key), key, session)
        self._names.add(own)
        self.kinds[own] = subagent.kind or "subagent"
        return own

    def _is_taken(self, own: str) -> bool:
        return own in self._names or self._target.written(f"{own}.jsonl") is not None

    def _free(self, wanted: str, key: str, session: Session) -> str:
        number = 1
        while self._is_taken(wanted):
            number += 1
            wanted = self._made_id(created(session), f"{key}#{number}")
        return wanted

    def _made_id(self, began: datetime | None, key: str) -> str:
        """An id of clm's form; beside a file whose name the user chose it begins with that."""
        made = clm.make_id(began, key)
        return f"{self._beside}-{made[-HASH:]}" if self._beside else made


def _write(own: str, session: Session, history: list[Record], agent: str, stream: BinaryIO, report: Report) -> None:
    began = created(session)
    header = session.header
    meta = {
        "model": next((each for each in header.models if not each.startswith("<")), ""),
        "provider": header.provider,
        "agent": agent or _meta(header, "agent"),
    }
    span = Span(header.files[0].path, 0) if header.files else None
    named = {key: fit.without_surrogates(fit.clean(value, span, report), span, report) for key, value in meta.items()}
    stream.write(clm.meta_line(own, max(0, int(began.timestamp())) if began else 0, **named) + b"\n")
    if not history:
        report.add(Code.EMPTY, span)
    for what, value in (("title", header.title), ("cwd", header.cwd), ("git branch", header.git_branch)):
        if value:
            report.add(Code.DROPPED_FIELD, span, what)
    stream.writelines(_line(record, report) + b"\n" for record in history)


def _meta(header: Header, key: str) -> str:
    """What the meta record of a session that comes from clm says: its id, its agent profile."""
    kept = header.extra.get("clm")
    meta = kept.get("meta") if isinstance(kept, dict) else None
    value = meta.get(key) if isinstance(meta, dict) else None
    return value if isinstance(value, str) else ""


def _line(record: Record, report: Report) -> bytes:
    calls = record.calls or None
    try:
        return clm.record_line(record.role, record.content, record.call_id, record.tool_name, calls)
    except TypeError:  # lone surrogates, which readers never leave
        content = record.content and fit.without_surrogates(record.content, record.span, report)
        mended = [call | {"args": fit.without_surrogates(call["args"], record.span, report)} for call in calls or ()]
        return clm.record_line(record.role, content, record.call_id, record.tool_name, mended or None)


writer = ClmWriter()
