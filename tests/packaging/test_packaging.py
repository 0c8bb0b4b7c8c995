"""Templates are found from a wheel, an sdist's wheel, a zip on sys.path, and an editable install."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SESSION = ROOT / "fixtures" / "claude-code" / "2.1.300" / "subagents"


def build(kind: str, out: Path, root: Path = ROOT) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (made,) = out.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


def convert(path: Path, format_name: str, cwd: Path) -> str:
    """Run dragoman from `path` alone: what is installed here editable must not help."""
    program = f"import sys; sys.path.insert(0, {str(path)!r}); from dragoman.__main__ import main; import dragoman; assert dragoman.__file__.startswith({str(path)!r}), dragoman.__file__; main()"
    command = [sys.executable, "-P", "-c", program, "convert", str(SESSION), "-t", format_name]
    done = subprocess.run(command, cwd=cwd, capture_output=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_the_wheel_holds_what_it_needs_and_no_more(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "dragoman/py.typed" in names
    assert any(name.startswith("dragoman/templates/html/") for name in names)
    assert any(name.startswith("dragoman/filters/redact/rules/") for name in names)
    assert not [name for name in names if name.startswith(("tests", "src", "fixtures", "templates"))]


@pytest.mark.parametrize("format_name", ["markdown", "html"])
def test_templates_are_found_in_a_zip_on_the_path(wheel: Path, format_name: str, tmp_path: Path) -> None:
    assert len(convert(wheel, format_name, tmp_path)) > 1000


@pytest.mark.parametrize("format_name", ["markdown", "html"])
def test_templates_are_found_when_installed(wheel: Path, format_name: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    assert len(convert(site, format_name, tmp_path)) > 1000


def test_the_sdist_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sdist = build("sdist", tmp_path / "sdist")
    subprocess.run(["tar", "xzf", str(sdist), "-C", str(tmp_path)], check=True)
    (root,) = (each for each in tmp_path.iterdir() if each.name.startswith("dragoman-"))
    again = build("wheel", tmp_path / "again", root)
    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


def test_the_editable_install_finds_the_checkouts_templates() -> None:
    program = "from dragoman.render.templates import *; import dragoman; print(dragoman.__file__)"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert str(ROOT / "src") in done.stdout
