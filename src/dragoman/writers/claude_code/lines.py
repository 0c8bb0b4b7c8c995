"""A session's entries as Claude Code's lines: one chain of parents, a line a message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

import orjson

from dragoman.io import json
from dragoman.io.clm import CONTEXT_PREFIX
from dragoman.model import Block, Event, Media, Message, Reasoning, Session, Span, Text, ToolCall, ToolResult, Unknown
from dragoman.report import Code, Report
from dragoman.writers.claude_code.marks import FIELD, Marks

VERSION = "2.1.285"
"""The build whose layout the lines have."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_META = frozenset({"injected", "instructions", "command_output", "result"})
"""Origins that Claude Code marks as not a person's words."""


LATEST = datetime.max.replace(tzinfo=UTC) - timedelta(days=1)
"""Beyond it a clock can't go on."""


class Transcript:
    """The lines of one file. Iterate over `lines()` once."""

    def __init__(
        self, session: Session, own: UUID, cwd: str, report: Report, *, branches: bool, agent_id: str = ""
    ) -> None:
        self._session = session
        self._own = own
        self._cwd = cwd
        self._report = report
        self._branches = branches
        self._agent_id = agent_id
        self._space = uuid5(own, agent_id) if agent_id else own
        self._marks = Marks(session)
        self._number = 0
        self._parent: str | None = None
        self._clock = session.header.started or datetime.fromtimestamp(0, UTC)
        self._ids: dict[str, str] = {}  # a call's id in the session: its id here, of the latest call
        self._used: set[str] = set()
        self._answered: set[str] = set()
        self._called: dict[str, str] = {}  # a call's id here: the uuid of its line
        self._model = next((m for m in session.header.models if m and not m.startswith("<")), "unknown")

    def lines(self) -> Iterator[bytes]:
        """Every line, without its newline."""
        if not self._agent_id or self._marks.head is not None:
            yield self._mode(self._marks.head)
        for entry in self._session.entries:
            if isinstance(entry, Event):
                mark = self._marks.event()
                if mark is not None:
                    yield self._mode(mark)
                else:
                    self._report.add(Code.DROPPED_EVENT, entry.span, entry.kind)
                continue
            if entry.branch and not self._branches:
                self._report.add(Code.DROPPED_BRANCH, entry.span)
                continue
            yield from self._message(entry)
        if self._session.header.title and not self._agent_id:
            yield _dump(
                {"type": "custom-title", "customTitle": self._session.header.title, "sessionId": str(self._own)}
            )

    def _mode(self, mark: dict[str, Any] | None) -> bytes:
        record: dict[str, Any] = {"type": "mode", "mode": "normal", "sessionId": str(self._own)}
        if self._agent_id:
            record |= {"isSidechain": True, "agentId": self._agent_id}
        if mark is not None:
            record[FIELD] = mark
        return _dump(record)

    def _message(self, message: Message) -> Iterator[bytes]:
        blocks = [block for block in message.blocks if (block.status or message.status) == "live"]
        if len(blocks) < len(message.blocks) or (message.status != "live" and not blocks):
            self._report.add(Code.DROPPED_RETRACTED, message.span, count=max(1, len(message.blocks) - len(blocks)))
            if not blocks:
                return
        if message.role == "assistant":
            yield self._assistant(message, blocks)
            return
        results = [block for block in blocks if isinstance(block, ToolResult)]
        others: list[Block] = [block for block in blocks if not isinstance(block, ToolResult)]
        if results:
            yield self._results(message, results)
        if others or not results:
            yield self._user(message, others, marked=not results)

    def _assistant(self, message: Message, blocks: list[Block]) -> bytes:
        uuid = self._next_uuid()
        content, call_ids = [], []
        for block in blocks:
            if isinstance(block, ToolCall):
                call_ids.append(self._call_id(block, uuid))
            content.append(self._block(block, message.span))
        record = self._envelope("assistant", message, uuid)
        record["message"] = {
            "model": message.model or self._model,
            "id": message.id or f"msg_{uuid5(self._space, f'message {self._number}').hex[:24]}",
            "type": "message",
            "role": "assistant",
            "content": content,
            "stop_reason": message.stop_reason or ("tool_use" if call_ids else "end_turn"),
            "stop_sequence": None,
            "usage": _usage(message),
        }
        if message.request_id:
            record["requestId"] = message.request_id
        if message.origin == "synthetic_error":
            record["message"]["model"] = "<synthetic>"
            record["isApiErrorMessage"] = True
        return self._marked(record, message, call_ids)

    def _results(self, message: Message, results: list[ToolResult]) -> bytes:
        uuid = self._next_uuid()
        content = []
        for result in results:
            block: dict[str, Any] = {
                "type": "tool_result",
                "tool_use_id": self._answered_id(result),
            }
            if len(result.content) == 1 and isinstance(result.content[0], Text):
                block["content"] = result.content[0].text
            elif result.content:
                block["content"] = [self._block(part, message.span) for part in result.content]
            if result.error != "unsaid":
                block["is_error"] = result.error == "yes"
            content.append(block)
        record = self._envelope("user", message, uuid)
        record["message"] = {"role": "user", "content": content}
        if len(results) == 1 and results[0].structured is not None:
            record["toolUseResult"] = results[0].structured
        ids = [str(block["tool_use_id"]) for block in content]
        if ids[0] in self._called:
            record["sourceToolAssistantUUID"] = self._called[ids[0]]
        return self._marked(record, message, ids)

    def _user(self, message: Message, blocks: list[Block], *, marked: bool) -> bytes:
        record = self._envelope("user", message, self._next_uuid())
        content: Any = [self._block(block, message.span) for block in blocks]
        if len(blocks) == 1 and isinstance(blocks[0], Text):
            content = blocks[0].text
            hidden = content.startswith(CONTEXT_PREFIX)
        else:
            hidden = False
        if message.origin == "compaction_summary":
            record["isCompactSummary"] = True
        elif hidden or message.origin in _META or message.role in ("system", "tool"):
            record["isMeta"] = True
        record["message"] = {"role": "user", "content": content}
        return self._marked(record, message, []) if marked else _dump(record)

    def _marked(self, record: dict[str, Any], message: Message, call_ids: list[str]) -> bytes:
        mark = self._marks.message(message, call_ids)
        if mark is not None:
            record[FIELD] = mark
        elif message.extra:
            self._report.add(Code.DROPPED_FIELD, message.span, "extra")
        return _dump(record)

    def _next_uuid(self) -> str:
        self._number += 1
        return str(uuid5(self._space, str(self._number)))

    def _envelope(self, kind: str, message: Message, uuid: str) -> dict[str, Any]:
        if message.time is not None:
            self._clock = message.time
        else:
            self._clock = min(self._clock, LATEST) + timedelta(seconds=1)
        record: dict[str, Any] = {
            "parentUuid": self._parent,
            "isSidechain": bool(self._agent_id),
            "userType": "external",
            "cwd": self._cwd,
            "sessionId": str(self._own),
            "version": VERSION,
            "gitBranch": self._session.header.git_branch,
        }
        if self._agent_id:
            record["agentId"] = self._agent_id
        record["type"] = kind
        record["uuid"] = uuid
        record["timestamp"] = _timestamp(self._clock)
        self._parent = uuid
        return record

    def _call_id(self, call: ToolCall, uuid: str) -> str:
        """An id that no other call of the session has: Claude Code takes the same one for the same call."""
        own = call.id
        if not own or own in self._used:
            own = f"toolu_{uuid5(self._space, f'call {len(self._used)}').hex[:24]}"
            self._report.add(Code.RENAMED_ID, call.span, "a call's id")
        self._used.add(own)
        self._ids[call.id] = own
        self._called[own] = uuid
        return own

    def _answered_id(self, result: ToolResult) -> str:
        """The id of the call that a result answers; for a second answer to it one that no call has."""
        own = self._ids.get(result.call_id, result.call_id)
        if not own or own in self._answered:
            own = f"toolu_{uuid5(self._space, f'result {len(self._answered)}').hex[:24]}"
            self._report.add(Code.RENAMED_ID, result.span, "a result's id")
        self._answered.add(own)
        return own

    def _block(self, block: Block, span: Span | None) -> Any:
        match block:
            case Text():
                return {"type": "text", "text": block.text}
            case Reasoning():
                if block.extra.get("redacted"):
                    return {"type": "redacted_thinking", "data": block.signature}
                return {"type": "thinking", "thinking": block.text, "signature": block.signature}
            case ToolCall():
                kind = "server_tool_use" if block.server else "tool_use"
                return {
                    "type": kind,
                    "id": self._ids.get(block.id, block.id),
                    "name": block.name,
                    "input": _input(block),
                }
            case Media():
                return self._media(block, span)
            case Unknown():
                if isinstance(block.value, dict) and isinstance(block.value.get("type"), str):
                    return block.value
                self._report.add(Code.DROPPED_BLOCK, span, "unknown block")
                return {"type": "text", "text": f"[{block.kind}]"}
            case ToolResult():  # of the provider's own tools, in the reply itself
                kind = block.extra.get("type", "web_search_tool_result")
                call_id = self._ids.get(block.call_id, block.call_id)
                content = block.structured
                if content is None:
                    content = [self._block(part, span) for part in block.content]
                return {"type": kind, "tool_use_id": call_id, "content": content}

    def _media(self, media: Media, span: Span | None) -> dict[str, Any]:
        kind = "image" if media.media_type.startswith("image/") else "document"
        if media.data:
            source = {"type": "base64", "media_type": media.media_type, "data": media.data}
        elif media.url:
            source = {"type": "url", "url": media.url}
        else:
            self._report.add(Code.DROPPED_MEDIA, span, "only a reference to it")
            return {"type": "text", "text": f"[{kind}: {media.name or media.media_type}]"}
        return {"type": kind, "source": source}


def _input(call: ToolCall) -> Any:
    try:
        value = json.loads(call.arguments.encode("utf-8", "replace"), None, Report())
    except ValueError:
        return {"__unparsedToolInput": call.arguments}
    return value if isinstance(value, dict) else {"__unparsedToolInput": call.arguments}


def _usage(message: Message) -> dict[str, Any]:
    usage = message.usage
    if usage is None:
        return {"input_tokens": 0, "output_tokens": 0}
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write_5m + usage.cache_write_1h,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write_5m,
            "ephemeral_1h_input_tokens": usage.cache_write_1h,
        },
    }


def _timestamp(time: datetime) -> str:
    try:
        time = time.astimezone(UTC)
    except (OverflowError, ValueError):
        time = datetime.fromtimestamp(0, UTC)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def without_surrogates(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def _dump(record: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(record)
    except TypeError:  # lone surrogates, deep or odd values of a program's making
        return orjson.dumps(_mended(record, 0))


def _mended(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if depth > 200:
        return "…"
    if isinstance(value, dict):
        return {without_surrogates(str(key)): _mended(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(each, depth + 1) for each in value]
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and -(2**63) <= value < 2**64):
        return value
    return without_surrogates(str(value))
