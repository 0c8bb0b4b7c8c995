"""Source code with its words coloured: small, linear, fast enough for every listing of a huge session.

Pygments knows more languages and knows them better, and reads some 0.3 MB a second: a session's listings would
cost more than everything else together (docs/formats/html.md has the figures). Colours help reading here;
nothing depends on them.
"""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from dragoman.writers.html.languages import BY_FILE, BY_NAME, LANGUAGES, Code, Notation

LONGEST = 200_000
"""Characters of a listing that are coloured; longer ones stay plain."""


def of_path(path: str) -> str:
    """The language of a file by its name; "" where it isn't known."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1].lower()[-80:]
    _, dot, suffix = name.rpartition(".")
    return BY_FILE.get(name, "") or (BY_NAME.get(suffix, "") if dot else "")


def of_name(name: str) -> str:
    """The language that a code fence names; "" where it isn't known."""
    return BY_NAME.get(name.strip().lower()[:40], "")


def escaped(text: str) -> str:
    """Text for the inside of an element. Quotes stay: they matter in attributes only."""
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    return text


def attribute(text: str) -> str:
    """Text for the inside of a quoted attribute."""
    return escaped(text).replace('"', "&quot;").replace("'", "&#39;")


def html(code: str, language: str) -> str:
    """The code as HTML. No element goes over a line's end, so that the result can be split at line feeds."""
    safe = escaped(code)
    if not language or len(code) > LONGEST:
        return safe
    known = LANGUAGES[language]
    if isinstance(known, Notation):
        return _notation(language).sub(_coloured, safe)
    return "".join(_words(_code(language), safe))


def _coloured(match: re.Match[str]) -> str:
    return _marked(str(match.lastgroup), match[0])


def _marked(kind: str, text: str) -> str:
    if "\n" in text:
        text = text.replace("\n", f"</i>\n<i class={kind}>")
    return f"<i class={kind}>{text}</i>"


class _Code(Struct, frozen=True):
    """A language of words, ready for use. `tokens` splits a text into all of its tokens, none left out."""

    tokens: re.Pattern[str]
    kinds: dict[str, str]
    words: dict[str, str]
    naming: frozenset[str]
    ignore_case: bool


def _words(language: _Code, text: str) -> list[str]:
    """The tokens of a text, coloured. Most are looked up and taken as they are."""
    out: list[str] = []
    add = out.append
    kinds, words, naming = language.kinds, language.words, language.naming
    named = False
    before = ""
    for token in language.tokens.findall(text):
        if token in words and before[-1:] != ".":
            add(words[token])
            named = token in naming
        elif (kind := kinds.get(token[0])) is not None and (len(token) > 1 or kind == "m"):
            add(_marked(kind, token))
        elif named and (token[0].isalpha() or token[0] == "_"):
            add(f"<i class=f>{token}</i>")
            named = False
        elif language.ignore_case and token.lower() in words:
            add(f"<i class=k>{token}</i>")
        else:
            if named and token != " ":
                named = False
            add(token)
        before = token
    return out


@cache
def _code(language: str) -> _Code:
    known = LANGUAGES[language]
    assert isinstance(known, Code)
    special = re.escape("".join(known.kinds))
    return _Code(
        re.compile(rf"{known.expressions}|[^\W\d]\w*|\d[\w.]*|[^\w{special}]+|[\s\S]"),
        {**known.kinds, **dict.fromkeys("0123456789", "m")},
        {word: f"<i class=k>{word}</i>" for word in known.words.split()},
        frozenset(known.naming.split()),
        known.ignore_case,
    )


@cache
def _notation(language: str) -> re.Pattern[str]:
    known = LANGUAGES[language]
    assert isinstance(known, Notation)
    groups = {"c": known.c, "f": known.f, "s": known.s, "k": known.k, "b": known.b, "m": known.m}
    return re.compile("|".join(f"(?P<{name}>{expression})" for name, expression in groups.items() if expression))
