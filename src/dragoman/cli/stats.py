"""`dragoman stats`: tokens, cost and time of a session, a project, or everything."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import orjson
import typer
from msgspec.structs import replace

from dragoman import registry, stats
from dragoman.cli.inputs import resolve
from dragoman.cli.terminal import printable, say, say_not_seen
from dragoman.conversion.sources import leave_out, read_source
from dragoman.errors import DragomanError, Exit, InputError, UsageError
from dragoman.io.paths import expanded
from dragoman.io.source import open_source
from dragoman.model import Session
from dragoman.render import figures, text
from dragoman.report import Report
from dragoman.stats.prices import load
from dragoman.wording import by_number, counted

if TYPE_CHECKING:
    from rich.console import Console

ROOMY = 100
"""Columns of a terminal below which the tables stand closer."""

MOST_ROWS = 15
"""Rows of a list on the terminal; the JSON has them all."""

LASTING = frozenset({"wall", "model", "tools", "active", "idle", "time"})
"""Columns that hold durations: of several words, and not to be broken between them."""

NOTHING = "no reply says what it used (clm keeps no tokens, nor do most lists of messages): tokens and cost are unknown"


def stats_command(
    inputs: list[str] = typer.Argument(
        None,
        metavar="[INPUT]...",
        help="Files, folders, archives, globs, `-`, a session id or its beginning, `last`, or a project folder; "
        "nothing: every session that is found.",
    ),
    reader: str = typer.Option("", "--from", "-f", metavar="FORMAT", help="The input's format (else by its content)."),
    json: bool = typer.Option(False, "--json", help="Print JSON, as is done where the output is no terminal."),
    prices: str = typer.Option("", "--prices", metavar="FILE", help="A price table (TOML) over the shipped one."),
) -> None:
    """Tokens, cost and time, each API message counted once over all sessions given."""
    table = load(expanded(prices) if prices else None)
    names = list(inputs or [])
    reading = _Reading(reader or None, named=bool(names))
    paths = reading.paths = resolve(names, reader or None, reading.left_out) if names else _everything(reader)
    if not paths:
        raise InputError("no session found; name an INPUT")
    found = stats.of_many(reading, table)
    say_not_seen(reading.report)
    if not found.sessions:
        raise InputError(reading.problem or f"{paths[0]}: no conversation in it")
    if json or not sys.stdout.isatty():
        data = orjson.dumps(as_json(found), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        sys.stdout.buffer.write(data)
        if _says_nothing(found.total):
            say(NOTHING)
    else:
        from rich.console import Console

        show(found, Console())
    if reading.problem:
        raise typer.Exit(Exit.FAILED)


def as_json(found: stats.Stats) -> dict[str, Any]:
    """The figures as plain values."""
    value: dict[str, Any] = msgspec.to_builtins(found)
    return value


class _Reading:
    """Sessions of all paths, one at a time. One that can't be read is said, and is no reason to stop; nor to fail where
    nobody named it."""

    def __init__(self, reader: str | None, *, named: bool) -> None:
        self.paths: list[Path] = []
        self.reader = reader
        self.named = named
        self.report = Report()
        self.problem = ""

    def __iter__(self) -> Iterator[Session]:
        seen: set[str] = set()
        for path in self.paths:
            with ExitStack() as stack:
                try:
                    source = stack.enter_context(open_source(path))
                    for session in read_source(source, self.report, reader=self.reader):
                        yield from _once(session, seen)
                except DragomanError as error:
                    if len(self.paths) == 1:
                        raise
                    if self.named:
                        self.left_out(str(path), error)
                    else:
                        leave_out(str(path), error, self.report, named=False)

    def left_out(self, name: str, error: DragomanError) -> None:
        """Say that an input is passed over."""
        self.problem = self.problem or str(error)
        say(f"skipped: {error}")


def _once(session: Session, seen: set[str]) -> Iterator[Session]:
    """The session without what was counted before: a clm log is read for itself, and again below its caller's."""
    if session.header.format != "clm" or not session.header.files:
        yield session
    elif session.header.files[0].path not in seen:
        seen.add(session.header.files[0].path)
        agents = (replace(agent, session=each) for agent in session.subagents for each in _once(agent.session, seen))
        yield replace(session, subagents=tuple(agents))


def _everything(reader: str) -> list[Path]:
    """Every session in every known place; a log that was moved from another place only where its format is named."""
    paths: dict[Path, None] = {}
    for name in registry.names("places"):
        try:
            place = registry.place(name)
        except UsageError:  # a broken plugin is named by `dragoman formats`
            continue
        if reader and place.reader != reader:
            continue
        for root in place.roots():
            if root.is_dir():
                copies = set() if reader else _copies(root)
                found = place.sessions(root)
                paths.update((each.path, None) for each in found if each.bytes and (each.id, each.bytes) not in copies)
    return list(paths)


def _copies(root: Path) -> set[tuple[str, int]]:
    """The logs in a folder that `dragoman migrate` made and nobody went on with."""
    from dragoman.migrate.manifest import Manifest
    from dragoman.migrate.storage import Storage

    try:
        return Manifest(Storage(root)).copies()
    except DragomanError:
        return set()


# --- tables for people ------------------------------------------------------------------------------


def show(found: stats.Stats, console: Console) -> None:
    """Print the figures as tables."""
    from rich.table import Table

    def table(*columns: str, words: int = 1) -> Table:
        made = Table(box=None, header_style="bold", pad_edge=False, collapse_padding=console.width < ROOMY)
        for number, name in enumerate(columns):
            is_word = number < words
            made.add_column(
                name, justify="left" if is_word else "right", overflow="fold", no_wrap=not is_word and name in LASTING
            )
        return made

    def printed(each: Table, noun: str = "", of: int = 0) -> None:
        if each.row_count:
            console.print(each)
            if of > each.row_count:
                console.print(f"and {counted(of - each.row_count, f'more {noun}')}; --json lists them", highlight=False)
            console.print()

    parts = [("main", found.main), ("subagents", found.subagents), ("together", found.total)]
    if not found.agents:
        parts = [("", found.total)]
    sums = table("", "replies", "input", "cache\nread", "cache\nwrite", "output", "cost")
    for name, part in parts:
        sums.add_row(name, _n(part.messages), *_tokens(part, nothing=_says_nothing(part)), _money(part))
    models = table("model", "replies", "input", "cache\nread", "cache\nwrite", "output", "cost")
    for model in found.total.models[:MOST_ROWS]:
        models.add_row(
            _text(model.model or "(not named)"), _n(model.messages), *_tokens(model, nothing=_says_nothing(found.total)),
            figures.cost_of_model(model),
        )  # fmt: skip
    lasting, doing = ["wall", "model", "tools", "active", "idle"], ["prompts", "calls", "errors"]
    narrow = console.width < ROOMY
    times = table("", *lasting, *([] if narrow else doing))
    doings = table("", *doing)
    for name, part in parts:
        spans = (part.wall_ms, part.model_ms, part.tool_ms, part.active_ms, part.idle_ms)
        numbers = [_n(each) for each in (part.prompts, part.tool_calls, part.tool_errors)]
        times.add_row(name, *map(_time, spans), *([] if narrow else numbers))
        if narrow:
            doings.add_row(name, *numbers)
    tools = table("tool", "calls", "errors", "rejected", "time")
    for tool in found.total.tools[:MOST_ROWS]:
        tools.add_row(_text(tool.name), _n(tool.calls), _n(tool.errors), _n(tool.rejected), _time(tool.duration_ms))
    slowest = table("slowest call", "id", "time", words=2)
    for call in found.total.slowest:
        slowest.add_row(_text(call.name), _text(call.call_id), _time(call.duration_ms))
    agents = table("agent", "what for", "replies", "output", "time", "cost", words=2)
    shown = sorted(found.agents.values(), key=lambda agent: -agent.part.tokens.total)
    for agent in shown[:MOST_ROWS]:
        agents.add_row(
            _text(f"{agent.kind or 'agent'} {agent.agent_id}"), _text(agent.description[:50]), _n(agent.part.messages),
            figures.least(_n(agent.part.tokens.output), agent.part.complete), _time(agent.part.wall_ms), _money(agent.part),
        )  # fmt: skip
    files = table("file", "reads", "changes")
    for file in sorted(found.total.files, key=lambda file: -(file.reads + file.changes))[:MOST_ROWS]:
        files.add_row(_text(file.path), _n(file.reads), _n(file.changes))
    if found.sessions > 1:
        console.print(f"{found.sessions} sessions")
    printed(sums)
    printed(models, "model", len(found.total.models))
    printed(times)
    printed(doings)
    printed(agents, "agent", len(found.agents))
    printed(tools, "tool", len(found.total.tools))
    printed(slowest)
    printed(files, "file", len(found.total.files))
    for line in _remarks(found):
        console.print(_text(line))


def _tokens(share: stats.Part | stats.ModelShare, *, nothing: bool) -> tuple[str, ...]:
    """The columns of tokens."""
    if nothing:
        return ("-", "-", "-", "-")
    tokens = share.tokens
    output = figures.least(_n(tokens.output), share.complete)
    return (_n(tokens.input), _n(tokens.cache_read), _n(tokens.cache_write), output)


def _says_nothing(part: stats.Part) -> bool:
    """Whether there are replies, and none says what it used."""
    return bool(part.messages) and part.without_usage == part.messages


def _remarks(found: stats.Stats) -> Iterator[str]:
    total = found.total
    if total.unpriced:
        yield f"no price is known for {', '.join(total.unpriced)}: --prices FILE can give one"
    if _says_nothing(total):
        yield NOTHING
        return
    if total.without_usage:
        yield by_number(
            f"{_n(total.without_usage)} [reply doesn't|replies don't] say what [it|they] used", total.without_usage
        )
    if not total.complete:
        yield "≥: output tokens and cost are a lower bound, since the final numbers were not written down"
    yield f"prices of {found.prices_date}"


def _text(value: str) -> Any:
    from rich.text import Text

    return Text(printable(value))


def _n(number: int) -> str:
    return f"{number:,}"


def _money(part: stats.Part) -> str:
    return figures.cost(part) or ("unknown" if _says_nothing(part) else "$0.00")


def _time(milliseconds: int) -> str:
    return text.duration(milliseconds) if milliseconds else "-"
