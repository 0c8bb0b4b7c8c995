"""What becomes of an output whose log is there already: replaced, left, or continued in a new one.

A log is ours alone as long as it has the bytes that we gave it. Then it is replaced, but only by one
that holds all that it held. A log that the user went on with in clm is never touched: what is newer
in the source goes to a log of its own.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal

import orjson
from msgspec import Struct

from dragoman.io import clm, clm_notes
from dragoman.migrate.manifest import Part
from dragoman.migrate.moving import RESULT, Staged
from dragoman.migrate.storage import Storage, hash_of, stamp

Change = Literal["new", "grown", "unchanged", "continued", "kept"]
"""continued: the user went on with it, so newer lines got a log of their own.
kept: the source no longer holds what the log does, so the log stays and the source's state is another."""

_TELLING: tuple[Change, ...] = ("continued", "kept", "grown", "new")


def told_by(changes: Counter[Change]) -> Change:
    """The most telling of what became of a session's outputs."""
    for change in _TELLING:
        if changes[change]:
            return "grown" if change == "new" and changes["unchanged"] else change
    return "unchanged"


class Log(Struct, frozen=True):
    """A clm log in memory: its meta record and its other lines, without newlines."""

    meta: dict[str, Any]
    lines: list[bytes]

    @classmethod
    def parse(cls, data: bytes) -> Log | None:
        """None where the first line is no meta record."""
        first, *rest = data.split(b"\n")
        try:
            meta = orjson.loads(first)
        except ValueError:
            return None
        if not isinstance(meta, dict) or meta.get("type") != "meta":
            return None
        if rest and not rest[-1]:
            rest.pop()
        return cls(meta, rest)

    def render(self, clm_id: str, start: int = 0, note: str = "") -> bytes:
        """The log from its message number `start` on under an id, with a note as its first message."""
        lines = [clm.dumps({**self.meta, "id": clm_id})]
        if note:
            lines.append(clm.record_line("user", note))
        return b"\n".join([*lines, *self.lines[start:]]) + b"\n"


class Placed(Struct, frozen=True, kw_only=True):
    """What is to be done for one output: write `data` (or what is staged) as its last part, or nothing."""

    parts: list[Part]
    change: Change
    data: bytes | None = None
    as_staged: bool = False
    replaces: str = ""
    """The hash of the log that is replaced; empty for a new one."""


class Placing:
    """Decides for the outputs of one session. Reads logs in the target, writes none."""

    def __init__(
        self,
        storage: Storage,
        intents: dict[str, set[str]],
        new_id: Callable[[str, datetime | None, int], tuple[str, int]],
        title: str,
        *,
        generation: int,
        same_source: bool,
    ) -> None:
        self._storage = storage
        self._intents = intents
        self._new_id = new_id
        self._title = title
        self._generation = generation
        self._same_source = same_source

    def quick(self, staged: Staged, parts: list[Part]) -> Placed | None:
        """The decision where it needs no look into the logs: the staged bytes as they are, or nothing. Else None."""
        if not parts:
            if stamp(self._storage.log(staged.id)) is not None:
                return None
            part = self._whole(staged)
            return Placed(parts=[part], change="new", as_staged=True)
        last = parts[-1]
        there = stamp(self._storage.log(last.id))
        if last.start or last.id != staged.id or there != (last.bytes, last.mtime_ns) or not last.sha256:
            return None
        if staged.sha256 == last.sha256:
            last.generation, last.calls = self._generation, staged.results
            return Placed(parts=parts, change="unchanged")
        if last.generation != self._generation:
            return None
        part = self._whole(staged)
        return Placed(parts=[*parts[:-1], part], change="grown", as_staged=True, replaces=last.sha256)

    def _whole(self, staged: Staged) -> Part:
        return Part(
            id=staged.id,
            bytes=staged.bytes,
            mtime_ns=0,
            sha256=staged.sha256,
            lines=staged.messages,
            calls=staged.results,
            generation=self._generation,
        )

    def decide(
        self,
        output: str,
        new: Log,
        clm_id: str,
        created: datetime | None,
        parts: list[Part],
        everything: Callable[[], list[bytes]],
    ) -> Placed:
        """What to do with an output. `everything` gives all lines that the session's logs will hold."""
        if not parts and (adopted := self._adopted(clm_id)) is not None:
            parts = [adopted]
        if not parts:
            return self._fresh(new, clm_id, [])
        last = parts[-1]
        path = self._storage.log(last.id)
        there = stamp(path)
        if there is None:
            return self._write(new, last, parts[:-1], "new", "")
        untouched = there == (last.bytes, last.mtime_ns) and bool(last.sha256)
        actual = last.sha256 if untouched else hash_of(path)
        known = {last.sha256, *self._intents.get(last.id, ())}
        wanted = self._rendered(new, last)
        if wanted is not None and hashlib.sha256(wanted).hexdigest() == actual:
            return Placed(parts=[*parts[:-1], self._part(new, last, wanted)], change="unchanged")
        lines = Log.parse(path.read_bytes())
        ours = actual in known or (wanted is not None and lines is not None and _is_beginning(lines, Log.parse(wanted)))
        if ours:
            if last.generation == self._generation or (lines is not None and covers(everything(), lines.lines)):
                return self._write(new, last, parts[:-1], "grown", actual)
            number = len(parts) + 1
            own, _ = self._new_id(output, created, number)
            return Placed(**_fields(self._fresh(new, own, parts)) | {"change": "kept"})
        if self._same_source:  # only the options differ: nothing newer is there to bring
            return Placed(parts=parts, change="unchanged")
        return self._beside(output, new, last, lines, created, parts)

    def _fresh(self, new: Log, clm_id: str, parts: list[Part]) -> Placed:
        data = new.render(clm_id)
        part = Part(id=clm_id, bytes=len(data), mtime_ns=0, sha256=_sha(data), lines=len(new.lines))
        part.generation, part.calls = self._generation, _calls(new.lines)
        return Placed(parts=[*parts, part], change="new", data=data)

    def _adopted(self, clm_id: str) -> Part | None:
        """A log under our id that no manifest speaks of: a run was interrupted, or its manifest is gone."""
        status = stamp(self._storage.log(clm_id))
        if status is None:
            return None
        return Part(id=clm_id, bytes=status[0], mtime_ns=status[1], sha256="", lines=0, generation=-1)

    def _rendered(self, new: Log, part: Part) -> bytes | None:
        """The part's bytes made from the source as it is now; None where it doesn't begin there any more."""
        if part.start and (part.start > len(new.lines) or _sha_lines(new.lines[: part.start]) != part.before):
            return None
        return new.render(part.id, part.start, part.note)

    def _part(self, new: Log, part: Part, data: bytes) -> Part:
        status = stamp(self._storage.log(part.id))
        return Part(
            id=part.id,
            bytes=len(data),
            mtime_ns=status[1] if status else 0,
            sha256=_sha(data),
            lines=len(new.lines) - part.start,
            calls=_calls(new.lines[part.start :]),
            start=part.start,
            before=part.before,
            note=part.note,
            generation=self._generation,
        )

    def _write(self, new: Log, part: Part, earlier: list[Part], change: Change, replaces: str) -> Placed:
        data = self._rendered(new, part)
        if data is None:
            part = Part(id=part.id, bytes=0, mtime_ns=0, sha256="", lines=0)
            data = new.render(part.id)
        return Placed(parts=[*earlier, self._part(new, part, data)], change=change, data=data, replaces=replaces)

    def _beside(
        self, output: str, new: Log, last: Part, theirs: Log | None, created: datetime | None, parts: list[Part]
    ) -> Placed:
        """A further log with what is newer than what the user has in the last one."""
        start = self._start(new, last, theirs)
        if start >= len(new.lines):
            return Placed(parts=parts, change="unchanged")
        own, _ = self._new_id(output, created, len(parts) + 1)
        note = ""
        if start:
            note = clm_notes.newer(self._title, last.id)
        data = new.render(own, start, note)
        part = Part(
            id=own,
            bytes=len(data),
            mtime_ns=0,
            sha256=_sha(data),
            lines=len(new.lines) - start,
            calls=_calls(new.lines[start:]),
            start=start,
            before=_sha_lines(new.lines[:start]) if start else "",
            note=note,
            generation=self._generation,
        )
        return Placed(parts=[*parts, part], change="continued", data=data)

    def _start(self, new: Log, last: Part, theirs: Log | None) -> int:
        """The number of the first message that the user doesn't have, at a place where no call is open."""
        rendered = self._rendered(new, last)
        if rendered is None:
            return 0
        mine = Log.parse(rendered)
        assert mine is not None
        lead = 1 if last.note else 0
        whole = Log(mine.meta, mine.lines[: last.lines + lead])
        if last.sha256 and _sha(whole.render(last.id)) == last.sha256:
            same = last.lines  # all that we gave is still what the source says; clm may have rewritten its log since
        else:
            pairs = zip(mine.lines[lead:], theirs.lines[lead:] if theirs else [], strict=False)
            same = next(
                (n for n, (a, b) in enumerate(pairs) if a != b),
                min(len(mine.lines), len(theirs.lines if theirs else [])) - lead,
            )
        start = last.start + max(0, same)
        while 0 < start < len(new.lines) and new.lines[start].startswith(RESULT):
            start -= 1
        return start


def _fields(placed: Placed) -> dict[str, Any]:
    return {name: getattr(placed, name) for name in Placed.__struct_fields__}


def _calls(lines: list[bytes]) -> int:
    return sum(line.startswith(RESULT) for line in lines)


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _sha_lines(lines: list[bytes]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line + b"\n")
    return digest.hexdigest()


def _is_beginning(shorter: Log, longer: Log | None) -> bool:
    """Whether a log holds nothing but the beginning of another: nobody has added to it."""
    return longer is not None and longer.lines[: len(shorter.lines)] == shorter.lines


def covers(new: list[bytes], old: list[bytes]) -> bool:
    """Whether all that old lines say is said, in the same order, by the new ones.

    A message may have grown, and our own notes don't count.
    """
    position = 0
    for line in old:
        record = orjson.loads(line)
        if _is_ours(record):
            continue
        while position < len(new) and not (new[position] == line or _holds(orjson.loads(new[position]), record)):
            position += 1
        if position == len(new):
            return False
        position += 1
    return True


def _is_ours(record: dict[str, Any]) -> bool:
    content = str(record.get("content", ""))
    return clm_notes.is_note(content) or content.startswith(
        ("error: no result was recorded", f"{clm.CONTEXT_PREFIX} The conversation begins")
    )


def _holds(new: dict[str, Any], old: dict[str, Any]) -> bool:
    if new.get("role") != old.get("role") or new.get("tool_call_id") != old.get("tool_call_id"):
        return False
    if not _plain(new).startswith(_plain(old)):
        return False
    ids = {call.get("id") for call in new.get("tool_calls", ())}
    return ids >= {call.get("id") for call in old.get("tool_calls", ())}


def _plain(record: dict[str, Any]) -> str:
    """The content without the names of subagents' sessions."""
    return str(record.get("content", "")).partition("\n[subagent session: ")[0]
