"""A reader and a writer from a package of its own are found through entry points, without any edit of ours.

The package is laid out as an installer would (its metadata made from its own pyproject.toml), since
building a wheel needs the network on some machines.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "plugin_package"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `pip install --target` leaves it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(
        PACKAGE / "dragoman_telegraph", folder / "dragoman_telegraph", ignore=shutil.ignore_patterns("__pycache__")
    )
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.3\nName: {project['name']}\nVersion: {project['version']}\n")
    (info / "entry_points.txt").write_text(
        "\n".join(
            f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in points.items())
            for group, points in project["entry-points"].items()
        )
    )
    return folder


def dragoman(site: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dragoman", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )


TELEGRAMS = "ANNA > arriving noon STOP\nOFFICE > berth four STOP\nno telegram at all\nANNA > thanks STOP\n"


def test_it_is_listed_with_its_options(site: Path) -> None:
    listed = dragoman(site, "formats", "--json")
    assert listed.returncode == 0, listed.stderr
    (row,) = [row for row in json.loads(listed.stdout) if row["name"] == "telegraph"]
    assert row["read"] and row["write"] == "yes" and row["suffix"] == ".telegram"
    assert {option["name"] for option in row["options"]} == {"operator", "shout"}


def test_it_reads_what_it_knows_by_its_content(site: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.telegram"
    path.write_text(TELEGRAMS)
    done = dragoman(site, "convert", str(path), "-t", "openai", "--report", str(tmp_path / "report.json"))
    assert done.returncode == 0, done.stderr
    assert [(each["role"], each["content"]) for each in json.loads(done.stdout)] == [
        ("user", "arriving noon"),
        ("assistant", "berth four"),
        ("user", "thanks"),
    ]
    findings = {each["code"]: each for each in json.loads((tmp_path / "report.json").read_text())["findings"]}
    assert findings["line-unreadable"]["places"] == [{"file": str(path), "line": 3, "count": 1}]
    assert findings["dropped-block"]["count"] == 3  # its stamps


def test_it_writes_under_the_suffix_that_it_names(site: Path, tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "when?"}, {"role": "assistant", "content": "at\nnoon"}]
    (tmp_path / "m.json").write_text(json.dumps(messages))
    out = tmp_path / "out.telegram"
    done = dragoman(site, "convert", str(tmp_path / "m.json"), "-o", str(out), "--shout")
    assert done.returncode == 0, done.stderr
    assert out.read_text() == "GUEST > WHEN? STOP\nOFFICE > AT NOON STOP\n"


def test_options_reach_it(site: Path) -> None:
    done = dragoman(site, "convert", "-", "-f", "telegraph", "-O", "operator=ANNA", "-t", "openai", stdin=TELEGRAMS)
    assert done.returncode == 0, done.stderr
    assert [each["role"] for each in json.loads(done.stdout)] == ["assistant", "user", "assistant"]


def test_a_broken_plugin_is_a_line_and_breaks_nothing_else(site: Path, tmp_path: Path) -> None:
    broken = tmp_path / "site"
    shutil.copytree(site, broken)
    (broken / "dragoman_telegraph" / "__init__.py").write_text("import not_there\n")
    listed = dragoman(broken, "formats")
    assert listed.returncode == 0 and "not_there" in listed.stdout and "Traceback" not in listed.stderr
    asked = dragoman(broken, "convert", "-", "-f", "telegraph", "-t", "openai", stdin=TELEGRAMS)
    assert asked.returncode == 2 and asked.stderr.count("\n") == 1 and "telegraph" in asked.stderr
    (tmp_path / "m.json").write_text('[{"role": "user", "content": "hello"}]')
    other = dragoman(broken, "convert", str(tmp_path / "m.json"), "-t", "openai")
    assert other.returncode == 0 and json.loads(other.stdout) == [{"role": "user", "content": "hello"}]
