"""Usage of any make: the quick way for what Claude Code writes says what the slow one says (catalogue, 8)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import Log, read_log

from dragoman.model import Message
from dragoman.readers.claude_code import usage
from dragoman.readers.claude_code.fields import amount
from dragoman.readers.claude_code.vocabulary import USAGE, USAGE_PARTS
from dragoman.report import Code, Report

counts = st.one_of(
    st.integers(-2, 9),
    st.sampled_from([2**53 - 1, 2**53, 2**63, True, 2.0, 0.5, float("inf"), "7", "7.0", "x", None, []]),
)
words = st.sampled_from(["standard", "", None, 3, ["x"]])


def some(keys: list[str], values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), st.just("x"), st.dictionaries(st.sampled_from(keys), values, max_size=3))


usages = st.fixed_dictionaries(
    {},
    optional={
        "input_tokens": counts,
        "output_tokens": counts,
        "cache_read_input_tokens": counts,
        "cache_creation_input_tokens": counts,
        "cache_creation": some(["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens", "other"], counts),
        "output_tokens_details": some(["thinking_tokens", "other"], counts),
        "server_tool_use": some(["web_search_requests", "web_fetch_requests", "other"], counts),
        "service_tier": words,
        "speed": words,
        "inference_geo": words,
        "iterations": st.one_of(
            st.none(),
            st.sampled_from([{}, "zzz"]),
            st.lists(st.sampled_from([3, {"type": "message"}, {"type": "x"}]), max_size=3),
        ),
        "novel": counts,
    },
)


@given(usages)
def test_both_ways_say_the_same(told: dict[str, Any]) -> None:
    assert usage.usage_of(told) == (usage._read(told), usage._rest_of(told))


def test_the_quick_way_knows_every_known_field() -> None:
    assert set(usage._Written.__struct_fields__) == USAGE
    parts = {
        "cache_creation": usage._Creation,
        "server_tool_use": usage._Server,
        "output_tokens_details": usage._Details,
    }
    assert {field: frozenset(part.__struct_fields__) for field, part in parts.items()} == USAGE_PARTS


def test_each_line_says_its_own(tmp_path: Path) -> None:
    """Lines whose usage is the same again share it, but neither a fault nor an unknown field of one goes to another."""
    log = Log()
    log.reply("a", id="msg_1", message={"usage": {"input_tokens": 1, "output_tokens": 2}})
    log.reply("b", id="msg_2", message={"usage": {"input_tokens": 1, "output_tokens": 2}})
    log.reply("c", id="msg_3", message={"usage": {"input_tokens": 1, "novel": 1}})
    log.reply("d", id="msg_4", message={"usage": {"input_tokens": 1, "novel": True}})
    report = Report()
    session = read_log(tmp_path, log, report)
    found = [message.usage for message in session.messages]
    assert [(each.input, each.output) for each in found if each] == [(1, 2), (1, 2), (1, 0), (1, 0)]
    assert [message.extra.get("usage") for message in session.messages] == [None, None, {"novel": 1}, {"novel": True}]
    assert report.count(Code.UNKNOWN_FIELD, "usage.novel") == 2


def read_usage(tmp_path: Path, **told: Any) -> tuple[Message, Report]:
    log = Log()
    log.reply("a", message={"usage": {"input_tokens": 1, "output_tokens": 2, **told}})
    report = Report()
    (message,) = read_log(tmp_path, log, report).messages
    assert message.usage is not None
    assert message.usage.input == 1
    return message, report


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("output_tokens", value) for value in ("oops", -100, True, [1], 2.5, 2**53, {})),
        ("cache_creation", [1]),
        ("cache_creation", "much"),
        ("server_tool_use", 3),
        ("iterations", "zzz"),
        ("iterations", {}),
        ("iterations", [3]),
    ],
)
def test_what_is_no_count_goes_along_and_is_reported(tmp_path: Path, field: str, value: Any) -> None:
    """It counted as 0, and nothing said so."""
    message, report = read_usage(tmp_path, **{field: value})
    assert message.extra["usage"] == {field: value}
    assert report.count(Code.BAD_VALUE, f"usage.{field}") == report.count(Code.BAD_VALUE) == 1
    assert not report.count(Code.UNKNOWN_FIELD)


@pytest.mark.parametrize(
    ("owner", "sound", "novel"),
    [
        ("cache_creation", "ephemeral_1h_input_tokens", "ephemeral_2h_input_tokens"),
        ("server_tool_use", "web_search_requests", "code_execution_requests"),
        ("output_tokens_details", "thinking_tokens", "audio_tokens"),
    ],
)
def test_fields_within_that_nobody_knows_go_along_and_are_reported(
    tmp_path: Path, owner: str, sound: str, novel: str
) -> None:
    """They were dropped, and doctor said that it knows everything."""
    message, report = read_usage(tmp_path, **{owner: {sound: 5, novel: 77}})
    assert message.extra["usage"] == {owner: {novel: 77}}
    assert report.count(Code.UNKNOWN_FIELD, f"usage.{owner}.{novel}") == report.count(Code.UNKNOWN_FIELD) == 1
    message, report = read_usage(tmp_path, **{owner: {sound: "x"}})
    assert message.extra["usage"] == {owner: {sound: "x"}}
    assert report.count(Code.BAD_VALUE, f"usage.{owner}.{sound}") == report.count(Code.BAD_VALUE) == 1


def test_numbers_that_are_only_written_otherwise_are_sound(tmp_path: Path) -> None:
    message, report = read_usage(
        tmp_path,
        output_tokens="7",
        cache_read_input_tokens=8.0,
        cache_creation_input_tokens=None,
        cache_creation={"ephemeral_1h_input_tokens": None, "ephemeral_5m_input_tokens": "9.0"},
        server_tool_use=None,
        iterations=None,
    )
    assert message.usage is not None
    assert (message.usage.output, message.usage.cache_read, message.usage.cache_write_5m) == (7, 8, 9)
    assert "usage" not in message.extra
    assert not report.count(Code.BAD_VALUE)


@pytest.mark.parametrize("cost", [-5, -0.001, "free", True, [], 10**400])
def test_a_cost_that_is_none_is_reported_and_not_counted(tmp_path: Path, cost: Any) -> None:
    """A session could cost less than nothing; what was no number at all was passed over in silence."""
    log = Log()
    log.reply("a", costUSD=cost)
    log.reply("b", costUSD=0.25)
    log.reply("c", costUSD=None)
    report = Report()
    session = read_log(tmp_path, log, report)
    assert [message.usage.cost_usd for message in session.messages if message.usage] == [None, 0.25, None]
    assert report.count(Code.BAD_VALUE, "costUSD") == 1
    assert ["costUSD" in message.extra for message in session.messages] == [True, False, False]


def test_no_amount_is_beyond_what_can_be_counted() -> None:
    """It was said to be finite, and nothing saw to it."""
    assert [amount(value) for value in (float("inf"), float("nan"), 10**400, -1, 3)] == [None, None, None, None, 3.0]


def test_true_is_not_taken_for_the_1_of_the_line_before_or_after(tmp_path: Path) -> None:
    """Python says that they are equal: 1 after `true` counted as 0, and `true` after 1 as sound."""
    log = Log()
    for number, count in enumerate((True, 1, True, 1)):
        log.reply("a", id=f"msg_{number}", message={"usage": {"output_tokens": count}})
    report = Report()
    session = read_log(tmp_path, log, report)
    assert [message.usage.output for message in session.messages if message.usage] == [0, 1, 0, 1]
    assert report.count(Code.BAD_VALUE, "usage.output_tokens") == 2
