"""`dragoman stats`: a table for people, JSON for programs."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from dragoman import stats
from dragoman.__main__ import main
from dragoman.cli.stats import show
from dragoman.io import native
from dragoman.model import Header, Message, Session, Subagent, ToolCall, ToolResult, Usage

AGENT = Subagent(
    agent_id="a1",
    kind="Explore",
    session=Session(
        header=Header(id="a1"),
        entries=(
            Message(role="assistant", origin="reply", id="m2", model="made-up", usage=Usage(output=7, complete=False)),
        ),
    ),
)
SESSION = Session(
    header=Header(id="s"),
    entries=(
        Message(
            role="assistant",
            origin="reply",
            id="m1",
            model="claude-opus-4-5",
            usage=Usage(output=1_000_000),
            time=datetime(2026, 10, 10, tzinfo=UTC),
            blocks=(ToolCall("c1", "Bash\x1b[31m[bold]", "{}"),),
        ),
    ),
    subagents=(AGENT,),
)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.json"
    path.write_bytes(native.encode(SESSION))
    return path


def run(*arguments: str) -> int:
    import sys

    old = sys.argv
    sys.argv = ["dragoman", "stats", *arguments]
    try:
        main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    finally:
        sys.argv = old
    return 0


def test_json_where_the_output_is_no_terminal(session: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(str(session)) == 0
    found = json.loads(capfdbinary.readouterr().out)
    assert found["total"]["tokens"]["output"] == 1_000_007
    assert found["main"]["cost_usd"] == 25.0
    assert found["total"]["cost_usd"] is None and found["total"]["unpriced"] == ["made-up"]
    assert found["agents"]["a1"]["part"]["complete"] is False


def test_a_price_file(session: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text("[models]\nmade-up = { input = 1, output = 1000000 }\n")
    assert run(str(session), "--json", "--prices", str(prices)) == 0
    assert json.loads(capfdbinary.readouterr().out)["total"]["cost_usd"] == 32.0
    prices.write_text("models = 1")
    assert run(str(session), "--prices", str(prices)) == 1
    error = capfdbinary.readouterr().err.decode()
    assert error.count("\n") == 1 and "no price table" in error


def test_one_that_cant_be_read_is_said_and_the_rest_counted(
    session: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"dragoman": {"major": 9, "minor": 0}}')
    assert run(str(broken), str(session)) == 1
    said = capfdbinary.readouterr()
    assert json.loads(said.out)["sessions"] == 1
    assert said.err.decode().startswith("skipped: ") and said.err.count(b"\n") == 1
    assert run(str(broken)) == 1


def test_the_table_is_for_people_and_safe() -> None:
    out = io.StringIO()
    show(stats.of(SESSION), Console(file=out, width=120, force_terminal=False))
    text = out.getvalue()
    for words in ("main", "subagents", "together", "$25.00 + unknown", "≥ 1,000,007", "Explore a1", "\\x1b[31m[bold]"):
        assert words in text, words
    assert "no price is known for made-up" in text and "lower bound" in text and "prices of 2026-10-10" in text
    assert "\x1b" not in text


def test_a_single_conversation_has_one_line() -> None:
    out = io.StringIO()
    show(stats.of(Session(header=SESSION.header, entries=SESSION.entries)), Console(file=out, width=120))
    assert "together" not in out.getvalue() and "$25.00" in out.getvalue()


def test_a_log_that_keeps_no_usage_says_so(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A clm log had `cost_usd: null` and nothing unpriced, or a table full of zeros, without a word why."""
    bare = Session(header=Header(id="s"), entries=(Message(role="assistant", origin="reply", model="some-model"),))
    out = io.StringIO()
    show(stats.of(bare), Console(file=out, width=160, force_terminal=False))
    text = out.getvalue()
    assert "no reply says what it used" in text and "≥" not in text and "lower bound" not in text
    assert "unknown" in text.splitlines()[2]
    path = tmp_path / "session.json"
    path.write_bytes(native.encode(bare))
    assert run(str(path), "--json") == 0
    said = capfdbinary.readouterr()
    assert said.err.decode().startswith("no reply says what it used") and said.err.count(b"\n") == 1
    assert json.loads(said.out)["total"]["cost_usd"] is None


def test_a_subagent_s_log_counts_once(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """It is read for itself, and below the log whose result names it."""
    agent, main = "20260824-060842-0badcafe", "20260824-060843-544d4eb3"
    reply = '{"role":"assistant","content":"so","type":"msg"}\n'
    call = '{"role":"assistant","tool_calls":[{"id":"c","name":"Agent","args":"{}"}],"type":"msg"}\n'
    result = f'{{"role":"tool","content":"x\\n[subagent session: {agent}]","tool_call_id":"c","type":"msg"}}\n'
    for own, kind, lines in ((agent, '"agent":"Explore",', reply), (main, "", call + result)):
        (tmp_path / f"{own}.jsonl").write_text(f'{{"type":"meta",{kind}"v":1,"id":"{own}"}}\n{lines}')
    for inputs in ([str(tmp_path)], [str(path) for path in sorted(tmp_path.iterdir())]):
        assert run(*inputs, "-f", "clm", "--json") == 0
        assert json.loads(capfdbinary.readouterr().out)["total"]["messages"] == 2


def test_a_narrow_terminal_keeps_names_whole_and_small_sums_are_something() -> None:
    """At 80 columns `claude-haiku-4-5-20251001` broke before its last digit, and small sums were `$0.00`."""
    usage = Usage(input=12_000, output=4_053, cache_read=1_555_300, cache_write_5m=121_600, cost_usd=0.0003)
    reply = Message(role="assistant", origin="reply", id="m1", model="claude-haiku-4-5-20251001", usage=usage)
    out = io.StringIO()
    show(stats.of(Session(header=Header(id="s"), entries=(reply,))), Console(file=out, width=80))
    row = next(line for line in out.getvalue().splitlines() if line.startswith("claude-haiku-4-5-20251001 "))
    assert row.rstrip().endswith("$0.0003")


def many(kinds: int) -> Session:
    """A session of so many models, tools, files and agents, in which each call takes hours."""
    begun = datetime(2026, 10, 10, tzinfo=UTC)
    entries = tuple(
        each
        for number in range(kinds)
        for each in (
            Message(
                role="assistant", origin="reply", id=f"m{number}", model=f"model-{number}" if number else "",
                usage=Usage(output=1), time=begun + number * timedelta(seconds=45_678),
                blocks=(ToolCall(f"c{number}", "Read" if number % 2 else f"tool-{number}", json.dumps({"file_path": f"/f{number}"})),),
            ),
            Message(
                role="tool", origin="tool", blocks=(ToolResult(f"c{number}", ()),),
                time=begun + number * timedelta(seconds=45_678) + timedelta(seconds=11_234),
            ),
        )
    )  # fmt: skip
    agents = (Subagent(agent_id=f"a{number}", session=Session(header=Header(id="a"))) for number in range(kinds))
    return Session(header=Header(id="s"), entries=entries, subagents=tuple(agents))


def table_of(session: Session, width: int) -> str:
    out = io.StringIO()
    show(stats.of(session), Console(file=out, width=width, force_terminal=False))
    return out.getvalue()


def test_how_much_of_a_table_isnt_shown_is_said() -> None:
    """15 of 17 models and of 370 files were shown as if they were all."""
    text = table_of(many(40), 120)
    for left in ("25 more models", "25 more agents", "6 more tools", "5 more files"):
        assert f"and {left}; --json lists them\n" in text, left
    assert "(not named)" in text and "no price is known for a model without a name, " in text
    assert "more" not in table_of(many(2), 120)
    assert "and 1 more model; --json" in table_of(many(16), 120)


def test_no_duration_is_broken_over_two_lines() -> None:
    """At 80 columns `4 min 40 s` had its `s` on a line of its own."""
    for width in (80, 120):
        lines = table_of(many(2), width).splitlines()
        for line in lines:
            assert line.strip() not in ("s", "min", "h") and not line.rstrip().endswith((" min s", "…")), line
        row = next(line for line in lines if line.startswith("main"))
        assert len(row) <= width
        assert any("15 h 48 min" in line and "6 h 14 min" in line for line in lines)
        assert any("prompts" in line and ("wall" in line) is (width > 100) for line in lines)


def test_one_reply_that_says_nothing_is_one() -> None:
    """ "1 replies don't say what they used" was said of it."""
    silent = Message(role="assistant", origin="reply", id="m9", model="claude-opus-4-5")
    for number, said in ((1, "1 reply doesn't say what it used"), (2, "2 replies don't say what they used")):
        entries = (*SESSION.entries, *(replace(silent, id=f"n{each}") for each in range(number)))
        assert said in table_of(Session(header=SESSION.header, entries=entries), 120)
