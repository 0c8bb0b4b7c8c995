"""Lines of invented Claude Code sessions, as tests need them, and what the reader makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dragoman.io.source import Source
from dragoman.model import Event, Message, Session
from dragoman.readers.claude_code import reader
from dragoman.report import Report

SID = "11111111-2222-4333-8444-555555555555"

Line = dict[str, Any]


class Log:
    """Makes lines with envelope, each the child of the one before unless said otherwise."""

    def __init__(self, version: str = "2.1.170", agent: str = "", sid: str = SID, prefix: str = "") -> None:
        self.version, self.agent, self.sid = version, agent, sid
        self.prefix = prefix or (agent[:4] or "u")
        self.lines: list[Line] = []
        self.last: str | None = None
        self.second = 0
        self.replies = 0

    def add(self, kind: str, **more: Any) -> Line:
        self.second += 1
        line: Line = {
            "parentUuid": self.last,
            "isSidechain": bool(self.agent),
            "type": kind,
            "uuid": f"{self.prefix}{len(self.lines) + 1}",
            "timestamp": f"2026-03-01T10:{self.second // 60:02}:{self.second % 60:02}.000Z",
            "userType": "external",
            "cwd": "/home/dev/demo",
            "sessionId": self.sid,
            "version": self.version,
            "gitBranch": "main",
        }
        if self.agent:
            line["agentId"] = self.agent
        line.update(more)
        self.last = line["uuid"]
        self.lines.append(line)
        return line

    def bare(self, kind: str, **more: Any) -> Line:
        """A bookkeeping line, without an envelope."""
        line = {"type": kind, **more, "sessionId": self.sid}
        self.lines.append(line)
        return line

    def user(self, content: Any, **more: Any) -> Line:
        return self.add("user", message={"role": "user", "content": content}, **more)

    def reply(
        self, *blocks: Any, id: str | None = None, out: int = 5, stop: str | None = "end_turn", **more: Any
    ) -> Line:
        """One line of an API message, of its own unless `id` names one."""
        self.replies += id is None
        name = id if id is not None else f"msg_{self.prefix}{self.replies}"
        usage = {
            "input_tokens": 2,
            "output_tokens": out,
            "cache_read_input_tokens": 10,
            "cache_creation_input_tokens": 4,
        }
        message = {
            "id": name,
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-8",
            "content": [text(each) if isinstance(each, str) else each for each in blocks],
            "stop_reason": stop,
            "usage": usage,
        }
        message.update(more.pop("message", {}))
        return self.add("assistant", **{"message": message, "requestId": f"req_{name}", **more})

    def result(self, call: str, content: Any, error: Any = None, **more: Any) -> Line:
        block: Line = {"type": "tool_result", "tool_use_id": call, "content": content}
        if error is not None:
            block["is_error"] = error
        return self.user([block], **more)

    def queue(self, operation: str, content: Any = None, **more: Any) -> Line:
        self.second += 1
        more["timestamp"] = f"2026-03-01T10:{self.second // 60:02}:{self.second % 60:02}.500Z"
        return self.bare("queue-operation", operation=operation, **({"content": content} if content else {}), **more)


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def call(id: str, name: str = "Bash", **given: Any) -> Line:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def jsonl(lines: list[Line]) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False).encode(errors="surrogatepass") + b"\n" for line in lines)


def write(folder: Path, log: Log | list[Line], name: str = f"{SID}.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsonl(log.lines if isinstance(log, Log) else log))
    return path


def agent_file(folder: Path, log: Log, meta: Any = None, below: str = "") -> None:
    """An agent's file in `<session>/subagents/`, with its meta file if there is one."""
    write(folder, log, f"{log.sid}/subagents/{below}agent-{log.agent}.jsonl")
    if meta is not None:
        path = folder / f"{log.sid}/subagents/{below}agent-{log.agent}.meta.json"
        path.write_text(meta if isinstance(meta, str) else json.dumps(meta), encoding="utf-8")


def read_all(path: Path, report: Report | None = None) -> list[Session]:
    return list(reader.read(Source(path), reader.options(), report if report is not None else Report()))


def read(path: Path, report: Report | None = None) -> Session:
    (session,) = read_all(path, report)
    return session


def read_log(folder: Path, log: Log | list[Line], report: Report | None = None) -> Session:
    return read(write(folder, log), report)


def told(session: Session) -> list[tuple[str, str]]:
    """Who says what, in order: (origin, text). Blocks other than text by their type."""
    return [(message.origin, words(message)) for message in session.messages]


def words(message: Message) -> str:
    parts = []
    for block in message.blocks:
        value = getattr(block, "text", None)
        parts.append(value if value is not None else type(block).__name__)
    return " + ".join(parts)


def events(session: Session, kind: str = "") -> list[Event]:
    return [e for e in session.entries if isinstance(e, Event) and (not kind or e.kind == kind)]
