"""Every string of a conversation, visited once and in order; what a visitor changes is put in its place.

The same walk serves both passes, so no string can be rewritten that wasn't looked at, nor the other way
round. Objects in which nothing changed stay the very same objects.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Container
from itertools import compress
from operator import attrgetter
from typing import Any, Protocol, TypeVar, cast

import msgspec
import orjson
from msgspec import Struct
from msgspec.structs import replace

from dragoman.filters.redact.context import nested
from dragoman.filters.redact.names import classify
from dragoman.model import Event, Media, Message, Session, Span, Subagent, ToolCall

S = TypeVar("S", bound=Struct)

FIXED = frozenset({"role", "origin", "status", "outcome", "error"})
"""Fields that can hold only the model's own words: their types say so. Every other string may hold a transcript's."""

NUMBERS = frozenset(
    {
        "time",
        "duration_ms",
        "withheld",
        "started",
        "ended",
        "bytes",
        "lines",
        "hidden",
        "first_entry",
        "usage_complete",
        "server",
    }
)
"""Fields that hold no string."""

RANDOM = frozenset(
    {
        "signature", "uuid", "parent_id", "id", "request_id", "call_id", "refs", "agent_id", "entry_uuid", "session_id", "about", "branch", "line",
        "parentUuid", "leafUuid", "sessionId", "requestId", "messageId", "tool_use_id", "toolUseID", "toolUseId", "agentId", "promptId", "logicalParentUuid",
        "sourceToolAssistantUUID", "parentToolUseID", "encrypted_content", "encrypted", "thoughtSignature", "encrypted_index", "msg_id", "message_id", "conversation_id",
        "thread_id", "run_id", "event_id", "trace_id", "span_id", "hash", "sha", "sha256", "checksum", "integrity", "backupFileName", "call", "slug", "snapshot_id", "etag", "commit",
    }
)  # fmt: skip
"""Fields that are random by nature: only shapes and known values are looked for in them."""

_TEXTUAL = (
    "text/",
    "application/json",
    "application/xml",
    "application/x-yaml",
    "application/yaml",
    "application/toml",
    "image/svg",
    "application/javascript",
    "message/",
)


class _Every(Container[str]):
    def __contains__(self, _key: object) -> bool:
        return True


EVERY: Container[str] = _Every()
"""All keys, however short."""


class Visitor(Protocol):
    """What the walk asks about each string. Keys of five characters and fewer are shown where they are `short_keys`.

    Of an entry that the visitor `passes_by` no string is shown.
    """

    short_keys: Container[str]

    def text(self, value: str, field: str, random: bool) -> str: ...

    def number(self, value: int, field: str) -> int | str: ...

    def lines(self, values: list[str]) -> None: ...

    def entry(self, span: Span | None, uuid: str) -> None: ...

    def passes_by(self, entry: Message | Event) -> bool: ...


_PLANS: dict[type, tuple[Callable[[Any], tuple[Any, ...]], tuple[tuple[str, bool], ...]]] = {}

_LONG = 10**11
"""Numbers from here on may be a card's or an account's."""

_DEPTH = 100
"""Deeper than this, values are gone through without recursion."""


def _plan(kind: Any) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[tuple[str, bool], ...]]:
    """How to get all fields of a struct that may hold strings, and their names with whether they are random."""
    plan = _PLANS.get(kind)
    if plan is None:
        names = [name for name in kind.__struct_fields__ if name not in FIXED and name not in NUMBERS]
        # With one more name, attrgetter gives a tuple even where there is a single field.
        getter = attrgetter(*names, "__class__")
        plan = _PLANS[kind] = (getter, tuple((name, name in RANDOM) for name in names))
    return plan


def walk(session: Session, visitor: Visitor) -> Session:
    """The session with every string as the visitor gives it back."""
    visitor.entry(_beginning(session), "")
    header = _struct(session.header, visitor)
    entries = _each(session.entries, lambda entry: _entry(entry, visitor))
    agents = _each(session.subagents, lambda agent: _agent(agent, visitor))
    if header is session.header and entries is session.entries and agents is session.subagents:
        return session
    return replace(session, header=header, entries=entries, subagents=agents)


def _beginning(session: Session) -> Span | None:
    """Where a session as a whole is: its file, in no line."""
    files = session.header.files
    if files:
        return Span(files[0].path, 0)
    span = next((entry.span for entry in session.entries if entry.span is not None), None)
    return Span(span.file, 0) if span is not None else None


def _each(items: tuple[Any, ...], change: Callable[[Any], Any]) -> tuple[Any, ...]:
    new = tuple([change(item) for item in items])
    return items if all(a is b for a, b in zip(items, new, strict=True)) else new


def _agent(agent: Subagent, visitor: Visitor) -> Subagent:
    changes: dict[str, Any] = {}
    session = walk(agent.session, visitor)
    if session is not agent.session:
        changes["session"] = session
    visitor.entry(_beginning(agent.session), "")
    getter, names = _plan(Subagent)
    for (name, random), old in zip(names, getter(agent), strict=False):
        if name == "session":
            continue
        new = _value(old, visitor, name, random)
        if new is not old:
            changes[name] = new
    return replace(agent, **changes) if changes else agent


def _entry(entry: Message | Event, visitor: Visitor) -> Message | Event:
    if visitor.passes_by(entry):
        return entry
    visitor.entry(entry.span, entry.uuid)
    new = _struct(entry, visitor, skip="raw")
    raw = entry.raw
    if raw is not None and (new is not entry or visitor.text(raw, "raw", False) != raw):
        # What was read no longer says what is written.
        new = replace(new, raw=None)
    return new


def _struct(value: S, visitor: Visitor, skip: str = "", depth: int = 0) -> S:
    kind = type(value)
    if kind is Media:
        return cast(S, _media(value, visitor))
    changes: dict[str, Any] | None = None
    getter, names = _plan(kind)
    values = getter(value)
    for (name, random), old in compress(zip(names, values, strict=False), values):  # most fields are empty
        if name == skip:
            continue
        sort = type(old)
        if sort is str:
            new: Any = (
                visitor.text(old, name, random)
                if kind is not ToolCall or name != "arguments"
                else _arguments(old, visitor)
            )
        elif sort is int or sort is bool or sort is float:
            continue
        else:
            new = _value(old, visitor, name, random, depth + 1)
        if new is not old:
            if changes is None:
                changes = {}
            changes[name] = new
    return replace(value, **changes) if changes else value


def _media(media: Any, visitor: Visitor) -> Any:
    changes: dict[str, Any] = {}
    for name in ("media_type", "url", "name", "uuid", "extra", "span"):
        old = getattr(media, name)
        if old:
            new = _value(old, visitor, name, name == "uuid")
            if new is not old:
                changes[name] = new
    if media.data:
        new = _payload(media.data, media.media_type, visitor)
        if new is not media.data:
            changes["data"] = new
    return replace(media, **changes) if changes else media


def _payload(data: str, media_type: str, visitor: Visitor) -> str:
    """Base64 of a text is looked at as that text; of anything else, as the random thing it is."""
    if media_type.startswith(_TEXTUAL):
        try:
            plain = base64.b64decode(data, validate=True).decode("utf-8")
        except (binascii.Error, ValueError):
            return visitor.text(data, "data", False)
        new = visitor.text(plain, "data", False)
        return data if new is plain else base64.b64encode(new.encode("utf-8")).decode("ascii")
    return visitor.text(data, "data", True)


def _arguments(text: str, visitor: Visitor) -> str:
    """Arguments are looked at as the text they are; changed ones must still be JSON if they were."""
    new = visitor.text(text, "arguments", False)
    if new is text or new == text:
        return text
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return new
    try:
        if type(orjson.loads(new)) is type(value):
            return new
    except orjson.JSONDecodeError:
        pass
    return msgspec.json.encode(_value(value, visitor, "arguments", False)).decode("utf-8")


def _value(value: Any, visitor: Visitor, field: str, random: bool, depth: int = 0) -> Any:
    kind = type(value)
    if kind is str:
        return visitor.text(value, field, random)
    if kind is int:
        return visitor.number(value, field) if value >= _LONG else value
    if depth > _DEPTH:
        return _deep(value, visitor)
    if kind is dict:
        return _dict(value, visitor, field, random, depth)
    if kind is list or kind is tuple:
        if len(value) > 1 and not random and all(type(each) is str for each in value):
            visitor.lines(list(value))
        new = [_value(each, visitor, field, random, depth + 1) for each in value]
        if all(a is b for a, b in zip(value, new, strict=True)):
            return value
        return new if kind is list else tuple(new)
    if isinstance(value, Struct):
        return _struct(value, visitor, "", depth)
    return value


def _deep(value: Any, visitor: Visitor) -> Any:
    """The same without recursion, for values nested beyond reason; a copy where anything changed."""
    holder: list[Any] = [value]
    stack: list[tuple[Any, Any]] = [(holder, 0)]
    changed = False
    while stack:
        container, key = stack.pop()
        held = container[key]
        if type(held) is str:
            new = visitor.text(held, key if type(key) is str else "", key in RANDOM)
            if new is not held:
                changed = True
                container[key] = new
        elif type(held) is int and held >= _LONG:
            number = visitor.number(held, key if type(key) is str else "")
            changed = changed or number is not held
            container[key] = number
        elif type(held) is dict:
            copy: dict[Any, Any] = {}
            for name, inner in held.items():
                new_name = visitor.text(name, "", False) if type(name) is str else name
                changed = changed or new_name is not name
                while new_name in copy:
                    new_name = f"{new_name}'"
                copy[new_name] = inner
            container[key] = copy
            stack.extend((copy, name) for name in copy)
        elif type(held) is list:
            container[key] = copied = list(held)
            stack.extend((copied, index) for index in range(len(copied)))
    return holder[0] if changed else value


def _field(key: Any, named: str, above: str) -> str:
    """By which name to judge what a key holds: the one that stands beside it, the one above it, or the key's own."""
    if type(key) is not str:
        return ""
    if named and key in ("value", "Value"):
        return named
    return nested.heir(above, key) if above else key


def _dict(value: dict[Any, Any], visitor: Visitor, field: str, random: bool, depth: int) -> dict[Any, Any]:
    new: dict[Any, Any] = {}
    short = visitor.short_keys
    changed = False
    coded = isinstance(value.get("data"), str) and (
        "media_type" in value or value.get("type") == "base64" or "mimeType" in value
    )
    named = ""
    if "value" in value or "Value" in value:
        name = value.get("name") or value.get("key") or value.get("Name") or value.get("Key")
        if isinstance(name, str) and len(name) < 100 and classify(name) is not None:
            named = name
    above = field if field and nested.named(field) is not None else ""
    for key, old in value.items():
        new_key = visitor.text(key, "", False) if type(key) is str and (len(key) > 5 or key in short) else key
        if old is None or old is True or old is False:
            held: Any = old
        elif coded and key == "data":
            held = _payload(old, str(value.get("media_type") or value.get("mimeType") or ""), visitor)
        else:
            held = _value(
                old,
                visitor,
                _field(key, named, above),
                random or (key in RANDOM and type(old) is str),
                depth + 1,
            )
        if new_key is not key or held is not old:
            changed = True
        while new_key in new:
            new_key = f"{new_key}'"
        new[new_key] = held
    return new if changed else value
