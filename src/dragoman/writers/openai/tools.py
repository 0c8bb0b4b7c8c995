"""What a provider demands of a tool call: a name, an id and arguments of its shape; and `tools` seen."""

from __future__ import annotations

import re
from typing import Any

import orjson

from dragoman.model import Header, Span
from dragoman.report import Code, Report

NOTE = "dragoman"
"""The `name` of the system message that says what mapped tool names stand for."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ID = re.compile(r"[\x21-\x7e]{1,40}")


class Names:
    """Tool names as `^[a-zA-Z0-9_-]{1,64}$`: what fits stays, the rest gets a readable name with a hash.

    A name of that shape isn't told from others by looking at it, so `note` says what each stood for,
    in a system message which our reader takes back.
    """

    def __init__(self, names: set[str], report: Report) -> None:
        self._report = report
        self._taken = names
        self._mapped: dict[str, str] = {}
        self._fit = {name for name in names if _NAME.fullmatch(name)}

    def fit(self, name: str, span: Span | None) -> str:
        """The name to write."""
        if name in self._fit:
            return name
        if name not in self._mapped:
            readable = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:55] or "tool"
            number = 0
            while True:
                digest = _digest(f"{name}\0{number}" if number else name, 8)
                if (fitted := f"{readable}_{digest}") not in self._taken:
                    break
                number += 1
            self._taken.add(fitted)
            self._mapped[name] = fitted
        self._report.add(Code.RENAMED_TOOL, span)
        return self._mapped[name]

    def note(self) -> dict[str, Any] | None:
        """The message that records the mapping; None where all names fit."""
        if not self._mapped:
            return None
        names = {fitted: name for name, fitted in self._mapped.items()}
        return {"role": "system", "name": NOTE, "content": orjson.dumps({"tool_names": names}).decode()}


class Ids:
    """Call ids of at most 40 visible ASCII characters, each once."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._taken: set[str] = set()
        self._made: dict[str, int] = {}

    def fit(self, identifier: str, span: Span | None) -> str:
        """A fresh id for a call, its own where that will do."""
        if identifier not in self._taken and _ID.fullmatch(identifier):
            self._taken.add(identifier)
            return identifier
        number = self._made.get(identifier, 0)
        while (fitted := _call_id(identifier, number)) in self._taken:
            number += 1
        self._made[identifier] = number + 1  # so that many copies of an id don't look through all before them
        self._taken.add(fitted)
        self._report.add(Code.RENAMED_ID, span, "a tool call's")
        return fitted


def _call_id(identifier: str, number: int) -> str:
    return "call_" + _digest(f"{identifier}\0{number}", 24)


def _digest(text: str, length: int) -> str:
    import hashlib  # takes 5 ms to import, and is rarely needed

    return hashlib.sha256(text.encode()).hexdigest()[:length]


def fit_arguments(arguments: str, span: Span | None, report: Report) -> str:
    """The JSON text of an object: as it stood, or what it was under the key `input`."""
    if arguments == "{}":
        return arguments
    try:
        value = orjson.loads(arguments)
    except ValueError:
        value = arguments
    if type(value) is dict:
        return arguments
    report.add(Code.BAD_ARGUMENTS, span)
    if not arguments.strip():
        return "{}"
    try:
        return orjson.dumps({"input": value}).decode()
    except TypeError:  # nests deeper than orjson writes
        return orjson.dumps({"input": arguments}).decode()


def custom_input(arguments: str) -> str:
    """The free text of a custom tool's call, which our reader keeps as the argument `input`."""
    value = orjson.loads(arguments)
    text = value.get("input") if len(value) == 1 else None
    return text if isinstance(text, str) else arguments


def tools_seen(messages: list[dict[str, Any]], header: Header) -> list[dict[str, Any]]:
    """`tools` for these messages: those that the session brought along, then what its calls let see."""
    tools = [tool for tool in _brought(header) if _is_tool(tool)] if header.format == "openai" else []
    known = {tool[tool["type"]]["name"] for tool in tools}
    seen: dict[str, dict[str, set[str]]] = {}
    for message in messages:
        for call in message.get("tool_calls", ()):
            name = call[call["type"]]["name"]
            if name in known:
                continue
            if call["type"] == "custom":
                known.add(name)
                tools.append({"type": "custom", "custom": {"name": name}})
            else:
                properties = seen.setdefault(name, {})
                for key, value in orjson.loads(call["function"]["arguments"]).items():
                    properties.setdefault(key, set()).add(_type(value))
    for name, properties in seen.items():
        parameters = {
            "type": "object",
            "properties": {
                key: {"type": next(iter(types)) if len(types) == 1 else sorted(types)}
                for key, types in properties.items()
            },
        }
        tools.append({"type": "function", "function": {"name": name, "parameters": parameters}})
    return tools


def _brought(header: Header) -> list[Any]:
    """The request's own `tools`, and its `functions`, as they were called before."""
    tools, functions = header.extra.get("tools"), header.extra.get("functions")
    brought = list(tools) if isinstance(tools, list) else []
    if isinstance(functions, list):
        brought += ({"type": "function", "function": each} for each in functions)
    return brought


def _is_tool(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    inner = value.get(kind) if isinstance(kind, str) else None
    return kind in ("function", "custom") and isinstance(inner, dict) and isinstance(inner.get("name"), str)


def _type(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
    return "null"
