"""How likely some bytes are a Claude Code session, from what stands in the first records."""

from __future__ import annotations

import re
from typing import Any

import orjson

from dragoman.readers.claude_code.fields import string
from dragoman.readers.claude_code.vocabulary import RECORD_KINDS

_LINES = 20
_NEUTRAL = re.compile(rb'\s*\{\s*"dragoman"\s*:\s*\{')
"""Dragoman's own JSON, which keeps records of Claude Code within."""
_TYPED = re.compile(rb'"type"\s{0,9}:\s{0,9}"(?:user|assistant)"')


def likeness(head: bytes) -> float:
    """0.0 (no) to 1.0 (certainly)."""
    if _NEUTRAL.match(head.removeprefix(b"\xef\xbb\xbf")):
        return 0.0
    best = 0.0
    whole = True
    for line in head.split(b"\n", _LINES)[:_LINES]:
        line = line.strip(b"\x00\r\t \xef\xbb\xbf")
        if not line:
            continue
        try:
            value = orjson.loads(line)
        except ValueError:
            best = max(best, _from_marks(line))
            continue
        whole = whole and type(value) not in (dict, list)
        best = max(best, _of(value))
        if best >= 0.95:
            break
    if best < 0.5 and whole and head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"[", b"{"):
        best = max(best, _from_marks(head))
    return best


def _of(value: Any, depth: int = 0) -> float:
    if type(value) is list:
        return max((_of(each, depth + 1) for each in value[:5]), default=0.0) if depth < 3 else 0.0
    if type(value) is not dict:
        return 0.0
    kind = string(value.get("type"))
    if kind in ("user", "assistant", "system", "attachment", "progress"):
        if "sessionId" in value and ("parentUuid" in value or "uuid" in value):
            return 1.0
        if "session_id" in value and ("uuid" in value or "parent_tool_use_id" in value or "subtype" in value):
            return 0.97
        message = value.get("message")
        if type(message) is dict and "content" in message:
            return 0.9 if "uuid" in value or "timestamp" in value or "parentUuid" in value else 0.7
        return 0.4 if "uuid" in value or "timestamp" in value or "message" in value else 0.0
    if kind == "result" and "session_id" in value:
        return 0.95
    if kind in RECORD_KINDS and ("sessionId" in value or "session_id" in value):
        return 0.9
    if kind == "summary" and "leafUuid" in value:
        return 0.9
    if kind == "file-history-snapshot":
        return 0.9
    if kind in RECORD_KINDS and "-" in kind:
        return 0.6
    for name in ("loglines", "data"):
        if type(value.get(name)) is list:
            return _of(value[name], 1)
    return 0.0


def _from_marks(head: bytes) -> float:
    """For what is cut at the end of the head, or damaged, or one document over many lines."""
    if b'"parentUuid"' in head and b'"sessionId"' in head:
        return 0.95
    if b'"loglines"' in head[:4096]:
        return 0.9
    if b'"session_id"' in head and (b'"parent_tool_use_id"' in head or b'"subtype"' in head):
        return 0.9
    if b'"toolUseResult"' in head or (b'"uuid"' in head and b'"message"' in head and b'"type"' in head):
        return 0.8
    if _TYPED.search(head) and b'"message"' in head and b'"role"' in head:
        return 0.7
    return 0.0
