"""Values that stand one level below their name, or beside it: `variable "db_password" { default = "…" }`,
`"api_keys": ["…"]`, `<string name="api_key">…</string>`, `{"value": "…", "name": "SECRET_KEY"}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from dragoman.filters.redact.judge import Stance, is_secret, random
from dragoman.filters.redact.names import Name, classify

_REACH = 1200  # bytes of a block that are looked at
_ENTRIES = 40
_LONGEST = 4000

_INDEXED = re.compile(rb"[\w)]\[")
_VALUE_WORD = r"(?:(?:default|current|plain|initial|string|secret|raw|literal)?[_-]?value|val|default|plain(?:[_-]?text)?|current|content|secret_?string|raw|literal)"
_VALUE_KEY = re.compile(rf"(?i){_VALUE_WORD}")
_ID_KEY = re.compile(
    r"(?i)(?:.*[_-])?(?:id|uuid|guid|hash|sha\d*|md5|checksum|digest|integrity|fingerprint|name|type|format|description|pattern|url|uri|href|ref|email|etag|kid|arn|path|version|created|updated|expires|revision|nonce|pub|public)(?:_?at)?|.*(?:Id|Hash|Name|Url|Uri)"
)
_OPENS = re.compile(
    rb"(?:\\{0,3}[\"'`\])]){0,3}[ \t]*(?:(?::|=>?|:=)[ \t]*(?:[A-Za-z_][\w.<>\[\]]{0,40}[ \t]*(?==?[ \t]*[{\[])=?[ \t]*)?)?(?P<open>[{\[]|(?<=:)[ \t]*(?:#[^\n]{0,80})?\r?\n(?=[ \t]*[\w\"'-]))"
)
_ENTRY = re.compile(
    rb"(?:(?P<key>(?:\\{0,3}[\"'])?[A-Za-z_][\w.-]{0,60}(?:\\{0,3}[\"'])?)[ \t]*(?::|=>?)[ \t]*)?(?:[rbfu]?(?P<q>\"|')(?P<v>[^\"'\\\s\x00]{4,2000})(?P=q)|(?P<bare>(?<=[:=] )[^\s\"'\\,{}\[\]\x00#]{6,2000}(?=[ \t]*[,}\r\n\x00])))"
)
_YAML_LINE = re.compile(
    rb"(?P<indent>[ \t]*)(?P<dash>-[ \t]+)?(?:(?P<key>[\"']?[A-Za-z_][\w.-]{0,60}[\"']?)[ \t]*:[ \t]+)?(?P<q>[\"']?)(?P<v>[^\s\"'\x00]{4,2000})(?P=q)[ \t]*(?:#[^\n]{0,200})?(?:\r?\n|\x00|$)|(?P<other>[ \t]*[^\n\x00]{0,400})(?:\n|\x00|$)"
)
_NAMES_IN_CODE = re.compile(r"[A-Za-z][a-z]{1,24}(?:[A-Z][a-z]{1,24}){1,8}[A-Z]?[0-9]{0,2}")
"""In lists of tokens and secrets: `colorBgContainer2`, `DbPasswordV2`."""
_CLOSES = re.compile(rb"[{}\[\]\x00]")
_TYPED = re.compile(rb"[\"']?[ \t]*:[ \t]*!!\w{1,12}[ \t]+(?P<q>[\"']?)(?P<v>[^\s\"'\x00]{3,2000})(?P=q)")
_IN_ATTRIBUTE = re.compile(rb"(?i)(?:name|key|id|field)[ \t]*=[ \t]*\\{0,3}[\"'][^\"'<>\s]{0,100}\Z")
_ELEMENT = re.compile(
    rb"\\{0,3}[\"'][^<>\n\x00]{0,160}>\s{0,40}(?:<value(?:[ \t][^<>\n\x00]{0,80})?>\s{0,40})?(?:<!\[CDATA\[)?(?P<v>[^<>\s\x00]{3,2000}?)(?:\]\]>)?\s{0,40}</"
)
_ATTRIBUTE = re.compile(
    rb"(?i)\\{0,3}[\"'][^<>\x00]{0,200}?\svalue[ \t]*=[ \t]*\\{0,3}(?P<q>[\"'])(?P<v>[^\"'<>\s\x00]{3,2000})"
)
_SIBLING = re.compile(
    rb"</[\w:.-]{1,40}>\s{0,40}<[\w:.-]{1,40}(?:[ \t][^<>\n\x00]{0,80})?>\s{0,10}(?P<v>[^<>\s\x00]{3,2000})\s{0,10}</"
)
_NAMES = re.compile(rb"(?i)(?P<q>\\{0,3}[\"']?)\b(?:name|key)(?P=q)[ \t]*[:=][ \t]*\\{0,3}[\"']?[\w./:-]{0,100}\Z")
_AFTER = re.compile(
    rb"(?i)\\{0,3}[\"'][ \t]*(?:,\s{0,40}\\{0,3}[\"']?\w{1,40}\\{0,3}[\"']?[ \t]*[:=][ \t]*(?:\\{0,3}[\"'][^\"'\\\n\x00]{0,200}\\{0,3}[\"']|[\w.-]{1,40})\s{0,40}){0,6}?,\s{0,40}\\{0,3}[\"']?value\\{0,3}[\"']?[ \t]*[:=][ \t]*\\{0,3}[\"'](?P<v>[^\"'\\\s\x00]{3,2000})"
)
_BEFORE = re.compile(
    rb"(?i)value\\{0,3}[\"']?[ \t]*[:=][ \t]*\\{0,3}[\"'](?P<v>[^\"'\\\s\x00]{3,2000})\\{0,3}[\"']\s{0,40},\s{0,40}(?:\\{0,3}[\"']?\w{1,40}\\{0,3}[\"']?[ \t]*[:=][ \t]*(?:\\{0,3}[\"'][^\"'\\\n\x00]{0,200}\\{0,3}[\"']|[\w.-]{1,40})\s{0,40},\s{0,40}){0,6}?\\{0,3}[\"']?(?:name|key)\\{0,3}[\"']?[ \t]*[:=]"
)


class Nested(NamedTuple):
    """A value at bytes start to end, and the way in which it stands by its name."""

    start: int
    end: int
    way: str


@lru_cache(maxsize=4096)
def plural(name: str) -> bool:
    """Whether the name speaks of several: `tokens`, `api_keys`."""
    low = name.lower()
    return low.endswith("s") and not low.endswith(("pass", "ss", "creds"))


@lru_cache(maxsize=4096)
def named(name: str) -> Name | None:
    """What a name says of the values below it: there `tokens` are tokens, and no count of words."""
    return classify(name) or (classify(name[:-1]) if plural(name) else None)


def below(name: str, key: str, value: str, stance: Stance = "quoted") -> bool:
    """Whether a value is a secret that stands under `key` below `name` (no key: in a list)."""
    owner = named(name)
    if owner is None or owner.sort in ("url", "cookie", "auth"):
        return False
    if not key or _VALUE_KEY.fullmatch(key):
        if not key and owner.sort != "password" and _NAMES_IN_CODE.fullmatch(value) is not None:
            return False
        return is_secret(owner.sort, value, stance) and (
            owner.sort == "password" or random(value) or (bool(key) and stance == "quoted")
        )
    if _ID_KEY.fullmatch(key):
        return False
    if owner.sort == "password":
        return plural(name) and is_secret("password", value, stance)
    return (
        (plural(name) or owner.sort in ("secret", "token", "credential"))
        and random(value)
        and is_secret(owner.sort, value, stance)
    )


@lru_cache(maxsize=65536)
def heir(name: str, key: str) -> str:
    """By which name to judge what stands under `key` in what is called `name`: the key's own, or the one above."""
    owner = named(name)
    if owner is None or classify(key) is not None or owner.sort in ("url", "cookie", "auth"):
        return key
    if _VALUE_KEY.fullmatch(key) or (plural(name) and owner.sort == "password" and not _ID_KEY.fullmatch(key)):
        return name if classify(name) is not None else name[:-1]
    return key


def find(buffer: bytes, left: int, right: int, name: Name) -> Iterator[Nested]:
    """The secrets that belong to the name at left to right, and don't stand directly behind it."""
    following = buffer[right : right + 1]
    if following in (b'"', b"'", b"\\"):
        yield from _beside(buffer, left, right, name)
    elif following == b"<" and (sibling := _SIBLING.match(buffer, right, right + _LONGEST)) is not None:
        yield from _offered(sibling, name, "quoted", "markup")
    if following == b":" or buffer[right + 1 : right + 2] == b":":
        typed = _TYPED.match(buffer, right, right + _LONGEST)
        if typed is not None:
            yield from _offered(typed, name, "quoted" if typed["q"] else "yaml", "assignment")
    opens = _OPENS.match(buffer, right, right + 200)
    if opens is None:
        return
    raw = buffer[left:right].decode("utf-8", "replace")
    if opens["open"] == b"[" and _INDEXED.match(buffer, opens.end() - 2, opens.end()) is not None:
        return  # `config["password"]`
    if opens["open"] in (b"{", b"["):
        yield from _block(buffer, raw, opens.end(), listed=opens["open"] == b"[")
    else:
        start = max(buffer.rfind(b"\n", max(0, left - 200), left), buffer.rfind(b"\x00", max(0, left - 200), left)) + 1
        lead = buffer[start:left]
        if not lead.strip(b" \t-\"'"):
            yield from _yaml(buffer, raw, opens.end(), len(lead) - len(lead.lstrip(b" \t")))


def _offered(match: re.Match[bytes], name: Name, stance: Stance, way: str) -> Iterator[Nested]:
    value = match["v"].decode("utf-8", "replace")
    if name.sort not in ("url", "cookie", "auth") and is_secret(name.sort, value, stance):
        yield Nested(*match.span("v"), way)


def _beside(buffer: bytes, left: int, right: int, name: Name) -> Iterator[Nested]:
    """Values in the same element, or in the same object, as what is called `name`."""
    low = max(0, left - 140)
    if _IN_ATTRIBUTE.search(buffer, low, left) is not None:
        for pattern in (_ELEMENT, _ATTRIBUTE):
            match = pattern.match(buffer, right, right + _LONGEST)
            if match is not None:
                yield from _offered(match, name, "quoted", "markup")
                return
    if (key := _NAMES.search(buffer, low, left)) is None:
        return
    if (after := _AFTER.match(buffer, right, right + _LONGEST)) is not None:
        yield from _offered(after, name, "field", "pair")
        return
    start = max(0, key.start() - _REACH)
    start = max(start, *(buffer.rfind(edge, start, key.start()) + 1 for edge in (b"{", b"(", b"\x00")))
    place = buffer[start : key.start()].lower().find(b"value") + start
    if place >= start and (before := _BEFORE.match(buffer, place, left)) is not None and before.end() > key.start():
        yield from _offered(before, name, "field", "pair")


def _block(buffer: bytes, raw: str, start: int, *, listed: bool) -> Iterator[Nested]:
    """The entries of a list or of a block, up to its end or the beginning of the next inside it."""
    closing = _CLOSES.search(buffer, start, start + _REACH)
    end = closing.start() if closing is not None else min(len(buffer), start + _REACH)
    for number, entry in enumerate(_ENTRY.finditer(buffer, start, min(len(buffer), end + 1))):
        if number >= _ENTRIES:
            return
        key = (entry["key"] or b"").decode("utf-8", "replace").strip("\\\"'")
        group = "v" if entry["v"] is not None else "bare"
        if listed != (not key):
            continue
        value = entry[group].decode("utf-8", "replace")
        if below(raw, key, value, "quoted" if group == "v" else "yaml"):
            yield Nested(*entry.span(group), "nested")


def _yaml(buffer: bytes, raw: str, start: int, indent: int) -> Iterator[Nested]:
    """The lines below a key of YAML that stand deeper than it (of a list, as deep)."""
    high = min(len(buffer), start + _REACH)
    for _ in range(_ENTRIES):
        line = _YAML_LINE.match(buffer, start, high)
        if line is None or line.end() == start:
            return
        start = line.end()
        if line["other"] is not None:
            other = line["other"]
            if other.strip() and len(other) - len(other.lstrip(b" \t")) <= indent:
                return
            continue
        depth = len(line["indent"])
        if depth < indent or (depth == indent and line["dash"] is None):
            return
        key = (line["key"] or b"").decode("utf-8", "replace").strip("\"'")
        if not key and line["dash"] is None:
            continue
        value = line["v"].decode("utf-8", "replace")
        if below(raw, key, value, "quoted" if line["q"] else "yaml"):
            yield Nested(*line.span("v"), "nested")
