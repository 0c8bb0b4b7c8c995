"""The receipt: what was redacted and where, never what it was."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from dragoman.filters.redact.identities import KINDS

Sort: TypeAlias = Literal["secret", "identity"]


class Place(NamedTuple):
    """One value in one field. `fingerprint` is keyed: equal ones are one value, and it can't be guessed from.

    `sort` tells secrets, which a placeholder stands for, from people and machines, which a pseudonym stands for.
    `line` is 0 where the value stands in no line of its own (a title, a file's name).
    """

    file: str
    line: int
    message: str
    field: str
    rule: str
    kind: str
    length: int
    fingerprint: str
    sort: Sort = "secret"


class Tally(NamedTuple):
    """So many replacements, of so many distinct values, so many of each kind, and the distinct values of each kind."""

    total: int
    distinct: int
    kinds: Counter[str]
    distinct_kinds: Counter[str]


def tally(places: Mapping[Place, int], sort: Sort) -> Tally:
    """Count what was found, either secrets or identities."""
    kinds: Counter[str] = Counter()
    values: set[tuple[str, str]] = set()
    for place, count in places.items():
        if place.sort == sort:
            kinds[place.kind] += count
            values.add((place.kind, place.fingerprint))
    return Tally(kinds.total(), len(values), kinds, Counter(kind for kind, _ in values))


class Receipt:
    """Collects places and says them as JSON and as SARIF.

    Fingerprints of values are under the user's key, and then the same in every run; without one, under a key that
    nobody keeps.
    """

    def __init__(self, key: bytes = b"", looked_for: frozenset[str] = frozenset({"secrets"})) -> None:
        self.keyed = bool(key)
        self.looked_for = looked_for
        self._key = key or secrets.token_bytes(16)
        self._places: dict[Place, int] = {}
        self._fingerprints: dict[str, str] = {}
        self.engine = ""
        self.rules = 0
        self.rules_version = ""
        self.scanned_strings = 0
        self.scanned_bytes = 0
        self.media = 0

    def fingerprint(self, value: str) -> str:
        """Twelve hex digits that tell the value from others, under a key of this run or the user's."""
        known = self._fingerprints.get(value)
        if known is None:
            said = value.encode("utf-8", "surrogatepass")
            known = self._fingerprints[value] = hmac.new(self._key, said, hashlib.sha256).hexdigest()[:12]
        return known

    def add(self, places: Mapping[Place, int]) -> None:
        """Note a session's replacements. The same places noted again by a second rendering aren't second ones."""
        for place, count in places.items():
            self._places[place] = max(count, self._places.get(place, 0))

    @property
    def places(self) -> list[Place]:
        """Every place, secrets first, by file and line."""
        return sorted(self._places, key=lambda place: (place.sort == "identity", place))

    def counts(self, sort: Sort = "secret") -> Tally:
        """How many replacements: of secrets, or of identities."""
        return tally(self._places, sort)

    def sentence(self) -> str:
        """The line for stderr."""
        return told(self.counts(), self.counts("identity"), self.looked_for)

    def as_json(self) -> dict[str, Any]:
        """Plain values for --redact-report and for embedding."""
        found, who = self.counts(), self.counts("identity")
        return {
            "redacted": found.total,
            "distinct": found.distinct,
            "kinds": dict(sorted(found.kinds.items())),
            "identities": {
                "replaced": who.total,
                "distinct": who.distinct,
                "kinds": {
                    kind: {"replaced": count, "distinct": who.distinct_kinds[kind]}
                    for kind, count in sorted(who.kinds.items())
                },
            },
            "looked_for": sorted(self.looked_for),
            "scanned": {"strings": self.scanned_strings, "bytes": self.scanned_bytes, "media_not_searched": self.media},
            "engine": self.engine,
            "rules": {"count": self.rules, "version": self.rules_version},
            "fingerprints_keyed": self.keyed,
            "places": [{**place._asdict(), "count": self._places[place]} for place in self.places],
        }

    def as_sarif(self, version: str = "0") -> dict[str, Any]:
        """The same as a SARIF 2.1.0 log. `version` is dragoman's."""
        places = self.places
        rules = sorted({(place.rule, place.sort, place.kind) for place in places})
        names = sorted({rule for rule, _, _ in rules})
        index = {name: number for number, name in enumerate(names)}
        kinds = {rule: (sort, kind) for rule, sort, kind in reversed(rules)}
        return {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": "dragoman",
                            "version": version,
                            "rules": [
                                {
                                    "id": name,
                                    "shortDescription": {"text": _rule_says(*kinds[name])},
                                    "defaultConfiguration": {"level": _level(kinds[name][0])},
                                }
                                for name in names
                            ],
                        }
                    },
                    "columnKind": "unicodeCodePoints",
                    "results": [self._result(place, index[place.rule]) for place in places],
                    "properties": {key: value for key, value in self.as_json().items() if key != "places"},
                }
            ],
        }

    def _result(self, place: Place, rule: int) -> dict[str, Any]:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file)}}
        if place.line:
            physical["region"] = {"startLine": place.line}
        where = ", ".join(filter(None, (place.field and f"field {place.field}", place.message)))
        location: dict[str, Any] = {"physicalLocation": physical} if place.file else {}
        if where:
            location["logicalLocations"] = [{"fullyQualifiedName": where}]
        prints = {"dragomanPlace/v1": _of_place(place)}
        if self.keyed:
            prints["dragomanValue/v1"] = place.fingerprint
        return {
            "ruleId": place.rule,
            "ruleIndex": rule,
            "level": _level(place.sort),
            "message": {"text": f"{place.kind}, {place.length} characters, in {place.field or 'a name'}"},
            "locations": [location] if location else [],
            "occurrenceCount": self._places[place],
            "partialFingerprints": prints,
        }


def _of_place(place: Place) -> str:
    """Tells a find from others without its value or a key, and the same in every run: a session's records stay where they are."""
    name = place.file.replace("\\", "/").rsplit("/", 1)[-1]
    anchor = place.message or str(place.line)
    said = "\0".join((name, anchor, place.field, place.rule, place.kind, str(place.length)))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _level(sort: Sort) -> str:
    return "error" if sort == "secret" else "warning"


def _rule_says(sort: Sort, kind: str) -> str:
    return f"A secret: {kind}" if sort == "secret" else f"Who or where: {KINDS[kind][0] if kind in KINDS else kind}"


def _uri(path: str) -> str:
    """A file's name as a URI reference (RFC 3986), as SARIF wants it."""
    plain = quote(path.replace("\\", "/").encode("utf-8", "surrogatepass"), safe="/~!$&'()*+,;=@-._")
    return f"file://{plain}" if plain.startswith("/") else plain


def told(found: Tally, who: Tally, looked_for: frozenset[str]) -> str:
    """Counts in one sentence: `redacted 14 secrets (9 distinct) of 6 kinds; 5 identities (3 users, 2 hosts), named in 31 places`."""
    said: list[str] = []
    if found.total:
        said.append(f"{_many(found.total, 'secret')} ({found.distinct} distinct) of {_many(len(found.kinds), 'kind')}")
    if who.total:
        kinds = ", ".join(
            f"{who.distinct_kinds[kind]} {names[who.distinct_kinds[kind] != 1]}"
            for kind, names in KINDS.items()
            if who.distinct_kinds[kind]
        )
        said.append(
            f"{who.distinct} {'identity' if who.distinct == 1 else 'identities'} ({kinds}), named in {_many(who.total, 'place')}"
        )
    if not said:
        return "no secrets found" if "secrets" in looked_for else "nothing to redact found"
    none = "no secrets found; " if "secrets" in looked_for and not found.total else ""
    return f"{none}redacted {'; '.join(said)}"


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
