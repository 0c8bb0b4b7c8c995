"""clm ids for outputs: the same again in every run.

An id has a time part, which depends on the machine's zone, and a hash of the session's UUID, which
doesn't. So an output that was moved before is found in the manifest, then by its hash among the
names in the target, and only else gets a new id.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from dragoman.io import clm
from dragoman.migrate.manifest import Manifest

_MOST = 1000


def key_of(uuid: str, output: str, part: int = 1) -> str:
    """What is hashed: the UUID alone for the main log, with a word behind it for the others."""
    key = uuid if output == "main" else f"{uuid}/{output}"
    return key if part == 1 else f"{key}#{part}"


class Ids:
    """The ids in one target folder."""

    def __init__(self, names: Iterable[str], manifest: Manifest) -> None:
        """`names` are the file names in the target."""
        self._manifest = manifest
        self._by_hash: dict[str, list[str]] = {}
        self._taken: set[str] = set()
        for name in names:
            stem = name.removesuffix(".jsonl")
            self._taken.add(stem)
            if stem != name and clm.OWN_ID.fullmatch(stem):
                self._by_hash.setdefault(stem[-8:], []).append(stem)

    def strays(self) -> dict[str, str]:
        """Logs with an id like ours that no manifest speaks of, by the hash in their names: clm's own, and, where a
        manifest was lost, those that we made."""
        return {
            key: each for key, found in self._by_hash.items() for each in found if self._manifest.owner(each) is None
        }

    def new(self, uuid: str, output: str, created: datetime | None, part: int = 1) -> tuple[str, int]:
        """A free id, and the part's number that it was made for."""
        while part < _MOST:
            wanted = clm.make_id(created, key_of(uuid, output, part))
            if wanted not in self._taken:
                self._taken.add(wanted)
                return wanted, part
            part += 1
        raise RuntimeError("no free id")
