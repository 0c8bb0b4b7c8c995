"""Reading everybody else's JSON: what is repaired, and that it is said."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.io.json import dumps, loads
from dragoman.model import Span
from dragoman.report import Code, Report

SPAN = Span("a.jsonl", 3)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def read(data: bytes) -> tuple[Any, Report]:
    report = Report()
    return loads(data, SPAN, report), report


@given(VALUES)
def test_sound_json_is_read_as_it_is(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(value, indent=1)):
        try:
            data = text.encode()
        except UnicodeEncodeError:
            continue
        got, report = read(data)
        if not report.findings:
            assert got == value
        assert orjson.loads(dumps(got)) == got


@pytest.mark.parametrize(
    ("data", "value", "code"),
    [
        (b'"a \\ud83d b"', "a � b", Code.LONE_SURROGATE),
        (b'"a \\ude00 b"', "a � b", Code.LONE_SURROGATE),
        (b'{"a":NaN,"b":-Infinity}', {"a": None, "b": None}, Code.BIG_NUMBER),
        (b'{"a":123456789012345678901}', {"a": "123456789012345678901"}, Code.BIG_NUMBER),
        (b'{"a":1e999}', {"a": "1e999"}, Code.BIG_NUMBER),
        (b'{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}, Code.DUPLICATE_KEY),
        (b'{"m": {"a": 1, "a": 3}}', {"m": {"a": 3}}, Code.DUPLICATE_KEY),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}, Code.BYTE_ORDER_MARK),
        (b'"caf\xe9"', "caf�", Code.BAD_BYTES),
        (b'\0\0{"a":1}\0', {"a": 1}, Code.NUL_BYTES),
        (b'"a\tb"', "a\tb", Code.BAD_VALUE),
    ],
)
def test_damage_is_mended_and_reported(data: bytes, value: Any, code: Code) -> None:
    got, report = read(data)
    assert got == value
    assert report.count(code) >= 1
    assert report.findings[0].places == (SPAN,) or len(report.findings) > 1


@pytest.mark.parametrize(
    "data",
    [
        b'"\\ud83d\\ude00"',
        b'"\\\\ud83d"',
        b"18446744073709551615",
        b"-9223372036854775808",
        b'"99999999999999999999999"',
    ],
)
def test_what_only_looks_like_damage_is_left_alone(data: bytes) -> None:
    got, report = read(data)
    assert got == json.loads(data)
    assert report.findings == []


def test_deep_nesting_becomes_text_that_can_be_written() -> None:
    depth = 5_000
    got, report = read(b'{"a":' * depth + b"1" + b"}" * depth)
    assert report.count(Code.DEEP_NESTING) == 1
    for _ in range(199):
        got = got["a"]
    assert got["a"].startswith('{"a":{"a":')
    assert json.loads(got["a"][: 5 * 10] + "1" + "}" * 10)


@pytest.mark.parametrize("data", [b"", b"nonsense", b'{"a":', b'{"a":1} x', b"[" * 100_000, b'"\\' * 1000])
def test_what_is_no_json_raises_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        read(data)
