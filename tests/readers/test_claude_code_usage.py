"""Usage of any make: the quick way for what Claude Code writes says what the slow one says (catalogue, 8)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import Log, read_log

from dragoman.readers.claude_code import usage
from dragoman.readers.claude_code.vocabulary import USAGE
from dragoman.report import Code, Report

counts = st.one_of(st.integers(-2, 9), st.sampled_from([2**53 - 1, 2**53, 2**63, True, 2.0, 0.5, "7", "x", None, []]))
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
            st.none(), st.just({}), st.lists(st.sampled_from([3, {"type": "message"}, {"type": "x"}]), max_size=3)
        ),
        "novel": counts,
    },
)


@given(usages)
def test_both_ways_say_the_same(told: dict[str, Any]) -> None:
    assert usage.usage_of(told) == (usage._read(told), usage._rest_of(told))


def test_the_quick_way_knows_every_known_field() -> None:
    assert set(usage._Written.__struct_fields__) == USAGE


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
