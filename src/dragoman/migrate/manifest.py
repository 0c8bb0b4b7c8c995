"""What was moved, when and into what: the receipt, and the memory of the next run.

The manifest is one JSON file, replaced as a whole at the end of a run. Until then a journal beside
it takes one line for each step: what is about to be put in place (before it is), and what is done.
After a crash both together say which files are ours and untouched.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from dragoman.errors import InputError
from dragoman.io import receipt
from dragoman.io.paths import written
from dragoman.migrate.storage import Storage

VERSION = 1


class SourceState(Struct, kw_only=True):
    """A source file as it was when it was read. `sha256` is of its first `bytes` bytes."""

    path: str
    bytes: int
    mtime_ns: int
    sha256: str = ""


class Part(Struct, kw_only=True):
    """A log that we made. `lines` counts its message records, our note of a continuation left out, and `calls` those
    calls of it that have their results; None where a manifest of an earlier version doesn't say.

    Most outputs have one part. Where the user went on with it in clm, the source's newer lines make
    another: it begins with the output's message number `start`, and `before` is the hash of those
    ahead of it. `generation` is the session's when the part was last made.
    """

    id: str
    bytes: int
    mtime_ns: int
    sha256: str
    lines: int
    start: int = 0
    before: str = ""
    note: str = ""
    calls: int | None = None
    generation: int = 0


class Moved(Struct, kw_only=True):
    """A source session and what became of it. An output's key is `main`, `before` or `agent/<id>`; `messages`, `calls`
    and `results` are of the whole session, in however many logs it lies.

    As long as the source only grows its `generation` stays, and so whatever is made of it holds all
    that was made of it before. Each time it was found to have lost or changed something, it is one more.
    """

    uuid: str
    project: str = ""
    title: str = ""
    state: Literal["moved", "empty", "failed"] = "moved"
    reason: str = ""
    source: list[SourceState] = field(default_factory=list)
    neighbours: str = ""
    choices: str = ""
    generation: int = 0
    outputs: dict[str, list[Part]] = field(default_factory=dict)
    messages: int = 0
    calls: int = 0
    results: int = 0
    losses: dict[str, int] = field(default_factory=dict)


class Intent(Struct, kw_only=True):
    """A log that is about to be put in place."""

    uuid: str
    output: str
    part: Part


class _Document(Struct, kw_only=True):
    version: int = VERSION
    source: str = ""
    target: str = ""
    sessions: dict[str, Moved] = field(default_factory=dict)


class _Step(Struct, kw_only=True, omit_defaults=True):
    intents: list[Intent] = field(default_factory=list)
    moved: Moved | None = None


class Manifest:
    """All that was moved into one target folder. Reading it changes nothing."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._document = _Document(target=str(storage.target))
        self.intents: dict[str, set[str]] = {}
        """For a log's id: the hashes of what we were about to write there."""
        self._journal: int | None = None
        self._load()

    @property
    def sessions(self) -> dict[str, Moved]:
        """By the source session's UUID."""
        return self._document.sessions

    @property
    def path(self) -> Path:
        return self._storage.folder / receipt.NAME

    def owner(self, clm_id: str) -> tuple[str, str] | None:
        """Which session's output a log is, as (UUID, output)."""
        return self._owners().get(clm_id)

    def copies(self) -> set[tuple[str, int]]:
        """The ids and sizes (bytes) of the logs as we made them: one that still has its size is only a copy."""
        every = (part for moved in self.sessions.values() for parts in moved.outputs.values() for part in parts)
        return {(part.id, part.bytes) for part in every}

    def _owners(self) -> dict[str, tuple[str, str]]:
        if not hasattr(self, "_by_id"):
            self._by_id = {
                part.id: (uuid, key)
                for uuid, moved in self.sessions.items()
                for key, parts in moved.outputs.items()
                for part in parts
            }
        return self._by_id

    def intend(self, intents: list[Intent]) -> None:
        """Say for good what is about to be put in place."""
        for intent in intents:
            self._note(intent)
        self._append(_Step(intents=intents), sync=True)

    def _note(self, intent: Intent) -> None:
        self.intents.setdefault(intent.part.id, set()).add(intent.part.sha256)

    def done(self, moved: Moved) -> None:
        """A session is in place."""
        self.sessions[moved.uuid] = moved
        for key, parts in moved.outputs.items():
            for part in parts:
                self._owners()[part.id] = (moved.uuid, key)
        self._append(_Step(moved=moved), sync=False)

    def save(self, source: Path) -> None:
        """Replace the manifest by what is known now; the journal has done its work."""
        self._document.source = written(str(source))
        text = msgspec.json.format(msgspec.json.encode(self._document), indent=1)
        self._storage.replace_own(self.path, text + b"\n")
        self.close()
        self._journal_path.unlink(missing_ok=True)

    def close(self) -> None:
        if self._journal is not None:
            os.close(self._journal)
            self._journal = None

    @property
    def _journal_path(self) -> Path:
        return self._storage.folder / "journal.jsonl"

    def _append(self, step: _Step, *, sync: bool) -> None:
        if self._journal is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            self._journal = os.open(self._journal_path, flags, 0o600)
            if os.fstat(self._journal).st_size:
                os.write(self._journal, b"\n")  # a crash may have left half a line
        data = msgspec.json.encode(step) + b"\n"
        while data:
            data = data[os.write(self._journal, data) :]
        if sync:
            os.fsync(self._journal)

    def _load(self) -> None:
        if (data := _read(self.path)) is not None:
            version = _version(data, self.path)
            if version > VERSION:
                raise InputError(f"{self.path}: made by a newer dragoman (version {version}); this one reads {VERSION}")
            try:
                self._document = msgspec.json.decode(data, type=_Document)
            except msgspec.DecodeError as error:
                raise InputError(f"{self.path}: damaged ({error}); move it away to begin anew") from None
        pending: dict[str, list[Intent]] = {}
        for line in (_read(self._journal_path) or b"").split(b"\n"):
            if not line:
                continue
            try:
                step = msgspec.json.decode(line, type=_Step)
            except msgspec.DecodeError:  # the line that was being written
                continue
            for intent in step.intents:
                self._note(intent)
                pending.setdefault(intent.uuid, []).append(intent)
            if step.moved is not None:
                self.sessions[step.moved.uuid] = step.moved
                pending.pop(step.moved.uuid, None)
        for intents in pending.values():
            self._take_up(intents)

    def _take_up(self, intents: list[Intent]) -> None:
        """Further logs that were put in place before a crash, and not written down: they are parts all the same."""
        for intent in intents:
            moved = self.sessions.get(intent.uuid)
            parts = moved.outputs.get(intent.output, []) if moved else []
            if moved is None or not parts or any(part.id == intent.part.id for part in parts):
                continue
            if self._storage.log(intent.part.id).exists():
                moved.outputs[intent.output] = [*parts, intent.part]


def _version(data: bytes, path: Path) -> int:
    class Version(Struct):
        version: int = VERSION

    try:
        return msgspec.json.decode(data, type=Version).version
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: damaged ({error}); move it away to begin anew") from None


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def as_json(moved: Moved) -> Any:
    """A record as plain values."""
    return msgspec.to_builtins(moved)
