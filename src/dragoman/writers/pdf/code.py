"""Code coloured for print: few kinds of words, since every change of colour costs the layout a box.

pygments finds the tokens; keywords, strings, comments, numbers and defined names get a class, the rest stays plain.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from dragoman.writers.pdf.wrap import TAB, Run

LONGEST = 60_000
"""Characters that are coloured; longer code stays plain."""

LONGEST_LINE = 1_000

_ALIASES = {"console": "", "text": "", "plain": "", "txt": "", "output": "", "log": ""}


def lines(code: str) -> list[list[Run]]:
    """Code without colours, line by line."""
    return [[(each, "")] for each in code.expandtabs(TAB).split("\n")]


def coloured(code: str, language: str = "", path: str = "") -> list[list[Run]]:
    """Code line by line, each a list of runs. The language is a name as after a fence, or told by a file's name."""
    lexer = None
    if code and len(code) <= LONGEST:
        lexer = _by_name(language.lower()) if language else _by_path(PurePosixPath(path).name[-80:])
    plain = code.expandtabs(TAB)
    if lexer is None or max(map(len, plain.split("\n"))) > LONGEST_LINE:
        return [[(each, "")] for each in plain.split("\n")]
    made: list[list[Run]] = [[]]
    for kind, value in lexer.get_tokens(plain):
        name = _kind(kind)
        for number, piece in enumerate(value.split("\n")):
            if number:
                made.append([])
            if not piece:
                continue
            row = made[-1]
            if row and (row[-1][1] == name or not piece.strip()):  # spaces need no colour: they join their neighbour
                row[-1] = (row[-1][0] + piece, row[-1][1])
            else:
                row.append((piece, name))
    lines_ = plain.split("\n")
    if len(made) == len(lines_) + 1 and not made[-1]:
        made.pop()  # lexers end what they read with a line feed
    if ["".join(text for text, _ in row) for row in made] != lines_:
        return [[(each, "")] for each in lines_]  # a lexer that alters what it reads
    return made


@lru_cache(maxsize=256)
def _by_name(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    language = _ALIASES.get(language, language)
    if not language:
        return None
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=True)
    except ClassNotFound:
        return None


@lru_cache(maxsize=1024)
def _by_path(name: str) -> Any:
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    if not name:
        return None
    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=True)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _kind(token: Any) -> str:
    """The class of a token, or none."""
    from pygments.token import Comment, Generic, Keyword, Name, Number, String

    for kinds, name in (
        ((Comment,), "c"),
        ((String.Interpol, String.Escape), ""),
        ((String,), "s"),
        ((Keyword.Type,), ""),
        ((Keyword,), "k"),
        ((Number,), ""),
        ((Name.Function, Name.Class, Name.Tag), "f"),
        ((Generic.Deleted,), "del"),
        ((Generic.Inserted,), "add"),
    ):
        if any(token in each for each in kinds):
            return name
    return ""
