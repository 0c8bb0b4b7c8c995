"""What may reach a terminal: text from transcripts and file names must not steer it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from msgspec.structs import replace

from dragoman.report import ONE_BY_ONE, Code, Finding, Report, Severity
from dragoman.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

NOT_SEEN = (
    Code.LINE_UNREADABLE,
    Code.LINE_SPLICED,
    Code.LINE_NOT_OBJECT,
    Code.TAIL_CUT,
    Code.SIDE_FILE_UNREADABLE,
    Code.SIDE_FILE_MISSING,
    Code.PACKED_UNREADABLE,
    Code.FILE_LEFT_OUT,
    Code.NEWER_VERSION,
)
"""What a report says of an input that couldn't be read to its end, or not as it was meant."""

TOLD = frozenset({Code.GUESSED, Code.NAMED_OTHERWISE})
"""Notes that are told one by one: they are about the command itself."""

NEVER_CUT = ONE_BY_ONE | {Code.UNSCANNED_MEDIA}
"""What is told beside the losses, however much there is: what the user may miss, and what may still hold secrets."""

LINES = 5
"""Findings graver than notes that are told on stderr, of which losses are all told; `--report` has them all."""

NAMED = 20
"""Files left out that are named for one reason; then they are counted."""

UNBROKEN = 100_000
"""Columns of a pipe: more than any line has."""

AS_NAMED = frozenset({Code.INPUT_SKIPPED, Code.LEFT_BESIDE, Code.GUESSED, Code.NAMED_OTHERWISE})
"""What is told of what the user named, as it was named."""


def printable(text: str) -> str:
    """The text with every character that isn't printable made visible (`\\x1b`)."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def say(text: str) -> None:
    """One line on stderr."""
    with suppress(OSError):  # nobody can be told that nobody can be told
        status("")
        sys.stderr.write(printable(text) + "\n")


def say_not_seen(report: Report) -> None:
    """What of the input wasn't seen, one kind a line: for a command that has no report to show."""
    for each in _singly(report.findings):
        if each.code in NOT_SEEN:
            say(f"{each.code.severity.name.lower()}: {each.sentence}")


_columns_used = 0
"""Of the line that the cursor stands in."""


def status(text: str) -> None:
    """Put the text in place of what `status` wrote last, on a line that stays the last one."""
    global _columns_used
    if not text and not _columns_used:
        return
    shown = printable(text)[: get_terminal_size().columns - 1]
    sys.stderr.write("\r" + shown.ljust(_columns_used) + ("" if shown else "\r"))
    sys.stderr.flush()
    _columns_used = len(shown)


def console() -> Console:
    """Standard output for tables and prose: lines are broken for a terminal, never in a pipe or a file."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else UNBROKEN)


def summarize(report: Report, *, report_file: str = "") -> None:
    """Every loss and guess, and more that is graver than a note, one a line with its places; then how much more, and where."""
    findings = [each for each in report.findings if each.code not in (Code.REDACTED, Code.PSEUDONYM)]
    grave = [each for each in findings if each.code.severity > Severity.NOTE]
    notes = [each for each in findings if each.code.severity == Severity.NOTE and each.code not in TOLD]
    milder = [each for each in grave if each.code.severity < Severity.LOSS and each.code not in NEVER_CUT]
    summed = [each for each in grave if each.code not in ONE_BY_ONE]
    room = LINES - (len(summed) - len(milder))
    cut = milder[max(room - 1, 0) :] if len(milder) > room else []
    guesses = [each for each in findings if each.code in TOLD]
    alone = notes if len(notes) == 1 else []
    told = [each for each in grave if each not in cut] + guesses + alone
    _tell(told)
    left = [*_sums(cut), *(_sums(notes) if not alone else ())]
    if left:
        said = ", ".join(left[:-1]) + (" and " if left[:-1] else "") + left[-1]
        say(f"{'and ' if told else ''}{said}; {report_file or '--report FILE'} has them")


def _sums(findings: list[Finding]) -> Iterator[str]:
    """How many of each severity: `11 doubts of 3 kinds`."""
    for severity in sorted({each.code.severity for each in findings}, reverse=True):
        of_it = [each for each in findings if each.code.severity is severity]
        yield f"{counted(sum(each.count for each in of_it), severity.name.lower())} of {counted(len(of_it), 'kind')}"


def say_errors(report: Report) -> None:
    """What must be said even to one who wants to hear nothing else."""
    _tell([each for each in report.findings if each.code.severity is Severity.ERROR])


def _tell(shown: list[Finding]) -> None:
    """A line each: how grave, where, what happened."""
    from dragoman.cli.file_names import shown_names  # knows the agents' homes, which most command lines needn't

    names = shown_names({place.file for each in shown if each.code not in AS_NAMED for place in each.places})
    for each in _singly(shown):
        where = ""
        if each.places and each.code in AS_NAMED:
            where = f"{each.places[0].file}: "
        elif each.places and each.code in ONE_BY_ONE:
            where = f"{names[each.places[0].file]}: "
        elif each.places:
            where = f"{each.where(names)}: "
        say(f"{each.code.severity.name.lower()}: {where}{each.message}")


def _singly(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, with one for each place of what is told one by one."""
    for each in findings:
        if each.code not in ONE_BY_ONE:
            yield each
            continue
        named = list(zip(each.places, each.counts, strict=True))[:NAMED]
        yield from (replace(each, count=count, places=(place,), counts=(count,)) for place, count in named)
        left = each.count - sum(count for _, count in named)
        if left:
            yield replace(each, count=left, places=(), counts=())
