"""Facts of a bundle of Claude Code files, counted on the sessions that the reader makes, by the corpus's rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from dragoman.model import Event, Media, Message, Reasoning, Session, Span, Subagent, ToolCall, ToolResult, walk
from dragoman.readers.claude_code.vocabulary import ATTACHMENT_TYPES, PROGRESS_TYPES, RECORD_KINDS, SUBTYPE_KINDS
from dragoman.report import Code, Report

EVIDENCE = {
    "meta": "meta.toolUseId",
    "result": "toolUseResult.agentId",
    "text": "result text",
    "progress": "agent_progress",
    "notification": "notification",
    "prompt": "prompt text",
}

KINDS = {
    "prompt": "human",
    "slash_command": "slash_command",
    "command_output": "local_command_output",
    "shell_input": "bash_input",
    "shell_output": "bash_output",
    "plan": "plan_accepted",
    "interrupt": "interrupt",
    "compaction_summary": "compact_summary",
    "result": "tool_result",
}


def is_inline(agent: Subagent) -> bool:
    return agent.extra.get("source") == "inline"


class Facts:
    """All facts of some sessions that were read from one folder with one report."""

    def __init__(self, sessions: list[Session], report: Report) -> None:
        self.sessions = sessions
        self.report = report
        self.parts: list[tuple[Session, Subagent | None]] = []
        for session in sessions:
            for part, agent in walk(session):
                if agent is None or agent.extra.get("source") != "progress":
                    self.parts.append((part, agent))
        self.seen: set[str] = set()
        self.copied: set[int] = set()
        self._find_copies()

    def _find_copies(self) -> None:
        """Messages and events whose uuid stood in an earlier file already."""
        for part, _ in self.parts:
            mine = {entry.uuid for entry in part.entries if entry.uuid}
            for entry in part.entries:
                if entry.uuid and entry.uuid in self.seen:
                    self.copied.add(id(entry))
            self.seen |= mine

    def messages(self, *, main: bool = False, copies: bool = True) -> Iterator[Message]:
        for part, agent in self.parts:
            if main and agent is not None:
                continue
            for entry in part.messages:
                if copies or id(entry) not in self.copied:
                    yield entry

    def events(self) -> Iterator[Event]:
        for part, _ in self.parts:
            for entry in part.entries:
                if isinstance(entry, Event):
                    yield entry

    # lines and records

    def lines_of(self, message: Message) -> list[Span]:
        """The lines that a reply was put together from."""
        lines = {(message.uuid, message.span): None}
        for block in message.blocks:
            if block.span is not None:
                lines[(block.uuid, block.span)] = None
        return [span for _, span in lines if span is not None]

    def record_types(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for message in self.messages():
            kind = message.extra.get("type")
            if message.role == "assistant":
                counts["assistant"] += len(self.lines_of(message))
            elif kind == "queued_command":
                counts["attachment"] += bool(message.uuid)
            elif kind == "system/local_command":
                counts["system"] += 1
            elif kind != "queue-operation" and message.origin != "unsent_prompt":
                counts["user"] += bool(message.uuid)
        for event in self.events():
            counts[record_type(event)] += 1
        for found in self.report.findings:
            if found.code in (Code.DUPLICATE_RECORD, Code.REPLAYED):
                counts[found.what] += found.count
        del counts[""]
        return counts

    def subtypes(self, kind: str) -> Counter[str]:
        counts = Counter(event.name for event in self.events() if record_type(event) == kind)
        if kind == "system":
            counts["None"] = counts.pop("system", 0)
            counts["local_command"] += sum(m.extra.get("type") == "system/local_command" for m in self.messages())
        if kind == "attachment":
            counts["queued_command"] += sum(m.extra.get("type") == "queued_command" for m in self.messages())
        return +counts

    # messages

    def replies(self, *, main: bool = False, copies: bool = True) -> list[Message]:
        return [
            m for m in self.messages(main=main, copies=copies) if m.role == "assistant" and m.model != "<synthetic>"
        ]

    def distinct(self, messages: list[Message]) -> set[str]:
        return {m.id or m.request_id or m.uuid for m in messages}

    def with_results_between(self) -> int:
        count = 0
        for part, _ in self.parts:
            results = [(m.span.file, m.span.line) for m in part.messages if m.role == "tool" and m.span is not None]
            for message in part.messages:
                if message.role != "assistant" or id(message) in self.copied:
                    continue
                lines = [(span.file, span.line) for span in self.lines_of(message)]
                count += any(min(lines) < each < max(lines) for each in results)
        return count

    def user_kinds(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for message in self.messages(main=True):
            if message.role == "assistant" or not message.uuid or message.extra.get("type"):
                continue
            if id(message) in self.copied:
                counts["copied_from_other_place"] += 1
            elif message.origin == "injected" and message.extra.get("isMeta"):
                counts["injected_meta"] += 1
            else:
                counts[KINDS.get(message.origin, "machinery")] += 1
        counts["replayed"] += self.report.count(Code.REPLAYED, "user")
        counts["copied_from_other_place"] += self.report.count(Code.DUPLICATE_RECORD, "user")
        return +counts

    def calls(self, *, main: bool = False) -> dict[str, ToolCall]:
        found: dict[str, ToolCall] = {}
        for message in self.messages(main=main):
            for block in message.blocks:
                if isinstance(block, ToolCall) and not block.server:
                    found.setdefault(block.id, block)
        return found

    def results(self, *, main: bool = False) -> dict[str, ToolResult]:
        found: dict[str, ToolResult] = {}
        for message in self.messages(main=main):
            if message.role == "tool":
                for block in message.blocks:
                    if isinstance(block, ToolResult):
                        found.setdefault(block.call_id, block)
        return found

    def tokens(self, *, main: bool = False) -> dict[str, int]:
        best: dict[str, Message] = {}
        for message in self.messages(main=main):
            if message.usage is not None:
                key = message.id or message.request_id or message.uuid
                known = best.get(key)
                if known is None or known.usage is None or message.usage.output > known.usage.output:
                    best[key] = message
        total = Counter({"input": 0, "output": 0, "cache_read": 0, "cache_write": 0})
        for message in best.values():
            usage = message.usage
            assert usage is not None
            total["input"] += usage.input
            total["output"] += usage.output
            total["cache_read"] += usage.cache_read
            total["cache_write"] += usage.cache_write_5m + usage.cache_write_1h
        self.incomplete = sum(not m.usage.complete for m in best.values() if m.usage is not None)
        return dict(total)

    def media(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for message in self.messages(copies=False):
            for block in message.blocks:
                if isinstance(block, Media) and message.role == "user":
                    counts[f"in_prompts_{media_kind(block)}"] += 1
                if isinstance(block, ToolResult):
                    for inner in block.content:
                        if isinstance(inner, Media):
                            counts[f"in_results_{media_kind(inner)}"] += 1
        return counts

    # agents

    def agents(self) -> list[tuple[Session, Subagent]]:
        return [(s, a) for session in self.sessions for s, a in walk(session) if a is not None]

    def inline(self) -> list[Subagent]:
        found = [a for _, a in self.agents() if is_inline(a) and not a.session.entries[0].parent_id]
        return sorted(found, key=lambda a: a.session.entries[0].span.line if a.session.entries[0].span else 0)

    def all(self) -> dict[str, Any]:
        """Everything by the names of expected.json."""
        kinds = self.user_kinds()
        calls, results = self.calls(), self.results()
        tokens = self.tokens()
        incomplete = self.incomplete
        queued = [m for m in self.messages(main=True) if m.origin == "queued_prompt"]
        queue_only = [m for m in queued if m.extra.get("type") == "queue-operation"]
        thinking = [
            block
            for message in self.messages(copies=False)
            for block in message.blocks
            if isinstance(block, Reasoning) and not block.extra.get("redacted")
        ]
        versions: set[str] = set()
        ids: set[str] = set()
        for part, agent in self.parts:
            header = part.header
            versions.add(header.agent_version)
            versions.update(
                e.text for e in part.entries if isinstance(e, Event) and (e.kind, e.name) == ("state", "version")
            )
            if agent is None and header.agent_version:
                ids.add(header.id)
                ids.update(header.extra.get("session_ids", ()))
            elif header.parent is not None:
                ids.add(header.parent.session_id)
        versions.discard("")
        files = [(s, a) for s, a in self.agents() if not is_inline(a) and a.extra.get("source") != "progress"]
        progress = [a for _, a in self.agents() if a.extra.get("source") == "progress"]
        return {
            "versions": sorted(versions, key=lambda v: [int(part) if part.isdigit() else 0 for part in v.split(".")]),
            "session_ids": len(ids),
            "record_types": dict(self.record_types()),
            "system_subtypes": dict(self.subtypes("system")),
            "attachment_types": dict(self.subtypes("attachment")),
            "progress_types": dict(self.subtypes("progress")),
            "assistant_messages_main": len(self.distinct(self.replies(main=True))),
            "assistant_messages_all": len(self.distinct(self.replies())),
            "assistant_lines_all": self.record_types()["assistant"],
            "synthetic_assistant_lines": sum(m.model == "<synthetic>" for m in self.messages()),
            "messages_of_several_lines": sum(len(self.lines_of(m)) > 1 for m in self.replies(copies=False)),
            "messages_with_results_between_lines": self.with_results_between(),
            "thinking_blocks": len(thinking),
            "thinking_blocks_empty": sum(block.withheld for block in thinking),
            "human_prompts": kinds["human"] + len(queued),
            "human_prompts_user_lines": kinds["human"],
            "human_prompts_queue_only": len(queue_only),
            "human_prompts_queued_attachment": len(queued) - len(queue_only),
            "user_lines_by_kind": dict(kinds),
            "queued_slash_commands_removed": sum(
                m.origin == "slash_command" and m.extra.get("type") == "queue-operation" for m in self.messages()
            ),
            "queue_unsent_at_end": sum(m.origin == "unsent_prompt" for m in self.messages()),
            "queue_operations": dict(Counter(e.text for e in self.events() if e.name == "queue-operation")),
            "rejections_with_human_text": sum(r.error == "yes" and bool(r.feedback) for r in results.values()),
            "tool_calls_main": len(self.calls(main=True)),
            "tool_calls_all": len(calls),
            "tool_results_main": len(self.results(main=True)),
            "tool_results_all": len(results),
            "tool_calls_paired": len(calls.keys() & results.keys()),
            "tool_calls_without_result": sorted(calls.keys() - results.keys()),
            "tool_results_without_call": sorted(results.keys() - calls.keys()),
            "tool_errors": sum(r.error == "yes" for r in results.values()),
            "tool_calls_by_name": dict(Counter(call.name for call in calls.values())),
            "server_tool_uses": sum(isinstance(b, ToolCall) and b.server for m in self.messages() for b in m.blocks),
            "agent_files": len(files),
            "agents": sorted(
                (
                    {
                        "agent_id": agent.agent_id,
                        "lines": session.header.files[0].lines,
                        "linked_call_ids": [link.call_id for link in agent.links],
                        "link": EVIDENCE[agent.links[0].evidence] if agent.links else None,
                    }
                    for session, agent in files
                ),
                key=lambda agent: str(agent["agent_id"]),
            ),
            "agents_linked": sum(bool(agent.links) for _, agent in files),
            "agents_only_in_progress": sorted(
                (
                    {"agent_id": agent.agent_id, "linked_call_ids": [link.call_id for link in agent.links]}
                    for agent in progress
                ),
                key=lambda agent: str(agent["agent_id"]),
            ),
            "inline_sidechain_roots": len(self.inline()),
            "inline_sidechain_linked_call_ids": [
                agent.links[0].call_id if agent.links else None for agent in self.inline()
            ],
            "compactions": sum(e.kind == "compaction" for e in self.events()),
            "compact_summaries": sum(m.origin == "compaction_summary" for m in self.messages()),
            "microcompactions": sum(e.kind == "microcompaction" for e in self.events()),
            "api_error_rows": sum(e.name == "api_error" for e in self.events()),
            "media": dict(self.media()),
            "titles": dict(Counter(e.name for e in self.events() if e.kind in ("title", "summary"))),
            "replayed_lines_in_file": self.report.count(Code.REPLAYED),
            "lines_with_uuid_seen_before": self.report.count(Code.DUPLICATE_RECORD) + len(self.copied),
            "rewinds": len({m.branch for m in self.messages() if m.branch}),
            "abandoned_entries": sum(
                len(self.lines_of(m)) if m.role == "assistant" else bool(m.uuid) for m in self.messages() if m.branch
            ),
            "tokens_main": self.tokens(main=True),
            "tokens_all": tokens,
            "messages_with_null_stop_reason_at_end": incomplete,
        }


def record_type(event: Event) -> str:
    """The type of the record that an event was made from; nothing for events that only show a change."""
    if event.kind == "state" and event.name in ("cwd", "version", "gitBranch"):
        return ""
    if event.kind == "progress" and event.name in PROGRESS_TYPES:
        return "progress"
    if event.name in RECORD_KINDS:
        return event.name
    if event.name in SUBTYPE_KINDS or event.name == "system":
        return "system"
    if event.name in ATTACHMENT_TYPES or event.name.startswith("hook_"):
        return "attachment"
    return "" if event.name == "workflow-run" else event.name


def media_kind(block: Media) -> str:
    return "image" if block.media_type.startswith("image") else "document"
