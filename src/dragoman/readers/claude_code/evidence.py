"""What tells which call started or resumed which agent (the catalogue's section 7.2)."""

from __future__ import annotations

import re
from typing import Any

from dragoman.io.json import loads
from dragoman.model import Message, Text, ToolCall, ToolResult
from dragoman.readers.claude_code.fields import string
from dragoman.readers.claude_code.rows import ReplyRow, Row
from dragoman.readers.claude_code.tags import element_at, notification
from dragoman.readers.claude_code.transcript import Transcript
from dragoman.report import Report

SPAWNERS = frozenset(("Task", "Agent", "Skill", "SlashCommand", "Workflow", "TeamCreate", "AgentTool"))
_PROMPTED = frozenset(("Task", "Agent"))

_AGENT_ID = re.compile(r"\bagentId:\s{0,3}([A-Za-z0-9_-]{3,80})")
_TEXT_LIMIT = 200_000


class Evidence:
    """Everything in a session's transcripts that ties agents to calls. Call ids are kept in order of their calls."""

    def __init__(self) -> None:
        self.owners: dict[str, int] = {}
        """Call id to the transcript in which it was made."""
        self.by_result: dict[str, list[str]] = {}
        self.by_text: dict[str, list[str]] = {}
        self.by_progress: dict[str, list[str]] = {}
        self.by_notice: dict[str, list[str]] = {}
        self.by_run: dict[str, str] = {}
        self.prompts: dict[str, list[str]] = {}
        """A call's prompt, its white space trimmed, to the calls that had it."""
        self.calls: dict[str, dict[str, Any]] = {}
        """The input of every call that can start an agent."""
        self._order: dict[str, int] = {}

    def collect(self, transcript: Transcript, number: int) -> None:
        """Take in the rows of a transcript."""
        for row in transcript.rows:
            if type(row) is ReplyRow:
                for block in row.blocks:
                    if type(block) is ToolCall:
                        self._call(block, number)
            elif row.kind == "result":
                for entry in row.entries:
                    if isinstance(entry, Message):
                        for block in entry.blocks:
                            if type(block) is ToolResult:
                                self._result(block)
            elif row.record is not None:
                self._record(row)
            elif row.entries and isinstance(row.entries[-1], Message):
                for entry in row.entries:
                    if isinstance(entry, Message) and entry.origin == "notification":
                        self._notice(string(entry.extra.get("task_id")), string(entry.extra.get("tool_use_id")))

    def made_in(self, call_id: str) -> int:
        """The transcript in which a call was made first, or -1."""
        return self.owners.get(call_id, -1)

    def order(self, call_id: str) -> int:
        return self._order.get(call_id, len(self._order))

    def _call(self, call: ToolCall, number: int) -> None:
        if call.id in self.owners:
            return
        self.owners[call.id] = number
        self._order[call.id] = len(self._order)
        if call.name not in SPAWNERS:
            return
        try:
            given = loads(call.arguments.encode(), None, Report())
        except ValueError:
            given = None
        given = given if type(given) is dict else {}
        self.calls[call.id] = {**given, "tool": call.name}
        if call.name in _PROMPTED and (prompt := string(given.get("prompt")).strip()):
            self.prompts.setdefault(prompt, []).append(call.id)
        if resumed := string(given.get("resume")):
            _add(self.by_result, resumed, call.id)

    def _result(self, result: ToolResult) -> None:
        told = result.structured
        if type(told) is dict:
            for field in ("agentId", "agent_id", "resumedAgentId"):
                if agent := string(told.get(field)):
                    _add(self.by_result, agent, result.call_id)
            if run := string(told.get("runId")):
                self.by_run.setdefault(run, result.call_id)
        if result.tool_name in SPAWNERS or not result.tool_name:
            for block in result.content:
                if type(block) is Text and (match := _AGENT_ID.search(block.text, 0, _TEXT_LIMIT)):
                    _add(self.by_text, match[1], result.call_id)

    def _record(self, row: Row) -> None:
        record = row.record
        assert record is not None
        if row.type == "progress":
            data = record.get("data")
            if type(data) is dict:
                call = string(record.get("parentToolUseID"))
                if agent := string(data.get("agentId")):
                    _add(self.by_progress, agent, call)
        elif row.type == "queue-operation":
            content = string(record.get("content"))
            if content.lstrip().startswith("<task-notification>") and element_at(content, 0) is not None:
                told = notification(content).extra
                self._notice(string(told.get("task_id")), string(told.get("tool_use_id")))
            elif content.startswith("{"):
                try:
                    task = loads(content.encode(), None, Report())
                except ValueError:
                    return
                if type(task) is dict:
                    self._notice(string(task.get("task_id")), string(task.get("tool_use_id")))

    def _notice(self, task: str, call: str) -> None:
        if task and call:
            _add(self.by_notice, task, call)


def _add(table: dict[str, list[str]], agent: str, call: str) -> None:
    calls = table.setdefault(agent, [])
    if call and call not in calls[-50:]:
        calls.append(call)
