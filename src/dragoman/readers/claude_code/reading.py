"""Where reading stands: the file, the line, the report, and what earlier lines said."""

from __future__ import annotations

from typing import Any

from dragoman.model import Span, Usage
from dragoman.readers.claude_code.vocabulary import safe_name
from dragoman.report import Code, Report


class Reading:
    """The state of reading one file. `agent_file`: its human-like prompts come from another agent."""

    def __init__(self, file: str, report: Report, *, agent_file: bool = False) -> None:
        self.file = file
        self.report = report
        self.agent_file = agent_file
        self.line = 0
        self.calls: dict[str, tuple[str, Any]] = {}
        """Tool calls so far: id to (name, time)."""
        self.state: dict[str, Any] = {}
        """The first and the last value of fields that should not change from line to line."""
        self.session: str | None = None
        self.cwd: str | None = None
        self.version: str | None = None
        self.git_branch: str | None = None
        self.user_type: str | None = None
        self.entrypoint: str | None = None
        self.slug: str | None = None
        self.session_lines = 0
        """Lines of the present session so far."""
        self.usage = b""
        """The last line's `usage` in JSON, where the neutral form has a place for all of it,"""
        self.usage_read = Usage()
        """and that form."""
        self._sessions: dict[str, int] = {}
        self.results: set[str] = set()
        """Calls that have an answer so far."""
        self.uuid = ""
        """That of the line before."""
        self.latest = ""
        """The latest time so far, as it is written."""
        self.time_again = self.id_again = False
        """Whether a time may have come back (they don't always grow), or the id of a call or of a result did."""

    def count_session(self) -> None:
        """Another session's id comes: enter the lines of the last one."""
        if self.session is not None:
            self._sessions[self.session] = self._sessions.get(self.session, 0) + self.session_lines
            self.session_lines = 0

    @property
    def sessions(self) -> dict[str, int]:
        """Every session id, with the number of its lines."""
        self.count_session()
        return self._sessions

    @property
    def span(self) -> Span:
        return Span(self.file, self.line)

    def add(self, code: Code, what: str = "", count: int = 1) -> None:
        """Report something of the present line."""
        self.report.add(code, Span(self.file, self.line), what, count)

    def bad(self, what: str) -> None:
        """Report a value of a type that should not stand there."""
        self.add(Code.BAD_VALUE, what)

    def unknown_field(self, owner: str, field: Any) -> None:
        self.add(Code.UNKNOWN_FIELD, f"{owner}.{safe_name(field)}")
