"""What the cover says of the session: figures, what was redacted, the drawn timeline, and how long texts are cut."""

from __future__ import annotations

import base64
import re
from datetime import tzinfo

from markupsafe import Markup

from dragoman import stats
from dragoman.render import figures as worded
from dragoman.render import text
from dragoman.render.redaction import redaction
from dragoman.render.timeline import draw
from dragoman.render.turns import Document
from dragoman.writers.pdf import document as html
from dragoman.writers.pdf.options import PdfOptions


def cover(document: Document, title: str, figures: stats.Stats, options: PdfOptions, tz: tzinfo) -> html.Front:
    """All of it."""
    receipt = redaction(document.session.header.extra.get("redaction"))
    return html.Front(
        title=title,
        facts=facts(document, figures, tz),
        receipt=[receipt] if receipt else [],
        timeline=timeline(document, figures, tz),
        rule=html.rule(options.full),
    )


def facts(document: Document, figures: stats.Stats, tz: tzinfo) -> list[tuple[str, str]]:
    """Name and value of each, those that are known."""
    header = document.session.header
    total = figures.total
    begin, end = (text.moment(each, tz) for each in worded.span(header, figures))
    lasted = ", ".join(each for each in (worded.elapsed(header, figures), worded.at_work(figures)) if each)
    agents = worded.agents(document.session)
    calls = text.count(total.tool_calls, "tool call") if total.tool_calls else ""
    if calls and total.tool_errors:
        calls += f" ({total.tool_errors} failed)"
    held = [
        *worded.typed(figures.main),
        calls,
        text.count(agents, "subagent") if agents else "",
    ]
    models = header.models or tuple(each.model for each in total.models)
    made = [
        ("Project", text.one_line(header.cwd, 160)),
        ("Branch", text.one_line(header.git_branch, 100)),
        ("Agent", text.one_line(" ".join(each for each in (header.agent, header.agent_version) if each), 100)),
        ("Models" if len(models) > 1 else "Model", text.one_line(", ".join(models), 200)),
        ("When", " – ".join(each for each in (begin, end if end != begin else "") if each)),
        ("Duration", lasted),
        ("Content", " · ".join(each for each in held if each)),
        ("Tokens", tokens(total)),
        ("Cost", cost(total, figures.prices_date)),
        ("Session", text.one_line(header.id, 80)),
    ]
    return [(name, value) for name, value in made if value]


def tokens(total: stats.Part) -> str:
    """What went in and came out. A lower bound says so."""
    if not total.tokens.total:
        return ""
    count = total.tokens
    cached = f" ({text.number(count.cache_read)} from the cache)" if count.cache_read else ""
    return f"{text.number(count.prompt)} in{cached} · {worded.least(text.number(count.output), total.complete)} out"


def cost(total: stats.Part, date: str) -> str:
    """In US dollars by list prices, or what is known of it."""
    cost = worded.cost(total)
    if total.unpriced:
        return f"{cost}: no price is known for {worded.unpriced(total)}"
    return f"{cost} at the list prices of {date}" if cost else ""


_ANCHOR = re.compile(r"</?a\b[^>]*>")
_STYLE = (
    "text{font:13px 'Noto Sans','DejaVu Sans',sans-serif;fill:#777}.span{fill:#dfe6ee}.call{fill:#8a98a8}.p{fill:#1f4e8c}"
    ".x{fill:#b3261e}.cut{stroke:#b08a3c;stroke-width:1.5;stroke-dasharray:3 2;fill:none}.idle{fill:#f4f4f2;stroke:#e2e2de}"
    ".tok{fill:#e6eef7;stroke:#9db8d6;stroke-width:1}.axis{stroke:#e2e2de;fill:none}.lane{stroke:#e2e2de}.hit{fill:none}"
)


def timeline(document: Document, figures: stats.Stats, tz: tzinfo) -> Markup:
    """The drawing as a picture with its alternative in words; nothing where no times are known."""
    drawn = str(draw(document, tz, {}))
    if not drawn:
        return Markup()
    head, close, rest = drawn.partition(">")
    svg = _ANCHOR.sub("", f"{head}{close}<style>{_STYLE}</style>{rest}")
    total = figures.total
    words = (
        f"Timeline: {text.count(figures.main.prompts, 'prompt')}, {text.count(total.tool_calls, 'tool call')}, "
        f"{text.number(total.tool_errors)} of them failed, over {worded.elapsed(document.session.header, figures) or 'no time'}"
    )
    data = base64.b64encode(svg.encode()).decode()
    return Markup('<img src="data:image/svg+xml;base64,{}" alt="{}"/>').format(data, words)
