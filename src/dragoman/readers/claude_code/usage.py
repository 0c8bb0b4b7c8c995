"""Tokens of an API message, from any of its lines."""

from __future__ import annotations

from typing import Any

from dragoman.model import Usage
from dragoman.readers.claude_code.fields import integer, string
from dragoman.readers.claude_code.vocabulary import USAGE

_WORDS = ("service_tier", "speed", "inference_geo")
_WORD_OR_NONE = frozenset((str, type(None)))


def rest_of(usage: dict[str, Any]) -> dict[str, Any]:
    """What the neutral form has no place for: fields that nobody knows, and words that are none."""
    get = usage.get
    if USAGE.issuperset(usage) and _WORD_OR_NONE.issuperset(map(type, map(get, _WORDS))):
        return {}
    return {
        field: value
        for field, value in usage.items()
        if field not in USAGE or (field in _WORDS and type(value) not in _WORD_OR_NONE)
    }


def usage_of(usage: dict[str, Any], *, complete: bool, cost_usd: float | None = None) -> Usage:
    """The neutral form of a line's `usage`. `complete`: the line has a stop reason."""
    get = usage.get
    creation, details, server = get("cache_creation"), get("output_tokens_details"), get("server_tool_use")
    five = hour = searches = fetches = 0
    if type(creation) is dict:
        five = integer(creation.get("ephemeral_5m_input_tokens"))
        hour = integer(creation.get("ephemeral_1h_input_tokens"))
    if type(server) is dict:
        searches = integer(server.get("web_search_requests"))
        fetches = integer(server.get("web_fetch_requests"))
    # The flat number was 0 beside a filled object until 2.1.152, and stands alone before 1.0.98.
    flat = integer(get("cache_creation_input_tokens")) - five - hour
    if flat > 0:
        five += flat
    iterations = get("iterations")
    kept: tuple[Any, ...] = ()
    if type(iterations) is list and any(type(each) is dict and each.get("type") != "message" for each in iterations):
        kept = tuple(iterations)  # those of type "message" are in the totals already
    return Usage(
        input=integer(get("input_tokens")),
        output=integer(get("output_tokens")),
        cache_read=integer(get("cache_read_input_tokens")),
        cache_write_5m=five,
        cache_write_1h=hour,
        reasoning=integer(details.get("thinking_tokens")) if type(details) is dict else 0,
        tier=string(get("service_tier")),
        speed=string(get("speed")),
        region=string(get("inference_geo")),
        web_searches=searches,
        web_fetches=fetches,
        iterations=kept,
        cost_usd=cost_usd,
        complete=complete,
    )
