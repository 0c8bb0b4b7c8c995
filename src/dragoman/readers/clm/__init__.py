"""Reads clm's session logs, and keeps what it takes to write the same bytes again.

Every line becomes an entry, in its place: a message, or an event where a line is no message
(records of other types, damaged lines, blank ones). A line is kept as it stood (`raw`) only where
writing its entry anew would give other bytes. A line that isn't UTF-8 is kept with each byte as one
character (latin-1), and says so under `RAW_ENCODING`; its text for people has U+FFFD instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, cast

import orjson
from msgspec import Meta, Struct

from dragoman.errors import InputError
from dragoman.io import clm, clm_notes, json, receipt
from dragoman.io.clm import RAW_ENCODING
from dragoman.io.folders import is_named_as_session, may_be_session
from dragoman.io.paths import written
from dragoman.io.source import HEAD, Source, as_utf8, open_regular, open_text
from dragoman.model import (
    Block,
    Entry,
    Event,
    Header,
    Message,
    Origin,
    Role,
    Session,
    SourceFile,
    Span,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
)
from dragoman.readers.clm.family import heads, with_agents
from dragoman.report import Code, Report

_ORIGINS: dict[str, Origin] = {"user": "prompt", "assistant": "reply", "tool": "result", "system": "instructions"}
_BOM = b"\xef\xbb\xbf"


class ClmReaderOptions(Struct, frozen=True):
    """What can be asked of the clm reader."""

    subagents: Annotated[bool, Meta(description="Read the logs that a log names as its subagents' too.")] = True


class ClmReader:
    """clm's JSON Lines, format version 1; a folder gives every log in it, a subagent's below its caller's."""

    name = "clm"
    description = "clm session log (JSON Lines)"
    suffixes = (".jsonl",)
    options = ClmReaderOptions

    def sniff(self, head: bytes, name: str) -> float:
        """How likely it is a log; for a folder, whether a log lies in it."""
        if not head:
            return self._likeness_of_folder(Path(name))
        for line in head.removeprefix(_BOM).split(b"\n")[:20]:
            try:
                record = orjson.loads(line)
            except ValueError:
                continue
            if not isinstance(record, dict):
                continue
            if record.get("type") == "meta" and "v" in record:
                return 1.0
            if record.get("type") == "msg" and isinstance(record.get("role"), str):
                return 0.95
        return 0.0

    def _likeness_of_folder(self, folder: Path) -> float:
        for path in _logs_in(folder):
            with suppress(InputError), open_regular(path) as file:
                if self.sniff(as_utf8(file.read(HEAD)), path.name) >= 0.5:
                    return 0.9
        return 0.0

    def read(self, source: Source, options: ClmReaderOptions, report: Report) -> Iterator[Session]:
        def load(path: Path) -> Session:
            return _Log(path, source.label(path), report).session()

        if not source.is_folder:
            session = load(source.path)
            yield with_agents(session, source.path, load, report) if options.subagents else session
            return
        logs = []
        for path in _logs_in(source.path):
            try:
                with open_regular(path) as file:
                    head = as_utf8(file.read(HEAD))
            except InputError:
                report.add(Code.FILE_LEFT_OUT, Span(source.label(path), 0), "it can't be read")
                continue
            if self.sniff(head, path.name) >= 0.5:
                logs.append(path)
            elif not source.taken_elsewhere(path) and is_named_as_session(path):
                why = "no clm session log" if head.strip() else "empty"
                report.add(Code.FILE_LEFT_OUT, Span(source.label(path), 0), why)
        if not logs:
            report.add(Code.EMPTY, Span(source.name, 0))
        for path in heads(logs) if options.subagents else logs:
            try:
                session = load(path)
                session = with_agents(session, path, load, report) if options.subagents else session
            except InputError as error:
                why = str(error).removeprefix(f"{source.label(path)}: ").partition(";")[0]
                report.add(Code.FILE_LEFT_OUT, Span(source.label(path), 0), why)
                continue
            yield session


def _logs_in(folder: Path) -> list[Path]:
    """What may be a log, whatever its suffix."""
    try:
        return sorted(path for path in folder.iterdir() if path.is_file() and may_be_session(path))
    except OSError:
        return []


class _Log:
    """One file on its way to a session."""

    def __init__(self, path: Path, name: str, report: Report) -> None:
        self.path = path
        self.name = name
        self.report = report
        self.meta: dict[str, Any] | None = None
        self.kept: dict[str, Any] = {}  # what the header must remember of the file

    def session(self) -> Session:
        entries: list[Entry] = []
        size = number = 0
        last = b"\n"
        with open_text(self.path, self.name, self.report) as file:
            for number, last in enumerate(file, 1):
                size += len(last)
                entry = self._entry(last.removesuffix(b"\n"), number)
                if entry is not None:
                    entries.append(entry)
        if not last.endswith(b"\n"):
            self.kept["final_newline"] = False
        if not any(isinstance(entry, Message) for entry in entries):
            self.report.add(Code.EMPTY, Span(self.name, 0))
        return Session(header=self._header(size, number), entries=tuple(entries))

    def _header(self, size: int, lines: int) -> Header:
        meta = self.meta or {}
        created = meta.get("created")
        started = None
        if isinstance(created, int | float) and not isinstance(created, bool):
            try:
                started = datetime.fromtimestamp(created, UTC)
            except (ValueError, OverflowError, OSError):
                self.report.add(Code.BAD_VALUE, Span(self.name, 1), "meta.created")
        model = _string(meta.get("model"))
        return Header(
            id=_string(meta.get("id")) or written(self.path.stem),
            format="clm",
            started=started,
            cwd=receipt.folder_of(self.path),
            models=(model,) if model else (),
            provider=_string(meta.get("provider")),
            agent="clm",
            files=(SourceFile(path=self.name, bytes=size, lines=lines),),
            extra={"clm": self.kept},
        )

    def _entry(self, line: bytes, number: int) -> Entry | None:
        """The entry of a line; None for the meta record where it belongs."""
        span = Span(self.name, number)
        if not line.strip():
            return Event(kind="unknown", name="blank", raw=line.decode("latin-1"), span=span)
        try:
            return self._record(orjson.loads(line), line, span, sound=False)
        except (ValueError, TypeError):  # no JSON, or not such as can be written again
            return self._record(self._repaired(line, span), line, span, sound=True)

    def _record(self, record: Any, line: bytes, span: Span, *, sound: bool) -> Entry | None:
        """The entry of a line's value. `sound`: all that was to be repaired in it is repaired and reported."""
        if not isinstance(record, dict):
            return self._damaged(record, line, span)
        kind = record.get("type")
        if not sound and kind != "msg" and not json.is_sound(line, record):
            raise ValueError("to be repaired first")
        if kind == "msg" and _string(record.get("role")) in _ORIGINS:
            return self._message(record, line, span, sound=sound)
        if kind == "meta":
            version = record.get("v")
            if isinstance(version, int | float) and not isinstance(version, bool) and version > clm.VERSION:
                raise InputError(f"{self.name}: written by a newer clm (format version {version}); this reads 1")
            if self.meta is None:
                self.meta = record
                if span.line == 1:
                    self.kept["meta"] = record
                    if clm.dumps(record) != line:
                        self.kept["raw"], extra = _raw(line)
                        self.kept.update(extra)
                    return None
        else:
            self.report.add(Code.UNKNOWN_RECORD, span, _word(kind))
        return _event("state" if kind == "meta" else "unknown", _word(kind), record, line, span)

    def _repaired(self, line: bytes, span: Span) -> Any:
        """What can be read of a line that isn't sound JSON; None where it is damaged, reported."""
        try:
            record = json.loads(line, span, self.report)
        except ValueError:
            self.report.add(Code.LINE_UNREADABLE, span, "damaged JSON")
            return None
        return record

    def _damaged(self, value: Any, line: bytes, span: Span) -> Event:
        if value is not None:
            self.report.add(Code.LINE_NOT_OBJECT, span, "value")
        raw, extra = _raw(line)
        return Event(kind="unknown", name="damaged", raw=raw, span=span, extra=extra)

    def _message(self, record: dict[str, Any], line: bytes, span: Span, *, sound: bool) -> Message:
        role = cast(Role, record["role"])
        content = record.get("content")
        text = content if isinstance(content, str) else None
        blocks: tuple[Block, ...] = ()
        known = {"role", "content", "type"}
        if role == "tool":
            call_id, tool_name = record.get("tool_call_id"), record.get("tool_name")
            known.update(("tool_call_id", "tool_name"))
            blocks = (
                ToolResult(
                    call_id=_string(call_id),
                    content=_result_content(content, "content" in record),
                    tool_name=_string(tool_name),
                    outcome="failed" if text is not None and text.startswith("error: ") else "ok",
                ),
            )
        else:
            if text is not None:
                blocks = (Text(text),)
            elif content is not None:
                blocks = (Unknown("content", content),)
            calls = record.get("tool_calls")
            if role == "assistant" and isinstance(calls, list):
                known.add("tool_calls")
                blocks += tuple(_call(each) for each in calls)
        extra = {} if known.issuperset(record) else {k: v for k, v in record.items() if k not in known}
        origin = _ORIGINS[role]
        if role == "user" and text is not None and (text.startswith(clm.CONTEXT_PREFIX) or clm_notes.is_note(text)):
            origin = "injected"
        message = Message(role=role, origin=origin, blocks=blocks, span=span, extra=extra)
        same = clm.encode(message) == line
        if not same and not sound and not json.is_sound(line, record):
            raise ValueError("to be repaired first")
        if content is not None and text is None:
            self.report.add(Code.BAD_VALUE, span, "content")
        for key in extra:
            self.report.add(Code.UNKNOWN_FIELD, span, _word(key))
        if same:
            return message
        raw, more = _raw(line)
        return Message(role=role, origin=origin, blocks=blocks, span=span, extra=extra | more, raw=raw)


def _call(record: Any) -> Block:
    if not isinstance(record, dict):
        return Unknown("tool_call", record)
    extra = {} if clm.CALL_KEYS.issuperset(record) else {k: v for k, v in record.items() if k not in clm.CALL_KEYS}
    return ToolCall(
        id=_string(record.get("id")),
        name=_string(record.get("name")),
        arguments=_string(record.get("args")),
        extra=extra,
    )


def _result_content(content: Any, present: bool) -> tuple[Text | Unknown, ...]:
    if isinstance(content, str):
        return (Text(content),)
    return (Unknown("content", content),) if present and content is not None else ()


def _event(kind: str, name: str, record: dict[str, Any], line: bytes, span: Span) -> Event:
    if clm.dumps(record) == line:
        return Event(kind=kind, name=name, data=record, span=span)
    raw, extra = _raw(line)
    return Event(kind=kind, name=name, data=record, raw=raw, span=span, extra=extra)


def _raw(line: bytes) -> tuple[str, dict[str, Any]]:
    """The line as valid Unicode that gives its bytes back, and a word on how where that isn't UTF-8."""
    try:
        return line.decode(), {}
    except UnicodeDecodeError:
        return line.decode("latin-1"), {RAW_ENCODING: "latin-1"}


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _word(value: Any) -> str:
    """A type's or a field's name for the report: short, and never content."""
    return value if isinstance(value, str) and value.isidentifier() and len(value) <= 40 else "unnamed"


reader = ClmReader()
