"""Secrets that neighbouring texts share, and the check that knows broken ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

import dragoman
from dragoman.filters.redact import RedactFilter, RedactOptions
from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook
from dragoman.filters.redact.seams import seams
from dragoman.model import Header, Message, Session, Text, ToolResult
from dragoman.report import Report

GITHUB = cook("ghp_{A*36}")
OPAQUE = cook("{A*40}")
KEY = "[REDACTED:github-token:1]"


@pytest.fixture(scope="module", autouse=True)
def _one_engine() -> Iterator[None]:
    """Starting it takes longer than all that is tested here."""
    finder = Finder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dragoman.filters.redact.filter.Finder", lambda *_, **__: finder)
        yield


def _filtered(*entries: Message) -> list[list[str]]:
    session = Session(header=Header(id="s"), entries=entries)
    told = []
    for _ in range(2):
        redact, report = RedactFilter(RedactOptions(what=("secrets",))), Report()
        redact.prepare([session], report)
        session = redact.apply(session, report)
        told.append(
            [
                [part.text for block in entry.blocks for part in (block.content if isinstance(block, ToolResult) else (block,))]  # type: ignore[union-attr]
                for entry in session.entries
            ]
        )  # fmt: skip
    assert told[0] == told[1], "a second run changes something"
    return told[0]


def _reply(*texts: str) -> Message:
    return Message(role="assistant", origin="reply", blocks=tuple(Text(text) for text in texts))


@pytest.mark.parametrize("place", [6, 20, 36])
def test_two_blocks(place: int) -> None:
    assert _filtered(_reply(f"it is {GITHUB[:place]}", f"{GITHUB[place:]} indeed")) == [[f"it is {KEY}", f"{KEY} indeed"]]  # fmt: skip


def test_two_blocks_with_the_end_of_a_line_between() -> None:
    assert _filtered(_reply(f"it is {GITHUB[:20]}\n", f"\n{GITHUB[20:]} indeed")) == [[f"it is {KEY}\n", f"\n{KEY} indeed"]]  # fmt: skip


def test_pieces_of_a_stream() -> None:
    pieces = [GITHUB[place : place + 5] for place in range(0, 40, 5)]
    assert _filtered(*(_reply(piece) for piece in ("it is ", *pieces, " indeed"))) == [["it is "], *[[KEY]] * 8, [" indeed"]]  # fmt: skip


@pytest.mark.parametrize("size", [1, 2])
def test_letters_of_a_stream(size: int) -> None:
    """Each says too little to be known by itself, and stays wherever else it stands. Once, all of them stayed."""
    pieces = [GITHUB[place : place + size] for place in range(0, 40, size)]
    first, *new, last, user = _filtered(
        *(_reply(piece) for piece in ("it is ", *pieces, " indeed")),
        Message(role="user", origin="human", blocks=(Text(pieces[1]),)),
    )
    assert (first, last, user) == (["it is "], [" indeed"], [pieces[1]])
    assert new == [[KEY]] * len(pieces)
    result = ToolResult("t", tuple(map(Text, pieces)))
    assert _filtered(Message(role="tool", origin="result", blocks=(result,))) == [[KEY] * len(pieces)]


def test_a_long_stream_of_letters() -> None:
    token = ".".join(("eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", cook("{A*1600}")))
    assert all("REDACTED" in text for (text,) in _filtered(*map(_reply, token)))


@pytest.mark.parametrize("mark", ["**", "</b>", "\u200b", "\u202e", "\x01", "\x1b[0m", "\x1b7", "** \n"])
def test_marks_at_the_ends_that_meet(mark: str) -> None:
    new = [[f"see {KEY}{mark}", f"{KEY} ok"]]
    assert _filtered(_reply(f"see {GITHUB[:20]}{mark}", f"{GITHUB[20:]} ok")) == new
    before = {"</b>": "<b>"}.get(mark, mark)
    assert _filtered(_reply(f"see {GITHUB[:20]}", f"{before}{GITHUB[20:]} ok")) == [[f"see {KEY}", f"{before}{KEY} ok"]]


def test_parts_of_a_result() -> None:
    result = ToolResult("t", (Text(f"x {GITHUB[:30]}"), Text(f"{GITHUB[30:]}\n")))
    assert _filtered(Message(role="tool", origin="result", blocks=(result,))) == [[f"x {KEY}", f"{KEY}\n"]]


@pytest.mark.parametrize("name", ["API_TOKEN=", "The API token is:"])
def test_a_name_at_the_end_of_one_and_its_value_in_the_next(name: str) -> None:
    assert _filtered(_reply(name, f"{OPAQUE} indeed")) == [[name, "[REDACTED:token:1] indeed"]]


def test_what_only_follows_stays() -> None:
    kept = [[f"it is {KEY}", "Then it ends"], [cook("hash {h*40}"), cook("{h*40} more")], ["see v1.2", "3rd step"]]
    assert _filtered(_reply(f"it is {GITHUB}", "Then it ends"), *(_reply(*each) for each in kept[1:])) == kept


@pytest.mark.parametrize("name", ["native", "html", "markdown", "clm", "openai", "claude-code"])
def test_in_every_format(name: str, tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "x"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": f"ok {GITHUB[:25]}"}, {"type": "text", "text": GITHUB[25:]}]}  # fmt: skip
    texts = [{"type": "text", "text": f"it is {GITHUB[:20]}"}, {"type": "text", "text": f"{GITHUB[20:]} indeed"}]
    lines = [
        {"type": "user", "uuid": "1", "sessionId": "s", "message": {"role": "user", "content": "Go?"}},
        {"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s", "message": {"role": "assistant", "id": "m", "model": "x", "content": [*texts, call]}},
        {"type": "user", "uuid": "3", "parentUuid": "2", "sessionId": "s", "message": {"role": "user", "content": [result]}},
    ]  # fmt: skip
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    made = dragoman.convert(path, f"{tmp_path}/out/", writer=name, filters=[dragoman.redact()])
    written = b"".join(each.read_bytes() for each in made)
    assert b"indeed" in written
    assert not any(half.encode() in written for half in (GITHUB[:20], GITHUB[20:], GITHUB[:25], GITHUB[25:]))


@pytest.mark.parametrize(
    "between",
    [
        "**",
        "`",
        "~~",
        "<b>",
        "_",
        "\u00ad",
        "\u202e",
        "\r",
        "\\u200b",
        "&#8203;",
        "&shy;",
        "\\x1b[0m",
        "\x01",
        "\x1f",
        "\\u0001",
        "\x1b7",
        "\x1bPq\x1b\\",
    ],
)
def test_the_check_knows_broken_ones(between: str) -> None:
    redact = RedactFilter()
    assert redact.verify("out.md", f"one\ntwo {GITHUB[:20]}{between}{GITHUB[20:]} x\n".encode())
    assert redact.verify("out.md", f"one\ntwo {''.join(chr(ord(ch) + 0xFEE0) for ch in GITHUB)} x\n".encode())
    assert not redact.verify("out.md", f"one\ntwo ghp_{between}short x\n".encode())


def test_a_commit_in_the_next_message_stays() -> None:
    """Its short hash was taken for the value of what the message before ended with."""
    texts = ["look at the token:", "50ab2755e Fix the flaky test"]
    assert list(seams(texts)) == []


def test_a_name_in_code_behind_a_whole_token_stays() -> None:
    """A token that is one by itself doesn't go on in the next message, however its first word is written."""
    first, second = _filtered(_reply(f"Authorization: Bearer {OPAQUE}"), _reply("normalizeToolResultImages(setDefaultModel)"))  # fmt: skip
    assert second == ["normalizeToolResultImages(setDefaultModel)"]
    assert OPAQUE not in first[0]
