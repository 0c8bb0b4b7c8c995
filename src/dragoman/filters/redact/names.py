"""What a name says of its value: is `DB_PASSWORD`, `x-api-key` or `clientSecret` the name of a secret?

The words stand in rules/words.toml. A name is cut into its words; what counts is the last one that
isn't mere decoration (`_PROD`, `_2`, `Value`), and for keys the one before it.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, TypeAlias

from msgspec import Struct

Sort: TypeAlias = Literal["password", "secret", "token", "key", "weak-key", "credential", "auth", "cookie", "url"]


class Name(Struct, frozen=True):
    """A secret's name. `sort` decides how its value is judged, `kind` is the word in the placeholder."""

    sort: Sort
    kind: str


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    """The vocabulary of rules/words.toml."""

    passwords: frozenset[str]
    password_endings: tuple[str, ...]
    not_passwords: frozenset[str]
    secrets: frozenset[str]
    secret_endings: tuple[str, ...]
    tokens: frozenset[str]
    token_endings: tuple[str, ...]
    credentials: frozenset[str]
    auths: frozenset[str]
    cookies: frozenset[str]
    urls: frozenset[str]
    key_owners: frozenset[str]
    key_endings: tuple[str, ...]
    plain_keys: frozenset[str]
    decoration: frozenset[str]
    plain_tokens: frozenset[str]
    common_passwords: frozenset[str]
    placeholder_words: frozenset[str]
    common_users: frozenset[str]
    cues: tuple[str, ...]
    said_after: tuple[str, ...]
    commented: tuple[str, ...]


@cache
def words() -> Words:
    """The vocabulary, read once."""
    import msgspec

    text = files("dragoman.filters.redact").joinpath("rules/words.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Words)


_CUT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_LETTERS = re.compile(r"[^\W\d_]+|\d+")


def cut(name: str) -> list[str]:
    """The words of a name in lower case: `clientSecret2` is client, secret, 2."""
    if not name.isascii():
        return [word.lower() for word in _LETTERS.findall(name)]
    return [word.lower() for word in _CUT.findall(name)]


@lru_cache(maxsize=65536)
def classify(name: str) -> Name | None:
    """What `name` says of its value, or None where it isn't the name of a secret."""
    vocabulary = words()
    parts = cut(name)
    while parts and (parts[-1] in vocabulary.decoration or parts[-1].isdigit()) and len(parts) > 1:
        parts.pop()
    if not parts:
        return None
    last = parts[-1]
    before = parts[-2] if len(parts) > 1 else ""
    if last in vocabulary.passwords or (
        last.endswith(vocabulary.password_endings) and last not in vocabulary.not_passwords
    ):
        return Name("password", "password")
    pair = before + last
    if pair in vocabulary.passwords:
        return Name("password", "password")
    if last in vocabulary.secrets or last.endswith(vocabulary.secret_endings) or pair in vocabulary.secrets:
        return Name("secret", "secret")
    if last in vocabulary.tokens or last.endswith(vocabulary.token_endings) or pair in vocabulary.tokens:
        if before in vocabulary.plain_tokens:
            return None
        return Name("token", "token")
    if last == "keys" or last == "key":
        if before in vocabulary.key_owners:
            kind = "api-key" if before in ("api", "app", "x") else "private-key" if before == "private" else "key"
            return Name("key", kind)
        if before in vocabulary.plain_keys:
            return None
        return Name("weak-key", "key")
    if last.endswith(vocabulary.key_endings):
        return Name("key", "api-key" if last.endswith("apikey") else "key")
    if last in vocabulary.credentials or pair in vocabulary.credentials:
        return Name("credential", "credential")
    if last in vocabulary.auths:
        return Name("auth", "authorization")
    if last in vocabulary.cookies:
        return Name("cookie", "cookie")
    if last in vocabulary.urls or pair in vocabulary.urls:
        return Name("url", "url-with-secret")
    return None
