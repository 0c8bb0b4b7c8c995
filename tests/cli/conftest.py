"""The command line, run in this process in a fresh folder, with homes of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli_made import Run, Said

from dragoman.cli.app import run


@pytest.fixture(autouse=True)
def fresh_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def dragoman(capfd: pytest.CaptureFixture[str]) -> Run:
    def told(*arguments: str) -> Said:
        capfd.readouterr()
        code = run(list(arguments))
        out, errors = capfd.readouterr()
        return Said(code, out, errors)

    return told
