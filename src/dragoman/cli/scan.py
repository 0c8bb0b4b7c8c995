"""`dragoman scan`: find secrets, people and machines in sessions without writing anything."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import orjson
import typer

from dragoman import __version__
from dragoman.cli.inputs import resolve
from dragoman.cli.progress import Line
from dragoman.cli.redaction import redact_options
from dragoman.cli.terminal import printable, say, say_not_seen
from dragoman.conversion.sources import read_source
from dragoman.errors import DragomanError, Exit, InputError, UsageError
from dragoman.io.source import open_source
from dragoman.model import Session
from dragoman.report import Report
from dragoman.wording import counted

if TYPE_CHECKING:
    from dragoman.filters.redact.receipt import Place, Receipt

ROWS = 40
"""Rows of the table; --json and --sarif have them all."""

NARROWEST = 24
"""Characters of a place on a terminal at least; its beginning is left out first."""


def scan(
    inputs: list[str] = typer.Argument(
        ..., metavar="INPUT...", help="Files, folders, archives, globs, `-`, session ids, `last`, or project folders."
    ),
    reader: str = typer.Option("", "--from", "-f", metavar="FORMAT", help="The input's format (else by its content)."),
    json: bool = typer.Option(False, "--json", help="Print JSON."),
    sarif: bool = typer.Option(False, "--sarif", help="Print a SARIF log."),
    check: bool = typer.Option(False, "--check", help="Exit with 5 where something was found: for hooks and CI."),
    what: str = typer.Option(
        "",
        "--redact",
        metavar="KINDS",
        help="Look for these: secrets (alone without it), users, emails, names, hosts, ips, numbers, all.",
    ),
    own_text: str = typer.Option("", "--redact-text", metavar="FILE", help="Words of your own, one a line."),
    own_rules: str = typer.Option("", "--redact-rules", metavar="FILE", help="Rules of your own."),
    redact_key: str = typer.Option(
        "", "--redact-key", metavar="FILE", help="A file with a key: fingerprints are then the same in every run."
    ),
    known: bool = typer.Option(
        False, "--known", help="Take values from .env files, ~/.aws, ~/.netrc and the environment."
    ),
    keep: str = typer.Option("", "--keep", metavar="FILE", help="Values that are no secret after all, one a line."),
) -> None:
    """Find secrets (and who else is asked for) in sessions; nothing is written, and no value is shown.

    The table's last column, "value", is a fingerprint: the same for the same secret, wherever it stands.

    It is another in every run, unless --redact-key names a key.
    """
    from dragoman.filters.redact import scan_sessions

    if json and sarif:
        raise UsageError("--json and --sarif can't both be printed; name one of them")
    options = redact_options(
        what=what or "secrets", own_text=own_text, own_rules=own_rules, known=known, keep=keep, key=redact_key
    )
    problems: list[str] = []
    report = Report()
    paths = resolve(inputs, reader or None, lambda _, error: problems.append(str(error)))
    counted = _Count(_sessions(paths, reader or None, report, problems))
    receipt = scan_sessions(counted, options, say)
    counted.line.end()
    if not counted.done:
        say_not_seen(report)
        raise InputError(problems[0] if problems else "no conversation to scan")
    if json or sarif:
        value = receipt.as_sarif(__version__) if sarif else receipt.as_json()
        sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    else:
        _table(receipt, counted.done)
    say_not_seen(report)
    for problem in problems:
        say(f"skipped: {problem}")
    if check and receipt.places:
        raise typer.Exit(Exit.FOUND)
    if problems:
        raise typer.Exit(Exit.FAILED)


def _sessions(paths: list[Path], reader: str | None, report: Report, problems: list[str]) -> Iterator[Session]:
    """Every session that can be read; what can't be is one line at the end."""
    for path in paths:
        try:
            with open_source(path) as source:
                yield from read_source(source, report, reader=reader)
        except DragomanError as error:
            problems.append(str(error))


class _Count:
    """Goes through sessions once, counts them, and tells how far it is."""

    def __init__(self, sessions: Iterator[Session]) -> None:
        self._sessions = sessions
        self.done = 0
        self.line = Line()

    def __iter__(self) -> Iterator[Session]:
        for session in self._sessions:
            self.done += 1
            self.line.session("scanning", session.header.id, self.done)
            yield session


def _table(receipt: Receipt, sessions: int) -> None:
    """A row a find: in columns that fit on a terminal, on one unbroken line elsewhere."""
    out = sys.stdout
    places = receipt.places
    if places:
        rows: list[tuple[str, ...]] = [("place", "kind", "field", "characters", "value")]
        rows += [
            tuple(
                printable(cell)
                for cell in (_where(place), place.kind, place.field, str(place.length), place.fingerprint)
            )
            for place in places[:ROWS]
        ]
        rest = [max(len(row[column]) for row in rows) for column in range(1, 5)]
        longest = max(len(row[0]) for row in rows)
        if out.isatty():
            room = get_terminal_size().columns - sum(rest) - 2 * len(rest)
            longest = min(longest, max(room, NARROWEST))
        for where, *cells in rows:
            shown = where if len(where) <= longest else "…" + where[1 - longest :]
            padded = (cell.ljust(width) for cell, width in zip((shown, *cells), (longest, *rest), strict=True))
            out.write("  ".join(padded).rstrip() + "\n")
        if len(places) > ROWS:
            out.write(f"and {len(places) - ROWS} more places; --json lists them\n")
    said = receipt.sentence().replace("redacted ", "found ")
    out.write(f"{counted(sessions, 'session')}: {said}\n")


def _where(place: Place) -> str:
    return f"{place.file}:{place.line}" if place.line else place.file
