"""A session's figures in words: one wording for every format that people read, and for `dragoman stats`.

What is a lower bound begins with ≥. What has no price is said to be unknown, and is never left out of a sum in silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec.structs import replace

from dragoman.model import Header, Session, walk
from dragoman.render import text
from dragoman.render.tools import Summary, summary, views
from dragoman.render.turns import AgentRun, Call
from dragoman.stats import ModelShare, Part, Stats


def least(words: str, complete: bool) -> str:
    """`4.1k`, or `≥ 4.1k` where the number is a lower bound."""
    return words if complete else f"≥ {words}"


def tokens(part: Part) -> str:
    """`84.8k tokens`, all that went in and came out; nothing where none are known."""
    total = part.tokens.total
    return f"{least(text.short_number(total), part.complete)} tokens" if total else ""


def cost(part: Part) -> str:
    """`$0.31`, `≥ $2.39`, `$1.20 + unknown`, `unknown`; nothing where nothing says what was used."""
    if not (part.tokens.total or part.known_cost_usd or part.unpriced):
        return ""
    if part.cost_usd is None and not part.known_cost_usd:
        return "unknown"
    known = least(text.dollars(part.known_cost_usd), part.complete)
    return known if part.cost_usd is not None else f"{known} + unknown"


def cost_of_model(share: ModelShare) -> str:
    """The same for one model."""
    told = share.complete or share.tokens.total or share.cost_usd
    return least(text.dollars(share.cost_usd), share.complete) if told and share.cost_usd is not None else "unknown"


def unpriced(part: Part) -> str:
    """The models without a price, some of them by name."""
    named = ", ".join(text.one_line(model, 40) for model in part.unpriced[:3])
    return named + (f" and {len(part.unpriced) - 3} more" if len(part.unpriced) > 3 else "")


def conversation(figures: Stats) -> Part:
    """What a document's time is that of: the main conversation, or the agents where there is nothing else."""
    return figures.main if figures.main.wall_ms else figures.total


def span(header: Header, figures: Stats) -> tuple[datetime | None, datetime | None]:
    """When it began and ended: the first message and the last; where messages tell no times, what the header says."""
    part = conversation(figures)
    return (part.began, part.ended) if part.wall_ms else (header.started, header.ended)


def elapsed(header: Header, figures: Stats) -> str:
    """How long that was."""
    if wall_ms := conversation(figures).wall_ms:
        return text.duration(wall_ms)
    begun, ended = span(header, figures)
    if begun is None or ended is None or ended <= begun:
        return ""
    return text.duration((ended - begun).total_seconds() * 1000)


def at_work(figures: Stats) -> str:
    """How much of the time the agent or its agents worked; nothing where that is all of it, or not known."""
    active_ms = figures.total.active_ms
    return f"{text.duration(active_ms)} at work" if 0 < active_ms < conversation(figures).wall_ms else ""


def typed(part: Part) -> list[str]:
    """`6 prompts`, `1 of them on an abandoned branch`, `2 commands`, …: prompts always, the rest where there is any.

    Everything that a person typed has a number in a document, commands too; so what isn't a prompt is named beside them.
    """
    made = [text.count(part.prompts, "prompt")]
    if part.abandoned_prompts:
        where = "an abandoned branch" if part.abandoned_prompts == 1 else "abandoned branches"
        made.append(f"{part.abandoned_prompts:,} of them on {where}")
    for number, one, several in (
        (part.commands, "command", ""),
        (part.plans, "plan", ""),
        (part.tasks, "task", ""),
        (part.unsent_prompts, "not sent", "not sent"),
    ):
        if number:
            made.append(text.count(number, one, several))
    return made


def agents(session: Session) -> int:
    """How many subagents there are, to any depth, housekeeping left out."""
    return sum(agent is not None and not agent.hidden for _, agent in walk(session))


def of_runs(figures: Stats, runs: Iterable[AgentRun]) -> tuple[str, ...]:
    """Time, tokens and cost of agents. An agent that was resumed has all of them at its first part."""
    told: list[str] = []
    for run in runs:
        share = figures.agents.get(run.agent.agent_id)
        if share is not None and run.part == 1:
            lasted = text.duration(share.part.wall_ms) if share.part.wall_ms else ""
            told.extend(filter(None, (lasted, tokens(share.part), cost(share.part))))
    return tuple(told)


def line(figures: Stats, call: Call, view: views.View) -> Summary:
    """The line of a call that started agents: with their time, tokens and cost in the place of what it says itself.

    The call's own are other figures for the same thing: its time ends where the agent goes to the background, its
    tokens are the last request's. Of several agents each says its own on its own line.
    """
    made = summary(call, view)
    return replace(made, facts=_with_agents(figures, call, view, made.facts)) if call.runs else made


def _with_agents(figures: Stats, call: Call, view: views.View, facts: tuple[str, ...]) -> tuple[str, ...]:
    if len(call.runs) > 1:
        return (*facts, text.count(len(call.runs), "agent"))
    own = of_runs(figures, call.runs)
    if not own:
        return facts
    twice = {text.duration(call.duration_ms)} if call.duration_ms is not None else set()
    if isinstance(view, views.Agent) and view.tokens:
        twice.add(f"{text.short_number(view.tokens)} tokens")
    return (*(fact for fact in facts if fact not in twice), *own)
