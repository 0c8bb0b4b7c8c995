"""Agents inside a file: sidechains of the oldest builds, stream-json's children, progress lines' copies."""

from __future__ import annotations

from typing import Any

from dragoman.model import Message
from dragoman.readers.claude_code.fields import identifier, string
from dragoman.readers.claude_code.reading import Reading
from dragoman.readers.claude_code.records import row_of
from dragoman.readers.claude_code.rows import ReplyRow, Row
from dragoman.readers.claude_code.transcript import Transcript


def take_out_sidechains(main: Transcript) -> list[Transcript]:
    """Move the rows that belong to subagents out of a main file's rows (up to 2.0.2x; stream-json)."""
    if not any(row.sidechain or row.owner for row in main.rows):
        return []
    kept: list[Row] = []
    found: dict[str, Transcript] = {}
    root_of: dict[str, str] = {}
    latest = ""
    for row in main.rows:
        if row.owner and not row.sidechain:
            root = f"stream:{row.owner}"
        elif row.sidechain and row.type != "progress":
            root = root_of.get(row.parent, "") if row.parent else ""
            if not root:
                root = f"root:{row.uuid or row.line}" if _starts(row) else latest or f"root:{row.uuid or row.line}"
        else:
            kept.append(row)
            continue
        if root not in found:
            found[root] = _new(main, root, row)
        if row.uuid:
            root_of[row.uuid] = root
        latest = root if root.startswith("root:") else latest
        found[root].rows.append(row)
        if row.before:
            row.before = ()
    main.rows = kept
    return list(found.values())


def _starts(row: Row) -> bool:
    return row.type == "user" and not row.parent


def _new(main: Transcript, root: str, row: Row) -> Transcript:
    how, _, name = root.partition(":")
    reading = _agent_reading(main.reading)
    if how == "stream":
        return Transcript(reading, agent_id=name, source="stream", call_id=name)
    return Transcript(reading, agent_id=row.owner or f"sidechain-{name[:8]}", source="inline")


def _agent_reading(main: Reading) -> Reading:
    reading = Reading(main.file, main.report, agent_file=True)
    reading.calls = main.calls
    reading.state = {key: value for key, value in main.state.items() if key != "forkedFrom"}
    return reading


def agents_in_progress(transcripts: list[Transcript]) -> list[Transcript]:
    """Put messages that only progress lines hold where they belong; return the agents that have no file.

    Their usage was never final and isn't counted: it goes along in `extra`.
    """
    known = {transcript.agent_id: transcript for transcript in transcripts if transcript.is_agent}
    made: dict[str, Transcript] = {}
    seen: dict[str, set[str]] = {}
    for transcript in list(transcripts):
        for row in transcript.rows:
            if row.record is None or row.type != "progress":
                continue
            data = row.record.get("data")
            if type(data) is not dict or not (agent := string(data.get("agentId"))):
                continue
            owner = known.get(agent) or made.get(agent)
            if owner is None:
                owner = Transcript(_agent_reading(transcript.reading), agent_id=agent, source="progress")
                made[agent] = owner
            uuids = seen.get(agent)
            if uuids is None:
                uuids = seen[agent] = {each.uuid for each in owner.rows}
            _take(data, row, owner, uuids)
    return list(made.values())


def _take(data: dict[str, Any], row: Row, owner: Transcript, uuids: set[str]) -> None:
    message = data.get("message")
    if type(message) is not dict or type(message.get("type")) is not str:
        return
    uuid = identifier(message.get("uuid"))
    if uuid and uuid in uuids:
        return
    uuids.add(uuid)
    line = owner.reading.line
    embedded = row_of({**message, "isSidechain": True}, row.line, owner.reading)
    owner.reading.line = line
    if type(embedded) is ReplyRow and embedded.usage is not None:
        inner = message.get("message")
        told = inner.get("usage") if type(inner) is dict else None
        embedded.extra = {**embedded.extra, "usage": told if type(told) is dict else {}}
        embedded.usage = None
    owner.rows.append(embedded)


def first_words(transcript: Transcript) -> str:
    """The prompt that an agent began with."""
    for row in transcript.rows:
        if row.type == "user" and row.words:
            return row.words
        if row.type == "user" and row.kind != "result" and row.entries and isinstance(row.entries[0], Message):
            break
    return ""
