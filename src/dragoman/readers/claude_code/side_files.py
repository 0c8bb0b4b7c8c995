"""Files beside a transcript: big tool results, agents' meta files, runs of workflows.

A path that stands in a transcript is never opened. Only its last part is used, as a name in the
session's own folder.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path, PureWindowsPath
from typing import Any

from msgspec.structs import replace

from dragoman.errors import InputError
from dragoman.io.json import loads
from dragoman.io.source import open_regular
from dragoman.model import Event, Media, Span, Text, ToolResult, Unknown
from dragoman.readers.claude_code.fields import string
from dragoman.report import Code, Report

_PERSISTED = "<persisted-output>"
_SAVED_TO = re.compile(r"Full output saved to: ([^\n]{1,4096})")
_LIMIT = 64 << 20
"""Bytes that a side file is read up to."""


def read_small(path: Path, name: str, limit: int = _LIMIT) -> bytes | None:
    """A regular file's bytes, or None: no link, nothing bigger than `limit`."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None
        with open_regular(path, name) as file:
            return file.read(limit)
    except (OSError, ValueError, InputError):
        return None


def read_json(path: Path, name: str, report: Report) -> dict[str, Any] | None:
    """A side file that holds an object; None, with a word in the report, where it doesn't."""
    data = read_small(path, name)
    if data is None:
        report.add(Code.SIDE_FILE_UNREADABLE, Span(name, 0), "not a readable file")
        return None
    try:
        value = loads(data, Span(name, 0), report)
    except ValueError:
        value = None
    if type(value) is dict:
        return value
    report.add(Code.SIDE_FILE_UNREADABLE, Span(name, 0), "no JSON object in it")
    return None


class ToolResults:
    """The folder `<session>/tool-results/`, where results too large for a line were put since 2.1.2."""

    def __init__(self, folder: Path | None, report: Report) -> None:
        self._folder = folder
        self._report = report

    def wanted(self, result: ToolResult) -> bool:
        """Whether a result is only a preview of a file."""
        first = result.content[0] if result.content else None
        return type(first) is Text and first.text.startswith(_PERSISTED)

    def read_back(self, result: ToolResult, span: Span | None) -> ToolResult:
        """The result with the file's text in the preview's place, if the file is there."""
        first = result.content[0]
        assert isinstance(first, Text)
        name = self._name(first.text, result.structured)
        if name is None or self._folder is None:
            self._report.add(Code.SIDE_FILE_MISSING, span, "tool-results")
            return result
        path = self._folder / name
        try:
            there = stat.S_ISREG(path.lstat().st_mode) and not self._folder.is_symlink()
        except (OSError, ValueError):
            there = False
        if not there:
            self._report.add(Code.SIDE_FILE_MISSING, span, "tool-results")
            return result
        data = read_small(path, name)
        if data is None:
            self._report.add(Code.SIDE_FILE_UNREADABLE, span, "tool-results")
            return result
        block: Text | Media | Unknown
        if data.startswith(b"%PDF-"):
            import base64

            block = Media("application/pdf", data=base64.b64encode(data).decode(), name=name, extra={"persisted": name})
        else:
            text = data.decode(errors="replace")
            block = Text(text, extra={"persisted": name})
        return replace(result, content=(block, *result.content[1:]))

    @staticmethod
    def _name(text: str, structured: Any) -> str | None:
        """The last part of the path that the result names, if it is a plain name."""
        told = string(structured.get("persistedOutputPath")) if type(structured) is dict else ""
        if not told:
            match = _SAVED_TO.search(text, 0, 20_000)
            told = match[1].strip() if match else ""
        name = PureWindowsPath(told).name  # takes both kinds of slashes
        return name if name not in ("", ".", "..") and "\0" not in name and len(name.encode()) < 256 else None


def agent_meta(path: Path, name: str, report: Report) -> dict[str, Any]:
    """`agent-<id>.meta.json` (2.1.6x and later); nothing where it is missing or broken."""
    if not path.is_file():
        return {}
    return read_json(path, name, report) or {}


def title_beside(folder: Path, label: str, report: Report) -> Event | None:
    """`<session>/custom-title.json`, which some builds keep beside the transcript."""
    path = folder / "custom-title.json"
    if not path.is_file() or path.is_symlink():
        return None
    name = f"{label}/{path.name}"
    told = read_json(path, name, report)
    title = string(told.get("customTitle")) or string(told.get("title")) if told else ""
    return Event(kind="title", name="custom-title", text=title, data=told, span=Span(name, 0)) if title else None
