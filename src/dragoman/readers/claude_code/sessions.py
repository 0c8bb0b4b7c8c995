"""A bundle of files becomes one session, its agents hung under the calls that started them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from dragoman.errors import InputError
from dragoman.io.collecting import paused
from dragoman.io.paths import written as valid
from dragoman.io.source import Source
from dragoman.model import Header, Message, Parent, Session, Span, Subagent
from dragoman.readers.claude_code.documents import Records
from dragoman.readers.claude_code.evidence import Evidence
from dragoman.readers.claude_code.fields import string
from dragoman.readers.claude_code.forks import from_the_directive_on
from dragoman.readers.claude_code.header import check_name, header_of
from dragoman.readers.claude_code.inline import agents_in_progress, take_out_sidechains
from dragoman.readers.claude_code.layout import AgentFile, Bundle
from dragoman.readers.claude_code.linking import Placed, agent_links, hidden, link
from dragoman.readers.claude_code.reading import Reading
from dragoman.readers.claude_code.side_files import ToolResults, agent_meta, title_beside
from dragoman.readers.claude_code.stream import finish_stream
from dragoman.readers.claude_code.transcript import Transcript, read_rows
from dragoman.readers.claude_code.turns import Ledger
from dragoman.readers.claude_code.workflows import Runs
from dragoman.report import Code, Report


def read_session(bundle: Bundle, source: Source, report: Report) -> Session:
    """The session of a bundle. Raises InputError only where its main file can't be read."""
    with paused():
        return _read_session(bundle, source, report)


def _read_session(bundle: Bundle, source: Source, report: Report) -> Session:
    main = _read_main(bundle, source, report)
    transcripts = [main, *_read_agents(bundle, source, report)]
    for transcript in transcripts:
        transcript.drop_copies()
    finish_stream(main)
    transcripts[1:1] = take_out_sidechains(main)
    transcripts += agents_in_progress(transcripts)
    evidence = Evidence()
    for number, transcript in enumerate(transcripts):
        transcript.tidy()
        if len(transcripts) > 1:
            evidence.collect(transcript, number)
    placed = link(transcripts, evidence, report)
    for number, transcript in enumerate(transcripts):
        if number:
            from_the_directive_on(transcript, number, evidence)
    ledger = Ledger(alone=len(transcripts) == 1)
    for transcript in transcripts:
        transcript.put_together(ledger)
    folder = bundle.folder
    tool_results = ToolResults(folder / "tool-results" if folder is not None else None, report)
    label = source.label(folder) if folder is not None else bundle.name
    runs = Runs(folder, label, report)
    secret = {number: hidden(transcript) for number, transcript in enumerate(transcripts) if number}
    for transcript in transcripts:
        transcript.finish(ledger, tool_results)
    main.entries.extend(runs.events())
    if folder is not None and (title := title_beside(folder, label, report)) is not None:
        main.entries.append(title)
    return _nest(bundle, transcripts, placed, secret, runs, evidence, source, report)


def _read_main(bundle: Bundle, source: Source, report: Report) -> Transcript:
    if bundle.main is None:
        name = source.label(bundle.folder) if bundle.folder is not None else bundle.name
        return Transcript(Reading(name, report))
    path = bundle.main
    label = source.label(path)
    alone = path.name.startswith("agent-") and path.name.endswith(".jsonl")
    reading = Reading(label, report, agent_file=alone)
    records = Records(path, label, report)
    main = Transcript(reading, path=path)
    main.rows = read_rows(records, reading)
    main.files = (records.file,)
    if alone:
        main.agent_id = valid(path.name[6:-6])
        for row in main.rows:
            row.sidechain, row.owner = False, ""
    return main


def _read_agents(bundle: Bundle, source: Source, report: Report) -> list[Transcript]:
    found: list[Transcript] = []
    for agent in bundle.agents:
        label = source.label(agent.path)
        reading = Reading(label, report, agent_file=True)
        transcript = Transcript(reading, path=agent.path, agent_id=agent.agent_id, group=agent.run)
        records = Records(agent.path, label, report)
        try:
            transcript.rows = read_rows(records, reading)
        except InputError:
            report.add(Code.SIDE_FILE_UNREADABLE, Span(label, 0), "a subagent's transcript")
            continue
        transcript.files = (records.file,)
        transcript.meta = _meta(agent, source, report)
        transcript.kind = string(transcript.meta.get("agentType"))
        found.append(transcript)
    return sorted(found, key=_started)


def _started(transcript: Transcript) -> str:
    """Agents in order of their first line; those without a time last."""
    first = next((row.time for row in transcript.rows if row.time is not None), None)
    return first.isoformat() if first is not None else "~"


def _meta(agent: AgentFile, source: Source, report: Report) -> dict[str, Any]:
    path = agent.path.with_name(agent.path.name.removesuffix(".jsonl") + ".meta.json")
    return agent_meta(path, source.label(path), report)


def _nest(
    bundle: Bundle,
    transcripts: list[Transcript],
    placed: dict[int, Placed],
    secret: dict[int, bool],
    runs: Runs,
    evidence: Evidence,
    source: Source,
    report: Report,
) -> Session:
    children: dict[int, list[int]] = {}
    for number, place in placed.items():
        children.setdefault(place.parent, []).append(number)
    headers = {number: _header(bundle, transcripts, number) for number in range(len(transcripts))}
    made: dict[int, tuple[Subagent, ...]] = {}
    for number in _deepest_first(children):
        made[number] = tuple(
            _subagent(
                child, transcripts, placed[child], headers[child], made.get(child, ()), secret[child], runs, evidence
            )
            for child in children.get(number, ())
        )
    main = transcripts[0]
    header = headers[0]
    if main.path is not None:
        check_name(main.path, header, main.reading.file, report)
    if not any(isinstance(entry, Message) for each in transcripts for entry in each.entries):
        report.add(Code.EMPTY, Span(main.reading.file, 0))
    return Session(header=header, entries=tuple(main.entries), subagents=made.get(0, ()))


def _deepest_first(children: dict[int, list[int]]) -> list[int]:
    order = [0]
    for number in order:
        order.extend(children.get(number, ()))
    return order[::-1]


def _header(bundle: Bundle, transcripts: list[Transcript], number: int) -> Header:
    transcript = transcripts[number]
    header = header_of(
        transcript.entries, transcript.reading, transcript.files, transcript.uuids, fallback_id=bundle.name
    )
    if not number:
        return header
    session = transcripts[0].reading.sessions or transcript.reading.sessions
    parent = Parent(session_id=max(session, key=lambda each: session[each]) if session else bundle.name, kind="spawned")
    return replace(header, id=transcript.agent_id, parent=parent)


def _subagent(
    number: int,
    transcripts: list[Transcript],
    place: Placed,
    header: Header,
    subagents: tuple[Subagent, ...],
    is_hidden: bool,
    runs: Runs,
    evidence: Evidence,
) -> Subagent:
    transcript = transcripts[number]
    call = next((evidence.calls[call] for call, _ in place.links if call in evidence.calls), {})
    extra = {
        key: value for key, value in transcript.meta.items() if key not in ("agentType", "description", "toolUseId")
    }
    if transcript.group:
        extra.update(runs.of_agent(transcript.group, transcript.agent_id))
    if transcript.source != "file":
        extra["source"] = transcript.source
    description = (
        string(transcript.meta.get("description")) or string(extra.get("label")) or string(call.get("description"))
    )
    return Subagent(
        agent_id=transcript.agent_id,
        kind=transcript.kind or string(call.get("subagent_type")),
        description=description,
        hidden=is_hidden,
        group=transcript.group or string(transcript.meta.get("teamName")),
        links=agent_links(place, transcript),
        session=Session(header=header, entries=tuple(transcript.entries), subagents=subagents),
        extra=extra,
    )
