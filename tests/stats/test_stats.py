"""Tokens, cost and time, counted once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman import registry, stats
from dragoman.errors import InputError
from dragoman.io.source import Source
from dragoman.model import (
    Entry,
    Header,
    Message,
    Session,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from dragoman.report import Report
from dragoman.stats.prices import extra_iterations, load, plain_name, shipped
from strategies import sessions

START = datetime(2026, 10, 10, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def reply(
    identifier: str, usage: Usage | None, *, model: str = "claude-opus-4-5", seconds: float = 0, **more: Any
) -> Message:
    return Message(
        role="assistant", origin=more.pop("origin", "reply"), id=identifier, request_id=more.pop("request", f"req_{identifier}"),
        model=model, usage=usage, time=at(seconds), **more,
    )  # fmt: skip


def session(*entries: Entry, subagents: Sequence[Subagent] = ()) -> Session:
    return Session(header=Header(id="s"), entries=entries, subagents=tuple(subagents))


def cost(usage: Usage, model: str = "claude-opus-4-5", seconds: float = 0) -> float | None:
    return stats.of(session(reply("m", usage, model=model, seconds=seconds))).total.cost_usd


MILLION = 1_000_000


# --- once -------------------------------------------------------------------------------------------


def test_an_api_message_counts_once_over_files_and_its_fullest_copy_counts() -> None:
    """A fork's file begins with a copy of its parent's reply; a resumed session holds copies of all."""
    copy = reply("m1", Usage(input=3, output=40))
    fork = Subagent(agent_id="f", session=session(reply("m1", Usage(input=3, output=2)), reply("m2", Usage(output=7))))
    first = session(reply("m1", Usage(input=3, output=9)), subagents=[fork])
    found = stats.of_many([first, session(copy)])
    assert found.main.messages == 1 and found.main.tokens == stats.Tokens(input=3, output=40)
    assert found.subagents.messages == 1 and found.subagents.tokens.output == 7
    assert found.total.tokens.output == 47
    assert found.agents["f"].part.tokens.output == 7


def test_of_equal_copies_the_last_one_counts() -> None:
    """The last line of a message is the one with the final numbers."""
    found = stats.of_many(
        [session(reply("m", Usage(input=1, output=5))), session(reply("m", Usage(input=2, output=5)))]
    )
    assert found.total.tokens == stats.Tokens(input=2, output=5)


def test_a_message_id_with_two_requests_is_two_messages() -> None:
    one, two = reply("m", Usage(output=5), request="r1"), reply("m", Usage(output=6), request="r2")
    assert stats.of(session(one, two)).total.tokens.output == 11


@pytest.mark.parametrize("requests", [("r1", ""), ("", "r1")])
def test_a_copy_without_its_request_id_is_a_copy(requests: tuple[str, str]) -> None:
    one, two = (reply("m", Usage(output=5), request=each) for each in requests)
    assert stats.of(session(one, two)).total.tokens.output == 5


def test_messages_without_any_id_are_all_different() -> None:
    assert stats.of(session(*(reply("", Usage(output=5), request="") for _ in range(3)))).total.tokens.output == 15


def test_withdrawn_and_abandoned_replies_were_paid_for() -> None:
    found = stats.of(session(reply("a", Usage(output=1), status="retracted"), reply("b", Usage(output=2), branch="b1")))
    assert found.total.tokens.output == 3


def test_synthetic_replies_are_no_api_messages() -> None:
    found = stats.of(
        session(
            reply("a", Usage(), model="<synthetic>", origin="synthetic_error"),
            reply("b", Usage(), model="<synthetic>"),
        )
    )
    assert found.total.messages == 0 and found.total.models == ()


# --- cost -------------------------------------------------------------------------------------------


def test_each_kind_of_token_has_its_price() -> None:
    usage = Usage(input=MILLION, output=MILLION, cache_read=MILLION, cache_write_5m=MILLION, cache_write_1h=MILLION)
    assert cost(usage) == pytest.approx(5 + 25 + 0.5 + 6.25 + 10)
    assert cost(usage, "claude-3-haiku-20240307") == pytest.approx(0.25 + 1.25 + 0.03 + 0.30 + 0.50)


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        ("claude-opus-4-8", Usage(output=MILLION, speed="fast"), 50),
        ("claude-opus-4-8", Usage(output=MILLION, region="us"), 27.5),
        ("claude-opus-4-5", Usage(output=MILLION, region="us"), 25),
        ("claude-opus-4-8", Usage(output=MILLION, tier="batch"), 12.5),
        ("claude-opus-4-8", Usage(output=MILLION, tier="standard", region="global", speed="standard"), 25),
        ("claude-opus-4-8", Usage(output=MILLION, speed="fast", region="us", tier="batch"), 25 * 2 * 1.1 * 0.5),
        ("claude-opus-4-8", Usage(web_searches=3), 0.03),
        ("claude-haiku-5-5", Usage(input=100_000), 0.01),
        ("claude-haiku-5-5", Usage(input=1, cache_read=60_000, cache_write_5m=40_000), 5 * (1e-7 + 6e-4 + 5e-3)),
        ("claude-opus-4-6", Usage(output=MILLION, speed="fast"), None),
        ("claude-opus-4-8", Usage(output=MILLION, tier="priority"), None),
        ("claude-opus-4-9", Usage(output=MILLION), None),
        ("gpt-5", Usage(output=MILLION), None),
        ("gpt-5", Usage(output=MILLION, cost_usd=0.125), 0.125),
    ],
)
def test_modes_multiply_and_nothing_is_guessed(model: str, usage: Usage, dollars: float | None) -> None:
    assert cost(usage, model) == (dollars if dollars is None else pytest.approx(dollars))


def test_haiku_s_long_prompts_are_those_of_one_request() -> None:
    """A server's tools make several requests of one message: none of these is longer than 100,000 tokens."""
    steps = tuple({"type": "message", "input_tokens": 60_000, "output_tokens": 1} for _ in range(2))
    assert cost(Usage(input=120_000, iterations=steps), "claude-haiku-5-5") == pytest.approx(0.012)


def test_a_price_has_a_day() -> None:
    usage = Usage(cache_read=MILLION)
    assert cost(usage, "claude-sonnet-5-5") == pytest.approx(0.10)
    assert cost(usage, "claude-sonnet-5-5", seconds=-4 * 86_400) == pytest.approx(0.20)


def test_unknown_models_are_said_and_the_rest_is_known() -> None:
    found = stats.of(session(reply("a", Usage(output=MILLION)), reply("b", Usage(output=5), model="gpt-5")))
    assert found.total.cost_usd is None
    assert found.total.known_cost_usd == pytest.approx(25)
    assert found.total.unpriced == ("gpt-5",)
    assert {each.model: each.cost_usd for each in found.total.models} == {"gpt-5": None, "claude-opus-4-5": 25.0}


def test_replies_that_say_nothing_of_usage_cost_nobody_knows_what() -> None:
    found = stats.of(session(reply("a", None)))
    assert found.total.cost_usd is None and found.total.without_usage == 1 and not found.total.complete


def test_an_advisor_s_iterations_are_extra_at_its_own_model() -> None:
    usage = Usage(
        input=10,
        output=5,
        iterations=(
            {"type": "message", "input_tokens": 10, "output_tokens": 5},
            {"type": "advisor_message", "model": "claude-opus-4-8", "input_tokens": MILLION, "output_tokens": 0},
            {"type": "compaction", "output_tokens": 7, "cache_creation": {"ephemeral_1h_input_tokens": 3}},
            {"type": "advisor_message", "input_tokens": "12", "output_tokens": None},
            "no object",
        ),
    )
    found = stats.of(session(reply("a", usage, model="claude-opus-4-5")))
    assert {each.model: each.messages for each in found.total.models} == {"claude-opus-4-5": 1, "claude-opus-4-8": 0}
    assert found.total.tokens == stats.Tokens(input=10 + MILLION, output=12, cache_write_1h=3)
    assert found.total.cost_usd == pytest.approx(5 + (10 * 5 + 12 * 25 + 3 * 10) / 1e6)
    assert len(extra_iterations("m", usage)) == 3


@pytest.mark.parametrize(
    "name",
    [
        "claude-opus-4-5-20251101",
        "claude-opus-4-5[1m]",
        "us.anthropic.claude-opus-4-5-20251101-v1:0",
        "global.anthropic.claude-opus-4-5-20251101-v1:0[1m]",
        "claude-opus-4-5@20251101",
        "anthropic/claude-opus-4-5",
        "bedrock/eu.anthropic.claude-opus-4-5",
        "Claude-Opus-4-5-latest",
    ],
)
def test_a_model_is_known_whoever_serves_it(name: str) -> None:
    assert plain_name(name) == "claude-opus-4-5"
    assert plain_name("my-claude-opus-4-5") != "claude-opus-4-5"


def test_a_user_s_price_table_goes_over_the_shipped_one(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text("date = 2027-01-01\nweb_search_per_1000 = 5\n[models]\ngpt-5 = { input = 1, output = 8 }\n")
    table = load(path)
    assert table.date.year == 2027 and "claude-opus-4-5" in table.models
    usage = Usage(input=MILLION, cache_read=MILLION, cache_write_5m=MILLION, cache_write_1h=MILLION, web_searches=1000)
    found = stats.of(session(reply("a", usage, model="gpt-5-20250807")), table)
    assert found.total.cost_usd == pytest.approx(1 + 0.1 + 1.25 + 2 + 5)
    assert found.prices_date == "2027-01-01"


@pytest.mark.parametrize(
    "text", ["[models", "models = 3", '[models]\nx = { input = "much" }', "[models]\nx = { input = 1 }", "\udcff"]
)
def test_a_broken_price_table_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=r"no price table|not in UTF-8") as caught:
        load(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "none.toml")


def test_the_shipped_table_is_read_once() -> None:
    """A third of the time of four thousand tiny sessions to Markdown went into reading it again for each."""
    assert shipped() is shipped()


def test_every_shipped_row_is_whole() -> None:
    table = shipped()
    assert table.date.isoformat() >= "2026-10-10"
    for name, price in table.models.items():
        assert plain_name(name) == name
        assert None not in (price.cache_read, price.cache_write_5m, price.cache_write_1h), name


# --- time -------------------------------------------------------------------------------------------


def conversation() -> Session:
    """10 s of model, 20 s of two parallel tools, 5 s of model, a minute's pause, 3 s of model."""
    return session(
        Message(role="user", origin="prompt", blocks=(Text("go"),), time=at(0)),
        reply(
            "a",
            Usage(output=1),
            seconds=8,
            blocks=(
                ToolCall("call_of_bash_aaaaaaa", "Bash", '{"command": "make"}', time=at(9)),
                ToolCall("call_of_read_aaaaaaa", "Read", '{"limit": 3, "file_path": "/src/\\u00e4.py"}', time=at(10)),
            ),
        ),
        Message(role="user", origin="queued_prompt", blocks=(Text("and then"),), time=at(20)),
        Message(
            role="tool",
            origin="result",
            time=at(30),
            blocks=(ToolResult("call_of_bash_aaaaaaa", error="yes", duration_ms=20_000),),
        ),
        Message(role="tool", origin="result", time=at(30), blocks=(ToolResult("call_of_read_aaaaaaa"),)),
        reply(
            "b",
            Usage(output=1),
            seconds=35,
            blocks=(ToolCall("call_of_edit_aaaaaaa", "Edit", '{"file_path":"/src/\\u00e4.py"}'),),
        ),
        Message(
            role="tool",
            origin="result",
            time=at(35),
            blocks=(ToolResult("call_of_edit_aaaaaaa", outcome="rejected", error="yes"),),
        ),
        Message(role="user", origin="prompt", blocks=(Text("thanks"),), time=at(95)),
        reply("c", Usage(output=1), seconds=98),
    )


def test_time_is_of_the_clock() -> None:
    part = stats.of(conversation()).main
    assert part.wall_ms == 98_000
    assert part.tool_ms == 20_000  # the two ran side by side
    assert part.model_ms == 18_000  # a queued prompt doesn't start the clock
    assert part.active_ms == 38_000
    assert part.idle_ms == 60_000
    assert part.prompts == 3


def test_tools_and_files() -> None:
    part = stats.of(conversation()).main
    assert {each.name: (each.calls, each.errors, each.rejected) for each in part.tools} == {
        "Bash": (1, 1, 0),
        "Read": (1, 0, 0),
        "Edit": (1, 1, 1),
    }
    assert [(each.name, each.duration_ms) for each in part.slowest] == [("Bash", 20_000), ("Read", 20_000), ("Edit", 0)]
    assert part.files == (stats.FileTouched(path="/src/ä.py", reads=1, changes=1),)
    assert (part.tool_calls, part.tool_errors) == (3, 2)


def test_copied_calls_and_second_results_count_once() -> None:
    found = stats.of_many([conversation(), conversation()])
    assert found.total.tool_calls == 3
    assert found.total.messages == 3


def test_short_ids_of_other_sessions_are_other_calls() -> None:
    one = session(reply("", Usage(), request="", blocks=(ToolCall("c1", "ls", "{}"), ToolCall("c1", "ls", "{}"))))
    assert stats.of_many([one, one]).total.tool_calls == 2


def test_what_a_person_is_asked_is_no_tool_time() -> None:
    asked = session(
        reply("a", Usage(), seconds=0, blocks=(ToolCall("q", "AskUserQuestion", "{}"),)),
        Message(role="tool", origin="result", time=at(500), blocks=(ToolResult("q"),)),
        reply("b", Usage(), seconds=510),
    )
    part = stats.of(asked).main
    assert (part.tool_ms, part.model_ms, part.idle_ms) == (0, 10_000, 500_000)


@pytest.mark.parametrize(
    ("structured", "searches"),
    [
        ({"query": "x", "results": [{"tool_use_id": "srvtoolu_1", "content": []}, "words", None]}, 1),
        ({"query": "x", "results": [{"tool_use_id": "srvtoolu_1"}], "searchCount": 3}, 3),
        ({"query": "x", "results": [], "searchCount": 0}, 0),
        ("no object", 0),
    ],
)
def test_searches_on_the_side_are_counted_and_priced(structured: Any, searches: int) -> None:
    """They stand in no reply's usage: Claude Code's WebSearch makes requests of its own."""
    found = stats.of(
        session(
            reply("a", Usage(output=MILLION), blocks=(ToolCall("s", "WebSearch", "{}"),)),
            Message(role="tool", origin="result", blocks=(ToolResult("s", structured=structured),)),
        )
    )
    assert found.total.web_searches == searches
    assert found.total.cost_usd == pytest.approx(25 + searches * 0.01)


def test_agents_by_themselves() -> None:
    inner = Subagent(agent_id="inner", kind="Explore", session=session(reply("i", Usage(output=2))))
    outer = Subagent(agent_id="outer", session=session(reply("o", Usage(output=3)), subagents=[inner]), hidden=True)
    found = stats.of(session(reply("m", Usage(output=5)), subagents=[outer]))
    assert {key: (each.part.tokens.output, each.parent) for key, each in found.agents.items()} == {
        "outer": (3, ""),
        "inner": (2, "outer"),
    }
    assert (found.main.tokens.output, found.subagents.tokens.output, found.total.tokens.output) == (5, 5, 10)


@settings(max_examples=40, deadline=None)
@given(st.lists(sessions(depth=1), min_size=1, max_size=2))
def test_parts_make_the_whole(given: list[Session]) -> None:
    found = stats.of_many(given)
    for name in ("messages", "prompts", "tool_calls", "tool_errors", "web_searches", "without_usage"):
        assert getattr(found.main, name) + getattr(found.subagents, name) == getattr(found.total, name)
        assert sum(getattr(each.part, name) for each in found.agents.values()) == getattr(found.subagents, name)
    for name in stats.Tokens.__struct_fields__:
        parts = [getattr(part.tokens, name) for part in (found.main, found.subagents, found.total)]
        assert parts[0] + parts[1] == parts[2]
    assert found.total.active_ms <= found.total.model_ms + found.total.tool_ms + 1


def test_an_error_whose_call_is_in_no_file_is_an_error() -> None:
    alone = Message(
        role="tool", origin="result", blocks=(ToolResult("gone", error="yes"), ToolResult("gone", error="yes"))
    )
    part = stats.of(session(alone)).main
    assert (part.tool_calls, part.tool_errors) == (0, 1)


# --- the corpus -------------------------------------------------------------------------------------


def test_the_corpus_s_figures(shared: Path) -> None:
    """Tokens, replies, calls and errors of real sessions' structures, by the rules of its INDEX.md.

    There, what is known from progress lines alone isn't counted; here it is, so these bundles say less.
    """
    reader = registry.reader("claude-code")
    compared = 0
    for bundle in sorted((shared / "corpus").iterdir()):
        if not (bundle / "projects").is_dir():
            continue
        facts = json.loads((bundle / "expected.json").read_text(encoding="utf-8"))
        everything = [
            each
            for project in sorted((bundle / "projects").iterdir())
            for each in reader.read(Source(project), reader.options(), Report())
        ]
        found = stats.of_many(everything)
        figures = {"messages": found.main.messages, "tokens": tokens(found.main)}
        expected = {"messages": facts["assistant_messages_main"], "tokens": facts["tokens_main"]}
        if not facts["agents_only_in_progress"]:
            figures |= {"all": found.total.messages, "all tokens": tokens(found.total)}
            expected |= {"all": facts["assistant_messages_all"], "all tokens": facts["tokens_all"]}
            figures |= {"calls": found.total.tool_calls, "errors": found.total.tool_errors}
            expected |= {"calls": facts["tool_calls_all"], "errors": facts["tool_errors"]}
        assert figures == expected, bundle.name
        compared += 1
    assert compared >= 50


def tokens(part: stats.Part) -> dict[str, int]:
    return {
        "input": part.tokens.input,
        "output": part.tokens.output,
        "cache_read": part.tokens.cache_read,
        "cache_write": part.tokens.cache_write,
    }
