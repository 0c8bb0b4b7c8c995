"""What was asked of a migration."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from msgspec import Struct

from dragoman import registry
from dragoman.errors import InputError


class Request(Struct, frozen=True, kw_only=True):
    """`source` is Claude Code's folder (or its `projects`), `target` the folder of clm's logs.

    `projects`, `since` and `sessions` narrow down what is looked at: a project by its path or folder,
    a session by its UUID or its beginning. `full` keeps a compacted session in one log.
    `jobs` is the number of processes; 0 means what the machine and the work suggest.
    """

    source: Path
    target: Path
    projects: tuple[str, ...] = ()
    since: datetime | None = None
    sessions: tuple[str, ...] = ()
    full: bool = False
    branches: bool = False
    subagents: bool = True
    map_tools: bool = False
    export_media: Path | None = None
    redact: bool = False
    dry_run: bool = False
    jobs: int = 0

    @property
    def choices(self) -> str:
        """Those options that change what is written, as one word for the manifest."""
        media = "" if self.export_media is None else str(self.export_media)
        flags = (self.full, self.branches, self.subagents, self.map_tools, self.redact)
        return "".join("01"[flag] for flag in flags) + media

    @property
    def root(self) -> Path:
        """The folder of the projects. Raises InputError where there is none."""
        for root in (self.source / "projects", self.source):
            if root.is_dir():
                return root
        raise InputError(f"{self.source}: no such folder; --from says where Claude Code keeps its sessions")


def default_source() -> Path:
    """Where Claude Code's sessions are, on this machine and for this user."""
    return registry.place("claude-code").roots()[0]


def default_target() -> Path:
    """Where clm's sessions are, on this machine and for this user."""
    return registry.place("clm").roots()[0]
