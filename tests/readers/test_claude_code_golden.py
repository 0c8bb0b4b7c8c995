"""Every fixture's session as JSON, beside it: what changes in reading shows as a difference there."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from pytest_regressions.file_regression import FileRegressionFixture

from dragoman.io.source import Source
from dragoman.readers.claude_code import reader
from dragoman.report import Report

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CASES = sorted(path for path in (FIXTURES / "claude-code").glob("*/*") if path.is_dir())
BROKEN = sorted(path for path in (FIXTURES / "broken").iterdir() if path.suffix in (".jsonl", ".json"))


def as_text(path: Path, name: str) -> str:
    report = Report()
    sessions = [msgspec.to_builtins(each) for each in reader.read(Source(path, name), reader.options(), report)]
    value = {"sessions": sessions, "report": report.as_json()}
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n"


@pytest.mark.parametrize("case", CASES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_fixture(case: Path, file_regression: FileRegressionFixture) -> None:
    inside = case / "projects" if (case / "projects").is_dir() else next(case.glob("*.jsonl"))
    text = as_text(inside, inside.name)
    file_regression.check(text, fullpath=case.with_name(f"{case.name}.golden.json"), encoding="utf-8", newline="\n")


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.name)
def test_broken(path: Path, file_regression: FileRegressionFixture) -> None:
    text = as_text(path, path.name)
    file_regression.check(text, fullpath=path.parent / "golden" / f"{path.stem}.json", encoding="utf-8", newline="\n")
