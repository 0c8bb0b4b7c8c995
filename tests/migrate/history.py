"""Claude Code sessions that grow, shrink, fork and are compacted, made line by line for the tests."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

BEGAN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting for the disk: these tests sync thousands of files, and cut no power."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


class History:
    """One session's lines, and its subagents'."""

    def __init__(self, number: int = 1) -> None:
        self.uuid = str(UUID(int=0x0A0B0C0D111142228333444455550000 + number))
        self.lines: list[dict[str, Any]] = []
        self.agents: dict[str, list[dict[str, Any]]] = {}
        self._count = 0
        self._parent: str | None = None

    def _id(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_{self.uuid[-4:]}{self._count:06d}"

    def _line(self, kind: str, **more: Any) -> dict[str, Any]:
        uuid = str(UUID(int=UUID(self.uuid).int + (self._count + 1) * 0x10000))
        self._count += 1
        line = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/demo",
            "sessionId": self.uuid,
            "version": "2.1.200",
            "gitBranch": "main",
            "type": kind,
            "uuid": uuid,
            "timestamp": (BEGAN + timedelta(seconds=self._count)).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            **more,
        }
        self._parent = uuid
        return line

    def user(self, text: str, **more: Any) -> str:
        """A typed prompt. Returns its line's uuid."""
        line = self._line("user", message={"role": "user", "content": text}, **more)
        self.lines.append(line)
        return str(line["uuid"])

    def assistant(self, *content: Any) -> str:
        blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]
        message = {
            "model": "claude-opus-4-8",
            "id": self._id("msg"),
            "type": "message",
            "role": "assistant",
            "content": blocks,
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        line = self._line("assistant", message=message, requestId=self._id("req"))
        self.lines.append(line)
        return str(line["uuid"])

    def call(self, name: str = "Bash", **arguments: Any) -> str:
        """A call. Returns its id."""
        call_id = self._id("toolu")
        self.assistant({"type": "tool_use", "id": call_id, "name": name, "input": arguments})
        return call_id

    def result(self, call_id: str, text: str) -> None:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
        self.lines.append(self._line("user", message={"role": "user", "content": [block]}))

    def compact(self, summary: str, preserved: list[str] | None = None, segment: tuple[str, str] | None = None) -> None:
        metadata: dict[str, Any] = {"trigger": "auto", "preTokens": 1000}
        if preserved:
            metadata["preservedMessages"] = {"anchorUuid": preserved[0], "uuids": preserved, "allUuids": preserved}
        if segment:
            metadata["preservedSegment"] = {"headUuid": segment[0], "anchorUuid": segment[0], "tailUuid": segment[1]}
        logical, self._parent = self._parent, None
        self.lines.append(
            self._line(
                "system",
                subtype="compact_boundary",
                content="Conversation compacted",
                logicalParentUuid=logical,
                compactMetadata=metadata,
            )
        )
        self.user(summary, isCompactSummary=True)

    def rewind(self, uuid: str) -> None:
        """The next line hangs off the one before this prompt."""
        line = next(each for each in self.lines if each.get("uuid") == uuid)
        self._parent = line["parentUuid"]

    def agent(self, words: str) -> None:
        """A subagent, from its call to its result."""
        agent_id = f"a{self._count:06x}"
        call_id = self.call("Agent", prompt=f"{words} task", subagent_type="Explore")
        first = self._line("user", message={"role": "user", "content": f"{words} task"})
        second = self._line(
            "assistant",
            message={
                "model": "m",
                "id": self._id("msg"),
                "role": "assistant",
                "content": [{"type": "text", "text": f"{words} done"}],
            },
        )
        self.agents[agent_id] = [{**line, "isSidechain": True, "agentId": agent_id} for line in (first, second)]
        self.result(call_id, f"{words} result")
        self.lines[-1]["toolUseResult"] = {"status": "completed", "agentId": agent_id, "content": []}

    def write(self, root: Path, project: str = "-home-dev-demo") -> Path:
        """Put it where Claude Code would. What is there is only appended to where it can be."""
        folder = root / "projects" / project
        path = folder / f"{self.uuid}.jsonl"
        _put(path, self.lines)
        for agent_id, lines in self.agents.items():
            _put(folder / self.uuid / "subagents" / f"agent-{agent_id}.jsonl", lines)
        return path


def _put(path: Path, lines: list[dict[str, Any]]) -> None:
    data = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every log in clm's folder, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.jsonl"))}


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder, with its bytes and time."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def go_on(log: Path, text: str) -> None:
    """What clm does when a session is resumed and somebody says something."""
    records = [
        {"role": "user", "content": text, "type": "msg"},
        {"role": "assistant", "content": f"answer to {text}", "type": "msg"},
    ]
    with log.open("ab") as file:
        for record in records:
            file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
