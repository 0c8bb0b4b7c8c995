"""A tool's call on the page: one quiet line, and below it what the call did, in the form that fits."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import orjson
from msgspec.structs import replace

from dragoman.model import Media, Text, Unknown
from dragoman.render import text
from dragoman.render.tools import Summary, View, views
from dragoman.render.turns import Answer, Call, Step
from dragoman.report import Code
from dragoman.writers.pdf.blocks import Setter, directed, direction, inline
from dragoman.writers.pdf.pictures import picture
from dragoman.writers.pdf.shorten import OUTPUT, QUIET, WHOLE, Rule

Pieces = Iterator[tuple[str, float]]
"""HTML and its height in lines."""

COMMAND_ON_LINE = 100
"""A command up to this long is shown in the call's line only."""


def call(setter: Setter, made: Call, shown: View, line: Summary, depth: int) -> Pieces:
    """The line of a call and everything in it, but what its agents did."""
    setter.report.at = made.message.span
    for name in shown.left_out:
        setter.report.add(Code.DROPPED_FIELD, made.message.span, name)
    if made.result is not None and made.result.structured is not None and not shown.structured_shown:
        setter.report.add(Code.DROPPED_STRUCTURED, made.message.span)
    bad = line.tone in ("failed", "rejected", "interrupted")
    yield heading(_once(line, shown), made.anchor, bad), 1.5
    tasks = made.tasks
    told = bool(tasks) and (not isinstance(shown, views.MessageToHuman) or shown.text.strip() in tasks)
    yield from _form(setter, shown, depth, told)
    if shown.feedback and not (isinstance(shown, views.Questions) and shown.answers_are_all):
        yield from _said(setter, shown.feedback, depth)
    for media in shown.media:
        yield medium(setter, media)
    for block in shown.unknown:
        yield from unknown(setter, block, depth)
    if shown.more:
        yield from facts(setter, shown.more, depth)
    if shown.rest:
        yield from setter.terminal(shown.rest, depth, OUTPUT, "out bad" if shown.rest_is_error else "out")
    for reminder in shown.reminders:
        yield label("Reminder for the model"), 1.0
        yield from setter.terminal(reminder, depth, QUIET, "out faint")


def _once(line: Summary, shown: View) -> Summary:
    """The line without what stands whole below it."""
    if isinstance(shown, views.MessageToHuman | views.Generic):
        return replace(line, detail="")
    if isinstance(shown, views.Questions):
        answers = {text.one_line(question.answer, 60) for question in shown.questions}
        return replace(line, detail="", facts=tuple(fact for fact in line.facts if fact not in answers))
    return line


def heading(line: Summary, anchor: str, bad: bool) -> str:
    """The one line: name, what it was about, how it went."""
    detail = f' <code dir="{direction(line.detail)}">{escape(line.detail)}</code>' if line.detail else ""
    told = " · ".join(escape(each) for each in line.facts)
    facts_ = f' <span class="facts">· {told}</span>' if told else ""
    return f'<p class="call{" failed" if bad else ""}" id="{anchor}"><b>{escape(line.name)}</b>{detail}{facts_}</p>'


def label(words: str) -> str:
    """A small heading of our own words."""
    return f'<p class="label">{escape(words)}</p>'


def medium(setter: Setter, media: Media) -> tuple[str, float]:
    """A picture, or the note in its place."""
    made = picture(media)
    if made.reason:
        setter.report.add(Code.DROPPED_MEDIA, media.span, made.reason)
    return made.html, made.lines


def unknown(setter: Setter, block: Unknown, depth: int) -> Pieces:
    """A block that nobody has a word for: its JSON."""
    yield label(f"Block of an unknown type: {text.one_line(block.kind, 60)}"), 1.0
    yield from json(setter, block.value, depth)


def json(setter: Setter, value: Any, depth: int, rule: Rule = QUIET) -> Pieces:
    """Any value as tidy JSON."""
    try:
        shown = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS, default=str).decode()
    except (TypeError, ValueError, RecursionError):
        shown = repr(value)
    yield from setter.source(shown, depth, rule, language="json")


def facts(setter: Setter, values: dict[str, Any], depth: int) -> Pieces:
    """Arguments without a form of their own: short ones on one line each, the others below."""
    short: list[str] = []
    long: list[tuple[str, Any]] = []
    for key, value in values.items():
        if (isinstance(value, str) and ("\n" in value or len(value) > 200)) or (
            value and isinstance(value, dict | list)
        ):
            long.append((key, value))
        else:
            words = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
            short.append(f"<i>{inline(key, 60)}</i>&nbsp;{inline(words, 220)}")
    if short:
        yield f'<p class="args">{" · ".join(short)}</p>', 1.0 + len("".join(short)) / 110
    for key, value in long:
        yield label(text.one_line(key, 60)), 1.0
        if isinstance(value, str):
            yield from setter.terminal(value, depth, OUTPUT)
        else:
            yield from json(setter, value, depth)


def _said(setter: Setter, words: str, depth: int) -> Pieces:
    yield label("The person said"), 1.0
    for html, lines in setter.prose(words, depth):
        yield f'<div class="said">{html}</div>', lines


def _prose(setter: Setter, words: str, depth: int, kind: str = "told", rule: Rule = WHOLE) -> Pieces:
    for html, lines in setter.shortened(words, depth, rule) if rule.head else setter.prose(words, depth):
        yield f'<div class="{kind}">{html}</div>', lines


def _form(setter: Setter, shown: View, depth: int, told: bool) -> Pieces:
    """The view's own fields. `told`: the agent's task stands at the head of its own turns."""
    match shown:
        case views.Terminal():
            if "\n" in shown.command.strip() or len(shown.command) > COMMAND_ON_LINE:
                yield from setter.source(shown.command, depth, OUTPUT, language=shown.language)
            if shown.description:
                yield f'<p class="args">{inline(shown.description, 300)}</p>', 1.0
            yield from setter.terminal(shown.stdout, depth, OUTPUT)
            yield from setter.terminal(shown.stderr, depth, OUTPUT, "out bad")
        case views.FileRead():
            source, numbers = shown.listing()
            yield from setter.source(source, depth, QUIET, path=shown.path, numbers=numbers)
        case views.FileEdit():
            yield from setter.diff(shown.hunks, shown.path, depth)
        case views.Search():
            yield from setter.terminal(shown.hits, depth, QUIET)
        case views.Todos():
            yield _todos(shown), len(shown.items) * 1.0
        case views.Questions():
            for question in shown.questions:
                yield _question(question), 2.0 + 1.2 * len(question.choices)
            if shown.response:
                yield from _said(setter, shown.response, depth)
        case views.Plan():
            yield from _prose(setter, shown.plan, depth, "plan")
        case views.WebSearch():
            if shown.hits:
                yield _hits(shown), 1.2 * len(shown.hits)
            yield from _prose(setter, shown.text, depth, rule=OUTPUT) if shown.text else ()
        case views.WebFetch():
            if shown.prompt:
                yield f'<p class="args">{inline(shown.prompt, 600)}</p>', 1.0 + len(shown.prompt) / 110
            yield from _prose(setter, shown.text, depth, rule=OUTPUT) if shown.text else ()
        case views.Notebook():
            if shown.hunks:
                yield from setter.diff(shown.hunks, shown.path, depth)
            elif shown.source:
                yield from setter.source(shown.source, depth, OUTPUT, language=shown.language or "python")
        case views.Agent():
            if shown.prompt and not told:
                yield label("Task"), 1.0
                yield from _prose(setter, shown.prompt, depth)
        case views.Skill():
            yield from _prose(setter, shown.answer, depth, rule=OUTPUT) if shown.answer else ()
        case views.MessageToHuman():
            if not told:
                yield from _prose(setter, shown.text, depth, "said")
        case views.Generic():
            yield from _generic(setter, shown, depth)


def answer(setter: Setter, made: Call, shown: View, depth: int) -> Pieces:
    """What a subagent came back with, below the agent's own turns; not again where it is their last word."""
    if isinstance(shown, views.Agent) and shown.answer and shown.answer.strip() not in _last_words(made):
        yield label("Result"), 1.0
        yield from _prose(setter, shown.answer, depth)


def _last_words(made: Call) -> set[str]:
    words: set[str] = set()
    for run in made.runs:
        last = run.turns[-1] if run.turns else None
        if isinstance(last, Answer) and last.items and isinstance(last.items[-1], Step):
            words.update(part.text.strip() for part in last.items[-1].parts if isinstance(part, Text))
    return words


def _generic(setter: Setter, shown: views.Generic, depth: int) -> Pieces:
    if shown.arguments:
        yield from facts(setter, shown.arguments, depth)
    if shown.raw:
        yield from setter.source(shown.raw, depth, OUTPUT, language="json")
    if shown.text:
        if shown.text_form == "json":
            yield from json(setter, orjson.loads(shown.text), depth, OUTPUT)
        else:
            yield from setter.terminal(shown.text, depth, OUTPUT, "out bad" if shown.rest_is_error else "out")
    if shown.structured is not None:
        yield from json(setter, shown.structured, depth)


_STATES = {"completed": ("done", "✓"), "done": ("done", "✓"), "in_progress": ("now", "▸")}


def _todos(shown: views.Todos) -> str:
    made = []
    for item in shown.items:
        kind, sign = _STATES.get(item.status, ("open", "○"))
        made.append(f'<li class="{kind}"><i>{sign}</i>{inline(item.text, 400)}</li>')
    return f'<ul class="todos">{"".join(made)}</ul>'


def _question(question: views.Question) -> str:
    made = [f'<div class="question"><p dir="auto"><b>{inline(question.question, 600)}</b></p>']
    if question.choices:
        made.append("<ul>")
        for choice in question.choices:
            sign = "●" if choice.chosen else "○"
            told = f" — {inline(choice.description, 300)}" if choice.description else ""
            made.append(
                f'<li class="{"chosen" if choice.chosen else ""}"><i>{sign}</i>{inline(choice.label, 200)}{told}</li>'
            )
        made.append("</ul>")
    if question.answer and not any(choice.chosen and choice.label == question.answer for choice in question.choices):
        made.append(f'<p class="reply" dir="auto">{inline(question.answer, 2000)}</p>')
    made.append("</div>")
    return directed("".join(made))


def _hits(shown: views.WebSearch) -> str:
    made = []
    for hit in shown.hits:
        title = inline(hit.title or hit.url, 200)
        if hit.url.lower().startswith(("http://", "https://")):
            title = f'<a href="{escape(hit.url, quote=True)}">{title}</a>'
        note = f" — {inline(hit.note, 200)}" if hit.note else ""
        made.append(f"<li>{title}{note}</li>")
    return f'<ul class="hits">{"".join(made)}</ul>'
