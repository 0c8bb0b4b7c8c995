"""Values behind a separator: `=`, `:`, `,`, `|`, `(` or a tag."""

from __future__ import annotations

import re

from dragoman.filters.redact.context.buffers import VALUE_REACH, decoded
from dragoman.filters.redact.context.literals import literal_at
from dragoman.filters.redact.context.markup import element
from dragoman.filters.redact.context.offers import offer
from dragoman.filters.redact.context.tables import behind_border
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.judge import Stance, begun, identifier
from dragoman.filters.redact.names import Name
from dragoman.filters.redact.own_forms import own_form

_SEPARATOR = re.compile(
    rb"""(?:\\{0,3}["'`]|[\])]|\*{1,2}|_{1,2}){0,4}[ \t]*(?P<sep>\?{0,2}(?:=>|!?={1,3}|:{1,2}=|->|:|,|\||\xe2\x94\x82|\xe2\x94\x83|\(|\xef\xbc\x9a)|</?[a-z]+[^<>\n]{0,60}>\s*)(?P<post>(?:\\?["'`]?\*{1,2}(?=[ \t]))?[ \t]*)""",
    re.VERBOSE,
)
_TYPE = re.compile(rb"(?:&?'?[A-Za-z_][\w.<>\[\]|?&' ]{0,40}?)[ \t]*=(?!=)[ \t]*(?=[rbfuRBFU]?[\"'`])")
_BLOCK = re.compile(
    rb"[|>][+-]?[ \t]*\r?\n(?:[ \t]*[0-9]{1,7}(?:\t|\xe2\x86\x92))?[ \t]+(?P<v>[^\s\x00]+)[ \t]*(?=\r?\n|$|\x00)"
)
_BARE = re.compile(rb"[^\s\"'`<>,;|&(){}\[\]\\\x00]+")
_ODD = re.compile(rb"(?P<v>[A-Za-z$%][^\s\"'`\\;,\x00]{4,64}?)[ \t\r]*(?=\n|\x00|$|\\n)")
_ENV = re.compile(rb"(?:[^\s\"'`<>;&|\\\x00]|\\(?![nrtu\"'\\])|&(?![\w.-]+=|&|\s|amp;)|;(?=[^\s\w\x00]))+")
_SCHEME = re.compile(
    rb"(?i)(?:bearer|basic|bot|token|jwt|apikey|api-key|oauth|negotiate|splunk|ssws|digest|key)[ \t]+(?=\S)"
)
_AFTER_SCHEME = Name("token", "bearer-token")
"""What stands behind Bearer, Basic or Token is told by that word, not by the header's name."""


def assigned(buffer: bytes, name: Name, raw: bytes, right: int, flag: bool, hits: list[Hit]) -> bool:
    """Look behind a separator for the value of the name `raw` that ends at `right`. True where that settles the matter."""
    match = _SEPARATOR.match(buffer, right, right + 200)
    if match is None or (match["sep"] == b"(" and buffer[right : right + 1] != b"("):
        return False
    if (raw.islower() or raw.isupper()) and buffer.startswith((raw + match["sep"]) * 3, match.end()):
        return False  # `token=token=token=…`: the last has the value; thousands were judged anew from each on
    return (
        _after_separator(buffer, name, match, flag, raw.isupper(), hits)
        or match["sep"] not in (b":", b",", b"\xef\xbc\x9a")
        or buffer[match.end() : match.end() + 1] in (b"$", b"{", b"[", b"(", b"<", b"'", b'"')
    )


def _after_separator(
    buffer: bytes, name: Name, match: re.Match[bytes], flag: bool, shouting: bool, hits: list[Hit]
) -> bool:
    """A value behind `=`, `:`, `,`, `|`, `(` or a tag. True where that settles the matter."""
    sep, position = match["sep"].lstrip(b"?"), match.end()
    closed = buffer[match.start() : match.start("sep")].strip()
    if sep.startswith(b"<"):
        return element(buffer, name, position, position + 600, hits)
    if sep == b"(":
        literal = literal_at(buffer, position)
        return literal is not None and offer(buffer, name, *literal, "call", hits, "call")
    if sep == b",":
        if not closed.endswith((b'"', b"'", b"`")):
            return False
        literal = literal_at(buffer, position)
        if literal is None:
            return False
        inside = decoded(buffer[literal[0] : literal[1]])
        if not any(ch.isdigit() for ch in inside) or "=" in inside or inside[:1] in "*/-":
            return False
        return offer(buffer, name, *literal, "compare" if name.sort == "password" else "quoted", hits, "call")
    if sep in (b"|", b"\xe2\x94\x82", b"\xe2\x94\x83"):
        return behind_border(buffer, name, match.start(), position, hits)
    if sep == b":" and (typed := _TYPE.match(buffer, position, position + 80)):
        position = typed.end()
        sep = b"="
    compare = sep in (b"==", b"===", b"!=", b"!==")
    scheme = _SCHEME.match(buffer, position, position + 24)
    literal = literal_at(buffer, position)
    if literal is not None:
        start, end = literal
        inner = _SCHEME.match(buffer, start, end)
        if inner is not None and name.sort in ("auth", "token", "key", "secret"):
            start = inner.end()
            if name.sort == "auth":
                name = _AFTER_SCHEME
        if name.sort == "url":
            return False
        return offer(buffer, name, start, end, "compare" if compare else "quoted", hits, "assignment")
    if compare:
        return False
    if scheme is not None and name.sort in ("auth", "token", "key"):
        position = scheme.end()
        if name.sort == "auth":
            name = _AFTER_SCHEME
    if sep == b":" and (block := _BLOCK.match(buffer, position, position + VALUE_REACH)):
        return offer(buffer, name, block.start("v"), block.end("v"), "yaml", hits, "assignment")
    if name.sort == "password" and (odd := _odd(buffer, position)) is not None:
        return offer(buffer, name, *odd, "yaml", hits, "assignment")
    spaced = bool(match["post"]) or buffer[match.start() : match.start("sep")].endswith((b" ", b"\t"))
    if (sep in (b"=", b":=", b"==") and not spaced) or flag:
        bare = _ENV.match(buffer, position, position + VALUE_REACH)
        if bare is None:
            return False
        start, end = bare.span()
        end = _trim(buffer, start, end)
        tail = buffer[end : end + 1]
        stance: Stance = "env" if shouting or flag else "yaml"
        if not shouting and not flag and tail in (b"(", b"[", b"{"):
            return False
        value = buffer[start:end]
        if stance == "yaml" and (b"(" in value or b"[" in value):
            return False
        return offer(buffer, name, start, end, stance, hits, "assignment")
    bare = _BARE.match(buffer, position, position + VALUE_REACH)
    if bare is None:
        return False
    start, end = bare.span()
    tail = buffer[end : end + 1]
    if tail in (b"(", b"["):
        return True
    # A value that runs to the end of the line may hold nearly any sign.
    line_end = buffer.find(b"\n", start, start + VALUE_REACH)
    if line_end < 0:
        line_end = min(len(buffer), start + VALUE_REACH)
    rest = buffer[start:line_end].rstrip(b" \t\r\x00")
    cut = rest.find(b" #")
    if cut > 0:
        rest = rest[:cut].rstrip()
    rest = rest.split(b"\x00", 1)[0]
    whole = b" " not in rest and b"\t" not in rest
    if (
        whole
        and not rest.endswith((b",", b";", b")", b"}", b"]", b"'", b'"', b"`", b">", b"|"))
        and b"\\" not in rest
        and b"<" not in rest
    ):
        end = start + len(rest)
        stance = "yaml" if sep == b":" else ("env" if shouting else "yaml")
        if sep in (b"=", b":=", b"=>", b"->") and identifier(decoded(buffer[start:end])):
            return False
        return offer(buffer, name, start, end, stance, hits, "assignment")
    remaining = buffer[end:line_end].strip(b" \t\r,;)}]\"'")
    if sep == b":" and remaining and tail not in (b",", b";", b"}", b"\\"):
        return False  # a sentence, perhaps
    return offer(buffer, name, start, _trim(buffer, start, end), "bare", hits, "assignment")


def _odd(buffer: bytes, position: int) -> tuple[int, int] | None:
    """The rest of the line, where it is a password that looks like code."""
    odd = _ODD.match(buffer, position, position + 100)
    return odd.span("v") if odd is not None and own_form(decoded(odd["v"])) else None


def _trim(buffer: bytes, start: int, end: int) -> int:
    """Cut off what belongs to the sentence or the bracket around a bare value."""
    value = buffer[start:end]
    if value.endswith(b"...") and begun(decoded(value.rstrip(b".")), 14):
        return end
    while value and value[-1:] in (b",", b".", b")", b"]", b"}", b":", b"\\"):
        last = value[-1:]
        opener = {b")": b"(", b"]": b"[", b"}": b"{"}.get(last)
        if opener and value.count(opener) >= value.count(last):
            break
        value = value[:-1]
    return start + len(value)
