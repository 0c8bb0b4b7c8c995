"""Writes sessions that Claude Code 2.1.x reads: `<uuid>.jsonl`, and `<uuid>/subagents/` beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from uuid import UUID, uuid5

import orjson
from msgspec import Meta, Struct

from dragoman.io.paths import expanded_text, files_in, written
from dragoman.io.target import Target
from dragoman.model import Session, Subagent
from dragoman.report import Code, Report
from dragoman.writers.claude_code.lines import Transcript, without_surrogates

_SPACE = UUID("6f0ef1cf-3d5c-5d0e-9a6b-0c4f6f6f7b1e")
"""Our name space: the same session gets the same UUIDs each time, and never those of another tool."""


class ClaudeCodeOptions(Struct, frozen=True):
    """What can be asked of the Claude Code writer."""

    cwd: Annotated[
        str, Meta(description="The folder that the session is said to have run in, where it names none itself.")
    ] = ""
    subagents: Annotated[bool, Meta(description="Write subagents too, in a folder beside the session.")] = True
    branches: Annotated[bool, Meta(description="Keep branches that were abandoned by rewinding.")] = False


class ClaudeCodeWriter:
    """Claude Code's transcript, to be put into a folder of `~/.claude/projects` and resumed."""

    name = "claude-code"
    description = "Claude Code session (JSON Lines), with its subagents in a folder beside it"
    suffix = ".jsonl"
    media_type = "application/jsonl"
    binary = False
    several = False
    options = ClaudeCodeOptions

    def unavailable(self) -> str:
        return ""

    def file_name(self, session: Session, options: ClaudeCodeOptions) -> str:
        """`<uuid>.jsonl`: Claude Code finds a session by its file's name."""
        return f"{session_uuid(session)}.jsonl"

    def beside(self, main: Path) -> list[Path]:
        return files_in(main.with_suffix("") / "subagents")

    def write(self, session: Session, target: Target, options: ClaudeCodeOptions, report: Report) -> None:
        own = _chosen(target.main_name) or session_uuid(session)
        cwd = _folder(session, options) or expanded_text(options.cwd)
        if not cwd:
            cwd = written(str(Path.cwd()))
            report.add(Code.ASSUMED_FOLDER, None, cwd)
        main = Transcript(session, own, cwd, report, branches=options.branches)
        stream = target.main(f"{own}.jsonl")
        stream.writelines(line + b"\n" for line in main.lines())
        self._subagents(session, own, cwd, target, options, report)

    def _subagents(
        self, session: Session, own: UUID, cwd: str, target: Target, options: ClaudeCodeOptions, report: Report
    ) -> None:
        """All subagents of the tree: their files lie flat in one folder, whoever called them."""
        used: set[str] = set()
        stack: list[tuple[Subagent, str]] = [(agent, "") for agent in reversed(session.subagents)]
        while stack:
            agent, parent = stack.pop()
            if agent.hidden:
                report.add(Code.DROPPED_HIDDEN_AGENT)
                continue
            if not options.subagents:
                report.add(Code.DROPPED_BY_REQUEST, None, "subagents")
                continue
            if not target.holds_side_files:
                report.add(Code.DROPPED_SUBAGENT, None, "to standard output goes the main session only")
                continue
            agent_id, number = "", 0
            while not agent_id or agent_id in used:  # two agents of one id stay two
                number += 1
                agent_id = "a" + uuid5(own, f"agent/{parent}/{agent.agent_id}/{number}").hex[:16]
            used.add(agent_id)
            there = _folder(agent.session, options) or cwd
            inner = Transcript(agent.session, own, there, report, branches=options.branches, agent_id=agent_id)
            base = f"{own}/subagents/agent-{agent_id}"
            target.open(f"{base}.jsonl").writelines(line + b"\n" for line in inner.lines())
            meta = {"agentType": agent.kind or "general-purpose", "description": agent.description}
            if agent.links:
                meta["toolUseId"] = agent.links[0].call_id
                for _ in agent.links[1:]:
                    report.add(Code.DROPPED_FIELD, None, "a further call of the same subagent")
            text = {key: without_surrogates(value) for key, value in meta.items()}
            target.open(f"{base}.meta.json").write(orjson.dumps(text))
            stack.extend((each, agent_id) for each in reversed(agent.session.subagents))


def _folder(session: Session, options: ClaudeCodeOptions) -> str:
    """The folder that a session ran in. A clm log names none itself: what is known of it gives way to what was asked."""
    header = session.header
    return "" if options.cwd and header.format == "clm" else header.cwd


def session_uuid(session: Session) -> UUID:
    """The session's UUID here: made from its id, so that it is the same in each run and never the original's."""
    header = session.header
    name = header.id
    if not name and header.files:
        name = header.files[0].path
        first = next((entry.span for entry in session.entries if entry.span is not None), None)
        if first is not None and first.line > 1:  # several in one file
            name = f"{name}:{first.line}"
    return uuid5(_SPACE, without_surrogates(f"{header.format}:{name}"))


def _chosen(name: str | None) -> UUID | None:
    """The UUID in the file name that the user chose, if it is one."""
    stem = (name or "").removesuffix(".jsonl")
    try:
        found = UUID(stem)
    except ValueError:
        return None
    return found if str(found) == stem else None


writer = ClaudeCodeWriter()
