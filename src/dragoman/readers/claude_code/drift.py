"""What a source holds that this version does not know: names and counts, never a value.

Everything that is told is safe to paste into a public issue. A name is told only where it stands for
the format (no map with free keys is looked into) and is made like a word of it; places are a version
and a line, without a path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from dragoman.errors import InputError
from dragoman.io.source import Source
from dragoman.readers.claude_code.documents import Records
from dragoman.readers.claude_code.fields import string
from dragoman.readers.claude_code.known_fields import LINE, PROGRESS, RECORDS, SYSTEM
from dragoman.readers.claude_code.layout import bundles
from dragoman.readers.claude_code.vocabulary import (
    ATTACHMENT_TYPES,
    BLOCK_FIELDS,
    CONVERSATION,
    MESSAGE_CARRIED,
    MESSAGE_USED,
    PROGRESS_TYPES,
    RECORD_KINDS,
    SUBTYPE_KINDS,
    USAGE,
    USAGE_PARTS,
)
from dragoman.report import Report

HIDDEN = "(name not shown)"

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*")
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,5}")
_LONGEST = 40
_MOST_DIGITS = 3


class Drift(Struct, frozen=True):
    """Something unknown. `what` says what kind of thing; `name` is its name, or says that it isn't shown."""

    what: str
    name: str
    count: int
    version: str
    """The version that the line of the first one names; empty where it names none."""
    line: int


class Drifts:
    """Collects what is unknown, and how much was looked at."""

    def __init__(self) -> None:
        self.files = 0
        self.records = 0
        self._found: dict[tuple[str, str], tuple[int, str, int]] = {}

    def look_at(self, source: Source, passed_over: Callable[[Path], bool]) -> None:
        """Look at every file of a source but those `passed_over`, and those that can't be read."""
        report = Report()
        for bundle in bundles(source, report):
            paths = ([bundle.main] if bundle.main is not None else []) + [agent.path for agent in bundle.agents]
            for path in paths:
                if passed_over(path):
                    continue
                self.files += 1
                try:
                    for line, record in Records(path, "", report):
                        self.records += 1
                        for what, name in unknown_in(record):
                            self._add(what, name, record, line)
                except InputError:
                    continue

    def _add(self, what: str, name: str, record: dict[str, Any], line: int) -> None:
        key = (what, shown(name))
        count, version, first = self._found.get(key, (0, "", 0))
        if not count:
            told = record.get("version")
            match = _VERSION.match(told) if type(told) is str else None
            version, first = match[0] if match else "", line
        self._found[key] = (count + 1, version, first)

    @property
    def found(self) -> list[Drift]:
        """Everything unknown, kinds together, the most frequent first."""
        drifts = [Drift(what, name, *rest) for (what, name), rest in self._found.items()]
        return sorted(drifts, key=lambda each: (each.what, -each.count, each.name))


def shown(name: object) -> str:
    """A name as it may be told to anybody."""
    if name is None:
        return "(none)"
    if type(name) is not str:
        return HIDDEN
    if name.startswith("mcp__"):
        return "mcp__…"
    digits = sum(each.isdigit() for each in name)
    if len(name) > _LONGEST or digits > _MOST_DIGITS or _WORD.fullmatch(name) is None:
        return HIDDEN
    return name


def unknown_in(record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every unknown thing of a record: what it is, and its name as it stands."""
    kind = record.get("type")
    if type(kind) is not str:
        yield "record type", kind
        return
    if kind not in CONVERSATION and kind not in RECORD_KINDS:
        yield "record type", kind
        return
    if kind in ("user", "assistant"):
        yield from _fields(f"field of {kind} lines", record, LINE)
        yield from _message(record.get("message"))
    elif kind == "system":
        subtype = record.get("subtype")
        if subtype is not None and string(subtype) not in SUBTYPE_KINDS:
            yield "system subtype", subtype
        yield from _fields("field of system lines", record, LINE | SYSTEM)
    elif kind == "attachment":
        attachment = record.get("attachment")
        name = attachment.get("type") if type(attachment) is dict else None
        if string(name) not in ATTACHMENT_TYPES and not string(name).startswith(("hook_", "tool_hosts_")):
            yield "attachment type", name
        yield from _fields("field of attachment lines", record, LINE)
    elif kind == "progress":
        data = record.get("data")
        if type(data) is dict:
            if string(data.get("type")) not in PROGRESS_TYPES:
                yield "progress type", data.get("type")
            else:
                yield from _fields("field of progress data", data, PROGRESS)
        yield from _fields("field of progress lines", record, LINE)
    elif kind in RECORDS:
        yield from _fields(f"field of {kind} lines", record, RECORDS[kind] | LINE)


def _fields(what: str, value: dict[str, Any], known: frozenset[str]) -> Iterator[tuple[str, Any]]:
    for field in value:
        if field not in known:
            yield what, field


def _message(message: Any) -> Iterator[tuple[str, Any]]:
    if type(message) is not dict:
        return
    yield from _fields("field of messages", message, MESSAGE_USED | MESSAGE_CARRIED)
    usage, content = message.get("usage"), message.get("content")
    if type(usage) is dict:
        yield from _fields("field of usage", usage, USAGE)
        for field, parts in USAGE_PARTS.items():
            if type(value := usage.get(field)) is dict:
                yield from _fields(f"field of usage.{field}", value, parts)
    if type(content) is list:
        for block in content:
            yield from _block(block)


def _block(block: Any) -> Iterator[tuple[str, Any]]:
    if type(block) is not dict:
        return
    kind = block.get("type")
    known = BLOCK_FIELDS.get(kind) if type(kind) is str else None
    if known is None:
        yield "block type", kind
        return
    yield from _fields(f"field of {kind} blocks", block, known)
    if kind == "tool_result" and type(block.get("content")) is list:
        for inner in block["content"]:
            yield from _block(inner)
