"""Whatever is done to a session: nothing raises, no text is lost, none is told more often than it stands there."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.io.source import Source
from dragoman.model import Session, Text, ToolResult, walk
from dragoman.readers.claude_code import reader
from dragoman.report import Report

SID = "11111111-2222-4333-8444-555555555555"
MARK = re.compile(r"mark\d+x")


class Writer:
    """Writes a valid session, every text with a mark of its own."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.marks = 0
        self.calls = 0
        self.last: str | None = None

    def mark(self) -> str:
        self.marks += 1
        return f"mark{self.marks}x"

    def envelope(self, kind: str, **more: Any) -> dict[str, Any]:
        number = len(self.records)
        record = {
            "parentUuid": self.last,
            "isSidechain": False,
            "type": kind,
            "uuid": f"u-{number}",
            "timestamp": f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}.000Z",
            "sessionId": SID,
            "version": "2.1.49",
            "cwd": "/home/dev/demo",
            "gitBranch": "main",
            **more,
        }
        self.last = record["uuid"]
        self.records.append(record)
        return record

    def prompt(self) -> None:
        self.envelope("user", message={"role": "user", "content": f"please {self.mark()}"})

    def prompt_in_blocks(self) -> None:
        blocks = [
            {"type": "text", "text": self.mark()},
            {"type": "text", "text": f"<ide_selection>{self.mark()}</ide_selection>"},
        ]
        self.envelope("user", message={"role": "user", "content": blocks})

    def reply(self) -> None:
        self.calls += 1
        message_id, call = f"msg_{self.calls}", f"toolu_{self.calls}"
        for block in (
            {"type": "thinking", "thinking": "", "signature": "c2ln"},
            {"type": "text", "text": f"I do {self.mark()}"},
            {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "ls"}},
        ):
            usage = {"input_tokens": 1, "output_tokens": 2}
            message = {
                "id": message_id,
                "role": "assistant",
                "type": "message",
                "model": "m",
                "content": [block],
                "usage": usage,
            }
            self.envelope("assistant", message=message, requestId=f"req_{self.calls}")
        result = {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": self.mark()}]}
        self.envelope("user", message={"role": "user", "content": [result]}, toolUseResult={"stdout": "x"})
        message = {"id": message_id, "role": "assistant", "type": "message", "model": "m"}
        self.envelope("assistant", message={**message, "content": [{"type": "text", "text": self.mark()}]})

    def sidechain(self) -> None:
        self.last = None
        self.envelope("user", isSidechain=True, message={"role": "user", "content": self.mark()})
        content = [{"type": "text", "text": self.mark()}]
        self.envelope("assistant", isSidechain=True, message={"id": "", "role": "assistant", "content": content})

    def command(self) -> None:
        text = f"<command-name>/do</command-name><command-args>{self.mark()}</command-args>"
        self.envelope("user", message={"role": "user", "content": text})

    def compaction(self) -> None:
        self.last = None
        self.envelope("system", subtype="compact_boundary", content="Conversation compacted")
        self.envelope("user", isCompactSummary=True, message={"role": "user", "content": self.mark()})

    def rewind(self) -> None:
        fork = self.last
        self.prompt()
        self.last = fork
        self.prompt()

    def queued(self) -> None:
        text = self.mark()
        for operation, content in (("enqueue", text), ("remove", None)):
            record = {
                "type": "queue-operation",
                "operation": operation,
                "timestamp": f"2026-01-01T01:00:{self.marks:02}Z",
            }
            self.records.append({**record, "sessionId": SID, **({"content": content} if content else {})})

    def attachment(self) -> None:
        self.envelope(
            "attachment", attachment={"type": "queued_command", "prompt": self.mark(), "commandMode": "prompt"}
        )


STEPS = ("prompt", "prompt_in_blocks", "reply", "sidechain", "command", "compaction", "rewind", "queued", "attachment")

JUNK: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**25),
    st.floats(),
    st.sampled_from(["", "x", "user", "assistant", "u-1", "msg_1", "2026", "\ud83d", "<a>", "/"]),
    st.lists(st.none() | st.integers() | st.just({"type": "text"}), max_size=2),
    st.dictionaries(st.sampled_from(["type", "text", "kind", "content"]), st.integers() | st.just("text"), max_size=2),
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a record."""
    found: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        each = stack.pop()
        items = each.items() if isinstance(each, dict) else enumerate(each) if isinstance(each, list) else ()
        for key, inner in items:
            found.append((each, key))
            stack.append(inner)
    return found


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    writer = Writer()
    for step in draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=5)):
        getattr(writer, step)()
    records = json.loads(json.dumps(writer.records))
    for _ in range(draw(st.integers(0, 3))):
        record = draw(st.sampled_from(records))
        owner, key = draw(st.sampled_from(places(record) or [({}, "x")]))
        if draw(st.booleans()):
            owner[key] = draw(JUNK)
        elif isinstance(owner, dict):
            owner.pop(key, None)
    lines = [json.dumps(record).encode() for record in records]
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["drop", "double", "swap", "cut", "glue", "splice", "nul", "byte"])):
            case "drop" if len(lines) > 1:
                del lines[at]
            case "double":
                lines.insert(draw(st.integers(0, len(lines))), lines[at])
            case "swap":
                other = draw(st.integers(0, len(lines) - 1))
                lines[at], lines[other] = lines[other], lines[at]
            case "cut":
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
            case "glue" if at + 1 < len(lines):
                lines[at : at + 2] = [lines[at] + lines[at + 1]]
            case "splice" if at + 1 < len(lines):
                lines[at : at + 2] = [lines[at][: draw(st.integers(0, len(lines[at])))] + lines[at + 1]]
            case "nul":
                lines[at] = b"\0" * 5 + lines[at]
            case "byte" if lines[at]:
                position = draw(st.integers(0, len(lines[at]) - 1))
                lines[at] = lines[at][:position] + b"\xff" + lines[at][position + 1 :]
    return b"\n".join(lines) + draw(st.sampled_from([b"", b"\n"]))


def read(data: bytes) -> list[Session]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{SID}.jsonl"
        path.write_bytes(data)
        return list(reader.read(Source(path), reader.options(), Report()))


def texts_on(line: bytes) -> set[str]:
    """The marks in text blocks of a line that is one sound record of a conversation."""
    try:
        record = json.loads(line)
    except ValueError:
        return set()
    if not isinstance(record, dict) or not isinstance(record.get("message"), dict):
        return set()
    content = record["message"].get("content")
    blocks = [{"text": content}] if isinstance(content, str) else content if isinstance(content, list) else []
    found: set[str] = set()
    for block in blocks:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            found.update(MARK.findall(block["text"]))
        if isinstance(block, dict) and isinstance(block.get("content"), list):
            found.update(mark for each in block["content"] for mark in MARK.findall(json.dumps(each)))
    return found


def told(sessions: list[Session]) -> Counter[str]:
    """How often each mark stands in the texts of the messages."""
    counts: Counter[str] = Counter()
    for session in sessions:
        for part, _ in walk(session):
            for message in part.messages:
                for block in message.blocks:
                    inner = block.content if isinstance(block, ToolResult) else (block,)
                    for each in inner:
                        if isinstance(each, Text):
                            counts.update(MARK.findall(each.text))
    return counts


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_no_mutation_loses_or_doubles_a_text(data: bytes) -> None:
    sessions = read(data)
    everything = msgspec.json.encode(sessions).decode()
    lines = set(data.split(b"\n"))
    counts = told(sessions)
    standing: Counter[str] = Counter()
    for line in lines:
        for mark in texts_on(line):
            assert mark in everything, mark
        standing.update(set(MARK.findall(line.decode(errors="replace"))) | set())
    for mark, count in counts.items():
        here = sum(line.count(mark.encode()) for line in lines)
        assert count <= here, mark


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(
                "type uuid parentUuid message timestamp sessionId isSidechain attachment data subtype operation content agentId "
                "toolUseResult snapshot leafUuid parent_tool_use_id session_id event compactMetadata supersedesUuids origin".split()
            ),
            JUNK
            | st.sampled_from(
                [
                    "user",
                    "assistant",
                    "system",
                    "attachment",
                    "progress",
                    "queue-operation",
                    "result",
                    "stream_event",
                    "summary",
                    "remove",
                    "enqueue",
                    "dequeue",
                    "popAll",
                ]
            ),
            max_size=8,
        ),
        max_size=6,
    )
)
def test_records_of_anything_are_survived(records: list[dict[str, Any]]) -> None:
    data = b"\n".join(json.dumps(record).encode() for record in records)
    for session in read(data):
        msgspec.json.encode(session)


@settings(max_examples=80, deadline=None)
@given(
    st.recursive(
        JUNK,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    "type text thinking id name input content source data tool_use_id is_error url".split()
                ),
                inner
                | st.sampled_from(
                    [
                        "text",
                        "tool_use",
                        "tool_result",
                        "image",
                        "document",
                        "thinking",
                        "web_search_tool_result",
                        "mcp_tool_result",
                        "base64",
                        "resource",
                        "search_result",
                    ]
                ),
                max_size=5,
            )
        ),
        max_leaves=12,
    ),
    st.sampled_from(["user", "assistant"]),
)
def test_content_of_anything_is_survived(content: Any, kind: str) -> None:
    record = {"type": kind, "uuid": "u", "sessionId": SID, "message": {"role": kind, "content": content}}
    for session in read(json.dumps(record).encode()):
        msgspec.json.encode(session)
