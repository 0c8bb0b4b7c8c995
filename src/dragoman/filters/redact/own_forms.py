"""Passwords that look like code at first sight: `$Giraffe12`, `%giraffe12x`, `Wort<12>`, `word.word48`, `word(48)x`.

What tells them is digits where a name in code has none. `$token12`, `np.float64`, `generate(32)` stay references.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dragoman.filters.redact.names import classify, cut, words

_LONGEST = 64
_FORM = re.compile(
    r"""(?:[$%](?:[A-Z]?[a-z]{3,}){1,3}(?P<a>[0-9]{2,})[A-Za-z]{0,8}[!\#^&*?+~@-]{0,2}
      | (?:[A-Z]?[a-z]{3,}){1,3}(?:\((?P<b>[0-9]{2,})\)|\[(?P<c>[0-9]{2,})\])[A-Za-z]{1,8}[!\#^&*?+~@-]{0,2}
      | (?:[A-Z]?[a-z]{3,}){1,3}<(?P<d>[0-9]{2,})>?[A-Za-z]{0,8}[!\#^&*?+~@-]{0,2}
      | [A-Z]?[a-z]{3,}(?:\.[A-Z]?[a-z]{3,}){1,3}(?P<e>[0-9]{2,})[A-Za-z]{0,4}[!\#^&*?+~@-]{0,2})""",
    re.VERBOSE,
)
_CLOSED = re.compile(r"(?:[A-Z]?[a-z]{3,}){1,3}(?:\([0-9]{2,}\)|\[[0-9]{2,}\]|<[0-9]{2,}>)")
_ROUND = frozenset(
    "16 32 64 128 256 512 1024 2048 4096 8192 160 192 224 384 521 254 127 255 100 200 404 500 509 10 11 12 20 24 48 60 96 00 01 02".split()
)
"""Numbers that names end with: widths, sizes, codes."""
_PARTS = frozenset(
    "sha hash base utf aes rsa int uint float conv layer linear input output item line value data param params arg args user name test tmp temp var host port node step page file path index config settings options request response self this module func obj object list array dict map key pass pwd secret token auth cred creds env get set string str char bytes byte buffer number field column row version time date year month day random generate rand hex url uri model schema type types math crypto window document process lib utils core app api".split()
)


@lru_cache(maxsize=65536)
def own_form(value: str) -> bool:
    """Whether the value is a password in spite of its form, wherever it stands."""
    if len(value) > _LONGEST or (match := _FORM.fullmatch(value)) is None:
        return False
    number = match[match.lastgroup or "a"]
    if number in _ROUND and (match.lastgroup == "e" or not value[match.end(match.lastgroup or "a") :].strip(">)]")):
        return False
    return _words_of_nobody(value)


@lru_cache(maxsize=65536)
def written_out(value: str) -> bool:
    """The same for one in quotes, where a call or an index isn't evaluated: `Wort(12)`."""
    return own_form(value) or (len(value) <= _LONGEST and bool(_CLOSED.fullmatch(value)) and _words_of_nobody(value))


def _words_of_nobody(value: str) -> bool:
    """Whether none of its words is one that names in code are made of."""
    letters = [part for part in cut(value) if part.isalpha() and len(part) >= 3]
    vocabulary = words().placeholder_words
    return bool(letters) and not any(
        part in _PARTS or part.rstrip("s") in _PARTS or part in vocabulary or classify(part) for part in letters
    )
