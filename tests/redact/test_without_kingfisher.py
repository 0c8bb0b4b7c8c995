"""A machine for which Kingfisher has no wheel: the command works, and says what it does without."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import orjson

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5" + "P6q7R8"
PASSWORD = "Vq8kT2" + "mZp3wLx7Rr"


def test_secrets_go_and_it_is_said_that_the_catalogue_is_missing(tmp_path: Path) -> None:
    line = {"type": "user", "uuid": "1", "sessionId": "s", "message": {"role": "user", "content": f"{TOKEN}\nDB_PASSWORD={PASSWORD}"}}  # fmt: skip
    source = tmp_path / "s.jsonl"
    source.write_bytes(orjson.dumps(line) + b"\n")
    program = (
        "import sys; sys.modules['kingfisher_sdk'] = None;from dragoman.cli.app import run; sys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "convert", str(source), "-t", "native"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert TOKEN not in done.stdout and PASSWORD not in done.stdout
    assert "[REDACTED:github-token:1]" in done.stdout
    assert "Kingfisher isn't installed here" in done.stderr
