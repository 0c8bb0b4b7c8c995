"""The head of a page: what this session was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from markupsafe import Markup
from msgspec import Struct

from dragoman.model import Header, Session
from dragoman.render import figures as worded
from dragoman.render import text
from dragoman.render.redaction import redaction
from dragoman.render.turns import Document
from dragoman.stats import Stats
from dragoman.writers.html.ui import Ui


class Fact(Struct, frozen=True):
    """A figure with its name, and small words under it."""

    name: str
    value: str
    more: str = ""


class More(Struct, frozen=True):
    """Something to fold out."""

    name: str
    body: Markup


class About(Struct, frozen=True):
    """All that stands above the conversation."""

    title: str
    by: tuple[str, ...]
    facts: tuple[Fact, ...]
    redaction: str
    more: tuple[More, ...] = ()


def about(document: Document, ui: Ui, figures: Stats) -> About:
    """The head of a document's page."""
    header = document.session.header
    return About(
        title=title(document),
        by=tuple(filter(None, _by(header, figures, ui))),
        facts=tuple(_facts(document.session, figures)),
        redaction=redaction(header.extra.get("redaction")),
        more=tuple(_more(figures)),
    )


def title(document: Document) -> str:
    """The session's title, or its first prompt."""
    named = text.unmarked(document.session.header.title, 140)
    first = next((prompt.title for prompt in document.prompts if prompt.message.origin in ("prompt", "task")), "")
    return named or text.one_line(first, 90) or "A conversation without a prompt"


def _by(header: Header, figures: Stats, ui: Ui) -> list[str]:
    place = header.cwd.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    agent = " ".join(filter(None, (header.agent, header.agent_version)))
    return [
        text.one_line(each, 100)
        for each in (
            place,
            f"branch {header.git_branch}" if header.git_branch else "",
            ", ".join(header.models),
            agent,
            _when(*worded.span(header, figures), ui),
        )
    ]


def _when(first: datetime | None, last: datetime | None, ui: Ui) -> str:
    begun = text.moment(first, ui.zone)
    ended = text.moment(last, ui.zone)
    if not begun or not ended or begun == ended:
        return begun or ended
    same_day = text.day(first, ui.zone) == text.day(last, ui.zone)
    zone = begun.rpartition(" ")[2]
    begun = begun.rpartition(" ")[0]
    ended = ended.split(" ")[1] if same_day else ended.rpartition(" ")[0]
    return f"{begun} – {ended} {zone}"


def _facts(session: Session, figures: Stats) -> list[Fact]:
    total = figures.total
    facts: list[Fact] = []
    if elapsed := worded.elapsed(session.header, figures):
        facts.append(Fact("Time", elapsed, worded.at_work(figures)))
    beside = worded.typed(figures.main)[1:]
    facts.append(Fact("Prompts", text.number(figures.main.prompts), " · ".join(beside)))
    if total.tool_calls:
        errors = f"{text.number(total.tool_errors)} failed" if total.tool_errors else "none failed"
        facts.append(Fact("Tool calls", text.number(total.tool_calls), errors))
    if agents := worded.agents(session):
        facts.append(Fact("Subagents", text.number(agents), worded.tokens(figures.subagents)))
    if total.tokens.total:
        more = f"{text.short_number(total.tokens.prompt)} read, {text.short_number(total.tokens.cache_read)} of them cached"
        facts.append(Fact("Tokens written", worded.least(text.short_number(total.tokens.output), total.complete), more))
    if cost := worded.cost(total):
        missing = f"no price for {worded.unpriced(total)}" if total.unpriced else ""
        facts.append(
            Fact("Cost", cost, missing or Markup("prices of <span class=date>{}</span>").format(figures.prices_date))
        )
    return facts


def _more(figures: Stats) -> list[More]:
    found: list[More] = []
    total = figures.total
    if total.models:
        rows = [
            (
                text.one_line(each.model, 80),
                text.number(each.messages),
                text.number(each.tokens.input),
                text.number(each.tokens.cache_read),
                text.number(each.tokens.cache_write),
                worded.least(text.number(each.tokens.output), each.complete),
                worded.cost_of_model(each),
            )
            for each in total.models
        ]
        heads = ("Model", "Replies", "Input", "Cache read", "Cache written", "Output", "Cost")
        found.append(More("Tokens and cost by model", _table("Tokens and cost by model", heads, rows)))
    if total.tools:
        used = [
            (
                text.one_line(each.name, 80) or "(unnamed)",
                text.number(each.calls),
                text.number(each.errors),
                text.number(each.rejected),
                text.duration(each.duration_ms) if each.duration_ms else "",
            )
            for each in total.tools
        ]
        found.append(More("Tools", _table("Tools", ("Tool", "Calls", "Failed", "Rejected", "Time"), used)))
    return found


def _table(name: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    head = Markup().join(Markup("<th scope=col>{}</th>").format(each) for each in heads)
    body = Markup().join(
        Markup("<tr>{}</tr>").format(Markup().join(Markup("<td>{}</td>").format(text.visible(cell)) for cell in row))
        for row in rows
    )
    return Markup(
        '<div class="scroll" tabindex="0" role="region" aria-label="{}"><table class="data"><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(name, head, body)
