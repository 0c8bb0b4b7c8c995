"""A token in the bytes of a picture that goes beside a document: it stops the output, and the way out is another one."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from cli_made import SESSION, Run

from dragoman.errors import Exit

TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5"


def test_a_token_in_a_picture_names_the_way_out(dragoman: Run) -> None:
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\0tEXt" + TOKEN.encode()).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    message = {"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image", "source": source}]}
    line = {"type": "user", "uuid": "u1", "sessionId": SESSION, "timestamp": "2026-10-01T09:00:00Z", "message": message}
    Path("picture.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    said = dragoman("convert", "picture.jsonl", "-o", "talk.md")
    assert said.code == Exit.LEAK and not Path("talk.md").exists()
    assert said.errors.count("\n") == 1
    assert "--drop images leaves them out" in said.errors and "fault of ours" not in said.errors
    assert dragoman("convert", "picture.jsonl", "-o", "talk.md", "--drop", "images").code == Exit.OK
