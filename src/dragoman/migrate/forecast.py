"""What a dry run says of a session: told from names, sizes and times, without reading what is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from dragoman.io.clm import id_hash
from dragoman.io.paths import written
from dragoman.migrate.identity import key_of
from dragoman.migrate.manifest import Manifest, Moved, Part
from dragoman.migrate.placing import Change, told_by
from dragoman.migrate.plan import Step
from dragoman.migrate.request import Request
from dragoman.migrate.storage import Storage, hash_of, stamp

UNTOLD = "changed"
"""Something is other than it was, and only reading tells whether there is anything new."""


class Forecast:
    """Foretells what would become of sessions in one target folder. Writes nothing."""

    def __init__(self, request: Request, manifest: Manifest, storage: Storage, strays: Mapping[str, str]) -> None:
        """`strays` are the logs that may be ours though no manifest speaks of them, by the hash in their names."""
        self._request = request
        self._manifest = manifest
        self._storage = storage
        self._strays = strays

    def state(self, step: Step) -> str:
        """A state as a run's, or UNTOLD."""
        moved = self._manifest.sessions.get(step.uuid)
        if moved is None:
            return UNTOLD if self._has_strays(step) else "new"
        if step.why == "unchanged":
            return "empty" if moved.state == "empty" else "unchanged"
        lasts = {key: parts[-1] for key, parts in moved.outputs.items() if parts}
        missing = {key for key, part in lasts.items() if stamp(self._storage.log(part.id)) is None}
        if len(missing) == len(lasts):
            return "new"
        grown = self._grown(step, moved)
        if grown is None:
            return UNTOLD
        changes: Counter[Change] = Counter()
        for key, part in lasts.items():
            fed = _is_fed_by(key, grown, step.found.path.name)
            changes["new" if key in missing else self._change(part) if fed else "unchanged"] += 1
        if grown and changes.keys() <= {"unchanged"}:
            return UNTOLD  # what has grown is none of what logs were made of
        return told_by(changes)

    def _has_strays(self, step: Step) -> bool:
        """Whether a log lies there that may be this session's, or an agent's of it."""
        agents = {Path(path).stem.removeprefix("agent-") for path, _, _ in step.files}
        outputs = ("main", "before", *(f"agent/{each}" for each in agents))
        return any(id_hash(key_of(step.uuid, output)) in self._strays for output in outputs)

    def _grown(self, step: Step, moved: Moved) -> set[str] | None:
        """The names of the source's files that have grown; None where it changed in another way, too."""
        before = {each.path: (each.bytes, each.mtime_ns) for each in moved.source}
        now = {written(path): (size, time) for path, size, time in step.files}
        if moved.state == "failed" or before.keys() - now.keys():
            return None
        if any(size < before[path][0] for path, (size, _) in now.items() if path in before):
            return None
        grown = {Path(path).name for path, (size, _) in now.items() if path not in before or size > before[path][0]}
        same = now == before and moved.neighbours == step.neighbours and moved.choices == self._request.choices
        return grown if grown or same else None

    def _change(self, part: Part) -> Change:
        return "grown" if self._is_ours(part) else "continued"

    def _is_ours(self, part: Part) -> bool:
        """Whether a log still has bytes that we gave it. It is read only where its size leaves that open."""
        log = self._storage.log(part.id)
        there = stamp(log)
        intents = self._manifest.intents.get(part.id, set())
        if there == (part.bytes, part.mtime_ns):
            return True
        if there is None or (there[0] != part.bytes and not intents):
            return False
        try:
            return hash_of(log) in {part.sha256, *intents}
        except OSError:  # not for us: the run says so
            return False


def _is_fed_by(key: str, names: set[str], transcript: str) -> bool:
    """Whether an output is made of one of these files. What came before a compaction never grows with its session."""
    lead, _, last = key.rpartition("/")
    if last == "main":
        return transcript in names
    return "agent" in lead.split("/") and f"agent-{last.partition('~')[0]}.jsonl" in names
