"""One file was named, and several are made: what the others are called, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_made import SESSION, Run, claude_code, clm

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
AGENTS = str(FIXTURES / "claude-code" / "2.1.300" / "subagents")


def test_agents_logs_are_called_after_the_log_that_was_named(dragoman: Run) -> None:
    """They lay in the current folder under dates, and the next run failed at a name that nobody had given."""
    said = dragoman("convert", AGENTS, "-o", "n.jsonl")
    files = {each.stem for each in Path().iterdir()}
    assert f"wrote n.jsonl and {len(files) - 1} files beside it\n" in said.errors
    assert len(files) > 2
    assert all(each == "n" or each.startswith("n-") for each in files)
    assert all(json.loads(Path(f"{each}.jsonl").read_text().partition("\n")[0])["id"] == each for each in files)
    back = dragoman("convert", "n.jsonl", "-t", "native")
    agents = json.loads(back.out.partition("\n")[0])["subagents"]
    assert {each["agent_id"] for each in agents} <= files - {"n"}
    assert agents
    assert dragoman("convert", AGENTS, "-o", "other.jsonl").code == 0


def test_a_name_that_is_no_id_gives_its_letters(dragoman: Run) -> None:
    dragoman("convert", AGENTS, "-t", "clm", "-o", "my talk_2.jsonl")
    assert {each.name[:9] for each in Path().glob("my-*")} == {"my-talk-2"}


def test_a_name_of_clms_own_form_leaves_the_others_theirs(dragoman: Run) -> None:
    dragoman("convert", AGENTS, "-t", "clm", "-o", "20260102-030405-0badcafe.jsonl")
    assert not list(Path().glob("20260102-030405-0badcafe-*"))


def test_a_file_that_must_keep_its_name_says_why_it_is_there(dragoman: Run) -> None:
    main, agent = "20260102-030405-0badcafe", "20260102-030406-deadbeef"
    clm(Path(f"in/{agent}.jsonl"), agent="dev")
    call = {"role": "assistant", "tool_calls": [{"id": "c", "name": "Agent", "args": "{}"}], "type": "msg"}
    named = f"done\n[subagent session: {agent}]"
    answer = {"role": "tool", "content": named, "tool_call_id": "c", "tool_name": "Agent", "type": "msg"}
    log = clm(Path(f"in/{main}.jsonl"))
    log.write_text(log.read_text() + json.dumps(call) + "\n" + json.dumps(answer) + "\n")
    assert "wrote n.jsonl and 1 file beside it\n" in dragoman("convert", str(log), "-o", "n.jsonl").errors
    assert dragoman("convert", str(log), "-o", "m.jsonl").errors.endswith(
        f"dragoman: {agent}.jsonl: exists already, and belongs beside m.jsonl; --force replaces it, "
        "another folder leaves it\n"
    )
    assert not Path("m.jsonl").exists()


@pytest.mark.parametrize(("name", "told"), [("n.jsonl", "clm; -t claude-code writes .jsonl, too"), ("n.json", "openai; -t native writes .json, too")])  # fmt: skip
def test_a_guess_that_matters_is_said(name: str, told: str, dragoman: Run) -> None:
    claude_code(Path(f"{SESSION}.jsonl"))
    line = f"note: {name}: guessed: written as {told}\n"
    assert line in dragoman("convert", f"{SESSION}.jsonl", "-o", name).errors
    assert line not in dragoman("convert", f"{SESSION}.jsonl", "-o", name, "--force", "-q").errors


def test_the_inputs_own_format_is_no_guess(dragoman: Run) -> None:
    clm(Path("20260102-030405-0badcafe.jsonl"))
    assert "guessed" not in dragoman("convert", "20260102-030405-0badcafe.jsonl", "-o", "n.jsonl").errors
    claude_code(Path(f"{SESSION}.jsonl"))
    assert "guessed" not in dragoman("convert", f"{SESSION}.jsonl", "-t", "clm", "-o", "m.jsonl").errors
