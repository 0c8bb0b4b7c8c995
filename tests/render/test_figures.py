"""Documents and `dragoman stats` tell the same figures, in the same words."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path

import pytest
from rich.console import Console

import dragoman
from dragoman.cli.stats import show
from dragoman.model import (
    AgentLink,
    Entry,
    Event,
    Header,
    Message,
    Session,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from dragoman.render.figures import typed
from dragoman.report import Report
from dragoman.stats import of

SESSION = Path(__file__).resolve().parents[2] / "fixtures" / "claude-code" / "2.1.300" / "subagents"
START = datetime(2026, 10, 10, 12, tzinfo=UTC)


def _without_tags(made: str) -> str:
    body = re.sub(r"<(style|script)\b.*?</\1>", "", made, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def markdown(session: Session) -> str:
    out = io.BytesIO()
    dragoman.write(session, "markdown", out)
    return out.getvalue().decode().replace("\\", "").replace("`", "")


def html(session: Session) -> str:
    out = io.BytesIO()
    dragoman.write(session, "html", out)
    return _without_tags(out.getvalue().decode())


def pdf(session: Session) -> str:
    """The pages' own words: the HTML that is laid out."""
    from dragoman.writers.pdf.availability import fontless, unavailable
    from dragoman.writers.pdf.making import Making
    from dragoman.writers.pdf.options import PdfOptions

    if reason := unavailable() or fontless():
        pytest.skip(reason)
    return _without_tags(Making(session, PdfOptions(), Report()).whole())


def table(session: Session) -> str:
    out = io.StringIO()
    show(of(session), Console(file=out, width=200))
    return out.getvalue()


DOCUMENTS = [markdown, html, pdf]


def unfinished() -> Session:
    """Whose last output tokens were never written down, with an agent that is resumed, and time between."""

    def at(seconds: float) -> datetime:
        return START + timedelta(seconds=seconds)

    def reply(
        name: str, seconds: float, words: str, *, complete: bool = True, model: str = "claude-opus-4-5"
    ) -> Message:
        usage = Usage(input=1_000_000, output=20_000, complete=complete)
        return Message(
            role="assistant", origin="reply", id=name, request_id=name, model=model, usage=usage,
            time=at(seconds), blocks=(Text(text=words),),
        )  # fmt: skip

    call = ToolCall(id="toolu_01ABCDEFGHIJKL", name="Agent", arguments='{"description":"Look around","prompt":"Look."}')
    own = Session(
        header=Header(id="a1", started=at(10), ended=at(95)),
        entries=(
            Message(role="user", origin="task", time=at(12), blocks=(Text(text="Look."),)),
            reply("a", 40, "Seen.", complete=False, model="claude-haiku-4-5"),
        ),
    )
    return Session(
        header=Header(id="s", title="Unfinished", started=at(-20), ended=at(400), usage_complete=False),
        entries=(
            Message(role="user", origin="prompt", time=at(0), blocks=(Text(text="Look around"),)),
            Message(
                role="assistant", origin="reply", id="m", request_id="m", model="claude-opus-4-5",
                usage=Usage(input=1_000_000, output=20_000), time=at(10), blocks=(call,),
            ),
            Message(
                role="tool", origin="tool_result", time=at(14),
                blocks=(ToolResult(call_id=call.id, tool_name="Agent", content=(Text(text="Seen."),), duration_ms=4000),),
            ),
            Message(role="user", origin="prompt", branch="b", time=at(200), blocks=(Text(text="Go on"),)),
            Message(role="user", origin="slash_command", time=at(250), blocks=(Text(text="/cost"),)),
            reply("n", 300, "Done."),
        ),
        subagents=(Subagent(agent_id="a1", description="Look around", session=own, links=(AgentLink(call_id=call.id, evidence="id"),)),),
    )  # fmt: skip


@pytest.mark.parametrize("document", DOCUMENTS)
def test_all_formats_tell_the_same_time_cost_and_prompts(document: Callable[[Session], str]) -> None:
    """A cost was `≥ $2.39`, `about $2.39`, `2.39 USD` and `$2.39` in four outputs; a time had three lengths."""
    session = unfinished()
    told = document(session)
    for words in ("5 min", "1 min 30 s at work", "≥ $12.10", "1 of them on an abandoned branch", "1 command"):
        assert words in told, words
    assert "2 prompts" in told or "Prompts 2 " in told
    assert "≥ 3.1M tokens" in told or "≥ 60k" in told or "≥ 60,000 out" in told
    assert "USD" not in told and "about $" not in told and "at least" not in told


@pytest.mark.parametrize("document", DOCUMENTS)
def test_all_formats_tell_the_same_of_an_agent(document: Callable[[Session], str]) -> None:
    """One had the agent's time, tokens and cost, the others the call's time and the last request's tokens."""
    told = document(unfinished())
    assert told.count("28 s · ≥ 1M tokens · ≥ $1.10") == 1
    assert "· 4.0 s" not in told and "1 min 25 s" not in told


def test_the_table_says_what_is_a_lower_bound_wherever_it_stands() -> None:
    """`≥ 51,933` tokens stood beside a plain `$2.39`."""
    told = table(unfinished())
    rows = {line.split("  ")[0].strip(): line for line in reversed(told.splitlines())}
    assert "≥ 60,000" in rows["together"] and "≥ $12.10" in rows["together"]
    assert "≥ 20,000" in rows["claude-haiku-4-5"] and "≥ $1.10" in rows["claude-haiku-4-5"]
    assert "≥" not in rows["claude-opus-4-5"], "whose numbers are final"
    assert "5 min" in told and "1 min 30 s" in told, "times in the words of the documents"
    assert not re.search(r"\d:\d\d", told)


def test_front_matter_says_that_a_cost_is_a_lower_bound() -> None:
    told = markdown(unfinished())
    assert "tokens-complete: false\ncost-usd: 12.10\ncost-complete: false\n" in told
    assert "wall-seconds: 300\n" in told


def test_a_model_s_numbers_say_whether_they_are_complete() -> None:
    shares = {share.model: share for share in of(unfinished()).total.models}
    assert shares["claude-opus-4-5"].complete and not shares["claude-haiku-4-5"].complete


@pytest.mark.parametrize("writer", ["markdown", "html"])
def test_a_document_s_number_of_prompts_is_that_of_stats(writer: str) -> None:
    """`/cost` and `! git diff` were counted as prompts in documents, and not in stats: 7 and 6 of one session."""
    session = dragoman.read(SESSION)
    main = of(session).main
    assert (main.prompts, main.commands) == (6, 2)
    assert typed(main) == ["6 prompts", "1 of them on an abandoned branch", "2 commands"]
    out = io.BytesIO()
    dragoman.write(session, writer, out)
    made = out.getvalue().decode()
    told = {"markdown": "prompts: 6\ncommands: 2\n", "html": "<dt>Prompts</dt><dd>6<small>"}
    assert told[writer] in made
    assert "1 of them on an abandoned branch · 2 commands" in made
    assert "7 prompts" not in made


def test_the_outline_counts_and_names_what_the_head_does() -> None:
    """The head said 6 prompts and the outline 5, without a word of the branch that the sixth stands on."""
    out = io.BytesIO()
    dragoman.write(dragoman.read(SESSION), "html", out)
    made = out.getvalue().decode()
    outline = made[made.index('<nav id="outline"') : made.index("</nav>")]
    assert "<h2>6 prompts, 1 of them on an abandoned branch, 2 commands</h2>" in outline
    assert '<li class="cut"><a href="#b' in outline and "Abandoned branch · 1 prompt</span>" in outline


def test_every_call_of_the_talk_belongs_to_a_line_of_the_outline() -> None:
    """What followed a compaction, up to the next prompt, and what an abandoned branch did were in no line's count."""
    entries: list[Entry] = []
    for n, head in enumerate(
        (
            None,
            Message(role="user", origin="prompt", blocks=(Text("Sort the rows"),)),
            Event(kind="compaction", text="Conversation compacted"),
            Message(role="user", origin="prompt", blocks=(Text("Otherwise"),), branch="b"),
        )
    ):
        if head is not None:
            entries.append(head)
        branch = head.branch if head is not None else ""
        blocks = tuple(ToolCall(f"call_{n}_{k}", "Bash", '{"command": "true"}') for k in range(n + 2))
        entries.append(Message(role="assistant", origin="reply", blocks=blocks, branch=branch))
    session = Session(header=Header(format="neutral"), entries=tuple(entries))
    out = io.BytesIO()
    dragoman.write(session, "html", out)
    made = out.getvalue().decode()
    outline = _without_tags(made[made.index('<nav id="outline"') : made.index("</nav>")])
    assert of(session).main.tool_calls == 2 + 3 + 4 + 5
    assert "Before the first prompt 2 calls" in outline
    assert "Sort the rows 3 calls" in outline
    assert "Conversation compacted 4 calls" in outline
    assert "Abandoned branch · 1 prompt 5 calls" in outline


@pytest.mark.parametrize("document", [markdown, html, pdf])
def test_a_document_s_title_is_plain_words(document: Callable[[Session], str]) -> None:
    """A title that is a first prompt was shown with its marks of Markdown."""
    title = "## Fix the **bug** in `foo.py`, *now*, ~~later~~: __init__ is [there](https://example.org)"
    made = document(Session(header=Header(format="neutral", title=title)))
    assert "Fix the bug in foo.py, now, later: __init__ is there" in made
    assert "##" not in made and "**" not in made


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_duration_is_that_between_the_times_beside_it(document: Callable[[Session], str]) -> None:
    """The times were those of the program's records before and after the talk: `5 min` beside seven minutes."""
    told = document(unfinished())
    assert "12:00" in told and "12:05" in told and "5 min" in told
    assert "11:59" not in told and "12:06" not in told
    main = of(unfinished()).main
    assert main.began == START and main.ended == START + timedelta(milliseconds=main.wall_ms)
