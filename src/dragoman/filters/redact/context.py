"""What surroundings give away: assignments, flags, headers, fields, sentences, tables, commands.

Works on one buffer of UTF-8 bytes. An Aho-Corasick automaton finds the cues; only there do regular
expressions run, anchored, each over a bounded stretch, so that the time stays linear in the text.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from functools import lru_cache

import ahocorasick_rs
from msgspec import Struct

from dragoman.filters.redact import nested
from dragoman.filters.redact.catalog import Phrase, phrases
from dragoman.filters.redact.inserts import inserted
from dragoman.filters.redact.judge import (
    Stance,
    begun,
    chosen,
    identifier,
    is_secret,
    placeholder,
    plain_word,
    random,
    reference,
)
from dragoman.filters.redact.names import Name, Sort, classify, words
from dragoman.filters.redact.own_forms import own_form, written_out
from dragoman.filters.redact.shells import CUES, below


class Hit(Struct, frozen=True):
    """A secret at bytes start to end of a buffer. `value`: what it says, where that isn't what stands there."""

    start: int
    end: int
    rule: str
    kind: str
    value: str = ""


_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$" + bytes(range(0x80, 0x100))
_NAME_MAP = bytes(ord("a") if byte in _NAME_BYTES else 0x20 for byte in range(256))
_SIGN_MAP = bytes(0x31 if byte in b"0123456789=:|\"'`<>,;\t" or byte >= 0x80 else 0x20 for byte in range(256))
_SIGN_REACH = 100
_NAME_REACH = 96
_VALUE_REACH = 6000
_LONG = 400

_SEPARATOR = re.compile(
    rb"""(?:\\{0,3}["'`]|[\])]|\*{1,2}|_{1,2}){0,4}[ \t]*(?P<sep>\?{0,2}(?:=>|!?={1,3}|:{1,2}=|->|:|,|\||\xe2\x94\x82|\xe2\x94\x83|\(|\xef\xbc\x9a)|</?[a-z]+[^<>\n]{0,60}>\s*)(?P<post>(?:\\?["'`]?\*{1,2}(?=[ \t]))?[ \t]*)""",
    re.VERBOSE,
)
_TYPE = re.compile(rb"(?:&?'?[A-Za-z_][\w.<>\[\]|?&' ]{0,40}?)[ \t]*=(?!=)[ \t]*(?=[rbfuRBFU]?[\"'`])")
_DOUBLE = re.compile(rb'[rbfuRBFUL@$]{0,2}\\?"(?P<v>(?:[^"\\\n\x00]|\\[^\n\x00])*)"')
_ESCAPED_QUOTE = re.compile(rb"""(\\{1,7})(["'])(?P<v>(?:[^"'\\\n\x00]|\\(?!\\*["']))*)\1\2""")
_SINGLE = re.compile(rb"[rbfuRBFUL@$]{0,2}'(?P<v>(?:[^'\\\n\x00]|\\[^\n\x00]|'(?:\\')?'(?=[^\s,;)\]}]))*)'")
_TICK = re.compile(rb"`(?P<v>[^`\n\x00]*)`")
_TRIPLE = re.compile(rb'[rbfuRBFU]{0,2}("""|\'\'\')\s*(?P<v>[^\n\x00]*?)\s*\1')
_BLOCK = re.compile(rb"[|>][+-]?[ \t]*\r?\n[ \t]+(?P<v>[^\s\x00]+)[ \t]*(?=\r?\n|$|\x00)")
_BARE = re.compile(rb"[^\s\"'`<>,;|&(){}\[\]\\\x00]+")
_ODD = re.compile(rb"(?P<v>[A-Za-z$%][^\s\"'`\\;,\x00]{4,64}?)[ \t\r]*(?=\n|\x00|$|\\n)")
_ENV = re.compile(rb"(?:[^\s\"'`<>;&|\\\x00]|\\(?![nrtu\"'\\])|&(?![\w.-]+=|&|\s|amp;)|;(?=[^\s\w\x00]))+")
_TAG = re.compile(rb"(?P<v>[^<>\s\x00]{3,512})[ \t]*</")
_CELL = re.compile(rb"[ \t]*[`*\"']{0,2}(?P<v>[^|\n\x00`*\"'\xe2]+?)[`*\"']{0,2}[ \t]*(?=\||\xe2\x94|\n|\x00|$)")
_SCHEME = re.compile(
    rb"(?i)(?:bearer|basic|bot|token|jwt|apikey|api-key|oauth|negotiate|splunk|ssws|digest|key)[ \t]+(?=\S)"
)
_FLAG = re.compile(
    rb"[ \t]+(?:\"(?P<d>[^\"\n\x00]+)\"|'(?P<s>[^'\n\x00]+)'|(?P<b>[^\s\"'`<>|;&()\x00-][^\s\"'`<>|;&\x00]*))"
)
_PROSE = re.compile(
    rb"""["'`*_]{0,2}(?:[ \t]+(?!is\b|was\b|to\b|are\b|be\b|=)(?:[\w'/@.-]+|\([\w ./-]{1,24}\))){0,7}?(?:[ \t]*(?:[:=]|\xe2\x86\x92|->|\xef\xbc\x9a)|[ \t]+(?:is|was|to|are|be|becomes|ist|lautet|war|est|es|era|son|\xc3\xa9|e|\xc3\xa8|jest|to|\xc3\xa4r|er|on|je|van|\xd1\x8d\xd1\x82\xd0\xbe|\xe2\x80\x94|-)[ \t]*:?)(?:[ \t]+|\s{0,2}\n[ \t]*(?:```\w*\n[ \t]*)?)?(?:(?:now|still|just|actually|currently|set[ ]to|called|simply|temporarily|probably)[ ]){0,2}(?P<q>["'`*\xe2\x80\x98\x9c\xc2\xab\xe2\x80\x9e]{0,6})(?P<v>[^\s"'`<>\x00]+)""",
    re.VERBOSE,
)
_BARE_PROSE = re.compile(rb"[ \t]+(?P<q>[\"'`*]{0,2})(?P<v>[^\s\"'`<>|\x00]+)")
_CHECKSUM = re.compile(rb"(?i)\b(?:sha-?[0-9]{1,3}|md5|crc32|checksum|etag|fingerprint)\s?[:=]\s?$")
_KEY_STANDS = re.compile(rb"[ \t]+(?P<q>[`\"']{0,1})(?P<v>[A-Za-z0-9_+/=.~-]{20,256})(?![\w(\[])")
_BEFORE = re.compile(rb"([A-Za-z]+)[ \t]$")
_BLANKS = (b"", b" ", b"\t", b"\n", b'"', b"'", b"\x00")
_SETTER = re.compile(
    rb"(?i)(?:set|with|update|change|reset|verify|login|use|add|new|check|using|create)[\w]*(?:password|passwd|passphrase|pwd|pass|secret|token|apikey|key)$"
)
_COOKIE_LINE = re.compile(rb"""(?i)cookie["'`]?\s*[:=]?\s*["'`]?(?P<line>(?:[^\n"'`\x00\\]++|\\(?![nr]))++)""")
_COOKIE_REST = re.compile(rb"""(?P<line>(?:[^\n"'`\x00\\]++|\\(?![nr]))++)""")
_COOKIE_REACH = 4200
_COOKIE = re.compile(rb"(?<![\w.%-])(?P<n>[\w.%-]{1,80})=(?P<v>[^;\s,\x00]{12,4000})")
_COOKIE_FLAG = re.compile(rb"-b\s+[\"']?(?P<line>(?:[^\n\"'\x00\\]++|\\(?![nr]))++)")
_HARMLESS_COOKIE = re.compile(
    rb"(?i)_g[ai]|_gat|utm|theme|lang|locale|consent|_fbp|amplitude|mp_|ajs_|optimizely|intercom-id|csrf|xsrf|path|domain|expires|max-age|samesite"
)
_CODED = re.compile(rb"[A-Za-z0-9+/=]{16,}")
_KEY_START = re.compile(
    rb"(?:[^A-Za-z0-9+/=\x00]{1,24}(?:(?:[\w./-]{1,80}:)?[0-9]{1,6}[^A-Za-z0-9+/=\x00]{1,4}|[nr]{1,2})?[A-Za-z0-9+/=]{16,}+(?!\\{0,7}[\"'][ ]?:)){1,400}"
)
_STRING_END = re.compile(r"""\\{0,7}["'](?=[,:}\])]|\Z)""")
"""The end of the string of JSON, or of code, that a value without quotes of its own stands in."""
_NEXT_STRING = re.compile(rb"""\s[^\s"']*["'],\s*\\{0,7}["']""")
_KEY_OF_JSON = re.compile(rb"""\\{0,7}["']\s*:""")
_MARKUP = re.compile(r"</?[a-z]|&(?:lt|gt|quot|apos|#\w+);")
_LAST_WORD = re.compile(rb"(?:^|[\s\"'`(])(?P<v>[^\s\"'`()<>\\\x00]{5,64})[\"'`)]?$")
_COMMENTED = re.compile(
    rb"""(?:(["'])(?P<q>[^\s"'\\\x00]{5,64})\1|:[ \t]+(?P<b>[^\s"'`()<>\\\x00]{5,64}))[;,]?[ \t]{0,8}$"""
)
_COMMENT_ENDS = re.compile(rb"[^\n\x00]{0,30}?(?:password|passwort)\b[.!)]?[ \t]*(?=[\r\n\x00*\"'\\]|$)", re.IGNORECASE)
_CELL_START = re.compile(rb"(?:[,;|\t\n\x00]|\xe2\x94[\x82\x83]|^)[ \"'`*]*(?:[A-Za-z_]+[ ]){0,3}$")
_GIVES = re.compile(rb"[^\n\x00]{0,160}?[0-9\"'`\xe2\xc2-]|[^\n\x00]{0,120}[:=]\s")
_CELL_END = re.compile(rb"[ \t]*(?:[,;\t\r\n|]|\xe2\x94)")
_KEY_END = re.compile(rb"-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(
    rb"[^A-Za-z0-9+/=\n]{0,12}(?:\d{1,6}[^A-Za-z0-9+/=\n]{1,4})?(?:[A-Za-z0-9+/=]{24,100}|=[A-Za-z0-9+/]{4}|[A-Za-z0-9+/=]{4,100})[^A-Za-z0-9+/=\n]{0,6}\n"
)
_DELIMITER_LINE = re.compile(r"[\s|+:─═┼╪┬┴├┤│┃-]+")
_SECRET_KIND = re.compile(rb"""(?i)kind\\*["']?\s*:\s*\\*["']?secret\b""")
_SECRET_ENTRY = re.compile(
    rb"""(?m)(?:^|[{,])[ \t]*["']?(?P<n>[\w.-]{1,128})["']?[ \t]*:[ \t]*["']?(?P<v>[A-Za-z0-9+/_-]{4,16000}={0,2})["']?[ \t]*(?=[,}\r\n\x00]|$)"""
)
_PUBLIC_PEM = (b"-----BEGIN CERTIFICATE-----", b"-----BEGIN PUBLIC KEY-----")
_NOT_DATA = re.compile(
    rb"(?i)apiVersion|kind|name|namespace|type|uid|resourceVersion|creationTimestamp|metadata|immutable|labels|annotations|managedFields|manager|operation|time|app|release|chart"
)


_Seen = dict[str, int]
"""Up to where a hook has looked, so that no cue makes it look twice."""


class Context:
    """The cues and their rules, compiled once."""

    def __init__(self, only: frozenset[str] = frozenset()) -> None:
        """`only` limits it to the phrases of these ids, without names and tables."""
        self._rules: dict[str, list[tuple[Phrase, re.Pattern[bytes], re.Pattern[bytes] | None]]] = {}
        for rule in phrases():
            if only and rule.id not in only:
                continue
            compiled = rule.compiled(), rule.compiled_each()
            for cue in rule.cues:
                self._rules.setdefault(cue, []).append((rule, *compiled))
        name_cues = set() if only else set(words().cues)
        hooks: dict[str, Callable[[bytes, int, list[Hit], _Seen], None]] = (
            {}
            if only
            else {
                "cookie": _cookie_header,
                "-b ": _cookie_flag,
                "kind": _kubernetes,
                **dict.fromkeys(CUES, _printed),
                "insert ": _inserted,
                **dict.fromkeys(words().said_after, _said_before),
                **dict.fromkeys(words().commented, _commented),
            }
        )
        plain = sorted(
            name_cues | set(self._rules) | set(hooks) | {cue.capitalize() for cue in name_cues if not cue.isascii()}
        )
        self._cues = plain
        self._is_name = [cue in name_cues or cue.lower() in name_cues for cue in plain]
        self._hooks = [hooks.get(cue) for cue in plain]
        self._phrases = [self._rules.get(cue, []) for cue in plain]
        self._automaton = ahocorasick_rs.BytesAhoCorasick(
            [cue.encode() for cue in plain],
            matchkind=ahocorasick_rs.MatchKind.Standard,
            implementation=ahocorasick_rs.Implementation.DFA,  # 2.5 times as fast; built in a few milliseconds
        )

    def find(self, buffer: bytes) -> list[Hit]:
        """Every secret that something around it gives away, in the order of the cues."""
        low = buffer.lower()
        matches = self._automaton.find_matches_as_indexes(low, overlapping=True)
        if not matches:
            return []
        hits: list[Hit] = []
        seen: _Seen = {}
        names = buffer.translate(_NAME_MAP)
        signs = buffer.translate(_SIGN_MAP)
        done = settled = -1
        for index, start, end in matches:
            for rule, pattern, each in self._phrases[index]:
                match = pattern.match(buffer, start, min(len(buffer), start + _VALUE_REACH * 3))
                if match is not None:
                    for one in (match,) if each is None else each.finditer(buffer, *match.span("value")):
                        hit = _judged(rule, one)
                        if hit is not None:
                            hits.append(hit)
            hook = self._hooks[index]
            if hook is not None:
                hook(buffer, start, hits, seen)
            # Most names stand in sentences that give nothing away: no sign, quote or digit follows soon.
            if (
                start < done
                or start < settled
                or not self._is_name[index]
                or signs.find(b"1", end, end + _SIGN_REACH) < 0
            ):
                continue
            left = names.rfind(b" ", max(0, start - _NAME_REACH), start) + 1
            if left == 0:
                left = max(0, start - _NAME_REACH)
            right = names.find(b" ", end, end + _NAME_REACH)
            if right < 0:
                right = min(len(buffer), end + _NAME_REACH)
            done = right
            before = len(hits)
            _at_name(buffer, left, right, hits)
            if len(hits) > before:
                settled = max(settled, _settled(hits[-1]))
        if b"PRIVATE KEY" in buffer:
            _key_ends(buffer, hits)
        return hits


def _settled(hit: Hit) -> int:
    """Up to where names within a long value needn't be judged: theirs would end where it does.

    Near its end they are, as theirs may begin behind it; further off where the value was cut for its length.
    """
    length = hit.end - hit.start
    if hit.rule != "named-assignment" or length < _LONG:
        return -1
    return hit.end - (_VALUE_REACH // 2 if length > _VALUE_REACH - _NAME_REACH else 2 * _NAME_REACH)


@lru_cache(maxsize=65536)
def _named(name: bytes) -> Name | None:
    return classify(name.decode("utf-8", "replace"))


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # the stretch was cut inside a character
        return value.decode("utf-8", "replace")


def _judged(rule: Phrase, match: re.Match[bytes]) -> Hit | None:
    """A phrase's match, if its value stands the test that the rule names."""
    start, end = match.span("value")
    value = _text(match["value"])
    if _elsewhere(match, start, end):
        return None
    trimmed = _MARKUP.split(value, maxsplit=1)[0]
    if rule.sort != "digits":  # those may be a list of strings
        trimmed = _STRING_END.split(trimmed, maxsplit=1)[0]
    trimmed = trimmed.rstrip(".,;:!?)\\") if rule.stance == "prose" else trimmed.rstrip("\\")
    end -= len(value.encode("utf-8", "surrogatepass")) - len(trimmed.encode("utf-8", "surrogatepass"))
    value = trimmed
    kind = rule.kind
    sort = rule.sort
    if sort == "whole":
        if rule.id == "private-key":
            end = _key_body(match)
            if end < 0:
                return None
        return Hit(start, end, rule.id, kind)
    if (
        "://" in (value if rule.stance == "prose" else value[:12])
        or value.startswith("//")
        or (placeholder(value) and not (value.startswith("$") and value.count("$") > 2))
    ):
        return None
    good: bool
    if sort in ("any", "password", "userpass", "any-literal") and written_out(value):
        # In quotes and in URLs nothing is called; elsewhere the form must tell by itself.
        quoted = rule.id == "url-password" or match.string[start - 1 : start] in (b"'", b'"', b":")
        if quoted or own_form(value):
            return Hit(start, end, rule.id, kind)
    if rule.stance == "flag" and sort == "password" and value.isdigit() and len(value) < 6:
        return None  # a port
    if sort == "any":
        good = not reference(value) or (chosen(value) and "(" not in value and "." not in value)
    elif sort == "any-literal":
        good = (not plain_word(value) and " " not in value and chosen(value, 4)) or is_secret(
            "password", value, "quoted"
        )
    elif sort == "digits":
        good = any(ch.isdigit() for ch in value)
    elif sort == "random":
        good = random(value) and not reference(value)
    elif sort == "userinfo":
        good = _userinfo(value)
    elif sort == "userpass":
        good = (
            not value.isdigit()
            and not value.startswith("/")
            and is_secret("password", value, "flag")
            and not reference(value)
        )
    elif sort == "typed":
        selector = (match["sel"] or b"").decode("utf-8", "replace")
        if not selector:
            before = (
                match.string[max(0, match.start() - 100) : match.start()].decode("utf-8", "replace").rsplit("\n", 1)[-1]
            )
            selector = before
        good = bool(re.search(r"(?i)pass|pwd|secret|token|api.?key|otp", selector)) and is_secret(
            "password", value, "quoted"
        )
    elif sort == "named":
        named = _named(match["name"])
        if named is None:
            return None
        kind = named.kind
        good = is_secret(named.sort, value, "field")
    else:
        good = is_secret(_sort(sort), value, _stance(rule.stance))
    return Hit(start, end, rule.id, kind) if good else None


def _elsewhere(match: re.Match[bytes], start: int, end: int) -> bool:
    """Whether the value stands in another string than what tells it, or is a name there."""
    data = match.string
    if data[start - 1 : start] not in (b'"', b"'"):
        return False
    return _KEY_OF_JSON.match(data, end, end + 16) is not None or (
        _NEXT_STRING.search(data, match.start(), start) is not None
    )


def _sort(word: str) -> Sort:
    return word  # type: ignore[return-value]


def _stance(word: str) -> Stance:
    return word  # type: ignore[return-value]


def _userinfo(value: str) -> bool:
    """Base64 of `user:password`."""
    try:
        padded = value.replace("-", "+").replace("_", "/").rstrip("=")
        plain = base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return 3 <= plain.find(b":") + 2 <= len(plain) and all(32 <= byte < 127 or byte >= 0xA0 for byte in plain)


_PART_OF_ANOTHER = re.compile(rb"(?:arn:[\w-]{0,20}:[\w-]{0,40}:[\w-]{0,20}:[0-9]{0,12}:|checksums?/)$")
"""What makes a name a word in a resource's name, or in that of a checksum."""

_INDEXES = frozenset((b"sort", b"cache", b"foreign", b"primary", b"public", b"partition"))


def _at_name(buffer: bytes, left: int, right: int, hits: list[Hit]) -> None:
    """Look behind the name at left to right for its value."""
    raw = buffer[left:right]
    trailing = len(raw) - len(raw.rstrip(b".-$"))
    if trailing and raw.rstrip(b".-$"):
        right -= trailing
        raw = raw[: len(raw) - trailing]
    name = _named(raw)
    if name is not None and _PART_OF_ANOTHER.search(buffer, max(0, left - 100), left) is not None:
        return
    several = name if name is not None else nested.named(_text(raw)) if raw[-1:] in b"sS" else None
    if several is not None:
        hits.extend(
            Hit(each.start, each.end, f"named-{each.way}", several.kind)
            for each in nested.find(buffer, left, right, several)
        )
    if name is None:
        return
    following = buffer[right : right + 1]
    if _CELL_END.match(buffer, right) is not None and _CELL_START.search(buffer, max(0, left - 32), left) is not None:
        _columns(buffer, right, hits)
    if following == b">" and buffer[left - 1 : left] == b"<":
        tag = _TAG.match(buffer, right + 1, right + 600)
        if tag is not None:
            _offer(buffer, name, tag.start("v"), tag.end("v"), "quoted", hits, "markup")
        return
    if following in (b"", b"\x00") or (following == b"(" and not _SETTER.search(raw)):
        return
    if name.sort == "weak-key":
        before = _BEFORE.search(buffer, max(0, left - 24), left)
        if before is not None:
            longer = _named(before[1] + b"_" + raw)
            if longer is not None or before[1].lower() in _INDEXES:
                name = longer
        if name is None:
            return
    if buffer[left - 2 : left] in (b"::", b"//"):
        return
    flag = (
        raw.startswith(b"--")
        or (raw.startswith(b"-") and left > 0 and buffer[left - 1 : left] not in (b"\n", b"\x00"))
        or (buffer[left - 1 : left] == b"/" and following == b" " and buffer[left - 2 : left - 1] in _BLANKS)
    )
    shouting = raw.isupper()
    match = _SEPARATOR.match(buffer, right, right + 200)
    if match is not None and match["sep"] == b"(" and following != b"(":
        match = None
    if match is not None and (
        _after_separator(buffer, name, raw, match, flag, shouting, hits)
        or match["sep"] not in (b":", b",", b"\xef\xbc\x9a")
        or buffer[match.end() : match.end() + 1] in (b"$", b"{", b"[", b"(", b"<", b"'", b'"')
    ):
        return
    if flag and following in (b" ", b"\t") and (match := _FLAG.match(buffer, right, right + _VALUE_REACH)):
        group = match.lastgroup or "b"
        _offer(buffer, name, match.start(group), match.end(group), "flag", hits, "flag")
        return
    if name.sort in ("url", "cookie"):
        return
    if _GIVES.match(buffer, right, right + 170) is None:
        return
    match = _PROSE.match(buffer, right, right + 600)
    if match is not None and _prose(buffer, name, match, hits):
        return
    if name.sort == "password":
        match = _BARE_PROSE.match(buffer, right, right + 300)
        if match is not None:
            value = _text(match["v"]).rstrip(".,;:!?)")
            stance: Stance = "quoted" if match["q"] and any(ch.isdigit() for ch in value) else "prose"
            if "=" not in value and (
                sum(ch.isdigit() for ch in value) >= 2 or random(value) or (match["q"] and raw.lower() != b"pass")
            ):
                _offer(buffer, name, match.start("v"), match.start("v") + len(value.encode()), stance, hits, "sentence")
    elif name.sort in ("key", "token", "weak-key", "secret"):
        match = _KEY_STANDS.match(buffer, right, right + 300)
        if match is not None:
            value = _text(match["v"]).rstrip(".")
            if (match["q"] or name.sort != "weak-key") and random(value) and not _looks_like_id(value, name):
                _offer(buffer, name, match.start("v"), match.start("v") + len(value), "prose", hits, "sentence")


def _looks_like_id(value: str, name: Name) -> bool:
    return name.sort == "weak-key" and bool(re.fullmatch(r"[0-9a-f-]+", value))


def _prose(buffer: bytes, name: Name, match: re.Match[bytes], hits: list[Hit]) -> bool:
    start = match.start("v")
    value = re.split("&#|&quot;|&apos;", _text(match["v"]))[0]
    quoted = bool(match["q"])
    if _CHECKSUM.search(buffer, max(match.start(), start - 24), start) is not None:
        return False
    if re.search(r"[,;].*[:=(]", value) or (value[:1] in ":/=" and not random(value)):
        return False
    if not quoted:
        value = value.rstrip(".,;:!?)]}\\")
        value = value.split("\\n")[0]
    else:
        value = re.split("[”’»“]", value)[0]
    end = start + len(value.encode("utf-8", "surrogatepass"))
    if name.sort == "weak-key":
        if not quoted or not random(value) or len(value) < 20 or _looks_like_id(value, name):
            return False
        return _offer(buffer, name, start, end, "quoted", hits, "sentence")
    if quoted and name.sort == "password" and not any(ch.isdigit() for ch in value):
        return _offer(buffer, name, start, end, "yaml", hits, "sentence")
    return _offer(buffer, name, start, end, "quoted" if quoted else "prose", hits, "sentence")


def _after_separator(
    buffer: bytes, name: Name, raw: bytes, match: re.Match[bytes], flag: bool, shouting: bool, hits: list[Hit]
) -> bool:
    """A value behind `=`, `:`, `,`, `|`, `(` or a tag. True where that settles the matter."""
    sep, position = match["sep"].lstrip(b"?"), match.end()
    closed = buffer[match.start() : match.start("sep")].strip()
    if sep.startswith(b"<"):
        tag = _TAG.match(buffer, position, position + 600)
        return tag is not None and _offer(buffer, name, tag.start("v"), tag.end("v"), "quoted", hits, "markup")
    if sep == b"(":
        literal = _literal(buffer, position)
        return literal is not None and _offer(buffer, name, *literal, "call", hits, "call")
    if sep == b",":
        if not closed.endswith((b'"', b"'", b"`")):
            return False
        literal = _literal(buffer, position)
        if literal is None:
            return False
        inside = _text(buffer[literal[0] : literal[1]])
        if not any(ch.isdigit() for ch in inside) or "=" in inside or inside[:1] in "*/-":
            return False
        return _offer(buffer, name, *literal, "compare" if name.sort == "password" else "quoted", hits, "call")
    if sep in (b"|", b"\xe2\x94\x82", b"\xe2\x94\x83"):
        cell = _CELL.match(buffer, position, position + 600)
        if cell is not None and _offer(buffer, name, cell.start("v"), cell.end("v"), "prose", hits, "table"):
            return True
        _columns(buffer, match.start(), hits)
        if name.sort == "password":
            _row(buffer, match.start(), name, hits)
        return False
    if sep == b":" and (typed := _TYPE.match(buffer, position, position + 80)):
        position = typed.end()
        sep = b"="
    compare = sep in (b"==", b"===", b"!=", b"!==")
    scheme = _SCHEME.match(buffer, position, position + 24)
    literal = _literal(buffer, position)
    if literal is not None:
        start, end = literal
        inner = _SCHEME.match(buffer, start, end)
        if inner is not None and name.sort in ("auth", "token", "key", "secret"):
            start = inner.end()
            if name.sort == "auth":
                name = _AFTER_SCHEME
        if name.sort == "url":
            return False
        return _offer(buffer, name, start, end, "compare" if compare else "quoted", hits, "assignment")
    if compare:
        return False
    if scheme is not None and name.sort in ("auth", "token", "key"):
        position = scheme.end()
        if name.sort == "auth":
            name = _AFTER_SCHEME
    if sep == b":" and (block := _BLOCK.match(buffer, position, position + _VALUE_REACH)):
        return _offer(buffer, name, block.start("v"), block.end("v"), "yaml", hits, "assignment")
    if name.sort == "password" and (odd := _odd(buffer, position)) is not None:
        return _offer(buffer, name, *odd, "yaml", hits, "assignment")
    spaced = bool(match["post"]) or buffer[match.start() : match.start("sep")].endswith((b" ", b"\t"))
    if (sep in (b"=", b":=", b"==") and not spaced) or flag:
        bare = _ENV.match(buffer, position, position + _VALUE_REACH)
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
        return _offer(buffer, name, start, end, stance, hits, "assignment")
    bare = _BARE.match(buffer, position, position + _VALUE_REACH)
    if bare is None:
        return False
    start, end = bare.span()
    tail = buffer[end : end + 1]
    if tail in (b"(", b"["):
        return True
    # A value that runs to the end of the line may hold nearly any sign.
    line_end = buffer.find(b"\n", start, start + _VALUE_REACH)
    if line_end < 0:
        line_end = min(len(buffer), start + _VALUE_REACH)
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
        if sep in (b"=", b":=", b"=>", b"->") and identifier(_text(buffer[start:end])):
            return False
        return _offer(buffer, name, start, end, stance, hits, "assignment")
    remaining = buffer[end:line_end].strip(b" \t\r,;)}]\"'")
    if sep == b":" and remaining and tail not in (b",", b";", b"}", b"\\"):
        return False  # a sentence, perhaps
    return _offer(buffer, name, start, _trim(buffer, start, end), "bare", hits, "assignment")


def _odd(buffer: bytes, position: int) -> tuple[int, int] | None:
    """The rest of the line, where it is a password that looks like code."""
    odd = _ODD.match(buffer, position, position + 100)
    return odd.span("v") if odd is not None and own_form(_text(odd["v"])) else None


_AFTER_SCHEME = Name("token", "bearer-token")
"""What stands behind Bearer, Basic or Token is told by that word, not by the header's name."""


def _trim(buffer: bytes, start: int, end: int) -> int:
    """Cut off what belongs to the sentence or the bracket around a bare value."""
    value = buffer[start:end]
    if value.endswith(b"...") and begun(_text(value.rstrip(b".")), 14):
        return end
    while value and value[-1:] in (b",", b".", b")", b"]", b"}", b":", b"\\"):
        last = value[-1:]
        opener = {b")": b"(", b"]": b"[", b"}": b"{"}.get(last)
        if opener and value.count(opener) >= value.count(last):
            break
        value = value[:-1]
    return start + len(value)


def _literal(buffer: bytes, position: int) -> tuple[int, int] | None:
    """The inside of a quoted literal that starts here."""
    first = buffer[position : position + 3]
    if not first:
        return None
    pattern: re.Pattern[bytes]
    head = first.lstrip(b"rbfuRBFUL@$")[:1] or first[:1]
    if first[:1] == b"\\":
        pattern = _ESCAPED_QUOTE
    elif head == b'"':
        pattern = _DOUBLE
    elif head == b"'":
        pattern = _SINGLE
    elif head == b"`":
        pattern = _TICK
    else:
        return None
    if first.endswith((b'"""', b"'''")) and (triple := _TRIPLE.match(buffer, position, position + _VALUE_REACH)):
        return triple.span("v")
    match = pattern.match(buffer, position, position + _VALUE_REACH)
    if match is None:
        return None
    start, end = match.span("v")
    if buffer[end - 1 : end] == b"\\" and end > start:
        end -= 1
    return start, end


def _offer(buffer: bytes, name: Name, start: int, end: int, stance: Stance, hits: list[Hit], way: str) -> bool:
    """Judge the value at start to end; a secret becomes a hit."""
    if end - start < 3 or end - start > _VALUE_REACH:
        return False
    value = _text(buffer[start:end])
    if stance not in ("quoted", "call", "compare"):
        whole = _STRING_END.split(value, maxsplit=1)[0]
        if whole != value:
            end, value = start + len(whole.encode("utf-8", "surrogatepass")), whole
    if name.sort == "cookie" and "=" in value.rstrip("="):
        return False
    if not is_secret(name.sort, value, stance):
        return False
    hits.append(Hit(start, end, f"named-{way}", name.kind))
    return True


def _said_before(buffer: bytes, start: int, hits: list[Hit], _seen: _Seen) -> None:
    """`… with hunter2 as the password`: the word before."""
    match = _LAST_WORD.search(buffer, max(0, start - 80), start)
    if match is not None:
        _offer(buffer, Name("password", "password"), *match.span("v"), "prose", hits, "sentence")


def _printed(buffer: bytes, start: int, hits: list[Hit], _seen: _Seen) -> None:
    """A command that prints a secret, and the line below it."""
    found = below(buffer, start)
    if found is not None:
        hits.append(Hit(found[0], found[1], "named-output", found[2].kind))


def _commented(buffer: bytes, start: int, hits: list[Hit], _seen: _Seen) -> None:
    """`"hunter2"  # the db password`: the value before a comment that says no more than that."""
    match = _COMMENTED.search(buffer, max(0, start - 80), start)
    if match is not None and _COMMENT_ENDS.match(buffer, start, start + 80) is not None:
        group = match.lastgroup or "b"
        _offer(buffer, Name("password", "password"), *match.span(group), "prose", hits, "sentence")


def _inserted(buffer: bytes, start: int, hits: list[Hit], _seen: _Seen) -> None:
    """The values that SQL inserts below columns with the names of secrets."""
    for name, low, high in inserted(buffer, start):
        _offer(buffer, name, low, high, "field", hits, "row")


def _cookie_header(buffer: bytes, start: int, hits: list[Hit], seen: _Seen) -> None:
    """The cookies of a header Cookie or Set-Cookie, and of --cookie."""
    _cookies(buffer, _COOKIE_LINE, start, hits, seen)


def _cookie_flag(buffer: bytes, start: int, hits: list[Hit], seen: _Seen) -> None:
    """The cookies that curl is given by -b."""
    _cookies(buffer, _COOKIE_FLAG, start, hits, seen)


def _cookies(buffer: bytes, line: re.Pattern[bytes], start: int, hits: list[Hit], seen: _Seen) -> None:
    end = min(len(buffer), start + _COOKIE_REACH)
    looked, ended = ("header", "header-ended") if line is _COOKIE_LINE else ("flag", "flag-ended")
    if start < seen.get(looked, 0):
        if start < seen[ended]:
            return  # the line has ended within what was looked at
        # The line is longer than one look: go on from the last cookie that was whole.
        reached = seen[looked]
        begun = max(start, buffer.rfind(b";", max(start, reached - _COOKIE_REACH), reached))
        found = _COOKIE_REST.match(buffer, begun, end)
    else:
        found = line.match(buffer, start, end)
    if found is None:
        return
    seen[looked] = found.end()
    seen[ended] = found.end() if found.end() < end else 0
    for match in _COOKIE.finditer(buffer, *found.span("line")):
        if _HARMLESS_COOKIE.match(match["n"]):
            continue
        start, end = match.span("v")
        value = buffer[start:end]
        for lead in (b"s%3A", b"s:", b"Bearer%20"):
            if value.startswith(lead):
                start += len(lead)
                value = buffer[start:end]
        text = _text(value)
        if len(text) >= 16 and random(text) and not placeholder(text):
            hits.append(Hit(start, end, "cookie", "cookie"))


def _key_body(match: re.Match[bytes]) -> int:
    """Where the key that begins here ends: at its END, if what stands between is base64 for the most part."""
    start, end = match.span("value")
    data = match.string
    head = data.find(b"-----", start + 5) + 5
    if data[end - 5 : end] == b"-----":
        body = data[head:end]
        coded = sum(len(run) for run in _CODED.findall(body))
        if coded and coded * 2 >= len(body) - 60 and b"BEGIN" not in body:
            return end
    run = _KEY_START.match(data, head)
    return run.end() if run is not None else -1


def _key_ends(buffer: bytes, hits: list[Hit]) -> None:
    """The lines of a private key before an END whose BEGIN was cut off."""
    position = 0
    while (match := _KEY_END.search(buffer, position)) is not None:
        position = match.end()
        start = low = match.start()
        while low > 0 and start - low < 200:
            line = buffer.rfind(b"\n", max(0, low - 200), low - 1) + 1
            if line == 0 or not _KEY_LINE.fullmatch(buffer, line, low):
                break
            start = low = line
        if start < match.start() and buffer.rfind(b"-----BEGIN", max(0, start - 200), match.start()) < 0:
            hits.append(Hit(start, match.end(), "private-key-end", "private-key"))


def _kubernetes(buffer: bytes, start: int, hits: list[Hit], seen: _Seen) -> None:
    """The values under data and stringData of a Kubernetes Secret, in YAML or JSON."""
    match = _SECRET_KIND.match(buffer, start)
    if match is None:
        return
    low, high = max(0, match.start() - 8000), min(len(buffer), match.end() + 8000)
    for edge in (b"\n---", b"\x00"):
        found = buffer.rfind(edge, low, match.start())
        low = max(low, found + 1)
        found = buffer.find(edge, match.end(), high)
        high = found if found >= 0 else high
    data = -1
    for word in (b"data:", b'"data"', b"stringData", b"data\\"):
        data = buffer.find(word, low, high)
        if data >= 0:
            break
    if data < 0:
        return
    reached = seen.get("kubernetes", 0)
    if data < reached:  # from the last entry that may have been cut
        data = max(data, *(buffer.rfind(sign, data, min(reached, high)) for sign in (b"\n", b",", b"{")))
    seen["kubernetes"] = max(reached, high)
    for entry in _SECRET_ENTRY.finditer(buffer, data, high):
        if _NOT_DATA.fullmatch(entry["n"]):
            continue
        value = _text(entry["v"])
        if placeholder(value) or len(value) < 6:
            continue
        try:
            plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
        except (binascii.Error, ValueError):
            plain = b""
        if plain.startswith(_PUBLIC_PEM) and b"PRIVATE" not in plain:
            continue
        if plain or random(value) or _named(entry["n"]) is not None:
            hits.append(Hit(*entry.span("v"), "kubernetes-secret", "kubernetes-secret"))


def _row(buffer: bytes, place: int, name: Name, hits: list[Hit]) -> None:
    """A table's row in which one cell says password: what looks like one in the others."""
    low = max(0, place - 400)
    start = max(low, buffer.rfind(b"\n", low, place) + 1)
    end = buffer.find(b"\n", place, place + 400)
    line = buffer[start : end if end >= 0 else place + 400]
    position = start
    for cell in line.split(b"|"):
        text = _STRING_END.split(_text(cell.strip(b" \t\r`*\"'")), maxsplit=1)[0]
        bare = text.encode("utf-8", "surrogatepass")
        if (
            len(text) >= 8
            and sum(ch.isdigit() for ch in text) >= 2
            and not any(ch in "/:" for ch in text)
            and not re.search(r"@[\w-]+\.", text)
            and is_secret("password", text, "prose")
        ):
            low = position + cell.find(bare)
            hits.append(Hit(low, low + len(bare), "named-row", name.kind))
        position += len(cell) + 1


def _columns(buffer: bytes, place: int, hits: list[Hit]) -> None:
    """Where a secret's name heads a column (CSV, tables of psql, Markdown, boxes): the cells below it."""
    start = buffer.rfind(b"\n", max(0, place - 600), place) + 1
    end = buffer.find(b"\n", place, place + 600)
    if end < 0 or (start == 0 and place > 600):
        return
    following = buffer.find(b"\n", end + 1, end + 2001)
    if following >= 0:  # the second line below: the first may be a rule
        second = buffer.find(b"\n", following + 1, following + 2001)
        following = second if second >= 0 else min(len(buffer), following + 2001)
    for mark in (b"|", b"\t", b";", b",", b"\xe2\x94"):
        count = buffer.count(mark, start, end)
        if count:
            below = buffer.count(mark, end + 1, following if following >= 0 else min(len(buffer), end + 2001))
            if not below:
                return
            break
    else:
        return
    head = _text(buffer[start:end]).strip("\r")
    delimiter = next((mark for mark in ("│", "┃", "|", "\t", ";", ",") if mark in head), None)
    if delimiter is None or any(mark in head for mark in "=(){}"):
        return
    cells = [cell.strip(" \"'`*") for cell in head.split(delimiter)]
    if (
        sum(bool(cell) for cell in cells) < 2
        or any(len(cell) > 40 for cell in cells)
        or (delimiter == "," and not cells[-1])
    ):
        return
    columns = {index: named for index, cell in enumerate(cells) if (named := classify(cell)) is not None}
    if not columns:
        return
    position = end + 1
    for _ in range(60):
        stop = buffer.find(b"\n", position, position + 2000)
        if stop < 0:
            stop = min(len(buffer), position + 2000)
        line = buffer[position:stop]
        if not line or line.startswith(b"\x00"):
            return
        text = _text(line)
        if not _DELIMITER_LINE.fullmatch(text):
            pieces = text.split(delimiter)
            if len(pieces) != len(cells):
                return
            offset = position
            for index, piece in enumerate(pieces):
                size = len(piece.encode("utf-8", "surrogatepass"))
                if index in columns:
                    bare = _MARKUP.split(piece, maxsplit=1)[0].strip(" \"'`*\r")
                    bare = _STRING_END.split(bare, maxsplit=1)[0]
                    first = bare.split(" ", 1)[0]
                    if first != bare and random(first):  # a sentence goes on behind the last cell
                        bare = first
                    if bare and is_secret(columns[index].sort, bare, "field"):
                        lead = len(piece[: piece.find(bare)].encode("utf-8", "surrogatepass"))
                        width = len(bare.encode("utf-8", "surrogatepass"))
                        hits.append(Hit(offset + lead, offset + lead + width, "named-column", columns[index].kind))
                offset += size + len(delimiter.encode())
        position = stop + 1
        if position >= len(buffer):
            return
