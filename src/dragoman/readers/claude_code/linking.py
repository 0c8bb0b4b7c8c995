"""Agents are tied to the calls that started and resumed them, and hung under the session of those calls."""

from __future__ import annotations

import re

from msgspec import Struct

from dragoman.model import AgentLink, Message, Span
from dragoman.readers.claude_code.evidence import Evidence
from dragoman.readers.claude_code.fields import string
from dragoman.readers.claude_code.inline import first_words
from dragoman.readers.claude_code.tags import WARMUP
from dragoman.readers.claude_code.transcript import Transcript
from dragoman.report import Code, Report

DEPTH = 40
"""Agents nested deeper than this hang under the main session. Claude Code allows 5 at most."""

_HOUSEKEEPING = re.compile(
    r"a(?:compact|prompt_suggestion|side_question|session_memory|away_summary|extract_memories|auto_dream|hook|"
    r"speculation)(?:-|$)"
)


class Placed(Struct):
    """An agent's links, and the transcript under which it stands (0 is the main one)."""

    links: list[tuple[str, str]]
    """(call id, evidence)"""
    parent: int = 0


def link(transcripts: list[Transcript], evidence: Evidence, report: Report) -> dict[int, Placed]:
    """For every agent, by its number among the transcripts (the main one is number 0)."""
    by_agent = {each.agent_id: number for number, each in enumerate(transcripts) if number}
    used: set[str] = set()
    placed: dict[int, Placed] = {}
    waiting: list[int] = []
    for number, transcript in enumerate(transcripts):
        if not number:
            continue
        links = _told(transcript, evidence)
        placed[number] = Placed(links)
        used.update(call for call, _ in links)
        if not links:
            waiting.append(number)
    for number in waiting:
        placed[number].links = _same_prompt(transcripts[number], evidence, used)
    for number, place in placed.items():
        owner = next((evidence.owners[call] for call, _ in place.links if call in evidence.owners), None)
        if owner is None:
            owner = by_agent.get(string(transcripts[number].meta.get("parentAgentId")), 0)
        place.parent = owner if owner != number else 0
    _break_cycles(placed)
    for number, place in placed.items():
        if not place.links and not place.parent:
            transcript = transcripts[number]
            report.add(Code.AGENT_UNLINKED, Span(transcript.reading.file, 1), "hidden" if hidden(transcript) else "")
    return placed


def _told(transcript: Transcript, evidence: Evidence) -> list[tuple[str, str]]:
    """The calls that something says to be an agent's, by the best evidence there is."""
    if transcript.source == "stream":
        return [(transcript.call_id, "stream")]
    agent = transcript.agent_id
    found: list[tuple[str, str]] = []
    named = string(transcript.meta.get("toolUseId"))
    if named and named in evidence.owners:
        found.append((named, "meta"))
    if transcript.group and not found and transcript.group in evidence.by_run:
        return [(evidence.by_run[transcript.group], "result")]
    found += [(call, "result") for call in evidence.by_result.get(agent, ()) if call != named]
    if not found:
        for table, word in (
            (evidence.by_text, "text"),
            (evidence.by_progress, "progress"),
            (evidence.by_notice, "notification"),
        ):
            found = [(call, word) for call in table.get(agent, ()) if call in evidence.owners or word == "text"]
            if found:
                break
    return sorted(found, key=lambda each: evidence.order(each[0]))


def _same_prompt(transcript: Transcript, evidence: Evidence, used: set[str]) -> list[tuple[str, str]]:
    """The first unused call with exactly the agent's first prompt; failing that, one that begins like it."""
    words = first_words(transcript).strip()
    if not words or words == WARMUP or hidden(transcript):
        return []
    for call in evidence.prompts.get(words, ()):
        if call not in used:
            used.add(call)
            return [(call, "prompt")]
    if len(words) >= 40 and len(evidence.prompts) < 1000:
        for prompt, calls in evidence.prompts.items():
            if len(prompt) >= 40 and (prompt.startswith(words) or words.startswith(prompt)):
                for call in calls:
                    if call not in used:
                        used.add(call)
                        return [(call, "prompt")]
    return []


def _break_cycles(placed: dict[int, Placed]) -> None:
    """Hang under the main session whatever would hang under itself, or too deep."""
    depth: dict[int, int] = {0: 0}
    for number in placed:
        path: dict[int, None] = {}
        at = number
        while at not in depth and at not in path:
            path[at] = None
            at = placed[at].parent
        if at not in depth:
            placed[at].parent, depth[at] = 0, 1
        for each in reversed(path):
            if each not in depth:
                depth[each] = depth[placed[each].parent] + 1
            if depth[each] > DEPTH:
                placed[each].parent, depth[each] = 0, 1


def hidden(transcript: Transcript) -> bool:
    """Whether an agent is housekeeping: compaction, suggestions, memory, a warmed cache."""
    if _HOUSEKEEPING.match(transcript.agent_id):
        return True
    return first_words(transcript).strip() == WARMUP


def agent_links(placed: Placed, transcript: Transcript) -> tuple[AgentLink, ...]:
    """The links, each with the entry at which its answer begins: a resumed agent has several prompts."""
    starts = [
        index for index, entry in enumerate(transcript.entries) if isinstance(entry, Message) and entry.origin == "task"
    ]
    found: list[AgentLink] = []
    for position, (call, evidence) in enumerate(placed.links):
        first = starts[min(position, len(starts) - 1)] if starts and position else 0
        found.append(AgentLink(call_id=call, evidence=evidence, first_entry=first))
    return tuple(found)
