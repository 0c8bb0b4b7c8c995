"""Tokens of an API message, from any of its lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert

from dragoman.model import Usage
from dragoman.readers.claude_code.fields import BELIEVABLE, integer, is_count, string
from dragoman.readers.claude_code.reading import Reading
from dragoman.readers.claude_code.vocabulary import USAGE, USAGE_PARTS

_WORDS = ("service_tier", "speed", "inference_geo")
_WORD_OR_NONE = frozenset((str, type(None)))
_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")

_Count = Annotated[int, Meta(ge=0, lt=BELIEVABLE)]


class _Creation(Struct, forbid_unknown_fields=True):
    ephemeral_5m_input_tokens: _Count = 0
    ephemeral_1h_input_tokens: _Count = 0


class _Details(Struct, forbid_unknown_fields=True):
    thinking_tokens: _Count = 0


class _Server(Struct, forbid_unknown_fields=True):
    web_search_requests: _Count = 0
    web_fetch_requests: _Count = 0


_CREATION, _DETAILS, _SERVER = _Creation(), _Details(), _Server()


class _Written(Struct, forbid_unknown_fields=True):
    """A line's `usage` as Claude Code writes it: all is there that is known, and nothing else."""

    input_tokens: _Count = 0
    output_tokens: _Count = 0
    cache_read_input_tokens: _Count = 0
    cache_creation_input_tokens: _Count = 0
    cache_creation: _Creation | None = None
    output_tokens_details: _Details | None = None
    server_tool_use: _Server | None = None
    service_tier: str | None = None
    speed: str | None = None
    inference_geo: str | None = None
    iterations: list[Any] | None = None


def usage_of(usage: dict[str, Any]) -> tuple[Usage, dict[str, Any]]:
    """The neutral form of a line's `usage`, and what that has no place for, as it stood: fields that nobody knows,
    numbers and words that are none."""
    try:
        written = convert(usage, _Written)  # nearly always; in one step it takes a third of the time
    except ValidationError:
        return _read(usage), _rest_of(usage)
    iterations = written.iterations or ()
    for each in iterations:
        if type(each) is not dict:
            return _read(usage), _rest_of(usage)
    creation = written.cache_creation or _CREATION
    server = written.server_tool_use or _SERVER
    found = Usage(
        input=written.input_tokens,
        output=written.output_tokens,
        cache_read=written.cache_read_input_tokens,
        cache_write_5m=_five(
            written.cache_creation_input_tokens,
            creation.ephemeral_5m_input_tokens,
            creation.ephemeral_1h_input_tokens,
        ),
        cache_write_1h=creation.ephemeral_1h_input_tokens,
        reasoning=(written.output_tokens_details or _DETAILS).thinking_tokens,
        tier=written.service_tier or "",
        speed=written.speed or "",
        region=written.inference_geo or "",
        web_searches=server.web_search_requests,
        web_fetches=server.web_fetch_requests,
        iterations=_iterations(iterations) if iterations else (),
    )
    return found, {}


def report_unplaced(unplaced: dict[str, Any], reading: Reading) -> None:
    """Report what `usage_of` found no place for, each field by its name."""
    for field, value in unplaced.items():
        parts = USAGE_PARTS.get(field)
        if parts is not None and type(value) is dict:
            for part in value:
                _report(f"usage.{field}", part, parts, reading)
        else:
            _report("usage", field, USAGE, reading)


def _report(owner: str, field: str, known: frozenset[str], reading: Reading) -> None:
    if field in known:
        reading.bad(f"{owner}.{field}")
    else:
        reading.unknown_field(owner, field)


def _rest_of(usage: dict[str, Any]) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for field, value in usage.items():
        parts = USAGE_PARTS.get(field)
        if parts is not None and type(value) is dict:
            odd = {part: each for part, each in value.items() if part not in parts or not is_count(each)}
            if odd:
                rest[field] = odd
        elif not _has_place(field, value):
            rest[field] = value
    return rest


def _has_place(field: str, value: Any) -> bool:
    if field in _COUNTS:
        return is_count(value)
    if field in _WORDS:
        return type(value) in _WORD_OR_NONE
    if field == "iterations" and type(value) is list:
        return all(type(each) is dict for each in value)
    return value is None and field in USAGE


def _read(usage: dict[str, Any]) -> Usage:
    """The same from a `usage` that may hold anything."""
    get = usage.get
    creation, details, server = get("cache_creation"), get("output_tokens_details"), get("server_tool_use")
    five = hour = searches = fetches = 0
    if type(creation) is dict:
        five = integer(creation.get("ephemeral_5m_input_tokens"))
        hour = integer(creation.get("ephemeral_1h_input_tokens"))
    if type(server) is dict:
        searches = integer(server.get("web_search_requests"))
        fetches = integer(server.get("web_fetch_requests"))
    iterations = get("iterations")
    return Usage(
        input=integer(get("input_tokens")),
        output=integer(get("output_tokens")),
        cache_read=integer(get("cache_read_input_tokens")),
        cache_write_5m=_five(integer(get("cache_creation_input_tokens")), five, hour),
        cache_write_1h=hour,
        reasoning=integer(details.get("thinking_tokens")) if type(details) is dict else 0,
        tier=string(get("service_tier")),
        speed=string(get("speed")),
        region=string(get("inference_geo")),
        web_searches=searches,
        web_fetches=fetches,
        iterations=_iterations(iterations) if type(iterations) is list else (),
    )


def _five(flat: int, five: int, hour: int) -> int:
    """Tokens kept for five minutes. The flat number was 0 beside a filled object until 2.1.152, and stands alone before 1.0.98."""
    return five + max(0, flat - five - hour)


def _iterations(iterations: Iterable[Any]) -> tuple[Any, ...]:
    """Those of type "message" are in the totals already."""
    if any(type(each) is dict and each.get("type") != "message" for each in iterations):
        return tuple(each for each in iterations if type(each) is dict)
    return ()
