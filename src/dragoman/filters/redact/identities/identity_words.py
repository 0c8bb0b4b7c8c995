"""What the search for people and machines knows beforehand: rules/identities.toml, and when a name is a word of its own."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from msgspec import Struct

_ESCAPE_BEFORE = re.compile(r"(?:\\[abefnrtv]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\[[0-9;]{0,12}m)\Z")
"""What ends with a letter or digit and yet is no part of the word after it."""


class Lists(Struct, frozen=True):
    """The lists of rules/identities.toml; their meaning stands there."""

    accounts: frozenset[str]
    common_words: frozenset[str]
    not_people: frozenset[str]
    roles: frozenset[str]
    not_domains: frozenset[str]
    public_hosts: frozenset[str]
    platforms: frozenset[str]
    platform_services: frozenset[str]
    own_words: frozenset[str]


@cache
def lists() -> Lists:
    """The lists, read once."""
    text = files("dragoman.filters.redact").joinpath("rules/identities.toml").read_text("utf-8")
    return Lists(**{name: frozenset(words.split()) for name, words in tomllib.loads(text).items()})


@cache
def _ordinary() -> frozenset[str]:
    known = lists()
    return known.accounts | known.common_words | known.own_words


def telling(name: str) -> bool:
    """Whether a name says who is meant wherever it stands: four characters or more, no common word, no account."""
    return len(name) >= 4 and not name.isdigit() and name.lower() not in _ordinary()


def in_word(character: str) -> bool:
    """Whether a word goes on with the character. Scripts without spaces between words don't go on with a name."""
    return character.isalnum() and character < "\u2e80"


def whole(text: str, start: int, end: int) -> bool:
    """Whether start to end is a word by itself, not a part of one. What an escape ends with (`\\n`, `%2F`) is outside."""
    if end < len(text) and in_word(text[end]):
        return False
    return not start or not in_word(text[start - 1]) or after_escape(text, start)


def after_escape(text: str, start: int) -> bool:
    """Whether the characters just before are an escape's: `\\n`, `\\u0041`, `%2F`, a terminal's colour."""
    return _ESCAPE_BEFORE.search(text[max(0, start - 16) : start]) is not None
