"""Five very different sessions, invented: a chat, a long refactoring, twenty subagents, pictures, many scripts."""

from __future__ import annotations

import base64
import io
import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

from dragoman.model import (
    AgentLink,
    Entry,
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
    Usage,
)

START = datetime(2026, 3, 2, 9, 14, tzinfo=UTC)


class Script:
    """Writes a session entry by entry; the clock goes on by itself."""

    def __init__(self, title: str = "", start: datetime = START, model: str = "claude-opus-4-1") -> None:
        self.entries: list[Entry] = []
        self.title = title
        self.start = self.now = start
        self.model = model
        self.calls = 0
        self.agents: list[Subagent] = []

    def tick(self, seconds: float = 7) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now

    def prompt(self, words: str, *media: Media, origin: str = "prompt") -> Script:
        n = len(self.entries)
        self.entries.append(
            Message(role="user", origin=origin, blocks=(Text(words), *media), uuid=f"u{n}", time=self.tick(90))  # type: ignore[arg-type]
        )
        return self

    def say(self, *blocks: Any) -> Script:
        n = len(self.entries)
        made = tuple(Text(each) if isinstance(each, str) else each for each in blocks)
        usage = Usage(input=900 + 13 * n, output=210 + 7 * n, cache_read=12_000 + 400 * n, cache_write_5m=800)
        self.entries.append(
            Message(
                role="assistant",
                origin="reply",
                blocks=made,
                uuid=f"a{n}",
                id=f"msg_{n}",
                time=self.tick(),
                model=self.model,
                usage=usage,
            )
        )
        return self

    def think(self, words: str) -> Script:
        return self.say(Reasoning(words))

    def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        output: str = "",
        *media: Media,
        outcome: str = "ok",
        structured: Any = None,
    ) -> str:
        self.calls += 1
        identifier = f"toolu_{id(self) % 7}_{self.calls}" if False else f"toolu_{self.calls}_{len(self.title)}"
        self.say(ToolCall(identifier, tool, json.dumps(arguments)))
        content = (*((Text(output),) if output else ()), *media)
        result = ToolResult(
            identifier,
            content,
            structured=structured,
            outcome=outcome,  # type: ignore[arg-type]
            error="yes" if outcome == "failed" else "unsaid",
            duration_ms=2300 + self.calls * 170,
            tool_name=tool,
        )
        self.entries.append(
            Message(role="tool", origin="result", blocks=(result,), uuid=f"t{len(self.entries)}", time=self.tick(3))
        )
        return identifier

    def event(self, kind: str, words: str, **more: Any) -> Script:
        self.entries.append(Event(kind=kind, text=words, uuid=f"e{len(self.entries)}", time=self.tick(1), **more))
        return self

    def agent(self, kind: str, told: str, script: Script, answer: str) -> Script:
        identifier = self.call(
            "Task", {"subagent_type": kind, "description": told, "prompt": f"Please {told}."}, answer
        )
        self.agents.append(
            Subagent(
                agent_id=f"agent{len(self.agents):02d}",
                kind=kind,
                description=told,
                links=(AgentLink(call_id=identifier, evidence="meta"),),
                session=script.session(),
            )
        )
        return self

    def session(self) -> Session:
        return Session(
            header=Header(
                id="0a1b2c3d-0000-4000-8000-00000000beef",
                format="claude-code",
                title=self.title,
                started=self.start,
                ended=self.now,
                cwd="/home/dev/harbour",
                git_branch="main",
                models=(self.model,),
                agent="Claude Code",
                agent_version="2.1.97",
            ),
            entries=tuple(self.entries),
            subagents=tuple(self.agents),
        )


def chat() -> Session:
    """Prompts and answers, no tools."""
    script = Script("Choosing a queue for the harbour office")
    script.prompt(
        "We run a small harbour office. Every arriving ship gives us about forty messages that have to be worked off "
        "in order **per ship**, but ships don't wait for each other. Which queue would you pick, and why?"
    )
    script.say(
        "For that shape of work I'd start with **one PostgreSQL table** and `SELECT … FOR UPDATE SKIP LOCKED`.\n\n"
        "Three things speak for it:\n\n"
        "1. You already back it up. A second system is a second thing to restore at three in the morning.\n"
        "2. Order *per ship* is a `WHERE` clause, not a partitioning scheme:\n\n"
        "```sql\nSELECT id, payload\n  FROM message\n WHERE ship = (SELECT ship FROM message WHERE state = 'ready'\n"
        "                ORDER BY created LIMIT 1 FOR UPDATE SKIP LOCKED)\n ORDER BY created;\n```\n\n"
        "3. At forty messages a ship and a few hundred ships a day you are three orders of magnitude below where it hurts.\n\n"
        "| Choice | Order per ship | To operate | When I'd switch |\n|---|:--:|---|---:|\n"
        "| Table in PostgreSQL | yes | nothing new | > 2,000/s |\n| RabbitMQ | with one queue a ship | a broker | > 10,000/s |\n"
        "| Kafka | by partition key | a cluster | replay needed |\n\n"
        "> The best queue is the one that your night shift can read with `psql`.\n\n"
        "See the [manual on explicit locking](https://www.postgresql.org/docs/current/explicit-locking.html) for the details."
    )
    script.prompt("What happens when a worker dies in the middle of a ship?")
    script.say(
        "Its transaction is rolled back and the lock goes with it, so another worker takes the **whole ship** again. That "
        "means each step has to be safe to repeat:\n\n- write the outcome and the state change in *one* transaction;\n"
        "- give each outgoing mail a key, so that a second sending is refused;\n- keep the transaction short: "
        "one message, not one ship.\n\n### If one message always fails\n\nCount the attempts in the row. After five, set it aside and go on with the "
        "next *ship*, never with the next message of the same one, or the order is gone."
    )
    script.prompt("Thanks. Write me the table, please.")
    script.say(
        "```sql\nCREATE TABLE message (\n    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,\n    ship      text        NOT NULL,\n"
        "    payload   jsonb       NOT NULL,\n    state     text        NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'done', 'set aside')),\n"
        "    attempts  smallint    NOT NULL DEFAULT 0,\n    created   timestamptz NOT NULL DEFAULT now()\n);\n\n"
        "CREATE INDEX message_ready ON message (ship, created) WHERE state = 'ready';\n```\n\nThe partial index stays small: it only holds what is waiting."
    )
    return script.session()


WORDS = (
    "the retry loop holds its lock across the await so a slow socket stalls every other ship in the pool and the watchdog "
    "fires before the buffer is flushed which is what the failing test shows when it is run twice in a row on a cold cache"
).split()


def _prose(dice: random.Random, n: int) -> str:
    return " ".join(dice.choice(WORDS) for _ in range(n)).capitalize() + "."


def _module(dice: random.Random, n: int) -> list[str]:
    lines = ["from __future__ import annotations", "", "import asyncio", ""]
    while len(lines) < n:
        name = "_".join(dice.sample(WORDS, 2))
        lines += [
            f"async def {name}(pool: Pool, *, timeout: float = {dice.randint(1, 90)}.0) -> Receipt:",
            f'    """{_prose(dice, 8)}"""',
            f"    async with pool.lock({name!r}) as held:  # {_prose(dice, 5)}",
            f"        for attempt in range({dice.randint(2, 9)}):",
            f"            reply = await held.send(Message(kind='{dice.choice(WORDS)}', attempt=attempt, deadline=timeout, trace=pool.trace.child('{name}')))",
            "            if reply.ok:",
            "                return Receipt(reply)",
            "    raise TimeoutError(timeout)",
            "",
        ]
    return lines[:n]


def refactoring(turns: int = 6, seed: int = 3, steps: int = 4) -> Session:
    """Long turns of edits, diffs, tests that fail and tests that pass."""
    dice = random.Random(seed)
    script = Script("Take the lock out of the retry loop")
    for turn in range(turns):
        script.prompt(f"Step {turn + 1}: {_prose(dice, 24)}")
        script.think(_prose(dice, 40) + "\n\n" + _prose(dice, 30))
        script.say(_prose(dice, 60) + f"\n\nI'll look at `src/harbour/pool{turn}.py` first.")
        lines = _module(dice, 48)
        path = f"/home/dev/harbour/src/harbour/pool{turn}.py"
        script.call("Read", {"file_path": path}, "\n".join(f"{n:>6}→{line}" for n, line in enumerate(lines, 1)))
        for step in range(steps):
            at = 6 + step * 8
            old = lines[at : at + 5]
            new = [line.replace("await", "await shield(").replace("range(", "backoff(") for line in old]
            patch = [
                {
                    "oldStart": at - 2,
                    "oldLines": 11,
                    "newStart": at - 2,
                    "newLines": 11,
                    "lines": [" " + each for each in lines[at - 3 : at]]
                    + ["-" + each for each in old]
                    + ["+" + each for each in new]
                    + [" " + each for each in lines[at + 5 : at + 8]],
                }
            ]
            script.call(
                "Edit",
                {"file_path": path, "old_string": "\n".join(old), "new_string": "\n".join(new)},
                f"The file {path} has been updated.",
                structured={"filePath": path, "structuredPatch": patch},
            )
            failed = step % 2 == 0
            output = "\n".join(
                f"tests/test_pool{turn}.py::test_{dice.choice(WORDS)}_{n} {'FAILED' if failed and n == 3 else 'PASSED'}"
                for n in range(60)
            )
            output += f"\n\x1b[31mE   TimeoutError: {_prose(dice, 18)}\x1b[0m\n" if failed else "\n"
            output += "1 failed, 59 passed in 4.21s" if failed else "\x1b[32m60 passed in 3.98s\x1b[0m"
            script.call(
                "Bash",
                {"command": "pytest -q tests", "description": "Run the tests"},
                output,
                outcome="failed" if failed else "ok",
            )
        script.say(
            f"{_prose(dice, 50)}\n\n- {_prose(dice, 14)}\n- {_prose(dice, 20)}\n\n```python\n"
            + "\n".join(lines[4:12])
            + "\n```"
        )
    script.call(
        "TodoWrite",
        {
            "todos": [
                {"content": "Take the lock out", "status": "completed"},
                {"content": "Run the tests twice", "status": "in_progress"},
                {"content": "Write the change log", "status": "pending"},
            ]
        },
        "Todos have been modified",
    )
    return script.session()


def agents(count: int = 20) -> Session:
    """Twenty subagents in one turn, one with an agent of its own."""
    dice = random.Random(11)
    script = Script("Audit twenty modules at once")
    script.prompt("Look at every module under src/harbour and tell me which of them still open sockets themselves.")
    script.say("I'll send one agent a module; they only read.")
    for number in range(count):
        inner = Script(f"module {number}", start=script.now, model="claude-haiku-4-5")
        inner.prompt(f"Please audit module {number}.", origin="task")
        inner.say(_prose(dice, 30))
        inner.call(
            "Grep",
            {"pattern": "socket\\(", "path": f"src/harbour/m{number}.py", "output_mode": "content"},
            f"src/harbour/m{number}.py:{number + 3}:    raw = socket.socket(AF_INET, SOCK_STREAM)"
            if number % 3 == 0
            else "No matches found",
        )
        if number == 4:
            deep = Script("deep", start=inner.now, model="claude-haiku-4-5")
            deep.prompt("Please trace the callers.", origin="task")
            deep.say(_prose(dice, 20))
            deep.call(
                "Bash",
                {"command": "git log --oneline -5"},
                "4f2c1aa Close what was opened\n9b1d7e0 Pool: count what is lent",
            )
            inner.agent("Explore", "trace the callers of open_raw()", deep, "Two callers, both in tests.")
        inner.say("It opens a socket by itself." if number % 3 == 0 else "Clean: it takes its sockets from the pool.")
        script.agent(
            "Explore", f"audit module {number}", inner, "opens a socket by itself" if number % 3 == 0 else "clean"
        )
    script.event(
        "compaction", "Conversation compacted", data={"compactMetadata": {"trigger": "auto", "preTokens": 168_000}}
    )
    script.prompt("Make a table of it.")
    script.say(
        "| Module | Opens sockets |\n|---|---|\n"
        + "\n".join(f"| m{n} | {'**yes**' if n % 3 == 0 else 'no'} |" for n in range(count))
    )
    return script.session()


def image(width: int, height: int, kind: str = "PNG") -> str:
    """A drawn picture as base64."""
    from PIL import Image, ImageDraw

    made = Image.new("RGB", (width, height), "#f4efe6")
    pen = ImageDraw.Draw(made)
    for n in range(0, width, max(8, width // 24)):
        pen.line((n, 0, width - n, height), fill=(30, (n * 3) % 255, 140), width=max(1, width // 300))
    pen.rectangle((width // 5, height // 3, width // 2, height * 2 // 3), outline="#b3261e", width=max(2, width // 120))
    out = io.BytesIO()
    made.save(out, kind)
    return base64.b64encode(out.getvalue()).decode()


def pictures() -> Session:
    """Pictures of every shape, one that is damaged, a document, and one that is only named."""
    script = Script("Why is the landing page cut off?")
    script.prompt(
        "Look at these, please. The first is a phone, the second a wall of screens.",
        Media("image/png", image(390, 1300), name="phone.png"),
        Media("image/jpeg", image(2400, 300, "JPEG"), name="wall.jpg"),
    )
    script.say("The phone shows the page at 390 pixels: the red frame is wider than the viewport.")
    script.call("Read", {"file_path": "/home/dev/harbour/shot.png"}, "", Media("image/png", image(640, 420)))
    script.call(
        "mcp__browser__screenshot",
        {"selector": "#landing", "full_page": True},
        "Screenshot taken",
        Media("image/webp", image(500, 500, "WEBP")),
    )
    script.prompt(
        "And these?",
        Media("image/png", "bm90IGEgcGljdHVyZQ==", name="broken.png"),
        Media("application/pdf", base64.b64encode(b"%PDF-1.4 " * 900).decode(), name="tide tables.pdf"),
        Media("image/gif", image(24, 24, "GIF"), name="dot.gif"),
    )
    script.say("The first doesn't open; the small one is a 24 pixel dot.")
    return script.session()


def scripts() -> Session:
    """Right-to-left, CJK, Cyrillic, Greek, Devanagari, Thai, emoji and box drawing."""
    script = Script("من الميناء إلى المكتب — 港から事務所へ")
    script.prompt("اشرح لي كيف تعمل قائمة الانتظار `queue.lock()` في هذا المشروع، من فضلك.")
    script.say(
        "القائمة تحفظ ترتيب الرسائل **لكل سفينة**. إليك الخطوات:\n\n1. تصل الرسالة إلى `inbox`.\n2. يأخذها عامل واحد فقط.\n3. تُسجَّل النتيجة.\n\nانظر https://example.org/دليل للمزيد."
    )
    script.prompt("תודה! ועכשיו בעברית, עם דוגמה קצרה (3 שורות).")
    script.say(
        "הנה דוגמה:\n\n```python\nasync with queue.lock(ship) as held:  # נעילה לכל ספינה\n    await held.send('שלום')\n```\n\nהסדר נשמר **לכל ספינה** בנפרד."
    )
    script.prompt("日本語でも説明してください。表も付けてください。")
    script.say(
        "キューは**船ごと**の順序を守ります。別の船は互いに待ちません。\n\n| 段階 | 内容 |\n|---|---|\n| 受信 | メッセージを保存する |\n| 処理 | 一隻につき一人の作業者 |\n\n中文：队列按船只保持顺序，互不等待。\n\n한국어: 대기열은 배마다 순서를 지킵니다."
    )
    script.prompt("Объясни по-русски. Και στα ελληνικά. और हिन्दी में भी। และภาษาไทย")
    script.say(
        "Очередь хранит порядок **для каждого корабля**.\n\nΗ ουρά κρατά τη σειρά *για κάθε πλοίο*.\n\nकतार **हर जहाज़** के लिए क्रम बनाए रखती है।\n\nคิวรักษาลำดับของ **เรือแต่ละลำ**\n\nEmoji: 🚢⚓🧑‍🚀👩🏽‍💻🇯🇵 ✅ ❌ → ∑ ≈ ½"
    )
    script.call(
        "Bash",
        {"command": "tree src"},
        "src\n├── harbour\n│   ├── 港.py\n│   └── pool.py\n└── tests\n┌────────┬──────┐\n│ ship   │ état │\n├────────┼──────┤\n│ 咸臨丸 │ ✓    │\n└────────┴──────┘\n█████░░░░░ 50%",
    )
    script.call(
        "Write",
        {"file_path": "notes/港.md", "content": "# 港\n\n" + "長い行は折り返されます。" * 14 + "\nкороткая строка\n"},
        "File created successfully",
    )
    return script.session()


EVERY = {"chat": chat, "refactoring": refactoring, "agents": agents, "pictures": pictures, "scripts": scripts}
