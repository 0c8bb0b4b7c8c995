"""`dragoman migrate`: a Claude Code history becomes a clm history."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from dragoman.cli.terminal import console, printable, say, summarize
from dragoman.errors import Exit, UsageError
from dragoman.io.paths import expanded
from dragoman.migrate import Request, Summary, Verdict, verify
from dragoman.migrate import migrate as run
from dragoman.migrate.request import default_source, default_target
from dragoman.migrate.run import Line
from dragoman.render.text import unmarked
from dragoman.report import Code

ROWS = 40
"""Sessions with news that the table shows; the manifest has all."""

STATES = {
    "new": "brought over",
    "grown": "brought up to date",
    "continued": "gone on with in clm: what is newer is in a session of its own",
    "kept": "no longer whole in Claude Code: the old log stays, the newer state is beside it",
    "unchanged": "without news",
    "empty": "without a conversation",
    "failed": "failed",
}

FORETOLD = {
    "new": "would be brought over",
    "grown": "would be brought up to date",
    "continued": "gone on with in clm: what is newer would go to a session of its own",
    "changed": "changed: only reading tells whether there is anything new",
    "unchanged": STATES["unchanged"],
    "empty": STATES["empty"],
}
"""What a dry run says. It reads no session, so one without a conversation is new, and one with more lines has grown."""


def migrate(
    source: str = typer.Option(
        "", "--from", metavar="DIR", help="Claude Code's folder ($CLAUDE_CONFIG_DIR, else ~/.claude)."
    ),
    target: str = typer.Option(
        "", "--to", metavar="DIR", help="clm's folder ($XDG_STATE_HOME/clm, else ~/.local/state/clm)."
    ),
    project: list[str] = typer.Option([], "--project", metavar="DIR", help="Only this project (several times: these)."),
    since: str = typer.Option("", "--since", metavar="DATE", help="Only sessions changed since then (2026-08-01)."),
    session: list[str] = typer.Option([], "--session", metavar="ID", help="Only this session, or those that begin so."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Say what would be done, and do nothing."),
    verify: bool = typer.Option(False, "--verify", help="Read back what was moved and compare it with its source."),
    full: bool = typer.Option(
        False, "--full", help="Keep a compacted session in one log, instead of starting the log at its last compaction."
    ),
    branches: bool = typer.Option(False, "--branches", help="Keep branches that were abandoned by rewinding."),
    no_subagents: bool = typer.Option(False, "--no-subagents", help="Leave the subagents' own sessions out."),
    map_tools: bool = typer.Option(False, "--map-tools", help="Put calls under the names of clm's own tools."),
    export_media: str = typer.Option(
        "", "--export-media", metavar="DIR", help="Save pictures and documents there, and name their paths."
    ),
    redact: bool = typer.Option(False, "--redact", help="Replace secrets (both ends are yours, so it is off)."),
    jobs: int = typer.Option(0, "--jobs", min=0, metavar="N", help="Processes to work in (as many as help)."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Say nothing but errors."),
) -> None:
    """Bring Claude Code sessions over to clm, again and again: only what is new, and nothing is overwritten."""
    request = Request(
        source=expanded(source) if source else default_source(),
        target=expanded(target) if target else default_target(),
        projects=tuple(project),
        since=_date(since),
        sessions=tuple(session),
        full=full,
        branches=branches,
        subagents=not no_subagents,
        map_tools=map_tools,
        export_media=expanded(export_media) if export_media else None,
        redact=redact,
        dry_run=dry_run,
        jobs=jobs,
    )
    for flag, folder in (("--to", request.target), ("--export-media", request.export_media)):
        if folder is not None and folder.exists() and not folder.is_dir():
            raise UsageError(f"{flag} {folder}: not a folder")
    if verify:
        _verify(request, quiet)
        return
    with _progress(quiet or dry_run) as progress:
        summary = run(request, progress)
    if not quiet:
        _show(summary, request)
        if not dry_run:
            summarize(summary.report, report_file=str(summary.manifest))
            if request.export_media is None and (left := summary.report.count(Code.DROPPED_MEDIA)):
                what = "picture or document" if left == 1 else "pictures or documents"
                say(f"{left} {what} stayed behind: --export-media DIR saves them and names their paths")
    if summary.count("failed"):
        raise typer.Exit(Exit.FAILED)


def _date(text: str) -> datetime | None:
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):  # the ends of time have no other zone
        raise UsageError(f"--since {text}: a date is written 2026-08-01, or with a time 2026-08-01T12:00") from None


class _Bar:
    """Shows how far a run is; called from it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def __call__(self, done: int, total: int, name: str) -> None:
        self._progress.update(self._task, completed=done, total=total, description=_cell(name, 40))


@contextmanager
def _progress(quiet: bool) -> Iterator[_Bar | None]:
    """A bar on stderr, where that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(progress)


def _cell(text: str, most: int = 48) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= most else line[: most - 1] + "…"


def _fitting(text: str, most: int = 48) -> Text:
    """A cell that stays on its line, cut where the terminal is narrow."""
    return Text(_cell(text, most), no_wrap=True, overflow="ellipsis")


def _name(line: Line) -> Text:
    return _fitting(unmarked(line.title, 200) or line.uuid)


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        number = title in ("messages", "calls", "size")
        table.add_column(title, justify="right" if number else "left", no_wrap=number or title in ("log", "state"))
    return table


def _planned(news: list[Line]) -> Table:
    """What is known of sessions before they are read: a log only where there is one already."""
    has_log = any(line.log for line in news[:ROWS])
    table = _table("state", "size", *(["log"] if has_log else []), "project", "session")
    for line in news[:ROWS]:
        size = f"{max(1, round(line.bytes / 1024)):,} KB"
        log = [line.log or "-"] if has_log else []
        table.add_row(line.state, size, *log, _fitting(line.project, 30), _name(line))
    return table


def _done(news: list[Line]) -> Table:
    """What became of the sessions that had news."""
    table = _table("log", "state", "messages", "calls", "session")
    for line in news[:ROWS]:
        failed = line.state == "failed"
        table.add_row(
            line.log or "-",
            line.state,
            "-" if failed else str(line.messages),
            "-" if failed else str(line.calls),
            _name(line),
        )
    return table


def _show(summary: Summary, request: Request) -> None:
    """The table of what has news, and a line for each kind of outcome."""
    out = console()
    news = [line for line in summary.lines if line.state not in ("unchanged", "empty")]
    if news:
        out.print(_planned(news) if summary.dry_run else _done(news))
        if len(news) > ROWS:
            out.print(f"and {len(news) - ROWS} more{'' if summary.dry_run else '; the manifest has all'}")
    counts = Counter(line.state for line in summary.lines)
    for state, words in (FORETOLD if summary.dry_run else STATES).items():
        if counts[state]:
            out.print(f"{counts[state]} {words}", markup=False)
    if not summary.lines:
        asked = " that is asked for" if request.sessions or request.projects or request.since else ""
        out.print(f"no session{asked} under {printable(str(request.source))}", markup=False, soft_wrap=True)
    if summary.dry_run:
        if news:
            words = "(told from names, sizes and times: what is in a session is seen only when it comes over)"
            out.print(words, soft_wrap=True)
        out.print(f"into {printable(str(summary.manifest.parents[1]))}", markup=False, soft_wrap=True)
    else:
        out.print(f"manifest: {printable(str(summary.manifest))}", markup=False, soft_wrap=True)
    for line in news:
        if line.state == "failed":
            say(f"failed: {line.uuid}: {line.reason}")


def _verify(request: Request, quiet: bool) -> None:
    """Compare, list what differs, and exit with 1 where something does."""
    with _progress(quiet) as progress:
        verdicts = list(verify(request, progress))
    wrong = [verdict for verdict in verdicts if verdict.problems]
    if not quiet:
        _show_verdicts(verdicts, wrong)
    if wrong:
        raise typer.Exit(Exit.FAILED)


def _show_verdicts(verdicts: list[Verdict], wrong: list[Verdict]) -> None:
    out = console()
    if wrong:
        table = _table("log", "what differs", "session")
        for verdict in wrong:
            table.add_row(
                verdict.log, Text(printable("; ".join(verdict.problems))), Text(_cell(unmarked(verdict.title, 200), 30))
            )
        out.print(table)
    whole = [verdict for verdict in verdicts if not verdict.problems]
    good = [verdict for verdict in whole if not verdict.gone]
    messages = sum(verdict.logs.messages for verdict in good)
    calls = sum(verdict.logs.calls for verdict in good)
    size = sum(verdict.logs.bytes for verdict in good)
    went_on = sum(verdict.went_on for verdict in good)
    gone = len(whole) - len(good)
    out.print(
        f"{len(good)} of {len(verdicts)} sessions agree with their source: "
        f"{messages:,} messages, {calls:,} calls with their results, {size:,} bytes"
        + (f"; {went_on} of them went on in clm since" if went_on else "")
        + (f"; {gone} can't be compared: Claude Code has deleted what they came from" if gone else ""),
        markup=False,
    )
