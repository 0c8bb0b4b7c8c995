"""Reads Chat Completions messages, however they are wrapped.

A JSON array of messages; an object with `messages` (a request's body, a line of fine-tuning data); a
response's body with `choices`; a log entry with `request` and `response`; arrays of any of these; and
JSON Lines of them. Bare messages, one a line, are one conversation together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from dragoman.errors import InputError
from dragoman.io import json
from dragoman.io.jsonl import JsonLines, recover
from dragoman.io.source import Source
from dragoman.model import Session, Span
from dragoman.readers.openai.conversation import Conversation
from dragoman.readers.protocol import NoOptions
from dragoman.report import Code, Report

_ROLE = re.compile(rb'"role"\s*:\s*"(?:system|developer|user|assistant|tool|function)"')
_BEGINS = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*(?:(?P<array>\[)\s*\[?\s*)?\{\s*"(?P<key>role|content|messages|model|tools|id|object|request)"\s*:'
)
_OTHERS = re.compile(
    rb'"(?:parentUuid|sessionId|session_id|uuid|isSidechain|loglines)"\s*:|"type"\s*:\s*"(?:msg|message|meta)"|"dragoman"\s*:'
)
_RESPONSE = re.compile(rb'"object"\s*:\s*"chat\.completion"')


class OpenAIReader:
    """Chat Completions messages, requests and responses."""

    name = "openai"
    description = "OpenAI Chat Completions messages: an array, JSON Lines, or request and response bodies"
    suffixes = (".json", ".jsonl")
    options = NoOptions

    def sniff(self, head: bytes, name: str) -> float:
        begins = _BEGINS.match(head)
        if begins is None or not _ROLE.search(head):
            return 0.0
        if _RESPONSE.search(head[:2_000]):
            return 0.9
        if _OTHERS.search(head):
            return 0.1
        if begins["key"] == b"messages":
            return 0.9
        return 0.8 if begins["key"] in (b"role", b"content") or b'"messages"' in head else 0.3

    def read(self, source: Source, options: Any, report: Report) -> Iterator[Session]:
        if source.is_folder:
            raise InputError(f"{source.name}: a folder; name the files of messages in it")
        yield from _Reading(source, report).sessions()


class _Reading:
    """One file's conversations: a document, or JSON Lines, told apart by whether the first line stands alone."""

    def __init__(self, source: Source, report: Report) -> None:
        self.source = source
        self.report = report
        self.records = JsonLines(source.path, source.name, report)
        self.bare: Conversation | None = None
        """Messages that stood on lines of their own."""
        self.strays: list[tuple[Any, Span]] = []
        """What stood before them and is no message."""

    def sessions(self) -> Iterator[Session]:
        """Every conversation. InputError where there is nothing to read."""
        lines = self.records.raw_lines()
        number, line = next(lines, (0, b""))
        problem = ""
        found = 0
        if number:
            span = Span(self.source.name, number)
            try:
                value = json.loads(line, span, scratch := Report())
            except (ValueError, RecursionError) as error:
                problem = self._said(error, number)
                whole = self._whole()
                values: Iterator[tuple[Any, Span]] = (
                    iter(whole) if whole else self._values(chain([(number, line)], lines))
                )
            else:
                self.report.merge(scratch)
                values = chain([(value, span)], self._values(lines))
            for value, span in values:
                for session in self._line(value, span):
                    found += 1
                    yield session
            for session in self._end_of_bare():
                found += 1
                yield session
        for _, span in self.strays:
            self.report.add(Code.LINE_NOT_OBJECT, span, "no messages in it")
        if problem and not found:
            raise InputError(problem)
        if not found:
            self.report.add(Code.EMPTY, Span(self.source.name, 0))

    def _said(self, error: Exception, number: int) -> str:
        line = number - 1 + int(getattr(error, "lineno", 1))
        reason = " ".join((getattr(error, "msg", "") or str(error)).split())[:200]
        return f"{self.source.name}:{line}: no messages could be read: not JSON ({reason})"

    def _whole(self) -> list[tuple[Any, Span]]:
        """The file as one document over several lines; nothing where it isn't one."""
        data = self.source.read()
        if data.count(b"\n") < 2:
            return []
        span = Span(self.source.name, 0)
        try:
            value = json.loads(data, span, scratch := Report())
        except (ValueError, RecursionError):
            return []
        self.report.merge(scratch)
        return [(value, span)]

    def _values(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[Any, Span]]:
        for number, line in lines:
            span = Span(self.source.name, number)
            try:
                value = json.loads(line, span, scratch := Report())
            except (ValueError, RecursionError):
                for record in recover(line, span, self.report, _is_any):
                    yield record, span
            else:
                self.report.merge(scratch)
                yield value, span

    def _line(self, value: Any, span: Span) -> Iterator[Session]:
        if isinstance(value, dict) and _is_message(value):
            if self.bare is None:
                self.bare = Conversation(self.report)
            for each, its_span in self.strays:
                self.bare.message(each, its_span)
            self.strays.clear()
            self.bare.message(value, span)
            return
        if not _is_conversation(value):
            if self.bare is None:
                self.strays.append((value, span))
            else:
                self.bare.message(value, span)
            return
        yield from self._end_of_bare()
        yield from self._sessions(value, span)

    def _end_of_bare(self) -> Iterator[Session]:
        if self.bare is not None:
            yield self.bare.session(self.source.name)
            self.bare = None

    def _sessions(self, value: Any, span: Span) -> Iterator[Session]:
        """The conversations of one JSON value."""
        if isinstance(value, list):
            if any(isinstance(each, dict) and _is_message(each) for each in value) or not any(
                _is_conversation(each) for each in value
            ):
                if value:
                    yield self._one(value, span)
                return
            for each in value:
                yield from self._sessions(each, span)
            return
        if isinstance(value, dict) and _is_message(value):
            yield self._one([value], span)
        elif _is_conversation(value):
            conversation = Conversation(self.report)
            conversation.body(value, span)
            yield conversation.session(self.source.name)
        else:
            self.report.add(Code.LINE_NOT_OBJECT, span, "no messages in it")

    def _one(self, messages: list[Any], span: Span) -> Session:
        conversation = Conversation(self.report)
        for message in messages:
            conversation.message(message, span)
        return conversation.session(self.source.name)


def _is_any(value: dict[str, Any]) -> bool:
    return _is_message(value) or _is_conversation(value)


def _is_message(value: dict[str, Any]) -> bool:
    return isinstance(value.get("role"), str)


def _is_conversation(value: Any) -> bool:
    if isinstance(value, list):
        return True
    return isinstance(value, dict) and (
        isinstance(value.get("messages"), list)
        or isinstance(value.get("choices"), list)
        or any(
            isinstance(value.get(key), dict) and _is_conversation(value[key]) for key in ("request", "response", "body")
        )
    )


reader = OpenAIReader()
