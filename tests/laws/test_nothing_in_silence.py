"""The law of the house: each block of a session is found in the output, or is counted in the report.

Free text of a generated session begins with a word of its own (`strategies.marked`); pictures and
unknown values hold one. A word that an output lacks must have a count of the report to stand for it.
"""

from __future__ import annotations

import base64
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from dragoman import registry
from dragoman.conversion.options import make_options
from dragoman.io.target import Target
from dragoman.model import Block, Event, Header, Media, Message, Reasoning, Session, Text, ToolCall, ToolResult, Unknown
from dragoman.report import Code, Report
from strategies import sessions

WORD = re.compile(r"w[0-9a-f]{1,8}w")

CASES = [
    ("native", {}),
    ("native", {"pretty": "true"}),
    ("openai", {}),
    ("openai", {"lines": "true"}),
    ("openai", {"tools": "true", "reasoning": "true"}),
    ("clm", {}),
    ("markdown", {}),
    ("html", {}),
    ("html", {"split": "true"}),
]

COUNTED_BY = {
    "text": (Code.DROPPED_BLOCK, Code.TRUNCATED),
    "reasoning": (Code.DROPPED_REASONING, Code.TRUNCATED),
    "call": (Code.DROPPED_BLOCK, Code.TRUNCATED),
    "media": (Code.DROPPED_MEDIA, Code.DROPPED_BLOCK, Code.TRUNCATED),
    "unknown": (Code.DROPPED_BLOCK, Code.TRUNCATED),
    "feedback": (Code.DROPPED_FIELD, Code.TRUNCATED),
    "event": (Code.DROPPED_EVENT,),
}
MOST_BLOCKS = 20
"""What one left-out message can hold."""


def evidence(block: Block) -> Iterator[tuple[str, str]]:
    """What must be found of a block: (kind, piece)."""
    match block:
        case Text(text=text):
            yield from (("text", word) for word in WORD.findall(text)[:1])
        case Reasoning(text=text):
            yield from (("reasoning", word) for word in WORD.findall(text)[:1])
        case ToolCall(arguments=arguments):
            yield from (("call", word) for word in WORD.findall(arguments)[:1])
        case Unknown(value=value):
            yield "unknown", WORD.findall(value["says"])[0]
        case Media(data=data, url=url, name=name):
            piece = data if len(data) > 80 else (WORD.findall(url) or WORD.findall(name) or [""])[0]
            yield "media", piece
        case ToolResult():
            for part in block.content:
                yield from evidence(part)
            yield from (("feedback", word) for word in WORD.findall(block.feedback)[:1])


def legible(path: Path) -> str:
    """A file's text; of a picture's own file, what the session held: base64."""
    content = path.read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:
        return base64.b64encode(content).decode()


def missing(session: Session, output: str, report: Report, *, inside: bool = False) -> Counter[str]:
    """Pieces by kind that neither stand in the output nor are excused by a count for whole messages or agents."""
    lacking: Counter[str] = Counter()
    agents_left_out = inside and report.count(Code.DROPPED_SUBAGENT) + report.count(Code.DROPPED_HIDDEN_AGENT)
    for entry in session.entries:
        if isinstance(entry, Event):
            lacking.update(
                "event" for word in WORD.findall(entry.text)[:1] if word not in output and not agents_left_out
            )
            continue
        for block in entry.blocks:
            for kind, piece in evidence(block):
                if piece not in output and not agents_left_out and not excused(entry, block, report):
                    lacking[kind] += 1
    for agent in session.subagents:
        lacking += missing(agent.session, output, report, inside=True)
    return lacking


def excused(message: Message, block: Block, report: Report) -> bool:
    if message.branch and report.count(Code.DROPPED_BRANCH):
        return True
    withdrawn = (block.status or message.status) != "live"
    # the results of a withdrawn call go with it
    return bool(report.count(Code.DROPPED_RETRACTED)) and (withdrawn or isinstance(block, ToolResult))


@pytest.mark.parametrize(
    ("name", "options"), CASES, ids=lambda value: value if isinstance(value, str) else "+".join(value)
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(session=sessions(depth=1))
def test_each_block_is_found_or_counted(name: str, options: dict[str, str], session: Session) -> None:
    module = registry.BUILT_IN["writers"][name].partition(":")[0]
    if find_spec(module) is None:
        pytest.skip(f"{name} isn't built yet")
    writer, report = registry.writer(name), Report()
    with tempfile.TemporaryDirectory() as folder:
        target = Target.folder(Path(folder))
        writer.write(session, target, make_options(writer, options, role="writer"), report)
        output = "\n".join(legible(path) for _, path in target.files())
        target.discard()
    left_out = report.count(Code.DROPPED_MESSAGE) * MOST_BLOCKS
    for kind, count in missing(session, output, report).items():
        counted = sum(report.count(code) for code in COUNTED_BY[kind])
        assert count <= counted + left_out, f"{count} {kind} pieces lack, {counted} are counted"


def test_the_law_notices_a_silent_writer() -> None:
    """It would be no law if nothing could break it."""
    session = Session(
        header=Header(),
        entries=(Message(role="user", origin="prompt", blocks=(Text("w1w hello"), Text("w2w"))),),
    )
    assert missing(session, "w1w hello", Report()) == Counter(text=1)
