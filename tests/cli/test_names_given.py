"""What files in a folder are called, whose names the user has not chosen."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from cli_made import Run

PICTURES = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", "R0lGODdhAQABAIAAAAAAAAAAACwAAAAAAQABAAAC")


def talk(words: str = "hello", picture: str = "") -> str:
    """A session without an id, as one line."""
    content: list[dict[str, object]] = [{"type": "text", "text": words}]
    if picture:
        content.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}})
    return json.dumps({"messages": [{"role": "user", "content": content}]}) + "\n"


def made(folder: str) -> list[str]:
    return sorted(str(each.relative_to(folder)) for each in Path(folder).rglob("*") if each.is_file())


@pytest.mark.parametrize("to", ["html", "markdown", "native", "openai"])
def test_a_session_without_an_id_is_called_after_its_file(to: str, dragoman: Run) -> None:
    """All of them were `session`, `session-2`, `session-3`."""
    Path("in").mkdir()
    for name in ("chat-about-tools", "chat.v2", "Gespräch über\tX!", "..hidden..", "…", "long" * 30):
        Path(f"in/{name}.json").write_text(talk("../../etc/passwd"))
    Path("in/packed.json.gz").write_bytes(gzip.compress(talk().encode()))
    assert dragoman("convert", "in/*", "in/..hidden...json", "-t", to, "-o", "out/").code == 0
    assert sorted(Path(each).stem for each in made("out")) == [
        "Gesprach-uber-X", "chat-about-tools", "chat.v2", "hidden", ("long" * 30)[:100], "packed", "session",
    ]  # fmt: skip


def test_several_sessions_of_one_file_are_numbered(dragoman: Run) -> None:
    Path("chat.v2.jsonl").write_text("".join(talk(str(number)) for number in range(3)))
    dragoman("convert", "chat.v2.jsonl", "-o", "out/")
    assert made("out") == ["chat.v2-2.md", "chat.v2-3.md", "chat.v2.md"]


def test_each_session_has_its_own_pictures(dragoman: Run) -> None:
    """Two sessions of one name put their pictures into the same files, one behind the other."""
    Path("chat.jsonl").write_text("".join(talk(picture=each) for each in PICTURES))
    assert dragoman("convert", "chat.jsonl", "-o", "out/").code == 0
    assert made("out") == ["chat-2-media/001.png", "chat-2.md", "chat-media/001.png", "chat.md"]
    assert Path("out/chat-2-media/001.png").read_bytes().startswith(b"GIF")
    assert "chat-2-media/001.png" in Path("out/chat-2.md").read_text()


def test_no_page_of_one_session_lies_in_anothers(dragoman: Run) -> None:
    """The second page of `chat` is `chat-2.html`, as another session may be."""
    turns = [{"role": role, "content": "x"} for _ in range(450) for role in ("user", "assistant")]
    for name in ("chat-2", "chat"):
        Path(f"{name}.json").write_text(json.dumps(turns))
    Path("both.jsonl").write_text((json.dumps({"messages": turns}) + "\n") * 2)
    assert (
        dragoman("convert", "chat-2.json", "chat.json", "both.jsonl", "-t", "html", "--split", "-o", "out/").code == 0
    )
    pages = [Path("out", each).read_text() for each in made("out")]
    assert len(pages) == 4 * 3
    assert all(page.count("<!doctype html>") + page.count("<!DOCTYPE html>") == 1 for page in pages)
