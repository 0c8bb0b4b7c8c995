"""The header: what is true of the whole session, and its title."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dragoman.model import Entry, Event, Header, Message, Parent, SourceFile, Span, Text
from dragoman.readers.claude_code.fields import string
from dragoman.readers.claude_code.reading import Reading
from dragoman.report import Code, Report

FORMAT = "claude-code"
_TITLE = 200
"""Characters of a title that was made from a prompt."""


def header_of(
    entries: list[Entry], reading: Reading, files: Iterable[SourceFile], uuids: set[str], *, fallback_id: str
) -> Header:
    """The header of a transcript. `fallback_id` is used where no line names a session."""
    state = reading.state
    times = [entry.time for entry in entries if entry.time is not None]
    models: dict[str, None] = {}
    complete = True
    for entry in entries:
        if isinstance(entry, Message):
            if entry.model and entry.origin == "reply":
                models[entry.model] = None
            if entry.usage is not None and not entry.usage.complete:
                complete = False
    counts = reading.sessions
    session_id = max(counts, key=lambda each: counts[each]) if counts else fallback_id
    extra: dict[str, Any] = {}
    if len(counts) > 1:
        extra["session_ids"] = sorted(counts)
    if "earlier session" in state:
        extra["earlier_session_id"] = state["earlier session"]
    return Header(
        id=session_id,
        format=FORMAT,
        title=title_of(entries, uuids),
        started=min(times, default=None),
        ended=max(times, default=None),
        cwd=state.get("first cwd", ""),
        git_branch=state.get("first gitBranch", ""),
        models=tuple(models),
        provider="anthropic" if any("claude" in model for model in models) else "",
        agent=FORMAT,
        agent_version=state.get("first version", ""),
        parent=_parent(state.get("forkedFrom")),
        files=tuple(files),
        usage_complete=complete,
        extra=extra,
    )


def _parent(forked: Any) -> Parent | None:
    if type(forked) is not dict or not string(forked.get("sessionId")):
        return None
    return Parent(session_id=forked["sessionId"], kind="forked", entry_uuid=string(forked.get("messageUuid")))


def title_of(entries: list[Entry], uuids: set[str]) -> str:
    """The last title given by a person, else by a model, else a summary of this file, else the first prompt."""
    found: dict[str, str] = {}
    first_prompt = first_command = ""
    for entry in entries:
        if isinstance(entry, Event):
            if entry.kind == "title" and entry.text.strip():
                found[entry.name] = entry.text
            elif entry.kind == "summary" and entry.text.strip() and any(ref in uuids for ref in entry.refs):
                found["summary"] = entry.text
            elif entry.name == "last-prompt" and type(entry.data) is dict and string(entry.data.get("lastPrompt")):
                found["last-prompt"] = entry.data["lastPrompt"]
        elif not first_prompt and entry.origin in ("prompt", "queued_prompt", "task", "plan"):
            first_prompt = _words(entry)
        elif not first_command and entry.origin == "slash_command":
            first_command = _words(entry)
    for name in ("custom-title", "session-name", "ai-title", "agent-name", "last-prompt", "summary"):
        if name in found:
            return _line(found[name])
    return _line(first_prompt or first_command)


def _words(message: Message) -> str:
    return " ".join(block.text for block in message.blocks if isinstance(block, Text))


def _line(text: str) -> str:
    text = " ".join(text[: 4 * _TITLE].split())
    return text if len(text) <= _TITLE else text[: _TITLE - 1].rstrip() + "…"


def check_name(path: Path, header: Header, label: str, report: Report) -> None:
    """Say so where the file is called by another session's id (renamed copies do that)."""
    stem = path.name.removesuffix(".jsonl")
    if len(stem) == 36 and stem.count("-") == 4 and header.id and stem != header.id:
        report.add(Code.ID_MISMATCH, Span(label, 0))
