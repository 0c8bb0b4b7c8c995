"""The head of a page: what this session was."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup
from msgspec import Struct

from dragoman.model import Header
from dragoman.render import text
from dragoman.render.turns import Document
from dragoman.writers.html.survey import Survey
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


def about(document: Document, survey: Survey, ui: Ui) -> About:
    """The head of a document's page."""
    header = document.session.header
    return About(
        title=title(document),
        by=tuple(filter(None, _by(header, ui))),
        facts=tuple(_facts(document, survey)),
        redaction=redaction(header.extra.get("redaction")),
    )


def title(document: Document) -> str:
    """The session's title, or its first prompt."""
    named = text.one_line(document.session.header.title, 140)
    return named or next((prompt.title for prompt in document.prompts), "") or "A conversation without words"


def _by(header: Header, ui: Ui) -> list[str]:
    place = header.cwd.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    agent = " ".join(filter(None, (header.agent, header.agent_version)))
    return [
        text.one_line(each, 100)
        for each in (
            place,
            f"branch {header.git_branch}" if header.git_branch else "",
            ", ".join(header.models),
            agent,
            _when(header, ui),
        )
    ]


def _when(header: Header, ui: Ui) -> str:
    begun = text.moment(header.started, ui.zone)
    ended = text.moment(header.ended, ui.zone)
    if not begun or not ended or begun == ended:
        return begun or ended
    same_day = text.day(header.started, ui.zone) == text.day(header.ended, ui.zone)
    zone = begun.rpartition(" ")[2]
    begun = begun.rpartition(" ")[0]
    ended = ended.split(" ")[1] if same_day else ended.rpartition(" ")[0]
    return f"{begun} – {ended} {zone}"


def _facts(document: Document, survey: Survey) -> list[Fact]:
    header = document.session.header
    facts: list[Fact] = []
    if header.started and header.ended and header.ended > header.started:
        facts.append(Fact("Time", text.duration((header.ended - header.started).total_seconds() * 1000)))
    facts.append(Fact("Prompts", text.number(len(document.prompts))))
    if survey.kinds["tool"]:
        failed = f"{survey.failed} failed" if survey.failed else "none failed"
        facts.append(Fact("Tool calls", text.number(survey.kinds["tool"]), failed))
    if survey.agents:
        facts.append(Fact("Subagents", text.number(len(survey.agents))))
    return facts


def redaction(receipt: Any) -> str:
    """What was redacted, in a sentence; nothing where no redaction ran."""
    if not isinstance(receipt, dict):
        return ""
    secrets, distinct, kinds = (receipt.get(key) for key in ("secrets", "distinct", "kinds"))
    if not isinstance(secrets, int) or isinstance(secrets, bool):
        return ""
    if not secrets:
        return "Searched for secrets before it was written: none found."
    words = f"Redacted: {text.count(secrets, 'secret')}"
    if isinstance(distinct, int) and distinct and distinct != secrets:
        words += f", {distinct} of them different"
    if isinstance(kinds, dict):
        named = [
            f"{text.one_line(str(kind), 60)} ×{n}" if n != 1 else text.one_line(str(kind), 60)
            for kind, n in sorted(kinds.items(), key=lambda item: (-item[1] if isinstance(item[1], int) else 0, str(item[0])))
        ]
        if named:
            words += " (" + ", ".join(named[:12]) + (f" and {len(named) - 12} more kinds" if len(named) > 12 else "") + ")"
    return words + "."
