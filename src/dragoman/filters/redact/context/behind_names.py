"""What stands behind a name: a value after a separator, a flag's, a tag's, a column's cells, a sentence."""

from __future__ import annotations

import re
from functools import lru_cache

from dragoman.filters.redact.context import nested
from dragoman.filters.redact.context.assignments import assigned
from dragoman.filters.redact.context.buffers import VALUE_REACH, classified, decoded
from dragoman.filters.redact.context.markup import element
from dragoman.filters.redact.context.offers import offer
from dragoman.filters.redact.context.sentences import told
from dragoman.filters.redact.context.tables import columns_below, heads_column
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.judge import random
from dragoman.filters.redact.names import words

_FLAG = re.compile(
    rb"[ \t]+(?:\"(?P<d>[^\"\n\x00]+)\"|'(?P<s>[^'\n\x00]+)'|(?P<b>[^\s\"'`<>|;&()\x00-](?:[^\s\"'`<>|;&\x00]|&(?=[A-Za-z]{3,24}[!#*?+~^]?[0-9]{2}))*+))"
)
_BEFORE = re.compile(rb"([A-Za-z]+)[ \t]$")
_BLANKS = (b"", b" ", b"\t", b"\n", b'"', b"'", b"\x00")
_SETTER = re.compile(
    rb"(?i)(?:set|with|update|change|reset|verify|login|use|add|new|check|using|create)[\w]*(?:password|passwd|passphrase|pwd|pass|secret|token|apikey|key)$"
)
_PART_OF_ANOTHER = re.compile(
    rb"(?:arn:[\w-]{0,20}:[\w-]{0,40}:[\w-]{0,20}:[0-9]{0,12}:|checksums?/|-(?:set|update)-secrets[= ](?:[\w./-]{1,40}=[\w./:-]{1,40},){0,2})$"
)
"""What makes a name a word in a resource's name, in that of a checksum, or a variable that a stored secret fills."""

_STORED = re.compile(
    rb"(?:=|[ \t]+)[\"']?(?P<v>(?:id|type|src|env)=[^\s\"'\x00]{1,200}|[A-Za-z_]\w{0,60}=[a-z][\w./-]{0,100}:[\w.-]{1,20}(?:,[^\s\"'\x00]{1,200})?|[a-z][a-z0-9]{0,24}(?:[-_/][a-z0-9]{1,24}){1,8}(?::\w{1,20})?)(?=[\s\"'\x00,;)`]|$)"
)
"""Behind `--secret`: which one is meant, by the name that it is kept under."""

_OF_STORES = (b"--secret", b"--secrets", b"--set-secrets", b"--update-secrets", b"--secret-name", b"--secret-id")

_RESULT = re.compile(rb"[ \t]*:[ \t]+(?P<v>[^\s\x00]+)")
_BEFORE_RESULT = re.compile(
    rb"(?i)(?:--- |\b(?:first|second|third|last|final|next|each|single|llvm|compiler|optimi[sz]ation|render)[ ])$"
)


def _result(buffer: bytes, left: int, right: int) -> bool:
    """Whether `pass` is what became of a test, or a step of a compiler: `--- PASS: TestA2`, `pass: mem2reg`.

    A password behind it has more digits than a name's number, or signs that no name has.
    """
    match = _RESULT.match(buffer, right, right + 200)
    if match is None:
        return False
    value = match["v"].rstrip(b"\"',;)}]")
    if value[:1] in (b'"', b"'", b"`") or any(sign in value for sign in _ODD_SIGNS):
        return False
    if _USER.search(buffer, max(0, left - 160), left) is not None or decoded(value).lower() in words().common_passwords:
        return False
    if buffer[left:right] == b"PASS" or _BEFORE_RESULT.search(buffer, max(0, left - 24), left) is not None:
        return True
    return len(_DIGIT.findall(value)) < 2


_USER = re.compile(rb"(?i)\b(?:user(?:[_-]?name)?|usr|u|login|e-?mail|account)[\"']?[ \t]*[:=]")
_DIGIT = re.compile(rb"[0-9]")
_ODD_SIGNS = b"!@#$%^&*+?~"
_INDEXES = frozenset((b"sort", b"cache", b"foreign", b"primary", b"public", b"partition"))


@lru_cache(maxsize=65536)
def tells_nothing(raw: bytes) -> bool:
    """Whether nothing stands behind a name, whatever is around it: most words that hold a cue name no secret."""
    bare = raw.rstrip(b".-$") or raw
    if bare.startswith(b"-D") or classified(bare) is not None:
        return False
    return bare[-1:] not in (b"s", b"S") or nested.named(decoded(bare)) is None


def behind(buffer: bytes, left: int, right: int, hits: list[Hit]) -> None:
    """Look behind the name at left to right for its value."""
    raw = buffer[left:right]
    trailing = len(raw) - len(raw.rstrip(b".-$"))
    if trailing and raw.rstrip(b".-$"):
        right -= trailing
        raw = raw[: len(raw) - trailing]
    name = classified(raw)
    before = buffer[left - 1 : left]
    if (
        name is not None
        and (
            before in (b":", b"/")
            or (before in (b"=", b" ", b",") and b"-secrets" in buffer[max(0, left - 100) : left])
        )
        and _PART_OF_ANOTHER.search(buffer, max(0, left - 100), left) is not None
    ):
        return
    if raw.startswith(b"-D") and raw[2:3].isalpha():  # a property of Java's
        left, raw, before = left + 2, raw[2:], b""
        name = classified(raw)
    several = name if name is not None else nested.named(decoded(raw)) if raw[-1:] in b"sS" else None
    if several is not None:
        hits.extend(
            Hit(each.start, each.end, f"named-{each.way}", several.kind)
            for each in nested.find(buffer, left, right, several)
        )
    if name is None:
        return
    if raw.lower() == b"pass" and _result(buffer, left, right):
        return
    following = buffer[right : right + 1]
    if heads_column(buffer, left, right):
        columns_below(buffer, right, hits)
    if following == b">" and before == b"<":
        element(buffer, name, right + 1, right + 600, hits)
        return
    if following in (b"", b"\x00") or (following == b"(" and not _SETTER.search(raw)):
        return
    if name.sort == "weak-key":
        word = _BEFORE.search(buffer, max(0, left - 24), left)
        if word is not None:
            longer = classified(word[1] + b"_" + raw)
            if longer is not None or word[1].lower() in _INDEXES:
                name = longer
        if name is None:
            return
    if buffer[left - 2 : left] in (b"::", b"//"):
        return
    flag = (
        raw.startswith(b"--")
        or (raw.startswith(b"-") and left > 0 and before not in (b"\n", b"\x00"))
        or (before == b"/" and following == b" " and buffer[left - 2 : left - 1] in _BLANKS)
    )
    if raw in _OF_STORES and (stored := _STORED.match(buffer, right, right + VALUE_REACH)) is not None:
        kept = decoded(stored["v"])
        if "=" in kept or not random(kept):
            return
    if assigned(buffer, name, raw, right, flag, hits):
        return
    if flag and following in (b" ", b"\t") and (match := _FLAG.match(buffer, right, right + VALUE_REACH)):
        group = match.lastgroup or "b"
        phrase = group != "b" and b" " in match[group]
        offer(buffer, name, *match.span(group), "quoted" if phrase else "flag", hits, "flag")
        return
    told(buffer, name, raw, left, right, hits)
