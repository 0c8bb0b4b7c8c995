"""The clm fixtures: read as expected, back byte for byte, mended on request, and what becomes of Claude Code's."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from pytest_regressions.file_regression import FileRegressionFixture
from test_clm_identity import Memory

from dragoman import registry
from dragoman.io import native
from dragoman.io.source import Source
from dragoman.report import Report

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
LOGS = sorted(path for path in (FIXTURES / "clm" / "v1").glob("*/2*.jsonl") if ".golden." not in path.name)


def pretty(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def said(report: Report) -> list[str]:
    """The report without its sentences, which may be worded anew."""
    return [
        f"{each.code.slug} ({each.what}) {each.count}: " + ", ".join(str(place.line) for place in each.places)
        for each in report.findings
    ]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.parent.name)
def test_log(log: Path, file_regression: FileRegressionFixture) -> None:
    report = Report()
    reader, writer = registry.reader("clm"), registry.writer("clm")
    (session,) = reader.read(Source(log, log.name), reader.options(), report)
    expected = {"session": json.loads(native.encode(session)), "report": said(report)}
    file_regression.check(pretty(expected), fullpath=log.parent / "read.golden.json")
    back = Memory(log.name)
    writer.write(session, back, writer.options(), Report())
    assert back.streams[log.name].getvalue() == log.read_bytes()
    report, mended = Report(), Memory(log.name)
    writer.write(session, mended, writer.options(repair=True), report)
    text = mended.streams[log.name].getvalue().decode()
    file_regression.check(text, fullpath=log.parent / "repaired.golden.jsonl")
    file_regression.check(pretty(said(report)), fullpath=log.parent / "repaired.report.golden.json")
    way_back = Memory("0a0b0c0d-1111-4222-8333-444455556666.jsonl")
    other = registry.writer("claude-code")
    other.write(session, way_back, other.options(cwd="/home/dev/demo"), Report())
    (data,) = (stream.getvalue() for stream in way_back.streams.values())
    file_regression.check(data.decode(), fullpath=log.parent / "claude-code.golden.jsonl")


def test_from_claude_code(file_regression: FileRegressionFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session with subagents, whole."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    folder = FIXTURES / "claude-code" / "2.1.300" / "subagents" / "projects"
    (path,) = sorted(folder.glob("*/*.jsonl"))
    reader, writer = registry.reader("claude-code"), registry.writer("clm")
    report, target = Report(), Memory()
    (session,) = reader.read(Source(path, path.name), reader.options(), report)
    writer.write(session, target, writer.options(), report)
    for name, stream in target.streams.items():
        golden = FIXTURES / "clm" / "v1" / "from-claude-code" / f"{name.removesuffix('.jsonl')}.golden.jsonl"
        file_regression.check(stream.getvalue().decode(), fullpath=golden)
    report_file = FIXTURES / "clm" / "v1" / "from-claude-code" / "report.golden.json"
    file_regression.check(pretty(said(report)), fullpath=report_file)
