"""Invented sessions for the Markdown writer's tests."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from dragoman.model import (
    AgentLink,
    Event,
    Header,
    Media,
    Message,
    Reasoning,
    Session,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)
from strategies import PNG

START = datetime(2026, 11, 30, 9, 0, 0, tzinfo=UTC)
PICTURE = base64.b64encode(PNG).decode()


class Clock:
    """Minutes pass as entries are made."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self, seconds: int = 20) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now


def call(identifier: str, name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id=identifier, name=name, arguments=orjson.dumps(arguments).decode())


def result(identifier: str, words: str, time: datetime, **more: Any) -> Message:
    block = ToolResult(call_id=identifier, content=(Text(text=words),), **more)
    return Message(role="tool", origin="result", blocks=(block,), time=time)


def says(words: str, time: datetime | None = None) -> Message:
    return Message(role="user", origin="prompt", blocks=(Text(text=words),), time=time)


def answers(*blocks: Any, time: datetime | None = None, output: int = 40) -> Message:
    made = tuple(Text(text=block) if isinstance(block, str) else block for block in blocks)
    usage = Usage(input=1200, output=output)
    return Message(
        role="assistant",
        origin="reply",
        blocks=made,
        time=time,
        model="claude-sonnet-4-5",
        usage=usage,
        id=f"msg_{time}",
    )


def tour() -> Session:
    """A little of everything that people meet in a session."""
    at = Clock()
    inner = Session(
        header=Header(id="inner"),
        entries=(
            Message(role="user", origin="task", blocks=(Text(text="Count the lines of `b.py`."),), time=at(0)),
            answers("Seven lines.", time=at(1)),
        ),
    )
    explorer = Session(
        header=Header(id="explorer"),
        entries=(
            Message(role="user", origin="task", blocks=(Text(text="# Find the tests\n\nAll of them."),), time=at(0)),
            answers(
                "Looking.", call("s1", "Glob", pattern="**/test_*.py"), call("s2", "Agent", prompt="Count"), time=at(1)
            ),
            result("s1", "tests/test_a.py\ntests/test_b.py", at(1), duration_ms=40),
            result("s2", "Seven lines.", at(1), duration_ms=2100),
            answers("## Found\n\nTwo files.", time=at(1)),
        ),
        subagents=(
            Subagent(agent_id="a2", kind="counter", links=(AgentLink(call_id="s2", evidence="meta"),), session=inner),
        ),
    )
    entries = (
        says("Please fix the failing test.\nIt is the one in `test_a.py`.", at(0)),
        Event(kind="title", name="ai-title", text="Fixing a test", time=at(0)),
        answers(
            Reasoning(text="I should run the tests first."),
            "I will run the tests.",
            call("c1", "Bash", command="pytest -q", description="Run the tests"),
            time=at(4),
        ),
        result(
            "c1",
            "Exit code 1\n\x1b[31mF\x1b[0m.\n=== FAILURES ===\ntest_a.py:3: AssertionError\n\n1 failed, 1 passed in 0.12s",
            at(12),
            error="yes",
            outcome="failed",
            duration_ms=12_000,
        ),
        answers(call("c2", "Read", file_path="/home/dev/demo/a.py"), call("c3", "Grep", pattern="def add"), time=at(3)),
        result(
            "c2",
            "".join(f"{n:6d}→line {n}\n" for n in range(1, 9)).rstrip("\n")
            + "\n\n<system-reminder>\nOnly read it.\n</system-reminder>",
            at(1),
        ),
        result("c3", "a.py:1:def add(a, b):", at(1), structured={"mode": "content", "numLines": 1}),
        answers(
            "The sum is wrong:\n\n```python\nreturn a - b\n```",
            call("c4", "Edit", file_path="/home/dev/demo/a.py", old_string="return a - b", new_string="return a + b"),
            call("c5", "Write", file_path="/home/dev/demo/notes.md", content="# Notes\n\n```\nfenced\n```\n"),
            call(
                "c6",
                "TodoWrite",
                todos=[
                    {"content": "Fix the sum", "status": "completed", "activeForm": "Fixing"},
                    {"content": "Run the tests", "status": "in_progress", "activeForm": "Running"},
                    {"content": "Tell what changed", "status": "pending", "activeForm": "Telling"},
                ],
            ),
            time=at(9),
        ),
        result(
            "c4",
            "The file /home/dev/demo/a.py has been updated successfully.",
            at(1),
            structured={
                "filePath": "/home/dev/demo/a.py",
                "structuredPatch": [
                    {
                        "oldStart": 1,
                        "newStart": 1,
                        "lines": [" def add(a, b):", "-    return a - b", "+    return a + b"],
                    }
                ],
            },
        ),
        result("c5", "File created successfully at: /home/dev/demo/notes.md", at(1)),
        result("c6", "Todos have been modified successfully. Ensure that you continue.", at(1)),
        answers(
            call(
                "c7",
                "AskUserQuestion",
                questions=[
                    {
                        "question": "Which style?",
                        "header": "Style",
                        "options": [
                            {"label": "Plain", "description": "No frills"},
                            {"label": "Fancy", "description": "All"},
                        ],
                    }
                ],
            ),
            call(
                "c8",
                "Agent",
                subagent_type="Explore",
                description="Find tests",
                prompt="# Find the tests\n\nAll of them.",
            ),
            call("c9", "mcp__tracker__find_issue", query="sum is wrong", limit=3),
            call("c10", "WebSearch", query="addition in python"),
            call("c11", "SendUserMessage", message="Nearly **done**."),
            time=at(5),
        ),
        result(
            "c7",
            'User has answered your questions: "Which style?"="Plain". You can now continue.',
            at(30),
            structured={"answers": {"Which style?": "Plain"}},
        ),
        result(
            "c8", "Two files.\nagentId: a1 (for resuming)\n<usage>total_tokens: 900</usage>", at(4), duration_ms=4100
        ),
        Message(
            role="tool",
            origin="result",
            blocks=(
                ToolResult(
                    call_id="c9",
                    content=(
                        Text(text='{"issues": [{"id": 7}]}'),
                        Media(media_type="image/png", data=PICTURE, name="shot"),
                    ),
                ),
            ),
            time=at(1),
        ),
        result(
            "c10",
            'Web search results for query: "addition in python"\n\nLinks: '
            '[{"title":"Numbers","url":"https://example.org/numbers"}]\n\nAdd with `+`.',
            at(2),
        ),
        result("c11", "Message delivered.", at(1)),
        Event(
            kind="compaction",
            text="Conversation compacted",
            data={"compactMetadata": {"trigger": "auto", "preTokens": 155_000}},
            time=at(1),
        ),
        Message(role="user", origin="compaction_summary", blocks=(Text(text="We fixed the sum."),), time=at(1)),
        Message(role="user", origin="slash_command", blocks=(Text(text="/cost"),), time=at(2)),
        Message(role="user", origin="command_output", blocks=(Text(text="Total: 1 USD"),), time=at(1)),
        Message(role="user", origin="prompt", blocks=(Text(text="Use a lambda."),), branch="b1", time=at(1)),
        says("Thanks. What is in this picture?", at(2)),
        Message(role="user", origin="queued_prompt", blocks=(Media(media_type="image/png", data=PICTURE),), time=at(1)),
        Message(
            role="assistant", origin="synthetic_error", blocks=(Text(text="API Error: 529 overloaded"),), time=at(1)
        ),
        Event(kind="queue", name="queue-operation", data={"operation": "enqueue"}),
        Event(kind="link", name="pr-link", text="https://example.org/pull/7"),
        answers(
            Unknown(kind="hologram", value={"depth": 3}),
            "A single dot.",
            call("c12", "Bash", command="sleep 100"),
            time=at(3),
        ),
    )
    lone = Session(header=Header(id="lone"), entries=(says("Warm up."), answers("Warm.")))
    return Session(
        header=Header(
            id="11112222-3333-4444-8555-666677778888",
            format="claude-code",
            title="Fixing a test",
            started=START,
            ended=at(0),
            cwd="/home/dev/demo",
            git_branch="main",
            models=("claude-sonnet-4-5",),
            agent="claude-code",
            agent_version="2.1.300",
        ),
        entries=entries,
        subagents=(
            Subagent(
                agent_id="a1",
                kind="Explore",
                description="Find tests",
                links=(AgentLink(call_id="c8", evidence="result"),),
                session=explorer,
            ),
            Subagent(agent_id="a3", kind="loner", session=lone),
            Subagent(agent_id="a4", kind="acompact", hidden=True, session=lone),
        ),
    )
