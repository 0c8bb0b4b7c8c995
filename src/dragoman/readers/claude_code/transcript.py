"""A transcript: the rows of one conversation (a file, a sidechain inside one, an agent known from progress lines)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from dragoman.model import Entry, Message, SourceFile
from dragoman.readers.claude_code.branches import mark_abandoned
from dragoman.readers.claude_code.queue import replay
from dragoman.readers.claude_code.reading import Reading
from dragoman.readers.claude_code.records import row_of
from dragoman.readers.claude_code.replays import without_copies
from dragoman.readers.claude_code.rows import Row
from dragoman.readers.claude_code.side_files import ToolResults
from dragoman.readers.claude_code.turns import Assembly, Ledger, Turns, mark_withdrawn, put_together


class Transcript(Struct):
    """Filled step by step: read, tidied, put together, written out as entries."""

    reading: Reading
    rows: list[Row] = field(default_factory=list)
    path: Path | None = None
    agent_id: str = ""
    kind: str = ""
    """An agent's type, as its meta file or its call tells."""
    meta: dict[str, Any] = field(default_factory=dict)
    group: str = ""
    """The run of a workflow that an agent belongs to."""
    source: str = "file"
    """file, inline (a sidechain in the main file), stream (in a stream-json log), progress."""
    call_id: str = ""
    """The call that a stream-json message names as its parent."""
    files: tuple[SourceFile, ...] = ()
    aliases: dict[str, str] = field(default_factory=dict)
    unsent: list[Message] = field(default_factory=list)
    turns: Turns = field(default_factory=lambda: Turns([]))
    entries: list[Entry] = field(default_factory=list)
    uuids: set[str] = field(default_factory=set)

    @property
    def is_agent(self) -> bool:
        return self.reading.agent_file

    def drop_copies(self) -> None:
        """Drop what stands twice in the file."""
        self.rows, self.aliases = without_copies(self.rows, self.reading)

    def tidy(self) -> None:
        """Mark what was abandoned or withdrawn, find what only the queue tells."""
        self.uuids = {row.uuid for row in self.rows if row.uuid}
        mark_withdrawn(self.rows)
        if not self.is_agent:
            mark_abandoned(self.rows, self.aliases)
        self.unsent = replay(self.rows, self.reading.file, self.reading.state.get("version", ""))

    def put_together(self, ledger: Ledger) -> None:
        """Group the lines of each API message."""
        self.turns = put_together(self.rows)
        ledger.enter(self.turns)

    def finish(self, ledger: Ledger, tool_results: ToolResults) -> None:
        """Make the entries; the rows are no longer needed."""
        reading = self.reading
        assembly = Assembly(reading.file, reading.report, reading.calls, ledger, tool_results)
        self.entries = [*assembly.entries(self.turns), *self.unsent]
        self.rows, self.turns, self.unsent = [], Turns([]), []


def read_rows(records: Iterable[tuple[int, dict[str, Any]]], reading: Reading) -> list[Row]:
    """The rows of a file's records."""
    return [row_of(record, line, reading) for line, record in records]
