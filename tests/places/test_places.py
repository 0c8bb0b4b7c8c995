"""Where sessions are looked for, and that they are found by names and a look at the head only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman import registry

UUID = "0a0b0c0d-1111-4222-8333-444455556666"


def _lines(path: Path, *records: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def test_claude_code_roots(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert registry.place("claude-code").roots() == [tmp_path / ".claude" / "projects"]
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert registry.place("claude-code").roots() == [tmp_path / "elsewhere" / "projects"]


def test_clm_roots(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "relative/is/ignored")
    assert registry.place("clm").roots() == [tmp_path / ".local" / "state" / "clm"]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert registry.place("clm").roots() == [tmp_path / "state" / "clm"]


def test_claude_code_sessions(tmp_path: Path) -> None:
    project = tmp_path / "-home-dev-demo"
    _lines(
        project / f"{UUID}.jsonl",
        {"type": "mode", "mode": "normal"},
        {"type": "user", "isMeta": True, "cwd": "/home/dev/demo", "message": {"content": "machinery"}},
        {
            "type": "user",
            "message": {"content": [{"type": "text", "text": "<ide_x>"}, {"type": "text", "text": "Fix\nit"}]},
        },
    )
    _lines(project / "agent-12345678.jsonl", {"type": "user"})
    _lines(project / f"{UUID}" / "subagents" / "agent-1.jsonl", {"type": "user"})
    (project / "notes.jsonl").write_text("{}\n")
    (project / f"{UUID.replace('0a', 'ff')}.jsonl").symlink_to(project / f"{UUID}.jsonl")
    (tmp_path / "a-file.jsonl").write_text("")
    found = list(registry.place("claude-code").sessions(tmp_path))
    assert [(each.id, each.project, each.title) for each in found] == [(UUID, "/home/dev/demo", "Fix it")]


def test_clm_sessions(tmp_path: Path) -> None:
    _lines(
        tmp_path / "20260101-120000-0badcafe.jsonl",
        {"type": "meta", "v": 1},
        {"role": "user", "content": "[context update] hidden"},
        {"role": "user", "content": "list  files"},
    )
    (tmp_path / "20260101-120000-0badcafe.jsonl.tmp").write_text("")
    (tmp_path / "not an id.jsonl").write_text("")
    found = list(registry.place("clm").sessions(tmp_path))
    assert [(each.id, each.title) for each in found] == [("20260101-120000-0badcafe", "list files")]


@pytest.mark.parametrize("name", ["claude-code", "clm"])
def test_a_root_that_is_not_there_is_empty(name: str, tmp_path: Path) -> None:
    assert list(registry.place(name).sessions(tmp_path / "nowhere")) == []
