"""Tool calls as providers take them: names and ids of allowed characters, ids once, arguments an object."""

from __future__ import annotations

import re
from typing import Any

import orjson

from dragoman.io import json
from dragoman.io.clm import TOOL_NAME
from dragoman.model import Span, ToolCall
from dragoman.report import Code, Report

_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]")
_LONG_NUMBER = re.compile(r"\d{4000}")
_LENGTH = 64
_NESTING = 900
"""cJSON refuses what is nested deeper than 1,000."""


class Calls:
    """The names and ids of one session, each mapped the same way throughout."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._names: dict[str, str] = {}
        self._taken_names: set[str] = set()
        self._ids: set[str] = set()
        self._numbers: dict[str, int] = {}  # the last number put behind a wanted word

    def name(self, name: str, span: Span | None) -> str:
        """The tool's name; two names that differ stay two."""
        mapped = self._names.get(name)
        if mapped is None:
            mapped = self._free(_NOT_ALLOWED.sub("_", name)[:_LENGTH] or "unnamed", self._taken_names)
            self._names[name] = mapped
            self._taken_names.add(mapped)
        if mapped != name:
            self._report.add(Code.RENAMED_TOOL, span)
        return mapped

    def id(self, call_id: str, span: Span | None) -> str:
        """An id for a new call: its own where it is free and allowed."""
        mapped = call_id
        if call_id in self._ids or not TOOL_NAME.fullmatch(call_id):
            mapped = self._free(_NOT_ALLOWED.sub("_", call_id)[:_LENGTH] or "call", self._ids)
            what = "a call's id that stood twice" if mapped[: len(call_id)] == call_id != "" else "a call's id"
            self._report.add(Code.RENAMED_ID, span, what)
        self._ids.add(mapped)
        return mapped

    def arguments(self, call: ToolCall, span: Span | None) -> str:
        """The arguments as they stood where they are an object that cJSON can read, else mended or wrapped."""
        text = call.arguments
        if text == "{}":
            return text
        risky = "\\u0000" in text or (len(text) > 4000 and _LONG_NUMBER.search(text) is not None) or _deep(text)
        if not risky:
            try:
                if type(orjson.loads(text)) is dict:
                    return text
            except ValueError:
                pass
        return self._mended(text, span)

    def _mended(self, text: str, span: Span | None) -> str:
        repairs = Report()
        try:
            value = json.loads(text.encode("utf-8", "surrogatepass"), span, repairs)
        except ValueError:
            value = {"text": text} if text.strip() else {}
            self._report.add(Code.BAD_ARGUMENTS, span)
        else:
            if not isinstance(value, dict):
                value = {"value": value} if value is not None else {}
                self._report.add(Code.BAD_ARGUMENTS, span)
        self._report.merge(repairs)
        value, count = _without_nul(value)
        if not count and not repairs.findings and type(value) is dict and _sound(text):
            return text
        if count:
            self._report.add(Code.CONTROL_CHARACTERS, span, "NUL", count)
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode("utf-8", "replace")

    def _free(self, wanted: str, taken: set[str]) -> str:
        """`wanted`, or with a number behind it, cut so that it fits."""
        found = wanted
        while found in taken:
            number = self._numbers.get(wanted, 1) + 1
            self._numbers[wanted] = number
            tail = f"_{number}"
            found = wanted[: _LENGTH - len(tail)] + tail
        return found


def _sound(text: str) -> bool:
    if _deep(text):
        return False
    try:
        return type(orjson.loads(text)) is dict
    except ValueError:
        return False


def _deep(text: str) -> bool:
    return text.count("[") + text.count("{") > _NESTING


def _without_nul(value: Any) -> tuple[Any, int]:
    if isinstance(value, str):
        return value.replace("\0", "\ufffd"), value.count("\0")
    if isinstance(value, list):
        pairs = [_without_nul(each) for each in value]
        return [each for each, _ in pairs], sum(n for _, n in pairs)
    if isinstance(value, dict):
        total, changed = 0, {}
        for key, each in value.items():
            mended, n = _without_nul(each)
            changed[key.replace("\0", "\ufffd")] = mended
            total += n + key.count("\0")
        return changed, total
    return value, 0
