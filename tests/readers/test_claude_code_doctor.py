"""`dragoman doctor`: safe to paste into a public issue."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import Log, agent_file, write

from dragoman.cli.doctor import doctor
from dragoman.errors import InputError


def test_it_shows_names_and_counts_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = Log()
    log.user("a confidential sentence", novelty={"inner_secret": "value"})
    log.user([{"type": "hologram", "payload": "confidential"}])
    log.bare("mcp__acme__leak", x="confidential")
    log.bare("Quarterly numbers of Acme", x=1)
    write(tmp_path, log)
    agent = Log(agent="a1b2c3d")
    agent.user("x", novelty=1)
    agent_file(tmp_path, agent)
    doctor([str(tmp_path)])
    out = capsys.readouterr().out
    assert "5 records in 2 files" in out
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert "field of user lines novelty 2 2.1.170, line 1" in rows
    assert "block type hologram 1 2.1.170, line 2" in rows
    assert "record type mcp__… 1 no version, line 3" in rows
    assert "record type (name not shown) 1 no version, line 4" in rows
    for word in ("confidential", "inner_secret", "acme", "Acme", str(tmp_path), "demo", log.sid):
        assert word not in out


def test_it_looks_into_the_objects_of_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It said that it knew every field of a line with another kind of cache."""
    log = Log()
    log.reply("a", message={"usage": {"cache_creation": {"ephemeral_2h_input_tokens": 77}, "server_tool_use": [1]}})
    doctor([str(write(tmp_path, log))])
    rows = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "field of usage.cache_creation ephemeral_2h_input_tokens 1 2.1.170, line 1" in rows


def test_it_says_so_where_all_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = Log()
    log.user("hello")
    doctor([str(write(tmp_path, log))])
    assert "knows every type and field of 1 record in 1 file" in capsys.readouterr().out


def test_another_format_s_log_is_said_to_be_one(tmp_path: Path) -> None:
    """It listed every record of a clm log as unknown, as if Claude Code had changed."""
    log = next((Path(__file__).parents[2] / "fixtures" / "clm").rglob("*.jsonl"))
    with pytest.raises(InputError, match="not a Claude Code session but clm; doctor looks at Claude Code's only"):
        doctor([str(log)])
    (tmp_path / log.name).write_bytes(log.read_bytes())
    with pytest.raises(InputError, match="not a Claude Code session but clm"):
        doctor([str(tmp_path)])
