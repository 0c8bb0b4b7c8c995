"""The neutral conversation as JSON: its codec, its schema, and what lets versions meet.

A document is `{"dragoman": {"major": 1, "minor": 0}, "header": {…}, "entries": […], "subagents": […]}`.
msgspec writes it and reads it typed. Typed reading alone would raise on a tag and drop a field that
this version doesn't know, so `admit` first moves both out of its way: an unknown tag becomes an
`Unknown` block or an `Event` of kind "unknown", an unknown field goes to the nearest `extra`, under
`CARRIED`, with a JSON pointer that says where it stood. `encode` puts them back there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, get_args

import msgspec
from msgspec import Struct

from dragoman import model
from dragoman.errors import InputError, OutputError
from dragoman.model import Header, Session, Span
from dragoman.report import Code, Report

CARRIED = "dragoman:carried"
"""The key in an `extra` that holds what a newer version said: JSON pointer from the extra's owner → value.

The pointer "" stands for the whole object: it is the owner's `data` (an event) or `value` (a block).
The pointers of a header start at its session.
"""

_PART = 64
"""Entries that are made into bytes at a time."""

_DEEP = 6_000
"""Recursion allowed while (en)coding: JSON may nest as deep as any reader lets it through."""


class Version(Struct, frozen=True):
    """Which form a document has. Another major can't be read; another minor can."""

    major: int
    minor: int


class Document(Struct, frozen=True, omit_defaults=True):
    """A session as a document of its own."""

    dragoman: Version
    header: Header
    entries: tuple[model.Entry, ...] = ()
    subagents: tuple[model.Subagent, ...] = ()


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a document, made by msgspec from the model."""
    made = msgspec.json.schema(Document)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A conversation in dragoman's neutral form, version {model.MAJOR}.{model.MINOR}",
        **made,
    }


# --- writing ---------------------------------------------------------------------------------------


def encode(session: Session) -> bytes:
    """One compact document. OutputError where a value can't be JSON."""
    return b"".join(encode_parts(session))


def encode_parts(session: Session) -> Iterator[bytes]:
    """One compact document a part at a time: the whole would be the biggest thing in memory."""
    document = Document(dragoman=Version(model.MAJOR, model.MINOR), header=session.header)
    if _carries(session):
        yield _json(msgspec.structs.replace(document, entries=session.entries, subagents=session.subagents), carry=True)
        return
    yield _json(document)[:-1]
    for name, values in (("entries", session.entries), ("subagents", session.subagents)):
        if values:
            yield f',"{name}":['.encode()
            for start in range(0, len(values), _PART):
                if start:
                    yield b","
                yield _json(values[start : start + _PART])[1:-1]
            yield b"]"
    yield b"}"


def _json(value: Any, *, carry: bool = False) -> bytes:
    try:
        with _deep():
            if carry:
                value = msgspec.to_builtins(value)
                _put_back(value)
            return msgspec.json.encode(value)
    except (UnicodeEncodeError, TypeError, OverflowError, RecursionError) as error:
        raise OutputError(f"this conversation can't be written as JSON ({_one_line(error)})") from None


def _carries(session: Session) -> bool:
    for each, owner in model.walk(session):
        if CARRIED in each.header.extra or (owner is not None and CARRIED in owner.extra):
            return True
        for entry in each.entries:
            if CARRIED in entry.extra:
                return True
            if isinstance(entry, model.Message):
                for block in entry.blocks:
                    if CARRIED in block.extra:
                        return True
                    if isinstance(block, model.ToolResult) and any(CARRIED in part.extra for part in block.content):
                        return True
    return False


def _put_back(document: dict[str, Any]) -> None:
    """Everything that was carried goes where it stood, in every session of the tree."""
    stack = [document]
    while stack:
        session = stack.pop()
        subagents = session.get("subagents", ())
        stack.extend(agent["session"] for agent in subagents)
        session["entries"] = [_restored(entry, "data") for entry in session.get("entries", ())]
        session["subagents"] = [_restored(agent, "data") for agent in subagents]
        for key in ("entries", "subagents"):
            if not session[key]:
                del session[key]
        carried = _take(session["header"])
        for pointer, value in carried.items():
            _set(session, pointer, value)


def _restored(value: dict[str, Any], whole: str) -> Any:
    for key in ("blocks", "content"):
        if key in value:
            value[key] = [_restored(block, "value") for block in value[key]]
    carried = _take(value)
    if "" in carried and whole in value:
        return value[whole]
    for pointer, each in carried.items():
        _set(value, pointer, each)
    return value


def _take(owner: dict[str, Any]) -> Mapping[str, Any]:
    carried = owner.get("extra", {}).pop(CARRIED, None)
    if carried is not None and not owner["extra"]:
        del owner["extra"]
    return carried if isinstance(carried, dict) else {}


def _set(root: Any, pointer: str, value: Any) -> None:
    """Set what a JSON pointer names. Where a filter took its surroundings away, it is gone with them."""
    if not pointer.startswith("/"):
        return
    *way, last = (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
    current = root
    for part in way:
        if isinstance(current, dict) and part in current:
            current = current[part]
        elif isinstance(current, list | tuple) and part.isdecimal() and int(part) < len(current):
            current = current[int(part)]
        elif isinstance(current, dict) and part == "extra":  # went away with the last of what it carried
            current[part] = current = {}
        else:
            return
    if isinstance(current, dict):
        current[last] = value


# --- reading ---------------------------------------------------------------------------------------


def decode(value: Any, span: Span, report: Report) -> Session:
    """A session from one decoded document, which is used up.

    InputError, in one line, where it is no such document or one of another major version.
    """
    place = f"{span.file}:{span.line}" if span.line else span.file
    if not isinstance(value, dict) or not isinstance(value.get("dragoman"), dict):
        raise InputError(f'{place}: no neutral conversation (it has no "dragoman" version)')
    try:
        version = msgspec.convert(value["dragoman"], Version)
    except msgspec.ValidationError as error:
        raise InputError(f"{place}: its version can't be read ({_one_line(error)})") from None
    if version.major != model.MAJOR or version.minor < 0:
        raise InputError(
            f"{place}: this is version {version.major}.{version.minor} of the neutral form; "
            f"this dragoman reads {model.MAJOR}.x"
        )
    newer = version.minor > model.MINOR
    if newer:
        report.add(Code.NEWER_VERSION, span, f"{version.major}.{version.minor}")
    try:
        with _deep():
            _Admission(span, report, newer).document(value)
            document = msgspec.convert(value, Document)
    except msgspec.ValidationError as error:
        raise InputError(f"{place}: not a sound conversation ({_one_line(error)})") from None
    except RecursionError:
        raise InputError(f"{place}: not a sound conversation (it nests too deep)") from None
    return Session(header=document.header, entries=document.entries, subagents=document.subagents)


_STRUCTS: dict[str, type[Struct]] = {
    "message": model.Message,
    "event": model.Event,
    "text": model.Text,
    "reasoning": model.Reasoning,
    "tool_call": model.ToolCall,
    "tool_result": model.ToolResult,
    "media": model.Media,
    "unknown": model.Unknown,
}
_UNTAGGED: tuple[type[Struct], ...] = (
    Document,
    Version,
    Session,
    Header,
    model.Subagent,
    model.AgentLink,
    model.Parent,
    model.SourceFile,
    model.Usage,
    Span,
)
_KNOWN = {struct: frozenset(struct.__struct_encode_fields__) for struct in (*_UNTAGGED, *_STRUCTS.values())}
_KNOWN.update({struct: _KNOWN[struct] | {"type"} for struct in _STRUCTS.values()})

_ENTRIES = frozenset({"message", "event"})
_PARTS = frozenset({"text", "media", "unknown"})
_BLOCKS = frozenset(_STRUCTS) - _ENTRIES

_ORIGINS: dict[str, model.Origin] = {
    "system": "instructions",
    "user": "injected",
    "assistant": "reply",
    "tool": "result",
}
"""What a message's origin is taken for where a newer version has a finer word."""

_STAND_IN: dict[str, tuple[frozenset[str], Any]] = {
    "status": (frozenset(get_args(model.Status)), "live"),
    "error": (frozenset(("yes", "no", "unsaid")), "unsaid"),
    "outcome": (frozenset(get_args(model.Outcome)), "ok"),
}
"""Fields whose words may grow in a newer version: those of this one, and what stands in for others."""


class _Admission:
    """Moves what this version doesn't know out of the way of typed decoding, in place."""

    def __init__(self, span: Span, report: Report, newer: bool) -> None:
        self.span = span
        self.report = report
        self.newer = newer

    def document(self, value: dict[str, Any]) -> None:
        carried: dict[str, Any] = {}
        if self.newer:
            carried["/dragoman/minor"] = value["dragoman"]["minor"]
        self.plain(value["dragoman"], Version, "/dragoman", carried)
        self.session(value, Document, carried)
        stack = [value]
        while stack:
            for agent in _objects(stack.pop().get("subagents")):
                self.subagent(agent)
                session = agent.get("session")
                if isinstance(session, dict):
                    self.session(session, Session, {})
                    stack.append(session)

    def session(self, value: dict[str, Any], struct: type[Struct], carried: dict[str, Any]) -> None:
        self.plain(value, struct, "", carried)
        header = value.get("header")
        if isinstance(header, dict):
            self.plain(header, Header, "/header", carried)
            self.times(header, "started", "ended")
            if isinstance(header.get("parent"), dict):
                self.plain(header["parent"], model.Parent, "/header/parent", carried)
            for index, file in enumerate(_objects(header.get("files"))):
                self.plain(file, model.SourceFile, f"/header/files/{index}", carried)
            self.carry(header, carried, "/header")
        entries = value.get("entries")
        if isinstance(entries, list):
            for index, entry in enumerate(entries):
                if isinstance(entry, dict):
                    entries[index] = self.entry(entry)

    def subagent(self, value: dict[str, Any]) -> None:
        carried: dict[str, Any] = {}
        self.plain(value, model.Subagent, "", carried)
        for index, link in enumerate(_objects(value.get("links"))):
            self.plain(link, model.AgentLink, f"/links/{index}", carried)
        self.carry(value, carried)

    def entry(self, value: dict[str, Any]) -> dict[str, Any]:
        tag = value.get("type")
        if not isinstance(tag, str):
            return value
        if tag not in _ENTRIES or (self.newer and tag == "message" and value.get("role") not in _ORIGINS):
            self.report.add(Code.UNKNOWN_RECORD, self.span, _shown(tag))
            return {"type": "event", "kind": "unknown", "name": tag, "data": value, "extra": {CARRIED: {"": True}}}
        carried = self.line(value, _STRUCTS[tag])
        if tag == "message":
            if isinstance(value.get("usage"), dict):
                self.plain(value["usage"], model.Usage, "/usage", carried)
            if self.newer and value.get("origin") not in get_args(model.Origin):
                self.substitute(value, "origin", _ORIGINS[value["role"]], carried)
            self.blocks(value.get("blocks"), _BLOCKS)
        self.carry(value, carried)
        return value

    def blocks(self, blocks: Any, allowed: frozenset[str]) -> None:
        if not isinstance(blocks, list):
            return
        for index, block in enumerate(blocks):
            tag = block.get("type") if isinstance(block, dict) else None
            if not isinstance(tag, str):
                continue
            if tag not in allowed:
                self.report.add(Code.UNKNOWN_BLOCK, self.span, _shown(tag))
                blocks[index] = {"type": "unknown", "kind": tag, "value": block, "extra": {CARRIED: {"": True}}}
                continue
            carried = self.line(block, _STRUCTS[tag])
            if tag == "tool_result":
                self.blocks(block.get("content"), _PARTS)
            self.carry(block, carried)

    def line(self, value: dict[str, Any], struct: type[Struct]) -> dict[str, Any]:
        """What messages, events and blocks have in common."""
        carried: dict[str, Any] = {}
        self.plain(value, struct, "", carried)
        self.times(value, "time")
        if isinstance(value.get("span"), dict):
            self.plain(value["span"], Span, "/span", carried)
        if self.newer:
            for name in _STAND_IN.keys() & value.keys():
                known, instead = _STAND_IN[name]
                if isinstance(value[name], str) and value[name] not in known:
                    self.substitute(value, name, instead, carried)
        return carried

    def plain(self, value: dict[str, Any], struct: type[Struct], pointer: str, carried: dict[str, Any]) -> None:
        """Take the fields out that `struct` hasn't got."""
        if value.keys() <= _KNOWN[struct]:
            return
        for key in [key for key in value if key not in _KNOWN[struct]]:
            carried[f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"] = value.pop(key)
            self.report.add(Code.UNKNOWN_FIELD, self.span, f"{struct.__name__}.{_shown(key)}")

    def substitute(self, value: dict[str, Any], name: str, instead: str, carried: dict[str, Any]) -> None:
        if name in value:
            carried[f"/{name}"] = value[name]
            value[name] = instead
            self.report.add(Code.UNKNOWN_FIELD, self.span, f"a new word for {name}")

    def carry(self, owner: dict[str, Any], carried: dict[str, Any], prefix: str = "") -> None:
        extra = owner.get("extra", {})
        if not isinstance(extra, dict):
            return
        if CARRIED in extra:  # not ours: ours never stands in a document
            carried[f"{prefix}/extra/{CARRIED}"] = extra.pop(CARRIED)
        if carried:
            owner["extra"] = {**extra, CARRIED: carried}

    def times(self, value: dict[str, Any], *names: str) -> None:
        """A time without a zone is taken for UTC: the model has no naive ones."""
        for name in names:
            time = value.get(name)
            if isinstance(time, str) and not (time[-1:] in "Zz" or time[-6:-5] in "+-" or time[-5:-4] in "+-"):
                value[name] = time + "Z"
                self.report.add(Code.BAD_VALUE, self.span, f"{name} (without a zone)")


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _shown(name: str) -> str:
    """A tag or a field's name in the report, unless it looks like content."""
    plain = len(name) <= 60 and name.isascii() and name.replace("-", "_").isidentifier()
    return name if plain else "(a name that isn't shown)"


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else text[:199] + "…"


@contextmanager
def _deep() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
