"""The labelled samples of ../shared/redaction: nothing leaks, nothing is lost that should stay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.conversion import convert
from dragoman.filters.redact import RedactFilter


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101])
def test_no_leak_and_no_loss(shared: Path, tmp_path: Path, seed: int) -> None:
    bench = shared / "redaction"
    subprocess.run(
        [sys.executable, str(bench / "gen.py"), "--seed", str(seed), "--out", str(tmp_path / "in")],
        check=True,
        capture_output=True,
        env={"PYTHONDONTWRITEBYTECODE": "1"},
    )
    convert(tmp_path / "in" / "projects", f"{tmp_path / 'out'}/", writer="native", filters=[RedactFilter()])
    convert(tmp_path / "in" / "projects", f"{tmp_path / 'plain'}/", writer="native")
    subprocess.run(
        [sys.executable, str(bench / "score.py"), "--labels", str(tmp_path / "in" / "labels.json"), "--output", str(tmp_path / "out"), "--baseline", str(tmp_path / "plain"), "--json", str(tmp_path / "r.json")],
        check=True, capture_output=True, env={"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["secrets"] > 700
    assert report["leak_rate"] < 0.005 and report["over_redaction_rate"] < 0.005, report["leaks"] + report["lost_list"]
    for tier in ("1-shape", "4-propagated", "5-human"):
        assert report["by_tier"][tier][0] == 0, report["leaks"]


@pytest.mark.slow
def test_two_runs_give_the_same_bytes(shared: Path, tmp_path: Path) -> None:
    """Whatever order Python's sets have: a value found in two ways has the same kind and number each time."""
    made = tmp_path / "in"
    subprocess.run(
        [sys.executable, str(shared / "redaction" / "gen.py"), "--seed", "402", "--out", str(made)],
        check=True,
        capture_output=True,
        env={"PYTHONDONTWRITEBYTECODE": "1"},
    )
    outputs = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        subprocess.run(
            [sys.executable, "-m", "dragoman", "convert", str(made / "projects"), "-t", "native", "-o", f"{out}/"],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        outputs.append({path.name: path.read_bytes() for path in sorted(out.iterdir())})
    assert outputs[0] and outputs[0] == outputs[1]
