"""Prompts typed while the agent was working: the queue is replayed, so that none is lost.

Until 2.1.97 (and in some newest builds) such a prompt stands in `queue-operation` lines only.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque

from msgspec import Struct

from dragoman.model import Message, Span, Text
from dragoman.readers.claude_code.events import queued_words
from dragoman.readers.claude_code.fields import string
from dragoman.readers.claude_code.rows import Row

_NEAR = 10
"""A prompt may become a line so many rows after it left the queue."""

_REASON_SINCE = (2, 1, 246)
"""Since this version a `remove` without a reason is a deletion."""

_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")


class _Queued(Struct):
    words: str
    plain: str
    row: int
    human: bool
    waiting: bool = True


class _Queue:
    """First in, first out; entries can also leave by their text."""

    def __init__(self) -> None:
        self._all: deque[_Queued] = deque()
        self._humans: deque[_Queued] = deque()
        self._by_text: dict[str, deque[_Queued]] = {}

    def put(self, entry: _Queued) -> None:
        self._all.append(entry)
        if entry.human:
            self._humans.append(entry)
        self._by_text.setdefault(entry.plain, deque()).append(entry)

    def _pop(self, line: deque[_Queued] | None) -> _Queued | None:
        while line:
            entry = line.popleft()
            if entry.waiting:
                entry.waiting = False
                return entry
        return None

    def head(self) -> _Queued | None:
        return self._pop(self._all)

    def with_text(self, plain: str) -> _Queued | None:
        return self._pop(self._by_text.get(plain))

    def oldest_human(self) -> _Queued | None:
        return self._pop(self._humans) or self.head()

    def take_humans(self) -> list[_Queued]:
        taken = []
        while (entry := self._pop(self._humans)) is not None:
            taken.append(entry)
        return taken


def plain(words: str) -> str:
    """Words with their white space made equal."""
    return " ".join(words.split())


def replay(rows: list[Row], file: str, version: str) -> list[Message]:
    """Put prompts that stand nowhere else where they were delivered; return those that never were."""
    if not any(row.type == "queue-operation" for row in rows):
        return []
    said: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        if row.words:
            said.setdefault(plain(row.words), []).append(index)
    queue = _Queue()
    for index, row in enumerate(rows):
        if row.record is None or row.type != "queue-operation":
            if row.words and row.type in ("user", "attachment"):
                queue.with_text(plain(row.words))
            continue
        operation, content = row.record.get("operation"), row.record.get("content")
        if operation == "enqueue":
            words = queued_words(content)
            queue.put(_Queued(words, plain(words), index, _is_human(words)))
        elif operation == "dequeue":
            queue.head()
        elif operation == "popAll":
            queue.take_humans()
        elif operation == "remove":
            taken = _removed(queue, content)
            if taken is None or not taken.human:
                continue
            if _was_sent(row, version) and not _stands(said.get(taken.plain), taken.row, index + _NEAR):
                row.after = (*row.after, _message(row, taken, file))
    return [
        Message(
            role="user",
            origin="unsent_prompt",
            blocks=(Text(entry.words),),
            time=rows[entry.row].time,
            span=Span(file, rows[entry.row].line),
        )
        for entry in queue.take_humans()
    ]


def _is_human(words: str) -> bool:
    start = words.lstrip()[:30]
    return bool(start) and not start.startswith(
        ("{", "[{", "<task-notification", "<system-reminder", "<teammate-message")
    )


def _removed(queue: _Queue, content: object) -> _Queued | None:
    if content is not None:
        words = queued_words(content)
        if words:
            entry = queue.with_text(plain(words))
            return entry or _Queued(words, plain(words), 0, _is_human(words))
    return queue.oldest_human()


def _was_sent(row: Row, version: str) -> bool:
    """Whether a `remove` means that the agent got the prompt, not that the person deleted it."""
    assert row.record is not None
    reason = string(row.record.get("reason"))
    if reason:
        return reason == "absorbed_mid_turn"
    numbers = _VERSION.match(version)
    return numbers is None or tuple(map(int, numbers.groups())) < _REASON_SINCE


def _stands(places: list[int] | None, start: int, end: int) -> bool:
    if not places:
        return False
    at = bisect_left(places, start)
    return at < len(places) and places[at] <= end


def _message(row: Row, entry: _Queued, file: str) -> Message:
    assert row.record is not None
    extra = {"type": "queue-operation"}
    if command := string(row.record.get("commandUuid")):
        extra["command_uuid"] = command
    return Message(
        role="user",
        origin="slash_command" if entry.words.lstrip().startswith("/") else "queued_prompt",
        blocks=(Text(entry.words),),
        time=row.time,
        span=Span(file, row.line),
        extra=extra,
    )
