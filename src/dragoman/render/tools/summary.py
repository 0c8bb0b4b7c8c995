"""A call on one line: `Bash  pytest -q  · 3 failed · 12 s`. Reads only heads and tails, never whole results."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from msgspec import Struct

from dragoman.model import Subagent
from dragoman.render import ansi, diffs, text
from dragoman.render.tools import views
from dragoman.render.tools.generic import mcp
from dragoman.render.tools.view import view
from dragoman.render.turns import Call

Tone: TypeAlias = Literal["ok", "failed", "rejected", "interrupted", "missing"]

_TESTS = re.compile(r"(\d{1,9}) (failed|failing|errors?|passed|passing|failures?|skipped)\b")
_TAIL = 300
_SHORT_MS = 1000
"""Calls quicker than this say nothing of their time."""


class Summary(Struct, frozen=True, gc=False):
    """`name`: what was used. `detail`: on what. `facts`: how it went. Each is one line, untrusted, visible forms."""

    name: str
    detail: str
    facts: tuple[str, ...]
    tone: Tone

    def names(self, agent: Subagent) -> bool:
        """Whether the line says already who the agent is: below it, that is no news."""
        name = text.one_line(agent.description or agent.kind)
        return bool(name) and name in self.detail

    def __str__(self) -> str:
        return " · ".join(each for each in (f"{self.name}  {self.detail}".strip(), *self.facts) if each)


def summary(call: Call, shown: views.View | None = None) -> Summary:
    """The line of a call. Give its view if it is at hand already."""
    shown = view(call) if shown is None else shown
    name = call.name
    detail, facts = _detail(shown, call)
    if isinstance(shown, views.Generic) and shown.server:
        name = f"{shown.server}: {mcp(name)[1]}"
    result = call.result
    told = facts
    outcome = call.outcome
    if outcome == "failed" and not any(each.startswith(("exit ", "failed")) or " failed" in each for each in told):
        told.append("failed")
    elif outcome == "rejected":
        told.append("rejected")
    elif outcome == "interrupted":
        told.append("interrupted")
    elif outcome == "missing" or result is None:
        told.append("no result")
    elapsed = call.duration_ms
    if elapsed is not None and elapsed >= _SHORT_MS:
        told.append(text.duration(elapsed))
    tone: Tone = "missing" if result is None else outcome
    return Summary(text.one_line(name, 80) or "(unnamed tool)", detail, tuple(told), tone)


def _detail(shown: views.View, call: Call) -> tuple[str, list[str]]:
    """What the call was about and how it went."""
    line = text.one_line
    match shown:
        case views.Terminal():
            facts = _tests(shown.stdout) or _tests(shown.stderr)
            if shown.exit_code and not facts:
                facts = [f"exit {shown.exit_code}"]
            if shown.background:
                facts.append("in the background")
            return line(shown.command or shown.background), facts
        case views.FileRead():
            facts = []
            if lines := shown.lines:
                facts.append(_lines(shown, lines))
            elif shown.unchanged:
                facts.append("unchanged")
            return line(shown.path), facts
        case views.FileEdit():
            plus, minus = diffs.counts(shown.hunks)
            if shown.whole:
                return line(shown.path), [text.count(plus, "line")]
            return line(shown.path), [f"+{plus} −{minus}"]
        case views.Search():
            found = [] if shown.found is None else [text.count(shown.found, shown.unit, _PLURALS.get(shown.unit, ""))]
            where = (
                f"{shown.pattern} in {shown.where}" if shown.pattern and shown.where else shown.pattern or shown.where
            )
            return line(where), found
        case views.Todos():
            if len(shown.items) == 1:
                only = shown.items[0]
                return line(only.text), [line(only.status.replace("_", " "), 40)] if only.status else []
            done = sum(1 for item in shown.items if item.status in ("completed", "done"))
            return "", [f"{done} of {len(shown.items)} done"]
        case views.Questions():
            first = shown.questions[0]
            more = [f"{len(shown.questions)} questions"] if len(shown.questions) > 1 else []
            return line(first.question), [*([line(first.answer, 60)] if first.answer and not more else []), *more]
        case views.Plan():
            ok = call.outcome == "ok" and call.result is not None
            return text.unmarked(shown.plan, 80), ["accepted"] if ok else []
        case views.WebSearch():
            return line(shown.query), [text.count(len(shown.hits), "hit")] if shown.hits else []
        case views.WebFetch():
            failed = [f"HTTP {shown.status}"] if shown.status and shown.status >= 400 else []
            return line(shown.url), failed
        case views.Notebook():
            return line(f"{shown.path} {shown.cell}".strip()), [line(shown.mode, 40)] if shown.mode != "replace" else []
        case views.Agent():
            facts = [text.count(shown.tool_uses, "tool call")] if shown.tool_uses else []
            if shown.tokens:
                facts.append(f"{text.short_number(shown.tokens)} tokens")
            if shown.status == views.IN_BACKGROUND:
                facts.append("in the background")
            what = (
                f"{shown.kind}: {shown.description}"
                if shown.kind and shown.description
                else shown.kind or shown.description
            )
            return line(what or shown.prompt), facts
        case views.Skill():
            return line(f"{shown.skill} {shown.arguments}".strip()), []
        case views.MessageToHuman():
            return line(shown.text, 80), [f"to {line(shown.to, 60)}"] if shown.to else []
        case views.Generic():
            return _generic(shown), []


def _lines(shown: views.FileRead, lines: int) -> str:
    """Which lines of a file were read."""
    first, last, total = shown.first, shown.last, shown.total
    of = f" of {text.number(total)}" if total is not None else ""
    if first and last - first + 1 > lines:
        return f"{text.count(lines, 'line')}{of}" if of else f"{text.count(lines, 'line')} between {first} and {last}"
    if first > 1 or (first and total is not None and last < total):
        return f"lines {first}–{last}{of}"
    return text.count(lines, "line")


_PLURALS = {"match": "matches", "entry": "entries"}
_TELLING = ("query", "path", "file_path", "url", "command", "name", "title", "description", "id", "prompt", "message")


def _generic(shown: views.Generic) -> str:
    """The most telling argument."""
    for key in _TELLING:
        value = shown.arguments.get(key)
        if isinstance(value, str) and value.strip():
            return text.one_line(value)
    for value in shown.arguments.values():
        if isinstance(value, str) and value.strip():
            return text.one_line(value)
    return text.one_line(shown.raw)


def _tests(output: str) -> list[str]:
    """What a test runner says at the end of its output: failures first, else what passed."""
    tail = output[-_TAIL:]
    if _TESTS.search(tail) is None:
        return []
    tail = ansi.strip(tail)
    found: dict[str, int] = {}
    for match in _TESTS.finditer(tail):
        found[match[2]] = int(match[1])  # the last mention of a word is the total
    bad = [f"{n} {word}" for word, n in found.items() if n and word not in ("passed", "passing", "skipped")]
    if bad:
        return bad[:2]
    return [f"{n} {word}" for word, n in found.items() if n and word in ("passed", "passing")][:1]
