"""Sessions that the tests of the command line make, and what a command says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

SESSION = "11112222-3333-4444-8555-666677778888"


class Said(Struct):
    """What a command said, and its exit code."""

    code: int
    out: str
    errors: str


Run = Callable[..., Said]


def claude_code(path: Path, words: str = "Which files are here?") -> Path:
    """A session of one prompt, as Claude Code writes it; its id is the file's name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/home/dev/demo",
        "sessionId": path.stem,
        "version": "2.1.181",
        "type": "user",
        "message": {"role": "user", "content": words},
        "uuid": f"a-{path.stem}",
        "timestamp": "2026-10-01T09:00:00.000Z",
    }
    path.write_text(json.dumps(record) + "\n")
    return path


def clm(path: Path, words: str = "From clm", **meta: str) -> Path:
    """A log of one prompt, as clm writes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    first = {"type": "meta", "v": 1, "id": path.stem, "created": 1787551722, **meta}
    path.write_text(json.dumps(first) + "\n" + json.dumps({"role": "user", "content": words, "type": "msg"}) + "\n")
    return path
