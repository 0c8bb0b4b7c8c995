"""Lines as they are found on disks: what is read of them, and what is said about the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.io.jsonl import JsonLines, recover
from dragoman.model import Span
from dragoman.report import Code, Report


def record(text: str, **more: Any) -> dict[str, Any]:
    return {"parentUuid": None, "type": "user", "message": {"role": "user", "content": text}, "uuid": text, **more}


def line(text: str) -> bytes:
    return json.dumps(record(text), ensure_ascii=False).encode()


def is_record(value: dict[str, Any]) -> bool:
    return "uuid" in value


def read(path: Path, data: bytes) -> tuple[list[tuple[int, str]], Report, JsonLines]:
    path.write_bytes(data)
    report = Report()
    lines = JsonLines(path, "x.jsonl", report, is_record)
    return [(number, each.get("uuid", "?")) for number, each in lines], report, lines


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.jsonl"


def test_lines_end_at_newline_bytes_only(path: Path) -> None:
    got, report, lines = read(path, line("a\u2028b\u0085c\x0c") + b"\r\n\r\n \n" + line("d"))
    assert got == [(1, "a\u2028b\u0085c\x0c"), (4, "d")]
    assert report.findings == []
    assert (lines.lines, lines.bytes) == (4, path.stat().st_size)


def test_two_records_on_a_line_are_two(path: Path) -> None:
    got, report, _ = read(path, line("a") + line("b") + b"  " + line("c") + b"\n")
    assert got == [(1, "a"), (1, "b"), (1, "c")]
    assert report.count(Code.LINE_SEVERAL) == 1
    assert report.findings[0].places == (Span("x.jsonl", 1),)


def test_a_record_glued_to_a_cut_one_is_found(path: Path) -> None:
    got, report, _ = read(path, line("lost")[:50] + line("b") + line("c") + b"\n")
    assert got == [(1, "b"), (1, "c")]
    assert report.count(Code.LINE_SPLICED, "a cut record") == 1


def test_blocks_inside_a_cut_record_are_no_records(path: Path) -> None:
    cut = b'{"type":"assistant","message":{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}'
    got, report, _ = read(path, cut + b"\n" + line("b") + b"\n")
    assert got == [(2, "b")]
    assert report.count(Code.LINE_UNREADABLE) == 1


def test_a_record_behind_a_logger_s_words_is_found(path: Path) -> None:
    got, report, _ = read(path, b"12:00 INFO " + line("b") + b"\n")
    assert got == [(1, "b")]
    assert report.count(Code.LINE_SPLICED, "other text") == 1


def test_elements_of_an_array_one_a_line(path: Path) -> None:
    got, report, _ = read(path, b"[" + line("a") + b",\n" + line("b") + b"\n]\n")
    assert got == [(1, "a"), (2, "b")]
    assert report.findings == []
    got, report, _ = read(path, b"[\n" + line("a") + b",\n]\n")
    assert got == [(2, "a")]
    assert [found.code for found in report.findings] in ([], [Code.LINE_NOT_OBJECT])


@pytest.mark.parametrize("tail", [20, 80])
def test_a_cut_tail_is_said_to_be_one(path: Path, tail: int) -> None:
    got, report, _ = read(path, line("a") + b"\n" + line("b")[:tail])
    assert got == [(1, "a")]
    assert [each.code for each in report.findings] == [Code.TAIL_CUT]


def test_a_last_line_without_newline_is_whole(path: Path) -> None:
    got, report, _ = read(path, line("a") + b"\n" + line("b"))
    assert got == [(1, "a"), (2, "b")]
    assert report.findings == []


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"[1,2]", "array"),
        (b'"x"', "string"),
        (b"null", "null"),
        (b"4.5", "number"),
        (b"true", "boolean"),
        (b"// words", "comment"),
        (b"# words", "comment"),
        (b"words", "text"),
    ],
)
def test_lines_without_an_object_are_counted_by_kind(path: Path, data: bytes, what: str) -> None:
    got, report, _ = read(path, data + b"\n" + line("a"))
    assert got == [(2, "a")]
    assert report.count(Code.LINE_NOT_OBJECT, what) == 1


def test_runs_of_nul_bytes_are_taken_out(path: Path) -> None:
    got, report, _ = read(path, b"\0" * 300 + b"\n" + b"\0" * 300 + line("a") + b"\n")
    assert got == [(2, "a")]
    assert report.count(Code.NUL_BYTES) == 2
    assert report.count(Code.LINE_UNREADABLE) == 0


def test_utf_16_as_powershell_writes_it(path: Path) -> None:
    got, report, _ = read(path, (line("ä") + b"\r\n" + line("b")).decode().encode("utf-16"))
    assert got == [(1, "ä"), (2, "b")]
    assert report.count(Code.ENCODING, "UTF-16") == 1


def test_only_what_stood_there_at_the_start_is_read(path: Path) -> None:
    path.write_bytes(line("a") + b"\n" + line("b") + b"\n")
    report = Report()
    got = []
    for number, each in JsonLines(path, "x.jsonl", report):
        got.append((number, each["uuid"]))
        if number == 1:
            with path.open("ab") as file:
                file.write((line("c") + b"\n") * 5_000)
    assert got == [(1, "a"), (2, "b")]
    assert report.count(Code.FILE_GROWING) == 1


def test_a_cut_off_record_at_the_size_limit_is_a_tail(path: Path) -> None:
    path.write_bytes(line("a") + b"\n" + line("b")[:40])
    report = Report()
    iterator = iter(JsonLines(path, "x.jsonl", report))
    assert next(iterator)[1]["uuid"] == "a"
    with path.open("ab") as file:
        file.write(line("b")[40:] + b"\n")
    assert list(iterator) == []
    assert report.count(Code.TAIL_CUT) + report.count(Code.FILE_GROWING) >= 1


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 200_000,
        b'{"type":' * 50_000,
        b'{"a":"' + b'\\"' * 200_000,
        b'{"type":"a","x":"{"type":"b","x":"' * 20_000,
        b'{"type":"a","message":[' + b'{"type":"text"},' * 50_000,
        b"{ " * 200_000,
        b"\\ud800" * 100_000,
        b'{"a":' + b"9" * 400_000 + b"}",
    ],
)
def test_hostile_lines_end(data: bytes) -> None:
    """Each of these takes far longer than a test may where the work isn't bounded by the length."""
    recover(data + b"\n", Span("x", 1), Report(), is_record)


@given(st.lists(st.text(max_size=5), min_size=1, max_size=4), st.data())
def test_any_cut_keeps_every_other_record(texts: list[str], data: st.DataObject) -> None:
    whole = [json.dumps(record(each)).encode() for each in texts]
    cut = data.draw(st.integers(1, len(whole[0]) - 1))
    got = recover(whole[0][:cut] + b"".join(whole), Span("x", 1), Report(), is_record)
    assert [each["uuid"] for each in got][-len(texts) :] == texts


@given(st.binary(max_size=200))
def test_any_bytes_are_survived(data: bytes) -> None:
    for each in recover(data, Span("x", 1), Report()):
        assert isinstance(each, dict)
