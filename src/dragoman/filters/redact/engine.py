"""The engine for shapes: Kingfisher in process where it has a wheel, Python's `re` on the same rules elsewhere.

A buffer of bytes goes in, hits come out. Kingfisher's own catalogue stands beside our rules, without
its rules for identifiers, addresses and public keys. No policy is given to it, so that no comment in
a transcript can switch it off. A scan that doesn't end in time is a finding by itself: the whole chunk.

The compiled rules are cached under the user's cache folder (`XDG_CACHE_HOME`, else what the platform
has; `DRAGOMAN_CACHE` overrides it). Where nothing can be written there, they are compiled anew each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import ahocorasick_rs

from dragoman.errors import InputError
from dragoman.filters.redact.beside import Beside
from dragoman.filters.redact.catalog import Shape, shapes
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.judge import placeholder, random
from dragoman.io.paths import home
from dragoman.io.target import make_folder

SECONDS = 20.0
"""A chunk that takes longer counts as a secret altogether."""

_LEFT_OUT = re.compile(
    r"(?:client-?id|account-?name|account-?id|application-id|app-id|-url|-uri|-host|-domain|username|auth-id|access-id|key-id|location|project-id|tenant-id|-id)(?:\.\d+)?$"
    r"|pub(?:lic|lishable)?-(?:api-)?(?:key|token)|-public-|publishable|generic-credential-uri|curl-auth-user|polymarket-address|mobile-sdk|client-sdk|sidekiq-sensitive-url|repository$|token-name"
    r"|^betterleaks\.private-key$|kubernetes-secret-yaml|hashicorp-tf-password|nuget-config-password|gcp-service-account|gcp-application-default-credentials|posthog-project-api-key|segment-public"
)
_CONTEXT_GAP = "(?:=|>|:"
"""What stands in the catalogue's rules that go by the provider's name and an assignment."""


class Engine(Protocol):
    """Finds shapes in a buffer of UTF-8 bytes."""

    name: str
    version: str

    @property
    def rule_count(self) -> int: ...

    def find(self, buffer: bytes) -> list[Hit]: ...

    def by_name(self, rule_id: str) -> bool: ...


def cache_folder() -> Path | None:
    """Where compiled rules are kept, made if need be; None where that can't be."""
    override = os.environ.get("DRAGOMAN_CACHE")
    if override:
        folder = Path(override)
    elif os.environ.get("XDG_CACHE_HOME"):
        folder = Path(os.environ["XDG_CACHE_HOME"]) / "dragoman"
    elif sys.platform == "darwin":
        folder = home() / "Library" / "Caches" / "dragoman"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA", str(home()))) / "dragoman" / "cache"
    else:
        try:
            folder = home() / ".cache" / "dragoman"
        except RuntimeError:
            return None
    folder = folder / "rules"
    try:
        make_folder(folder)
    except OSError:
        return folder if folder.is_dir() else None
    return folder


def _as_kingfisher(rules: Sequence[Shape]) -> str:
    """Our rules in Kingfisher's form. JSON is YAML."""
    return json.dumps(
        {
            "rules": [
                {
                    "name": rule.id,
                    "id": f"dragoman.{rule.id}",
                    "pattern": rule.pattern,
                    "min_entropy": 0.0,
                    "confidence": "medium",
                    "examples": [],
                }
                for rule in rules
            ]
        }
    )


class KingfisherEngine:
    """Kingfisher with our rules and, unless told otherwise, its catalogue beside them.

    It reads its rules in a thread, some tenths of a second, in which sessions can be read.
    """

    name = "kingfisher"

    def __init__(
        self, extra: Sequence[Shape] = (), *, catalogue: bool = True, told: Callable[[str], None] | None = None
    ) -> None:
        import kingfisher_sdk

        self.version: str = getattr(kingfisher_sdk, "__version__", "?")
        rules = [*shapes(), *extra]
        self._ours = {f"dragoman.{rule.id}": rule for rule in rules}
        text = _as_kingfisher(rules)
        digest = hashlib.sha256(f"{text}{catalogue}{self.version}".encode()).hexdigest()[:16]
        folder = cache_folder()
        built = folder / f"built-{digest}" if folder else None
        cold = built is None or not built.exists()
        if cold and told is not None:
            told("compiling the redaction rules (once; some seconds)")
        self._by_user = bool(extra)
        scratch = tempfile.TemporaryDirectory(prefix="dragoman-")
        path = Path(scratch.name) / "dragoman.yaml"
        path.write_text(text, "utf-8")

        def load() -> Any:
            with scratch:
                loaded = kingfisher_sdk.Rules(
                    [str(path)],
                    builtins=catalogue,
                    confidence="low",
                    cache=folder is not None,
                    cache_dir=str(folder) if folder else None,
                )
            if cold and built is not None and loaded.cache_status in ("stored", "loaded"):
                with contextlib.suppress(OSError):
                    built.touch()
            return loaded

        # Nothing but the loading: whatever else a thread does, it waits for Python's lock each time.
        self._loading = Beside(load)
        self._verdicts: dict[str, str | None] = {}
        self._by_name: dict[str, bool] = {}

    @cached_property
    def _loaded(self) -> Any:
        """The rules, once they are there. InputError where those of the user's own can't be used."""
        try:
            return self._loading.result()
        except RuntimeError as error:
            if not self._by_user:
                raise
            said = " ".join(str(error).split())[:200]
            raise InputError(f"--redact-rules: {said}; look-around and back-references can't be used") from None

    @cached_property
    def _scanner(self) -> Any:
        import kingfisher_sdk

        return kingfisher_sdk.Scanner(self._loaded, base64=False)

    @property
    def rule_count(self) -> int:
        """How many rules there are."""
        return len(self._loaded)

    def find(self, buffer: bytes) -> list[Hit]:
        """Every shape in the buffer. A buffer that takes too long is one hit from end to end."""
        scanner = self._scanner  # may have to wait, or fail, for reasons of its own
        try:
            found = scanner.scan(buffer, timeout=SECONDS)
        except (TimeoutError, RuntimeError):
            return [Hit(0, len(buffer), "scan-timeout", "unscanned")]
        hits: list[Hit] = []
        for each in found:
            rule_id: str = each.rule_id
            place = each.location
            start, end = _past_escape(buffer, place["start_offset"]), place["end_offset"]
            ours = self._ours.get(rule_id)
            if ours is not None:
                hit = judged(ours, buffer, start, end)
                if hit is not None:
                    hits.append(hit)
                continue
            kind = self._kind(rule_id)
            if kind is None:
                continue
            value = buffer[start:end].decode("utf-8", "replace")
            if not placeholder(value) and len(value) >= 8:
                hits.append(Hit(start, end, rule_id, kind))
        return hits

    def by_name(self, rule_id: str) -> bool:
        """Whether a rule of the catalogue goes by a name beside the value, not by the value's own form."""
        if "." not in rule_id and "/" not in rule_id:
            return False  # one of ours
        if rule_id not in self._by_name:
            self._by_name[rule_id] = rule_id not in self._ours and _CONTEXT_GAP in str(
                self._loaded.detail(rule_id)["pattern"]
            )
        return self._by_name[rule_id]

    def _kind(self, rule_id: str) -> str | None:
        if rule_id in self._verdicts:
            return self._verdicts[rule_id]
        kind: str | None = None
        if not _LEFT_OUT.search(rule_id):
            kind = re.sub(
                r"\.\d+$",
                "",
                rule_id.split(".", 1)[1] if rule_id.startswith("betterleaks.") else rule_id.rsplit("/", 1)[-1],
            )
        self._verdicts[rule_id] = kind
        return kind


class PlainEngine:
    """The same rules with Python's `re`: slower, needs nothing."""

    name = "re"
    version = ".".join(map(str, sys.version_info[:2]))

    def __init__(self, extra: Sequence[Shape] = ()) -> None:
        rules = [*shapes(), *extra]
        self._rules = [(rule, rule.compiled, _literal(rule.pattern)) for rule in rules]
        literals = sorted({word for _, _, needed in self._rules for word in needed})
        self._literals = literals
        self._automaton = ahocorasick_rs.BytesAhoCorasick([word.encode() for word in literals])

    @property
    def rule_count(self) -> int:
        """How many rules there are."""
        return len(self._rules)

    def by_name(self, rule_id: str) -> bool:
        """No rule of ours does."""
        return False

    def find(self, buffer: bytes) -> list[Hit]:
        """Every shape in the buffer."""
        low = buffer.lower()
        there = {
            self._literals[index] for index, _, _ in self._automaton.find_matches_as_indexes(low, overlapping=True)
        }
        hits: list[Hit] = []
        for rule, pattern, needed in self._rules:
            if needed and not there.intersection(needed):
                continue
            for match in pattern.finditer(buffer):
                start, end = match.span(1 if pattern.groups else 0)
                if start >= 0:
                    hit = judged(rule, buffer, _past_escape(buffer, start), end)
                    if hit is not None:
                        hits.append(hit)
        return hits


def _literal(pattern: str) -> tuple[str, ...]:
    """Words, one of which every match must hold; empty where none can be told for certain."""
    import re._parser as parser  # type: ignore[import-not-found]

    def needed(tokens: Any) -> tuple[str, ...]:
        best: tuple[str, ...] = ()
        run = ""

        def better(candidate: tuple[str, ...]) -> None:
            nonlocal best
            longer = not best or min(map(len, candidate), default=0) > min(map(len, best))
            if candidate and longer and all(len(word) >= 2 for word in candidate):
                best = candidate

        for operation, argument in tokens:
            word = str(operation)
            if word == "LITERAL":
                run += chr(argument).lower()
                continue
            if run:
                better((run,))
                run = ""
            if word == "SUBPATTERN":
                better(needed(argument[-1]))
            elif word == "BRANCH":
                parts = [needed(branch) for branch in argument[1]]
                if all(parts):
                    better(tuple(each for part in parts for each in part))
            elif word in ("MAX_REPEAT", "MIN_REPEAT") and argument[0] >= 1:
                better(needed(argument[2]))
        if run:
            better((run,))
        return best

    return needed(parser.parse(pattern))


_LETTERS_OF_AN_ESCAPE = re.compile(rb"[nrtbf]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}")


def _past_escape(buffer: bytes, start: int) -> int:
    """Where a shape begins that was taken to begin with an escape's letters, as the n of `\\nghp_…`: behind them, or
    what is left of the text would be no JSON any more."""
    if buffer[start - 1 : start] != b"\\" or (letters := _LETTERS_OF_AN_ESCAPE.match(buffer, start)) is None:
        return start
    return letters.end()


def judged(rule: Shape, buffer: bytes, start: int, end: int) -> Hit | None:
    value = buffer[start:end].decode("utf-8", "replace")
    if rule.judge == "none":
        return Hit(start, end, rule.id, rule.kind)
    head = value[len(rule.prefix) :] if rule.prefix and value.startswith(rule.prefix) else value
    if "PRIVATE KEY" not in value[:60] and (placeholder(head) or placeholder(value)):
        return None
    if rule.judge == "random":
        tail = re.split(r"[_.-]", value, maxsplit=1)[-1]
        if not (random(tail) or random(value)):
            return None
        if (
            re.fullmatch(r"[A-Za-z]+(?:[A-Z_.-]+[a-z]+)*(?:_+[A-Za-z]+)*", value)
            and sum(ch.isdigit() for ch in value) == 0
            and not random(re.sub(r".*[_.-]", "", value))
        ):
            return None
        if not any(ch.isdigit() for ch in value):
            core = re.sub(r"[^A-Za-z]", "", tail)
            if core.islower() or core.isupper() or not random(tail):
                return None
    elif (rule.judge == "prefixed" and not _prefixed(value)) or (
        rule.judge == "wif" and not value.startswith(("x", "y", "z", "t", "6")) and not _base58_checks(value)
    ):
        return None
    return Hit(start, end, rule.id, rule.kind)


_PUBLIC_PREFIX = re.compile(
    r"(?:sha\d*|md5|blake\w*|integrity|pk|pub|public|publishable|toolu|srvtoolu|msg|req|resp|rs|call|fc|chatcmpl|run|thread|asst|file|batch|item|cus|ch|pi|in|sub|evt|prod|price|seti|pm|cs|acct|gen|session|trace|span|img|image|index|main|chunk|vendor|app|css|js|font|asset|data|base64|nonce|id|uid|ref|hash|build|v\d+|x\d*)[_-]"
)


def _prefixed(value: str) -> bool:
    """Drawn from all three kinds of characters, after a prefix that isn't known for something public."""
    if _PUBLIC_PREFIX.match(value):
        return False
    tail = re.split(r"[_-]", value)[-1]
    return (
        random(tail)
        and any(ch.isupper() for ch in tail)
        and any(ch.islower() for ch in tail)
        and sum(ch.isdigit() for ch in tail) >= 3
    )


def _base58_checks(value: str) -> bool:
    """The checksum of Base58Check: without it, many an id would look like a wallet's key."""
    number = 0
    for ch in value:
        number = number * 58 + "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".index(ch)
    raw = number.to_bytes(-(-number.bit_length() // 8), "big")
    return hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def available() -> bool:
    """Whether Kingfisher can be used here."""
    try:
        import kingfisher_sdk  # noqa: F401
    except ImportError:
        return False
    return True


_built: dict[tuple[tuple[Shape, ...], bool], Engine] = {}


def build(extra: Sequence[Shape] = (), *, plain: bool = False, told: Callable[[str], None] | None = None) -> Engine:
    """The best engine that this machine has, one a process for each set of rules of the user's own.

    `told` hears of a cold start, and where only the second best is here.
    """
    asked = (tuple(extra), plain)
    if asked not in _built:
        _built[asked] = _best(extra, plain, told)
    return _built[asked]


def _best(extra: Sequence[Shape], plain: bool, told: Callable[[str], None] | None) -> Engine:
    if plain:
        return PlainEngine(extra)
    if not available():
        if told is not None:
            told(
                "Kingfisher isn't installed here: dragoman's own rules search alone, without its catalogue, and slower"
            )
        return PlainEngine(extra)
    return KingfisherEngine(extra, told=told)
