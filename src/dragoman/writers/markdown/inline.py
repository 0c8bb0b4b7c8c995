"""Untrusted text in Markdown's small places: a phrase, a code span, a fence, a summary's HTML, a YAML value."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from dragoman.render import ansi, text

_MEANING = re.compile(r"([\\`*\[\]~|]|\A>|!(?=\[)|\$(?!\d[\d.,]*+(?:\s|\Z))|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z]))")
_ENTITY = re.compile(r"&(?=#|[A-Za-z][A-Za-z0-9]*;)")
_OPENING = re.compile(r"\A(?:\d{1,9}(?=[.)](?: |\Z))|(?=[#+=-]))")
_BACKTICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,30}")


def clean(words: str) -> str:
    """The text without terminal escapes, with line feeds only, and with what is invisible made visible."""
    if words.isascii() and words.isprintable():
        return words
    return text.visible(ansi.strip(words) if "\x1b" in words or not words.isascii() else words)


def phrase(words: str) -> str:
    """One line of text that means nothing in Markdown."""
    return _short_phrase(words) if len(words) < 60 else _phrase(words)


def _phrase(words: str) -> str:
    line = _MEANING.sub(r"\\\1", " ".join(clean(words).split()))
    if "&" in line or "<" in line:  # not by a backslash: after a bare address it would be a part of that
        line = _ENTITY.sub("&amp;", line).replace("<", "&lt;")
    return line


def opening(words: str) -> str:
    """A phrase that stands first in its line: no heading, list or rule either."""
    return _OPENING.sub(r"\g<0>\\", phrase(words), count=1)


_short_phrase = lru_cache(2000)(_phrase)
"""Names of tools and facts come again and again."""


def code(words: str) -> str:
    """A code span, whatever is in it; nothing for nothing."""
    line = " ".join(clean(words).split())
    if not line:
        return ""
    if "`" not in line:
        return f"`{line}`"
    marks = "`" * (max(len(run) for run in _BACKTICKS.findall(line)) + 1)
    return f"{marks} {line} {marks}"


def fence(words: str, language: str = "") -> str:
    """A code block, its fence longer than any inside. `words` must be clean; ends with a line feed."""
    marks = "```"
    if marks in words:
        marks = "`" * (max(len(run) for run in _BACKTICKS.findall(words)) + 1)
    named = language if _LANGUAGE.fullmatch(language) else ""
    end = "" if words.endswith("\n") or not words else "\n"
    return f"{marks}{named}\n{words}{end}{marks}\n"


def details(summary: str, body: str) -> str:
    """A fold. `summary` is HTML of ours; `body` is Markdown, ended by a line feed."""
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n</details>\n"


def quoted(made: str) -> str:
    """Markdown as a quotation."""
    return "".join(f"> {line}\n" if line else ">\n" for line in made.rstrip("\n").split("\n"))


def html(words: str) -> str:
    """One line of text for HTML."""
    return escape(" ".join(clean(words).split()), quote=True)


def yaml(words: str) -> str:
    """A YAML scalar: plain where that can't be misread, else in double quotes."""
    line = clean(words)
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9 _./-]{0,200}[A-Za-z0-9]", line) and line.lower() not in _YAML_WORDS:
        return line
    escaped = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


_YAML_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "none"))
