"""Values that a sentence or a comment tells: `the password is …`, `… as the password`, `"…"  # the password`."""

from __future__ import annotations

import re

from dragoman.filters.redact.context.buffers import decoded, line_of, said
from dragoman.filters.redact.context.offers import offer
from dragoman.filters.redact.hits import Hit, Seen
from dragoman.filters.redact.judge import Stance, plain_word, random
from dragoman.filters.redact.names import Name

_PROSE = re.compile(
    rb"""["'`*_]{0,2}(?:[ \t]+(?!is\b|was\b|to\b|are\b|be\b|=)(?:[\w'/@.-]+|\([\w ./-]{1,24}\))){0,7}?(?:[ \t]*(?:[:=]|\xe2\x86\x92|->|\xef\xbc\x9a)|[ \t]+(?:is|was|to|are|be|becomes|ist|lautet|war|est|es|era|son|\xc3\xa9|e|\xc3\xa8|jest|to|\xc3\xa4r|er|on|je|van|\xd1\x8d\xd1\x82\xd0\xbe|\xe2\x80\x94|-(?=[ \t]{1,4}[^\s-]))[ \t]*:?)(?:[ \t]+|\s{0,2}\n[ \t]*(?:[0-9]{1,7}(?:\t|\xe2\x86\x92)[ \t]*)?(?:```\w*\n[ \t]*)?)?(?:(?:now|still|just|actually|currently|set[ ]to|called|simply|temporarily|probably)[ ]){0,2}(?P<q>["'`*\xe2\x80\x98\x9c\xc2\xab\xe2\x80\x9e]{0,6})(?P<v>[^\s"'`<>\x00]+)""",
    re.VERBOSE,
)
_BARE_PROSE = re.compile(rb"[ \t]+(?P<q>[\"'`*]{0,2})(?P<v>[^\s\"'`<>|\x00]+)")
_LINE_NUMBER = re.compile(rb"\n[ \t]*[0-9]{1,7}(?:\t|\xe2\x86\x92)[ \t]*\Z")
_ANOTHER_LINE = re.compile(rb"(?P<word>[A-Za-z_][\w.-]{0,60})(?:(?P<named>[ \t]*(?:=|:[ \t\"']))|[ \t]+[\w(])")
"""What says something of its own below a name without a value: another name, or a sentence."""
_ANOTHER = re.compile(
    rb"[ \t]+(?:hash(?:es|ing)?|length|polic(?:y|ies)|strength|manager|name|field|form|file|rules?|reset(?![ ]to)|prompt|requirements?|generator|complexity|column|input|format|algorithm|checker|validat(?:or|ion)|store)\b",
    re.IGNORECASE,
)
"""Nouns that make the password before them a word about something else."""
_STRONG = re.compile(r"(?=.*[0-9])(?=.*[!@#$%^&*?+~]).*|(?=.*[A-Za-z])(?=.*[0-9]{3})[A-Za-z0-9]*")

_CHECKSUM = re.compile(rb"(?i)\b(?:sha-?[0-9]{1,3}|md5|crc32|checksum|etag|fingerprint)\s?[:=]\s?$")
_ASSIGNED = re.compile(rb"=[\"'`]?$")
_ASSIGNS = re.compile(rb"[A-Za-z_][\w.-]{0,60}=(?=[^=\s])")
"""A name and a sign within what is given: `--from-literal=pw=…`."""
_STRESS_ENDS = re.compile(r"\*{1,2}[.,;:!?)]*\Z")
_KEY_STANDS = re.compile(rb"[ \t]+(?P<q>[`\"']{0,1})(?P<v>[A-Za-z0-9_+/=.~-]{20,256})(?![\w(\[])")
_ATTRIBUTE = re.compile(rb"(?i)(?:name|key|id|field|type|for|ref)[ \t]?=[ \t]?\\{0,7}[\"'][^\"'<>\s\x00]{0,60}$")
_NEXT_ATTRIBUTE = re.compile(rb"\\{0,7}[\"'](?:[ \t]*[/?]?>|\s{1,40}(?!value\b)[A-Za-z][\w:.@-]{0,40}[ \t]?=)")
"""Behind the name of an element, in quotes: what its other attributes say isn't its value."""

_LAST_WORD = re.compile(rb"(?:^|[\s\"'`(])(?P<v>(?!\xc2\xbf)[^\s\"'`()<>\\\x00]{5,64})[\"'`)]?$")
_COMMENTED = re.compile(
    rb"""(?:(["'])(?P<q>[^\s"'\\\x00]{5,64})\1|:[ \t]+(?P<b>[^\s"'`()<>\\\x00]{5,64}))[;,]?[ \t]{0,8}$"""
)
_COMMENT_ENDS = re.compile(rb"[^\n\x00]{0,30}?(?:password|passwort)\b[.!)]?[ \t]*(?=[\r\n\x00*\"'\\]|$)", re.IGNORECASE)
_GIVES = re.compile(rb"[^\n\x00]{0,160}?[0-9\"'`\xe2\xc2-]|[^\n\x00]{0,120}[:=]\s")


def told(buffer: bytes, name: Name, raw: bytes, left: int, right: int, hits: list[Hit]) -> None:
    """Look for a value in the sentence behind the name `raw` at left to right."""
    if name.sort in ("url", "cookie"):
        return
    if _NEXT_ATTRIBUTE.match(buffer, right, right + 100) and _ATTRIBUTE.search(buffer, max(0, left - 80), left):
        return
    if _GIVES.match(buffer, right, right + 170) is None:
        return
    found: list[Hit] = []
    _told(buffer, name, raw, right, found)
    if found and _ANOTHER.match(buffer, right, right + 40) is not None:
        values = [decoded(buffer[hit.start : hit.end]) for hit in found]
        found = [hit for hit, value in zip(found, values, strict=True) if random(value) or _STRONG.fullmatch(value)]
    hits.extend(found)


def _told(buffer: bytes, name: Name, raw: bytes, right: int, hits: list[Hit]) -> None:
    match = _PROSE.match(buffer, right, right + 600)
    if match is not None and _prose(buffer, name, match, hits):
        return
    if name.sort == "password":
        match = _BARE_PROSE.match(buffer, right, right + 300)
        if match is not None:
            start, end = match.span("v")
            value = decoded(buffer[start : line_of(buffer, start, end)]).rstrip(".,;:!?)")
            digits = sum(ch.isdigit() for ch in said(value))
            stance: Stance = "quoted" if match["q"] and digits else "prose"
            quoted = match["q"] not in (b"", b"*")  # `*` alone is a pointer in C, or a tag in Vim's help
            if (
                "=" not in value
                and value[:1] != ")"
                and (digits >= 2 or random(said(value)) or (quoted and raw.lower() != b"pass"))
            ):
                offer(buffer, name, start, start + len(value.encode()), stance, hits, "sentence")
    elif name.sort in ("key", "token", "weak-key", "secret"):
        match = _KEY_STANDS.match(buffer, right, right + 300)
        if match is not None:
            value = decoded(match["v"]).rstrip(".")
            if (match["q"] or name.sort != "weak-key") and random(value) and not _looks_like_id(value, name):
                offer(buffer, name, match.start("v"), match.start("v") + len(value), "prose", hits, "sentence")


def _prose(buffer: bytes, name: Name, match: re.Match[bytes], hits: list[Hit]) -> bool:
    start = match.start("v")
    gap = buffer[match.start() : start]
    if b"\n" in gap and (follows := _ANOTHER_LINE.match(buffer, start, start + 200)) is not None:
        numbered = follows["named"] is not None and _LINE_NUMBER.search(gap) is not None
        if numbered or plain_word(decoded(follows["word"])):
            return False
    if (inner := _ASSIGNS.match(buffer, start, match.end("v"))) and _ASSIGNED.search(buffer, match.start(), start):
        start = inner.end()
    value = re.split("&#|&quot;|&apos;", decoded(buffer[start : line_of(buffer, start, match.end("v"))]))[0]
    quoted = bool(match["q"])
    if _CHECKSUM.search(buffer, max(match.start(), start - 24), start) is not None:
        return False
    if re.search(r"[,;].*[:=(]", value) or (value[:1] in ":/=" and not random(value)):
        return False
    if not quoted and _begins_line(buffer, match, value):
        return False
    value = value.rstrip(".,;:!?)]}\\") if not quoted else re.split("[”’»“]", value)[0]
    if match["q"].endswith(b"*"):
        value = _STRESS_ENDS.sub("", value)
    end = start + len(value.encode("utf-8", "surrogatepass"))
    if name.sort == "weak-key":
        if not quoted or not random(value) or len(value) < 20 or _looks_like_id(value, name):
            return False
        return offer(buffer, name, start, end, "quoted", hits, "sentence")
    if quoted and name.sort == "password" and not any(ch.isdigit() for ch in said(value)):
        return offer(buffer, name, start, end, "yaml", hits, "sentence")
    return offer(buffer, name, start, end, "quoted" if quoted else "prose", hits, "sentence")


def _begins_line(buffer: bytes, match: re.Match[bytes], value: str) -> bool:
    """Whether the word on the next line is a key there, or begins what a program says next: `Password: `, `Welcome`."""
    start = match.start("v")
    if buffer.find(b"\n", match.start(), start) < 0:
        return False
    return value.endswith(":") or (buffer[start - 1 : start] == b"\n" and value.istitle() and value.isalpha())


def _looks_like_id(value: str, name: Name) -> bool:
    return name.sort == "weak-key" and bool(re.fullmatch(r"[0-9a-f-]+", value))


def said_before(buffer: bytes, start: int, hits: list[Hit], _seen: Seen) -> None:
    """`… with hunter2 as the password`: the word before."""
    match = _LAST_WORD.search(buffer, max(0, start - 80), start)
    if match is not None:
        offer(buffer, Name("password", "password"), *match.span("v"), "prose", hits, "sentence")


def commented(buffer: bytes, start: int, hits: list[Hit], _seen: Seen) -> None:
    """`"hunter2"  # the db password`: the value before a comment that says no more than that."""
    match = _COMMENTED.search(buffer, max(0, start - 80), start)
    if match is not None and _COMMENT_ENDS.match(buffer, start, start + 80) is not None:
        group = match.lastgroup or "b"
        offer(buffer, Name("password", "password"), *match.span(group), "prose", hits, "sentence")
