"""The reader of Claude Code sessions: 0.2.x to 2.1.332, files, folders, archives, stream-json logs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dragoman.errors import InputError
from dragoman.io.source import Source
from dragoman.model import Session, Span
from dragoman.readers.claude_code.layout import bundles, looks_like_project
from dragoman.readers.claude_code.sessions import read_session
from dragoman.readers.claude_code.sniffing import likeness
from dragoman.readers.protocol import NoOptions
from dragoman.report import Code, Report


class ClaudeCodeReader:
    """Reads whatever Claude Code wrote. Nothing that a file holds makes it raise."""

    name = "claude-code"
    description = "Claude Code sessions with their subagents, of every version; stream-json logs"
    suffixes = (".jsonl", ".json")
    options = NoOptions

    asks_of_others = True
    """Of each file in a folder that it doesn't take, it asks whether another reader does."""

    def sniff(self, head: bytes, name: str) -> float:
        """How likely it is a Claude Code session; for a folder, whether files of one lie in it."""
        if not head:
            return 0.9 if looks_like_project(Path(name)) else 0.0
        return likeness(head)

    def read(self, source: Source, options: Any, report: Report) -> Iterator[Session]:
        """Every session of the source. A folder's broken files are reported, and the others read."""
        found = False
        for bundle in bundles(source, report):
            try:
                session = read_session(bundle, source, report)
            except InputError:
                if not source.is_folder:
                    raise
                report.add(Code.FILE_LEFT_OUT, Span(source.label(bundle.main or source.path), 0), "it can't be read")
                continue
            found = True
            yield session
        if not found and source.is_folder:
            report.add(Code.EMPTY, Span(source.name, 0))


reader = ClaudeCodeReader()
