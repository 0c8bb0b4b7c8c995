"""Source code with its words coloured: small, linear, fast enough for every listing of a huge session.

Pygments knows more languages and knows them better, and reads some 0.3 MB a second: a session's listings would
cost more than everything else together (docs/formats/html.md has the figures). Colours help reading here;
nothing depends on them.
"""

from __future__ import annotations

import re
from functools import cache

from dragoman.writers.html.languages import BY_FILE, BY_NAME, LANGUAGES

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
    return _expression(language).sub(_coloured, safe)


def _coloured(match: re.Match[str]) -> str:
    kind, text = match.lastgroup, match[0]
    if "\n" in text:
        text = text.replace("\n", f"</i>\n<i class={kind}>")
    return f"<i class={kind}>{text}</i>"


@cache
def _expression(language: str) -> re.Pattern[str]:
    known = LANGUAGES[language]
    words = "|".join(sorted(known.k.split(), key=len, reverse=True))
    groups = {
        "c": known.c,
        "f": known.f if language in ("json", "yaml", "ini") else "",
        "s": known.s,
        "k": rf"(?<![\w.$-])(?:{words})(?![\w-])" if words else "",
    }
    parts = [f"(?P<{name}>{expression})" for name, expression in groups.items() if expression]
    if known.f and not groups["f"]:
        parts.append(f"(?P<f>{known.f})")
    if known.b:
        parts.append(f"(?P<b>{known.b})")
    if known.m:
        parts.append(f"(?P<m>{known.m})")
    return re.compile("|".join(parts), re.IGNORECASE if known.ignore_case else 0)
