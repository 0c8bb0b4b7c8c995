"""An invented session that has every form which a page knows, for golden files and for the browser."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from dragoman.model import (
    AgentLink,
    Block,
    Event,
    Header,
    Media,
    Message,
    Origin,
    Reasoning,
    Session,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)

START = datetime(2026, 10, 1, 9, 0, tzinfo=UTC)


def png(width: int = 96, height: int = 48) -> str:
    """A small picture, in base64."""
    rows = b"".join(b"\0" + bytes(v for x in range(width) for v in (40 + x, 90 + 2 * y, 180)) for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b64encode(data).decode()


class Talk:
    """Entries, one after another, on a clock of its own."""

    def __init__(self, name: str, start: datetime = START, model: str = "claude-opus-5-5") -> None:
        self.name = name
        self.clock = start
        self.model = model
        self.entries: list[Message | Event] = []
        self._n = 0
        self._context = 9_000

    def wait(self, seconds: float) -> None:
        self.clock += timedelta(seconds=seconds)

    def _id(self) -> str:
        self._n += 1
        return f"{self.name}-{self._n:04d}"

    def say(self, origin: Origin, *blocks: Block | str, role: str = "user", **rest: Any) -> None:
        self.wait(2)
        parts = tuple(Text(text=block) if isinstance(block, str) else block for block in blocks)
        self.entries.append(
            Message(role=role, origin=origin, blocks=parts, uuid=self._id(), time=self.clock, **rest)  # type: ignore[arg-type]
        )

    def reply(self, *blocks: Block | str, **rest: Any) -> None:
        self._context += 2_600
        usage = Usage(input=3, output=240, cache_read=self._context, cache_write_1h=1_200)
        self.say("reply", *blocks, role="assistant", model=self.model, id=self._id(), usage=usage, **rest)

    def call(self, name: str, arguments: Any, text: Any = "", *, seconds: float = 3, **rest: Any) -> str:
        """A call and its result."""
        call_id = f"call-{self._id()}"
        given = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
        self.reply(ToolCall(id=call_id, name=name, arguments=given))
        if text is None:
            return call_id
        self.wait(seconds)
        content = (Text(text=text),) if isinstance(text, str) else text
        result = ToolResult(call_id=call_id, content=content, tool_name=name, duration_ms=int(seconds * 1000), **rest)
        self.say("result", result, role="tool")
        return call_id

    def event(self, kind: str, **rest: Any) -> None:
        self.wait(1)
        self.entries.append(Event(kind=kind, uuid=self._id(), time=self.clock, **rest))

    def session(self, *agents: Subagent, **header: Any) -> Session:
        return Session(
            header=Header(id=self.name, started=self.entries[0].time, ended=self.clock, models=(self.model,), **header),
            entries=tuple(self.entries),
            subagents=agents,
        )


CODE = '''"""Reads headers."""
from __future__ import annotations


class Header:
    """A name and its value."""

    def __init__(self, name: str, value: str) -> None:
        self.name = name.strip()
        self.value = value

    @property
    def folded(self) -> bool:  # a value over several lines
        return "\\n" in self.value


def parse(line: str, width: int = 78) -> Header:
    name, _, value = line.partition(":")
    return Header(name, value[:width])
'''


def read_result(code: str) -> str:
    return "\n".join(f"{n:6d}\t{line}" for n, line in enumerate(code.split("\n"), 1))


def showcase() -> Session:
    """Two prompts' worth of everything."""
    t = Talk("showcase")
    t.say(
        "prompt",
        "The header parser cuts long values at 78 characters.\nPlease find out why, and fix it with a test that fails first. The ticket is https://example.org/issues/41.",
    )
    t.reply(
        Reasoning(
            text="The user wants a fix with a failing test first. I should look at the parser and at how values are folded before changing anything."
        ),
        "I'll start with the parser and its tests.",
    )
    t.call("Read", {"file_path": "/home/dev/mailkit/src/headers.py"}, read_result(CODE), seconds=0.2)
    t.call(
        "Grep",
        {"pattern": "width=78", "path": "src"},
        "src/headers.py:18:def parse(line: str, width: int = 78) -> Header:\nsrc/compose.py:44:    header = parse(line, width=78)",
        seconds=0.1,
    )
    t.call(
        "TodoWrite",
        {
            "todos": [
                {"content": "Write a test that fails", "status": "completed", "activeForm": "Writing a test"},
                {"content": "Fix the parser", "status": "in_progress", "activeForm": "Fixing the parser"},
                {"content": "Run the whole suite", "status": "pending", "activeForm": "Running the suite"},
            ]
        },
        "Todos have been modified successfully.",
        seconds=0.1,
    )
    t.call(
        "Bash",
        {"command": "pytest -q tests/test_headers.py", "description": "Run the header tests"},
        'Exit code 1\n\x1b[31mF\x1b[0m\x1b[32m......\x1b[0m\n=================== FAILURES ===================\n\x1b[1m\x1b[31m__________ test_long_value __________\x1b[0m\n\n    def test_long_value():\n        header = parse("Subject: " + "x" * 100)\n>       assert len(header.value) == 101\n\x1b[31mE       assert 78 == 101\x1b[0m\n\n\x1b[31m1 failed\x1b[0m, \x1b[32m6 passed\x1b[0m in 0.42s',
        seconds=12,
        error="yes",
        outcome="failed",
    )
    t.reply(
        "The default of `width` is the culprit: **values are cut, not folded**. There are three ways out:\n\n| Way | Effort | Keeps old callers |\n|---|---|---|\n| Drop `width` | small | no |\n| Fold when writing | medium | yes |\n| Warn, then drop | large | yes |\n\nI'd fold when writing:\n\n1. `parse` keeps the whole value\n2. `Header.folded` says whether it *needs* folding\n3. `compose` folds at 78 columns\n\n```python\ndef parse(line: str) -> Header:\n    name, _, value = line.partition(\":\")\n    return Header(name, value)  # folding is the writer's work\n```\n\n> Lines longer than 78 characters SHOULD be folded, says the standard; it doesn't say that readers cut them.",
    )
    t.call(
        "Edit",
        {
            "file_path": "/home/dev/mailkit/src/headers.py",
            "old_string": 'def parse(line: str, width: int = 78) -> Header:\n    name, _, value = line.partition(":")\n    return Header(name, value[:width])\n',
            "new_string": 'def parse(line: str) -> Header:\n    """The header of a line, whole: folding is the writer\'s work."""\n    name, _, value = line.partition(":")\n    return Header(name, value)\n',
        },
        "The file /home/dev/mailkit/src/headers.py has been updated.",
        seconds=0.3,
        structured={
            "filePath": "/home/dev/mailkit/src/headers.py",
            "structuredPatch": [
                {
                    "oldStart": 15,
                    "oldLines": 6,
                    "newStart": 15,
                    "newLines": 7,
                    "lines": [
                        '         return "\\n" in self.value',
                        " ",
                        " ",
                        "-def parse(line: str, width: int = 78) -> Header:",
                        "+def parse(line: str) -> Header:",
                        '+    """The header of a line, whole: folding is the writer\'s work."""',
                        '     name, _, value = line.partition(":")',
                        "-    return Header(name, value[:width])",
                        "+    return Header(name, value)",
                    ],
                }
            ],
        },
    )
    t.call(
        "Write",
        {
            "file_path": "/home/dev/mailkit/tests/test_fold.py",
            "content": 'from headers import parse\n\n\ndef test_long_value() -> None:\n    assert len(parse("Subject: " + "x" * 100).value) == 101\n',
        },
        "File created successfully at: /home/dev/mailkit/tests/test_fold.py",
        seconds=0.2,
    )
    task = t.call(
        "Task",
        {
            "description": "Find other callers",
            "prompt": "Find every caller of `parse` that passes **width**, also in the scripts. Answer with a list of places.",
            "subagent_type": "Explore",
        },
        "Two callers: `src/compose.py:44` and `scripts/dump.py:9`.",
        seconds=95,
    )
    a = Talk("agent-1", START + timedelta(seconds=80), "claude-haiku-5-5")
    a.say(
        "task", "Find every caller of `parse` that passes **width**, also in the scripts. Answer with a list of places."
    )
    a.call("Grep", {"pattern": "parse\\(.*width", "path": "."}, "src/compose.py:44\nscripts/dump.py:9", seconds=1)
    inner_call = a.call(
        "Task",
        {"description": "Check the scripts", "prompt": "Does scripts/dump.py run?", "subagent_type": "general"},
        "It does.",
        seconds=40,
    )
    b = Talk("agent-2", START + timedelta(seconds=100), "claude-haiku-5-5")
    b.say("task", "Does scripts/dump.py run?")
    b.call("Bash", {"command": "python scripts/dump.py --help"}, "usage: dump.py [-h] FILE", seconds=2)
    b.reply("It does.")
    a.reply("Two callers: `src/compose.py:44` and `scripts/dump.py:9`.")
    t.call(
        "AskUserQuestion",
        {
            "questions": [
                {
                    "question": "Should the old parameter stay for a while?",
                    "header": "Compatibility",
                    "multiSelect": False,
                    "options": [
                        {"label": "Drop it", "description": "Callers break at once, and visibly"},
                        {"label": "Deprecate it", "description": "A warning for one release"},
                    ],
                }
            ]
        },
        'User has answered your questions: "Should the old parameter stay for a while?"="Deprecate it".',
        seconds=40,
        structured={"answers": {"Should the old parameter stay for a while?": "Deprecate it"}},
    )
    t.call(
        "ExitPlanMode",
        {"plan": "# Plan\n\n1. Deprecate `width`\n2. Fold in `compose`\n3. Release 2.4"},
        "User has approved your plan.",
        seconds=15,
    )
    t.call(
        "WebSearch",
        {"query": "RFC 5322 folding white space"},
        "Folding is defined in section 2.2.3.",
        structured={
            "query": "RFC 5322 folding white space",
            "results": [
                {
                    "tool_use_id": "x",
                    "content": [{"title": "RFC 5322: Internet Message Format", "url": "https://example.org/rfc5322"}],
                }
            ],
        },
    )
    t.call(
        "WebFetch",
        {"url": "https://example.org/rfc5322", "prompt": "What does it say on folding?"},
        "Each line **should** be no more than 78 characters.",
    )
    t.call(
        "NotebookEdit",
        {
            "notebook_path": "/home/dev/mailkit/try.ipynb",
            "cell_id": "c3",
            "new_source": "parse('a: b').value",
            "edit_mode": "replace",
            "cell_type": "code",
        },
        "Updated cell c3",
    )
    t.call(
        "mcp__tracker__add_comment",
        {"issue": 41, "body": "Fixed on a branch", "labels": ["parser", "bug"]},
        '{"ok":true,"url":"https://example.org/issues/41#c2"}',
    )
    t.call("Read", {"file_path": "/home/dev/mailkit/docs/flow.png"}, (Media(media_type="image/png", data=png()),))
    t.call(
        "Bash",
        {"command": "rm -rf build", "description": "Clean"},
        "The user doesn't want to proceed with this tool use.",
        error="yes",
        outcome="rejected",
        feedback="Leave the build folder alone, please.",
    )
    t.reply("Done. `parse` keeps whole values, `compose` folds them, and the old parameter warns for one release.")
    t.wait(5400)
    t.say(
        "queued_prompt",
        "Also do it for the Arabic subject lines: مرحبا بالعالم، هذا اختبار. And the Japanese ones, 日本語の件名も。 🎉",
    )
    t.reply(
        Reasoning(withheld=True, signature="c2ln"),
        "Both pass: the tests cover right-to-left and wide characters.\n\n- أول اختبار\n- second test",
    )
    t.say("slash_command", "/compact keep the plan")
    t.event(
        "compaction",
        name="compact_boundary",
        text="Conversation compacted",
        data={"compactMetadata": {"trigger": "manual", "preTokens": 182000}},
    )
    t.say(
        "compaction_summary", "This session is being continued. We fixed the header parser: `parse` keeps whole values."
    )
    t.say("injected", "Base directory for this skill: /home/dev/.claude/skills/release")
    t.say(
        "prompt",
        Media(media_type="image/png", data=png(64, 64)),
        Media(media_type="application/pdf", data="JVBERi0xLjQK", name="notes.pdf"),
        "Make the badge look like this, and read the notes.",
    )
    t.event("error", name="api_error", text="Overloaded", data={"retryAttempt": 1, "maxRetries": 10})
    t.reply(Unknown(kind="hologram", value={"colour": "blue", "depth": 3}), "The badge is done.")
    t.say("interrupt", "[Request interrupted by user]")
    t.say("shell_input", "git status")
    t.say("shell_output", "On branch main\nnothing to commit, working tree clean")
    t.say("prompt", "Use a red badge", branch="b1")
    t.reply("A red badge it is.", branch="b1")
    t.say("prompt", "Use a blue badge instead")
    t.reply("Blue it is. That was a zero-width\u200bspace, and that an override: \u202egnp.exe")
    nested = Subagent(
        agent_id="a2",
        kind="general",
        description="Check the scripts",
        links=(AgentLink(call_id=inner_call, evidence="result"),),
        session=b.session(),
    )
    agent = Subagent(
        agent_id="a1",
        kind="Explore",
        description="Find other callers",
        links=(AgentLink(call_id=task, evidence="result"),),
        session=a.session(nested),
    )
    c = Talk("agent-3", START + timedelta(seconds=300), "claude-haiku-5-5")
    c.say("task", "Tidy up the branch names")
    c.reply("Nothing to tidy.")
    loose = Subagent(agent_id="a3", kind="general", description="Tidy up", session=c.session())
    return t.session(
        agent,
        loose,
        title="Fold long headers instead of cutting them",
        cwd="/home/dev/mailkit",
        git_branch="fold-headers",
        agent="Claude Code",
        agent_version="2.1.300",
        extra={"redaction": {"secrets": 3, "distinct": 2, "kinds": {"GitHub token": 2, "password in a URL": 1}}},
    )


def long_session(turns: int = 150) -> Session:
    """So many entries that the page keeps folded bodies as text until they are opened."""
    t = Talk("long")
    for n in range(turns):
        t.say("prompt", f"Please look at module number {n}.")
        t.reply(f"Module {n} it is. I will read it first.")
        for k in range(4):
            t.call("Read", {"file_path": f"/home/dev/app/module_{n}_{k}.py"}, read_result(CODE), seconds=0.2)
            t.call(
                "Bash",
                {"command": f"pytest -q tests/test_{n}_{k}.py"},
                f"{k + 1} passed in {n}.0s, needle-{n}-{k}",
                seconds=2,
            )
        t.call(
            "Bash",
            {"command": f"make module-{n}"},
            "Exit code 2\nmake: broken",
            seconds=1,
            error="yes",
            outcome="failed",
        )
        t.reply(f"Module {n} is **fine**, apart from `make`.")
    return t.session(title="A long day with many modules")
