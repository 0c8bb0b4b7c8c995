"""Everybody else's JSON: fast where it is sound, forgiving where it isn't.

orjson reads sound JSON. What it refuses (lone surrogates, NaN, bytes that are no UTF-8, deep
nesting) or would bend in silence (keys that stand twice, integers beyond 64 bits) goes the slow
way once, and every repair is reported. Whatever comes out can be written again: strings are valid
Unicode, integers fit 64 bits, floats are finite, nesting is bounded.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

import orjson

from dragoman.model import Span
from dragoman.report import Code, Report

DEPTH = 200
"""Values nested deeper than this become their JSON text. orjson writes at most 254 levels."""

_ZEROS = bytes(ord("0") if chr(i).isdigit() and i < 128 else i for i in range(256))
_LONG_RUN = b"0" * 20  # 2**64 has 20 digits
_BOM = b"\xef\xbb\xbf"
_NULS = re.compile(rb"\x00+")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)


def loads(data: bytes, span: Span | None, report: Report) -> Any:
    """Decode one JSON value, repairing what can be repaired. Raises ValueError where nothing can."""
    try:
        value = orjson.loads(data)
        if is_sound(data, value):
            return value
    except (ValueError, TypeError):
        pass
    text = repair_text(data, span, report)
    value, end = Decoder(text).decode(0, span, report)
    if text[end:].strip():
        raise ValueError(f"extra data at character {end}")
    return value


def dumps(value: Any) -> str:
    """Compact JSON text, non-ASCII verbatim."""
    return orjson.dumps(value).decode()


def is_sound(data: bytes, value: Any) -> bool:
    """Whether `value`, read by orjson, says all that `data` says. TypeError where it can't be written.

    A value that writes back to the very same bytes hides nothing; that is nearly always so. Where
    the writer of `data` had other habits (spaces, escapes), what orjson bends is looked for.
    """
    dumped = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE if data.endswith(b"\n") else None)
    if dumped == data:
        return True
    if _keys(data) != _keys(dumped):
        return False
    return _LONG_RUN not in data.translate(_ZEROS)


def _keys(data: bytes) -> int:
    # Quotes before a colon, but for escaped ones: the same number for the same content.
    return data.count(b'":') - data.count(b'\\":')


def repair_text(data: bytes, span: Span | None, report: Report) -> str:
    """The text of a damaged piece of JSON: without NUL bytes and byte order mark, in valid Unicode."""
    if b"\0" in data:
        report.add(Code.NUL_BYTES, span, count=len(_NULS.findall(data)))
        data = data.replace(b"\0", b"")
    if data.startswith(_BOM):
        report.add(Code.BYTE_ORDER_MARK, span)
        data = data.removeprefix(_BOM)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
        report.add(Code.BAD_BYTES, span)
    if "\\ud" in text or "\\uD" in text:
        text, count = _without_lone_surrogates(text)
        if count:
            report.add(Code.LONE_SURROGATE, span, count=count)
    return text


def _without_lone_surrogates(text: str) -> tuple[str, int]:
    count = 0

    def mend(match: re.Match[str]) -> str:
        nonlocal count
        if match[1] is None:
            return match[0]
        count += 1
        return "\\ufffd"

    return _ESCAPE.sub(mend, text), count


class Decoder:
    """Decodes values out of a text one after the other. Repairs are reported where a value is taken."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._duplicates = self._big = self._not_finite = self._raw_controls = self._deep = 0
        self._strict = self._decoder(strict=True)

    def decode(self, start: int, span: Span | None, report: Report, take: Callable[[Any], bool] | None = None) -> Any:
        """The value at `start` and where it ends. Raises ValueError where there is none.

        Repairs are reported unless `take` says no to the value.
        """
        self._duplicates = self._big = self._not_finite = self._raw_controls = self._deep = 0
        start = _skip_space(self.text, start)
        value, end = self._value(start)
        if take is None or take(value):
            for code, count, what in (
                (Code.DUPLICATE_KEY, min(self._duplicates, 1), ""),
                (Code.BIG_NUMBER, self._big, "kept as text"),
                (Code.BIG_NUMBER, self._not_finite, "made null"),
                (Code.BAD_VALUE, self._raw_controls, "a string (raw control characters)"),
                (Code.DEEP_NESTING, self._deep, ""),
            ):
                if count:
                    report.add(code, span, what, count)
        return value, end

    def _value(self, start: int) -> tuple[Any, int]:
        try:
            value, end = self._scan(self.text, start)
            orjson.dumps(value)
        except (RecursionError, TypeError):
            flat, end = self._flattened(start)
            self._duplicates = self._big = self._not_finite = 0
            value, _ = self._scan(flat, 0)
        return value, end

    def _scan(self, text: str, start: int) -> tuple[Any, int]:
        try:
            return self._strict.raw_decode(text, start)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Invalid control character"):
                raise
        self._duplicates = self._big = self._not_finite = 0
        found: tuple[Any, int] = self._decoder(strict=False).raw_decode(text, start)
        self._raw_controls += 1
        return found

    def _decoder(self, *, strict: bool) -> json.JSONDecoder:
        return json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._int,
            parse_float=self._float,
            parse_constant=self._constant,
            strict=strict,
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        self._duplicates += len(pairs) - len(found)
        return found

    def _int(self, digits: str) -> Any:
        if len(digits) < 19:
            return int(digits)
        if len(digits) < 22 and -(2**63) <= (number := int(digits)) < 2**64:
            return number
        self._big += 1
        return digits

    def _float(self, digits: str) -> Any:
        number = float(digits)
        if math.isfinite(number):
            return number
        self._big += 1
        return digits

    def _constant(self, name: str) -> None:
        self._not_finite += 1

    def _flattened(self, start: int) -> tuple[str, int]:
        """The value at `start` with what is nested too deeply in it as strings of its text; and where it ends."""
        pieces: list[str] = []
        depth, copied, deep = 0, start, 0
        for token in _TOKEN.finditer(self.text, start):
            mark = token[0]
            if mark in "[{":
                depth += 1
                if depth == DEPTH + 1:
                    deep = token.start()
            elif mark in "]}":
                depth -= 1
                if depth == DEPTH:
                    pieces += (self.text[copied:deep], json.dumps(self.text[deep : token.end()]))
                    copied = token.end()
                    self._deep += 1
                elif depth <= 0:
                    pieces.append(self.text[copied : token.end()])
                    return "".join(pieces), token.end()
            elif mark == '"':
                break  # a string without an end
        raise ValueError("nested deeply, and without an end")


def _skip_space(text: str, start: int) -> int:
    while start < len(text) and text[start] in " \t\r\n":
        start += 1
    return start
