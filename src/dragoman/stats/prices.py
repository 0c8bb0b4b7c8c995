"""What a request costs, by a dated table that a user's file can override. Nothing is guessed."""

from __future__ import annotations

import pkgutil
import re
from datetime import date, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from dragoman.errors import InputError
from dragoman.io.source import read_text
from dragoman.model import Usage


class Earlier(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prices that held before a day, where they differ."""

    before: date
    input: float | UnsetType = UNSET
    output: float | UnsetType = UNSET
    cache_read: float | UnsetType = UNSET
    cache_write_5m: float | UnsetType = UNSET
    cache_write_1h: float | UnsetType = UNSET


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model's prices in US dollars per million tokens, and what multiplies them."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write_5m: float | None = None
    cache_write_1h: float | None = None
    fast: float | None = None
    us: float = 1.0
    above_tokens: int | None = None
    above: float = 1.0
    until: tuple[Earlier, ...] = ()

    def at(self, time: datetime | None) -> Price:
        """The prices of that day. Without a time: today's."""
        if time is not None:
            for earlier in sorted(self.until, key=lambda each: each.before):
                if time.date() < earlier.before:
                    changes = {
                        name: value for name, value in msgspec.structs.asdict(earlier).items() if value is not UNSET
                    }
                    del changes["before"]
                    return msgspec.structs.replace(self, **changes)
        return self


class PriceTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All prices of a day. `date` is when they were looked up."""

    date: date
    batch: float
    web_search_per_1000: float
    models: dict[str, Price] = field(default_factory=dict)

    def cost(self, model: str, usage: Usage, time: datetime | None = None) -> float | None:
        """US dollars for one API message, without the extra iterations of `usage`. None: unknown."""
        if not any((usage.input, usage.output, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h)):
            return usage.web_searches * self.web_search_per_1000 / 1000
        price = self.models.get(plain_name(model))
        if price is None:
            return None
        price = price.at(time)
        factor = 1.0
        if usage.speed == "fast":
            if price.fast is None:
                return None
            factor *= price.fast
        if usage.tier == "batch":
            factor *= self.batch
        elif usage.tier not in ("", "standard"):  # what a priority tier costs is agreed with each customer
            return None
        if usage.region == "us":
            factor *= price.us
        if price.above_tokens is not None and _prompt_tokens(usage) > price.above_tokens:
            factor *= price.above
        read = price.input * 0.1 if price.cache_read is None else price.cache_read
        write_5m = price.input * 1.25 if price.cache_write_5m is None else price.cache_write_5m
        write_1h = price.input * 2 if price.cache_write_1h is None else price.cache_write_1h
        tokens = (
            usage.input * price.input
            + usage.output * price.output
            + usage.cache_read * read
            + usage.cache_write_5m * write_5m
            + usage.cache_write_1h * write_1h
        )
        return tokens * factor / 1e6 + usage.web_searches * self.web_search_per_1000 / 1000


def _prompt_tokens(usage: Usage) -> int:
    """The longest prompt among the requests of this message: a server's tools make several of one."""
    prompts = [
        _number(each.get("input_tokens"))
        + _number(each.get("cache_read_input_tokens"))
        + _number(each.get("cache_creation_input_tokens"))
        for each in usage.iterations
        if isinstance(each, dict) and each.get("type") == "message"
    ]
    if any(prompts):
        return max(prompts)
    return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h


def extra_iterations(model: str, usage: Usage) -> list[tuple[str, Usage]]:
    """Requests that a message's own numbers don't include: (model, usage).

    `message` iterations are included; those of an advisor, a fallback or a compaction (seen since
    2.1.38) are extra, at their own model where they name one.
    """
    found: list[tuple[str, Usage]] = []
    for each in usage.iterations:
        if not isinstance(each, dict) or each.get("type") in (None, "message"):
            continue
        creation = each.get("cache_creation")
        one_hour = _number(creation.get("ephemeral_1h_input_tokens")) if isinstance(creation, dict) else 0
        five_minutes = _number(creation.get("ephemeral_5m_input_tokens")) if isinstance(creation, dict) else 0
        flat = _number(each.get("cache_creation_input_tokens"))
        own = Usage(
            input=_number(each.get("input_tokens")),
            output=_number(each.get("output_tokens")),
            cache_read=_number(each.get("cache_read_input_tokens")),
            cache_write_5m=max(five_minutes, flat - one_hour),
            cache_write_1h=one_hour,
            tier=usage.tier,
            region=usage.region,
            complete=usage.complete,
        )
        name = each.get("model")
        found.append((name if isinstance(name, str) and name else model, own))
    return found


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


_PROVIDER = re.compile(r"^(?:.*/)?(?:[a-z]{2,6}\.)?(?:anthropic\.)?")
_TAIL = re.compile(r"(?:\[[^\]]*\]|@(?:\d{8}|default|latest)|-v\d+(?::\d+)?|-\d{8}|-latest)$")


@lru_cache(maxsize=1024)
def plain_name(model: str) -> str:
    """A model's id without provider, date, deployment version and window: the key of a price table."""
    name = model.strip().lower()
    while (shorter := _TAIL.sub("", name)) != name:
        name = shorter
    start = name.find("claude-")
    return name[start:] if start > 0 and _PROVIDER.fullmatch(name[:start]) else name


@cache  # every session that is written asks for it
def shipped() -> PriceTable:
    """The table that comes with dragoman."""
    data = pkgutil.get_data("dragoman.stats", "prices.toml")  # as importlib.resources does, in a third of its time
    assert data is not None
    return msgspec.toml.decode(data, type=PriceTable)


def load(path: Path | None = None) -> PriceTable:
    """The shipped table, with a user's file over it. InputError, in one line, where that can't be used."""
    table = shipped()
    if path is None:
        return table
    try:
        given = msgspec.toml.decode(read_text(path), type=_Override)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"{path}: no price table ({' '.join(str(error).split())[:200]})") from None
    return PriceTable(
        date=given.date or table.date,
        batch=table.batch if given.batch is None else given.batch,
        web_search_per_1000=table.web_search_per_1000
        if given.web_search_per_1000 is None
        else given.web_search_per_1000,
        models={**table.models, **{plain_name(name): price for name, price in given.models.items()}},
    )


class _Override(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    date: date | None = None
    batch: float | None = None
    web_search_per_1000: float | None = None
    models: dict[str, Price] = field(default_factory=dict)
