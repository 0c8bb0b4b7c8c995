"""The receipt: what was redacted and where, never what it was."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Any

from msgspec import Struct


class Place(Struct, frozen=True, order=True):
    """One replacement. `fingerprint` is keyed: equal ones are one value, and it can't be guessed from."""

    file: str
    line: int
    message: str
    field: str
    rule: str
    kind: str
    length: int
    fingerprint: str


class Receipt:
    """Collects places and says them as JSON and as SARIF."""

    def __init__(self, key: bytes = b"") -> None:
        self._key = key or secrets.token_bytes(16)
        self._places: dict[Place, int] = {}
        self.engine = ""
        self.rules = 0
        self.rules_version = ""
        self.scanned_strings = 0
        self.scanned_bytes = 0
        self.media = 0

    def fingerprint(self, value: str) -> str:
        """Twelve hex digits that tell the value from others, under a key of this run or the user's."""
        return hmac.new(self._key, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:12]

    def add(self, place: Place, count: int = 1) -> None:
        """Note a replacement. The same place noted again by a second rendering isn't a second one."""
        self._places[place] = max(count, self._places.get(place, 0))

    @property
    def places(self) -> list[Place]:
        """Every place, by file and line."""
        return sorted(self._places)

    @property
    def places_kept(self) -> Mapping[Place, int]:
        """Every place and how often, in the order of first mention."""
        return self._places

    def counts(self, since: int = 0) -> tuple[int, int, Counter[str]]:
        """How many replacements, of how many distinct values, and how many of each kind.

        `since` leaves out so many of the places that were noted first: those of earlier sessions.
        """
        kinds: Counter[str] = Counter()
        values: set[tuple[str, str]] = set()
        for place, count in islice(self._places.items(), since, None):
            kinds[place.kind] += count
            values.add((place.kind, place.fingerprint))
        return kinds.total(), len(values), kinds

    def sentence(self) -> str:
        """The line for stderr."""
        total, distinct, kinds = self.counts()
        if not total:
            return "no secrets found"
        return f"redacted {total} secret{'s' if total != 1 else ''} ({distinct} distinct) of {len(kinds)} kind{'s' if len(kinds) != 1 else ''}"

    def as_json(self) -> dict[str, Any]:
        """Plain values for --redact-report and for embedding."""
        total, distinct, kinds = self.counts()
        return {
            "redacted": total,
            "distinct": distinct,
            "kinds": dict(sorted(kinds.items())),
            "scanned": {"strings": self.scanned_strings, "bytes": self.scanned_bytes, "media_not_searched": self.media},
            "engine": self.engine,
            "rules": {"count": self.rules, "version": self.rules_version},
            "places": [
                {
                    "file": p.file,
                    "line": p.line,
                    "message": p.message,
                    "field": p.field,
                    "rule": p.rule,
                    "kind": p.kind,
                    "length": p.length,
                    "fingerprint": p.fingerprint,
                }
                for p in self.places
            ],
        }

    def as_sarif(self, version: str = "") -> dict[str, Any]:
        """The same as a SARIF 2.1.0 log."""
        rules = sorted({place.rule for place in self._places})
        return {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": "dragoman",
                            "version": version or "0",
                            "informationUri": "https://github.com/dragoman/dragoman",
                            "rules": [{"id": rule} for rule in rules],
                        }
                    },
                    "results": [
                        {
                            "ruleId": p.rule,
                            "level": "error",
                            "message": {"text": f"{p.kind}, {p.length} characters, in {p.field or 'a name'}"},
                            "locations": [
                                {
                                    "physicalLocation": {
                                        "artifactLocation": {"uri": p.file},
                                        "region": {"startLine": max(1, p.line)},
                                    }
                                }
                            ],
                            "partialFingerprints": {"dragomanValue/v1": p.fingerprint},
                        }
                        for p in self.places
                    ],
                }
            ],
        }
