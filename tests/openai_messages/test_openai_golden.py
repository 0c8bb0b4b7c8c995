"""Each case under fixtures/openai: what is read (as neutral JSON), what is written again, and what is reported.

`pytest --force-regen` rewrites what is expected.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from pytest_regressions.file_regression import FileRegressionFixture

import openai_rules
from dragoman.io import native
from dragoman.io.source import Source
from dragoman.io.target import Target
from dragoman.readers.openai import reader
from dragoman.readers.protocol import NoOptions
from dragoman.report import Report
from dragoman.writers.openai import OpenAIOptions, writer

CASES = sorted(path for path in (Path(__file__).parents[2] / "fixtures" / "openai").iterdir() if path.is_dir())


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_case(case: Path, tmp_path: Path, file_regression: FileRegressionFixture) -> None:
    (path,) = case.glob("input.*")
    assert reader.sniff(path.read_bytes(), path.name) >= 0.3
    reading, writing = Report(), Report()
    sessions = list(reader.read(Source(path, path.name), NoOptions(), reading))
    read = "\n".join(msgspec.json.format(native.encode(each)).decode() for each in sessions)
    file_regression.check(read + "\n", fullpath=case / "native.json")
    target = Target(tmp_path / "out.jsonl")
    for session in sessions:
        writer.write(session, target, OpenAIOptions(lines=True, tools=True, reasoning=True), writing)
    target.commit()
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        openai_rules.check(json.loads(line)["messages"])
        openai_rules.check_tools(json.loads(line).get("tools", []))
    written = "\n".join(json.dumps(json.loads(line), indent=2, ensure_ascii=False) for line in lines)
    file_regression.check(written + "\n", fullpath=case / "openai.json")
    findings = {"reading": reading.as_json(), "writing": writing.as_json()}
    file_regression.check(json.dumps(findings, indent=1) + "\n", fullpath=case / "report.json")
