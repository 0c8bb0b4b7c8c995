"""Makes a plain Claude Code session of a given size: prompts, answers, calls and results, nothing exotic.

python tests/benchmarks/plain_session.py 30 12000 OUT.jsonl
"""

from __future__ import annotations

import random
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

WORDS = (
    "parser token branch review the a to of and cache index when before after result handler request module value test case "
    "returns should still because however between stream buffer writes reads opens closes file folder table column query user "
    "session message block field type error warning note build release version commit merge change diff line"
).split()


def prose(r: random.Random, size: int) -> str:
    out: list[str] = []
    n = 0
    while n < size:
        sentence = " ".join(r.choice(WORDS) for _ in range(r.randint(6, 18))).capitalize() + "."
        if r.random() < 0.12:
            sentence += (
                f"\n\n- **{r.choice(WORDS)}**: see `{r.choice(WORDS)}_{r.choice(WORDS)}()`\n- {r.choice(WORDS)}\n\n"
            )
        out.append(sentence)
        n += len(sentence) + 1
    return " ".join(out)


def code(r: random.Random, size: int) -> str:
    out: list[str] = []
    n = 0
    while n < size:
        name = f"{r.choice(WORDS)}_{r.choice(WORDS)}"
        block = f"def {name}({r.choice(WORDS)}: int) -> str:\n    # {' '.join(r.choice(WORDS) for _ in range(5))}\n    return str({r.choice(WORDS)} + {r.randint(1, 999)})\n\n"
        out.append(block)
        n += len(block)
    return "".join(out)


def records(megabytes: float, lines: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    r = random.Random(seed)
    session = str(uuid.UUID(int=r.getrandbits(128), version=4))
    clock = datetime(2026, 10, 1, 9, tzinfo=UTC)
    parent: str | None = None
    mean = 0.72 * megabytes * 1e6 / lines  # what the envelopes leave for text

    def line(kind: str, **rest: Any) -> dict[str, Any]:
        nonlocal parent, clock
        clock += timedelta(milliseconds=r.randint(200, 9000))
        own = str(uuid.UUID(int=r.getrandbits(128), version=4))
        record = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/demo",
            "sessionId": session,
            "version": "2.1.181",
            "gitBranch": "main",
            "type": kind,
            **rest,
            "uuid": own,
            "timestamp": clock.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        parent = own
        return record

    def answer(block: dict[str, Any], message: str, stop: str) -> dict[str, Any]:
        usage = {
            "input_tokens": 3,
            "cache_creation_input_tokens": 120,
            "cache_read_input_tokens": 9000,
            "output_tokens": 200,
            "service_tier": "standard",
        }
        return line(
            "assistant",
            message={
                "model": "claude-opus-4-8",
                "id": message,
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": stop,
                "usage": usage,
            },
            requestId="req_" + message[4:],
        )

    made = 0
    while made < lines:
        yield line(
            "user", message={"role": "user", "content": prose(r, 200)}, promptSource="typed", origin={"kind": "human"}
        )
        made += 1
        for _ in range(r.randint(2, 8)):
            message = f"msg_01{r.getrandbits(96):024x}"
            call = f"toolu_01{r.getrandbits(88):022x}"
            yield answer({"type": "text", "text": prose(r, int(mean * 0.35))}, message, "tool_use")
            size = int(mean * 2.6)
            kind = r.random()
            if kind < 0.5:
                yield answer(
                    {
                        "type": "tool_use",
                        "id": call,
                        "name": "Bash",
                        "input": {"command": f"pytest -q tests/{r.choice(WORDS)}", "description": "Run"},
                    },
                    message,
                    "tool_use",
                )
                text = prose(r, size // 2)
                structured: Any = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
            elif kind < 0.8:
                path = f"/home/dev/demo/{r.choice(WORDS)}.py"
                yield answer(
                    {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": path}}, message, "tool_use"
                )
                content = code(r, size // 2)
                text = "\n".join(f"{n:6d}\t{each}" for n, each in enumerate(content.split("\n"), 1))
                structured = {
                    "type": "text",
                    "file": {
                        "filePath": path,
                        "content": content,
                        "numLines": content.count("\n"),
                        "startLine": 1,
                        "totalLines": content.count("\n"),
                    },
                }
            else:
                path = f"/home/dev/demo/{r.choice(WORDS)}.py"
                old, new = code(r, size // 8), code(r, size // 8)
                yield answer(
                    {
                        "type": "tool_use",
                        "id": call,
                        "name": "Edit",
                        "input": {"file_path": path, "old_string": old, "new_string": new},
                    },
                    message,
                    "tool_use",
                )
                text = f"The file {path} has been updated."
                patch = {
                    "oldStart": 1,
                    "oldLines": old.count("\n"),
                    "newStart": 1,
                    "newLines": new.count("\n"),
                    "lines": [f"-{x}" for x in old.split("\n")] + [f"+{x}" for x in new.split("\n")],
                }
                structured = {
                    "filePath": path,
                    "oldString": old,
                    "newString": new,
                    "originalFile": code(r, size),
                    "structuredPatch": [patch],
                    "userModified": False,
                    "replaceAll": False,
                }
            result = {"tool_use_id": call, "type": "tool_result", "content": text, "is_error": False}
            yield line("user", message={"role": "user", "content": [result]}, toolUseResult=structured)
            made += 3
        yield answer({"type": "text", "text": prose(r, int(mean))}, f"msg_01{r.getrandbits(96):024x}", "end_turn")
        made += 1


def write(path: Path, megabytes: float, lines: int, seed: int = 1) -> Path:
    """Write the session; its name is a session's, its size within a few per cent of what was asked."""
    with path.open("wb") as file:
        for record in records(megabytes, lines, seed):
            file.write(orjson.dumps(record) + b"\n")
    return path


if __name__ == "__main__":
    made = write(Path(sys.argv[3]), float(sys.argv[1]), int(sys.argv[2]))
    lines = made.read_bytes().count(b"\n")
    sys.stdout.write(f"{made}: {made.stat().st_size / 1e6:.1f} MB, {lines} lines\n")
