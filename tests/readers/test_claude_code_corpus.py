"""The corpus: structures of real sessions, and facts that a reader must get right."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dragoman.io.source import Source
from dragoman.readers.claude_code import reader
from dragoman.report import Code, Report

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_facts import Facts

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"

BUNDLES = sorted(
    path.parent.name
    for path in CORPUS.glob("*/expected.json")
    if json.loads(path.read_text(encoding="utf-8")).get("format") == "claude-code"
)

NOT_TESTED = frozenset(("format", "files"))
"""`format` is how the bundles were chosen; of `files` the facts that a session can tell are tested by themselves."""


@pytest.mark.parametrize("bundle", BUNDLES or ["none"])
def test_all_facts(shared: Path, bundle: str) -> None:
    folder = shared / "corpus" / bundle
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    report = Report()
    sessions = list(reader.read(Source(folder / "projects", "projects"), reader.options(), report))
    got = Facts(sessions, report).all()
    wanted = {key: value for key, value in expected.items() if key not in NOT_TESTED}
    wanted["agents"] = sorted(
        ({key: agent[key] for key in ("agent_id", "lines", "linked_call_ids", "link")} for agent in expected["agents"]),
        key=lambda agent: str(agent["agent_id"]),
    )
    differing = {key: (got.get(key), value) for key, value in wanted.items() if got.get(key) != value}
    assert differing == {}, "(got, expected)"
    assert_files(expected["files"], sessions, report, bundle)


def assert_files(files: dict[str, Any], sessions: list[Any], report: Report, bundle: str) -> None:
    """Lines, records and damage of each file."""
    lines = {f.path: f.lines for session in sessions for f in all_files(session)}
    left_out = [each for each in report.findings if each.code is Code.FILE_LEFT_OUT and each.what == "empty"]
    lines |= {place.file: 0 for finding in left_out for place in finding.places}  # no session, and said so
    assert {path: each["lines"] for path, each in files.items()} == lines
    if bundle.startswith("46-"):
        return
    assert sum(each["lines_with_several_objects"] for each in files.values()) == report.count(Code.LINE_SEVERAL)
    assert sum(each["lines_partly_damaged"] for each in files.values()) == report.count(Code.LINE_SPLICED)
    strange = report.count(Code.LINE_NOT_OBJECT)
    assert sum(each["lines_without_json"] + each["non_dict_objects"] for each in files.values()) == strange


def all_files(session: Any) -> list[Any]:
    found = list(session.header.files)
    for agent in session.subagents:
        found += all_files(agent.session)
    return found
