"""Matches of the phrases in the catalog: whether the value stands the test that its rule names."""

from __future__ import annotations

import base64
import binascii
import re

from dragoman.filters.redact.catalog import Phrase
from dragoman.filters.redact.context import private_keys
from dragoman.filters.redact.context.buffers import MARKUP, STRING_END, classified, decoded, line_of, said
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.judge import Stance, chosen, is_secret, placeholder, plain_word, random, reference
from dragoman.filters.redact.names import Sort
from dragoman.filters.redact.own_forms import own_form, written_out

_NEXT_STRING = re.compile(rb"""\s[^\s"']*["'],\s*\\{0,7}["']""")
_LINES = ("whole", "digits")
"""Sorts whose values may go on over the end of a line: a key, a list of codes."""
_KEY_OF_JSON = re.compile(rb"""\\{0,7}["']\s*:""")


def judged(rule: Phrase, match: re.Match[bytes]) -> Hit | None:
    """A phrase's match, if its value stands the test that the rule names."""
    start, end = match.span("value")
    if _elsewhere(match, start, end):
        return None
    if rule.sort not in _LINES:
        end = line_of(match.string, start, end)
        if end - start < 3:
            return None
    value = decoded(match.string[start:end])
    trimmed = MARKUP.split(value, maxsplit=1)[0]
    if rule.sort != "digits":  # those may be a list of strings
        trimmed = STRING_END.split(trimmed, maxsplit=1)[0]
    trimmed = trimmed.rstrip(".,;:!?)\\") if rule.stance == "prose" else trimmed.rstrip("\\")
    end -= len(value.encode("utf-8", "surrogatepass")) - len(trimmed.encode("utf-8", "surrogatepass"))
    value = trimmed
    kind = rule.kind
    sort = rule.sort
    if sort == "whole":
        if rule.id == "private-key":
            end = private_keys.body_end(match)
            if end < 0:
                return None
        return Hit(start, end, rule.id, kind)
    if (
        "://" in (value if rule.stance == "prose" else value[:12])
        or value.startswith("//")
        or (placeholder(value) and not (value.startswith("$") and value.count("$") > 2))
    ):
        return None
    good: bool
    if sort in ("any", "password", "userpass", "any-literal") and written_out(value):
        # In quotes and in URLs nothing is called; elsewhere the form must tell by itself.
        quoted = rule.id == "url-password" or match.string[start - 1 : start] in (b"'", b'"', b":")
        if quoted or own_form(value):
            return Hit(start, end, rule.id, kind)
    if rule.stance == "flag" and sort == "password" and value.isdigit() and len(value) < 6:
        return None  # a port
    if sort == "any":
        good = not reference(value) or (chosen(value) and "(" not in value and "." not in value)
    elif sort == "any-literal":
        good = (not plain_word(value) and " " not in value and chosen(value, 4)) or is_secret(
            "password", value, "quoted"
        )
    elif sort == "digits":
        good = any(ch.isdigit() for ch in value)
    elif sort == "random":
        good = random(value) and not reference(value)
    elif sort == "userinfo":
        good = _userinfo(value)
    elif sort == "userpass":
        good = (
            not value.isdigit()
            and not value.startswith("/")
            and is_secret("password", value, "flag")
            and not reference(value)
            and not (value.endswith((">", "]", "}")) and placeholder(value[:-1]))
        )
    elif sort == "typed":
        selector = (match["sel"] or b"").decode("utf-8", "replace")
        if not selector:
            before = (
                match.string[max(0, match.start() - 100) : match.start()].decode("utf-8", "replace").rsplit("\n", 1)[-1]
            )
            selector = before
        good = bool(re.search(r"(?i)pass|pwd|secret|token|api.?key|otp", selector)) and is_secret(
            "password", value, "quoted"
        )
    elif sort == "named":
        named = classified(match["name"])
        if named is None:
            return None
        kind = named.kind
        began = value.lower().startswith(tuple(decoded(match["name"]).lower() + sign for sign in "-_."))
        good = not (began and plain_word(value)) and is_secret(named.sort, value, "field")
    else:
        good = is_secret(_sort(sort), said(value) if rule.stance == "prose" else value, _stance(rule.stance))
    return Hit(start, end, rule.id, kind) if good else None


def _elsewhere(match: re.Match[bytes], start: int, end: int) -> bool:
    """Whether the value stands in another string than what tells it, or is a name there."""
    data = match.string
    if data[start - 1 : start] not in (b'"', b"'"):
        return False
    return _KEY_OF_JSON.match(data, end, end + 16) is not None or (
        _NEXT_STRING.search(data, match.start(), start) is not None
    )


def _sort(word: str) -> Sort:
    return word  # type: ignore[return-value]


def _stance(word: str) -> Stance:
    return word  # type: ignore[return-value]


def _userinfo(value: str) -> bool:
    """Base64 of `user:password`."""
    try:
        padded = value.replace("-", "+").replace("_", "/").rstrip("=")
        plain = base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return 3 <= plain.find(b":") + 2 <= len(plain) and all(32 <= byte < 127 or byte >= 0xA0 for byte in plain)
