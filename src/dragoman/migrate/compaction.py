"""Where a session was compacted, the log to resume starts there, and what came before is another log."""

from __future__ import annotations

from msgspec.structs import replace

from dragoman.io import clm_notes
from dragoman.model import Entry, Event, Message, Session, Subagent, Text, ToolCall, ToolResult

TITLE = 60
"""Characters of a title in a note: clm lists the first 80 bytes."""


def split(session: Session, before_id: str, main_id: str) -> tuple[Session | None, Session]:
    """What came before the last compaction, if anything did, and the session to resume."""
    at = _boundary(session)
    if at is None:
        return None, session
    start, summary = at
    head, tail = session.entries[:start], session.entries[summary + 1 :]
    title = telling(session)
    before_note = _note(clm_notes.goes_on(title, main_id))
    main_note = _note(clm_notes.came_before(title, before_id))
    kept = _preserved(session.entries[start : summary + 1], head, tail)
    before = replace(session, entries=(before_note, *head), subagents=_agents(session, head, unlinked=False))
    entries = (main_note, session.entries[summary], *kept, *tail)
    return before, replace(session, entries=entries, subagents=_agents(session, (*kept, *tail), unlinked=True))


def telling(session: Session) -> str:
    """The session's title, or what its first prompt (a subagent's task) begins with."""
    words = session.header.title
    if not words:
        asked = (m for m in session.messages if _is_live(m) and m.origin in ("prompt", "task"))
        words = next(filter(None, map(_words, asked)), "")
    line = " ".join(words.split())
    return line if len(line) <= TITLE else line[: TITLE - 1] + "…"


def _words(message: Message) -> str:
    return "\n".join(block.text for block in message.blocks if isinstance(block, Text)).strip()


def _note(text: str) -> Message:
    return Message(role="user", origin="injected", blocks=(Text(text),))


def _is_live(entry: Entry) -> bool:
    return isinstance(entry, Message) and entry.status == "live" and not entry.branch


def _boundary(session: Session) -> tuple[int, int] | None:
    """Where the last compaction begins and where its summary stands; None where nothing came before."""
    entries = session.entries
    for index in range(len(entries) - 1, -1, -1):
        entry = entries[index]
        if isinstance(entry, Message) and entry.origin == "compaction_summary" and _is_live(entry):
            start = index
            while start > 0 and not _is_live(entries[start - 1]):
                start -= 1
                if isinstance(entries[start], Event) and entries[start].kind == "compaction":  # type: ignore[union-attr]
                    break
            return (start, index) if any(_is_live(each) for each in entries[:start]) else None
    return None


def _preserved(boundary: tuple[Entry, ...], head: tuple[Entry, ...], tail: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The earlier messages that stayed with the model, with the results of their calls."""
    events = [entry for entry in boundary if isinstance(entry, Event) and entry.kind == "compaction"]
    wanted = {ref for event in events for ref in event.refs}
    for event in events:
        if _is_segment(event):
            wanted |= _between(event.refs[0], event.refs[-1], head)
    if not wanted:
        return ()
    repeated = {uuid for entry in tail if isinstance(entry, Message) for uuid in _uuids(entry)}
    chosen = [
        entry
        for entry in head
        if isinstance(entry, Message) and _is_live(entry) and (uuids := _uuids(entry)) & wanted and not uuids & repeated
    ]
    calls = {block.id for entry in chosen for block in entry.blocks if isinstance(block, ToolCall)}
    keep = {id(entry) for entry in chosen}
    found: list[Entry] = []
    for entry in head:
        answers = isinstance(entry, Message) and any(
            isinstance(block, ToolResult) and block.call_id in calls for block in entry.blocks
        )
        if id(entry) in keep or answers:
            found.append(entry)
    return tuple(found)


def _is_segment(event: Event) -> bool:
    """Whether the event names the first and the last of the messages that stayed, and not each of them."""
    metadata = event.data.get("compactMetadata") if isinstance(event.data, dict) else None
    return isinstance(metadata, dict) and "preservedMessages" not in metadata and len(event.refs) == 2


def _between(first: str, last: str, head: tuple[Entry, ...]) -> set[str]:
    """The uuids of the messages from `first` to `last`; nothing where one isn't there."""
    found: set[str] = set()
    inside = False
    for entry in head:
        if not isinstance(entry, Message):
            continue
        uuids = _uuids(entry)
        inside = inside or first in uuids
        if inside:
            found |= uuids
        if inside and last in uuids:
            return found
    return set()


def _uuids(message: Message) -> set[str]:
    return {message.uuid, *(block.uuid for block in message.blocks)} - {""}


def _agents(session: Session, entries: tuple[Entry, ...], *, unlinked: bool) -> tuple[Subagent, ...]:
    """The subagents whose calls are among the entries; `unlinked`: those that link to none of the session too."""
    here, everywhere = _calls(entries), _calls(session.entries)
    return tuple(
        agent
        for agent in session.subagents
        if any(link.call_id in here for link in agent.links)
        or (unlinked and not any(link.call_id in everywhere for link in agent.links))
    )


def _calls(entries: tuple[Entry, ...]) -> set[str]:
    return {
        block.id
        for entry in entries
        if isinstance(entry, Message)
        for block in entry.blocks
        if isinstance(block, ToolCall)
    }
