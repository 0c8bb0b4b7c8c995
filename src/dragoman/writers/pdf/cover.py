"""What the cover says of the session."""

from __future__ import annotations

from datetime import tzinfo

from dragoman.model import Message, ToolCall, walk
from dragoman.render import text
from dragoman.render.turns import Document
from dragoman.writers.pdf import document as html
from dragoman.writers.pdf.options import PdfOptions


def cover(document: Document, title: str, options: PdfOptions, tz: tzinfo) -> html.Front:
    """Title, facts, receipt, timeline, and the rule by which long texts are cut."""
    return html.Front(
        title=title,
        facts=facts(document, tz),
        receipt=(),
        timeline="",
        rule=html.rule(options.full),
        made="",
    )


def facts(document: Document, tz: tzinfo) -> list[tuple[str, str]]:
    """Name and value of each, those that are known."""
    header = document.session.header
    begin, end = text.moment(header.started, tz), text.moment(header.ended, tz)
    lasted = ""
    if header.started is not None and header.ended is not None:
        lasted = text.duration((header.ended - header.started).total_seconds() * 1000)
    calls = sum(
        isinstance(block, ToolCall)
        for session, _ in walk(document.session)
        for message in session.messages
        if isinstance(message, Message)
        for block in message.blocks
    )
    agents = sum(1 for _, agent in walk(document.session) if agent is not None and not agent.hidden)
    held = [
        text.count(len(document.prompts), "prompt"),
        text.count(calls, "tool call") if calls else "",
        text.count(agents, "subagent") if agents else "",
    ]
    made = [
        ("Project", text.one_line(header.cwd, 160)),
        ("Branch", text.one_line(header.git_branch, 100)),
        ("Agent", text.one_line(" ".join(each for each in (header.agent, header.agent_version) if each), 100)),
        ("Model", text.one_line(", ".join(header.models), 200)),
        ("When", " – ".join(each for each in (begin, end if end != begin else "") if each)),
        ("Duration", lasted),
        ("Contents", " · ".join(each for each in held if each)),
    ]
    return [(name, value) for name, value in made if value]
