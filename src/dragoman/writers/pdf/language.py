"""The language that a text is mostly in, for the document's `Lang` and for choosing between CJK fonts.

By script where that decides it; among languages in Latin letters by their commonest words. A guess: "en" where in doubt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

SAMPLE = 40_000
"""Characters that are looked at."""

MOST = 4
"""A word counts so often at most: one that is also a name or a label must not decide alone."""

_SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), "ja"),
    (re.compile("[\u1100-\u11ff\uac00-\ud7af]"), "ko"),
    (re.compile("[\u4e00-\u9fff\u3400-\u4dbf]"), "zh"),
    (re.compile("[\u0590-\u05ff]"), "he"),
    (re.compile("[\u0600-\u06ff\u0750-\u077f]"), "ar"),
    (re.compile("[\u0900-\u097f]"), "hi"),
    (re.compile("[\u0e00-\u0e7f]"), "th"),
    (re.compile("[\u0370-\u03ff]"), "el"),
    (re.compile("[\u0400-\u04ff]"), "ru"),
)
_CJK = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")

_WORDS = {
    "en": "the and that this with for you have are not from was it in of to",
    "de": "der die das und nicht ist ich mit ein eine den auf für auch wir",
    "fr": "le la les et des est pas que pour une dans vous sur avec ce",
    "es": "el los las que por una para con no del se está más como pero",
    "it": "il che di non per una sono con questo della gli anche come più",
    "pt": "o os que não uma para com do da em por mais isso você como",
    "nl": "de het een en niet van is dat voor met ik op zijn maar wat",
    "pl": "się nie na jest że do to jak w z po dla ale czy",
}
_OF_WORD: dict[str, tuple[str, ...]] = {}
for _language, _list in _WORDS.items():
    for _word in _list.split():
        _OF_WORD[_word] = (*_OF_WORD.get(_word, ()), _language)

_LETTERS = re.compile(r"[^\W\d_]+")


def guess(texts: Iterable[str]) -> str:
    """A BCP 47 tag for texts in the order of their weight; only the first SAMPLE characters count."""
    held: list[str] = []
    size = 0
    for each in texts:
        held.append(each[: SAMPLE - size])
        size += len(held[-1])
        if size >= SAMPLE:
            break
    sample = "\n".join(held)
    if not sample.isascii():
        letters = sum(1 for each in sample if each.isalpha()) or 1
        counts = {tag: len(pattern.findall(sample)) for pattern, tag in _SCRIPTS}
        if counts["ja"] * 10 > letters:
            return "ja"
        tag, most = max(counts.items(), key=lambda each: each[1])
        if most * 4 > letters:
            return tag
    votes: Counter[str] = Counter()
    for word, count in Counter(_LETTERS.findall(sample.lower())).items():
        for tag in _OF_WORD.get(word, ()):
            votes[tag] += min(count, MOST)
    best = votes.most_common(2)
    if not best or (len(best) == 2 and best[0][1] < best[1][1] * 1.5) or best[0][1] < 5:
        return "en"
    return best[0][0]


def of_cjk(words: str) -> str:
    """`ja`, `ko` or `zh` for a text with such letters, else nothing: the same character looks different in each."""
    if words.isascii() or not _CJK.search(words):
        return ""
    for pattern, tag in _SCRIPTS[:2]:
        if pattern.search(words):
            return tag
    return "zh"
