"""What may reach a terminal: text from transcripts and file names must not steer it."""

from __future__ import annotations

import sys
from contextlib import suppress

from dragoman.report import Code, Report, Severity

NOT_SEEN = (
    Code.LINE_UNREADABLE,
    Code.LINE_SPLICED,
    Code.TAIL_CUT,
    Code.SIDE_FILE_UNREADABLE,
    Code.SIDE_FILE_MISSING,
    Code.PACKED_UNREADABLE,
    Code.NEWER_VERSION,
)
"""What a report says of an input that couldn't be read to its end, or not as it was meant."""

LINES = 5
"""Lines of a report on stderr; `--report` has them all."""


def printable(text: str) -> str:
    """The text with every character that isn't printable made visible (`\\x1b`)."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def say(text: str) -> None:
    """One line on stderr."""
    with suppress(OSError):  # nobody can be told that nobody can be told
        sys.stderr.write(printable(text) + "\n")


def say_not_seen(report: Report) -> None:
    """What of the input wasn't seen, one kind a line: for a command that has no report to show."""
    for each in report.findings:
        if each.code in NOT_SEEN:
            say(f"{each.code.severity.name.lower()}: {each.sentence}")


def summarize(report: Report, *, report_file: str = "") -> None:
    """The gravest findings, one a line; then how many more there are and where."""
    in_its_own_line = (Code.REDACTED, Code.PSEUDONYM)
    findings = [each for each in report.findings if each.code not in in_its_own_line]
    shown = findings[:LINES] if len(findings) <= LINES else findings[: LINES - 1]
    for each in shown:
        say(f"{each.code.severity.name.lower()}: {each.sentence}")
    hidden = findings[len(shown) :]
    if hidden:
        graver = sum(each.code.severity >= Severity.REPAIR for each in hidden)
        kinds = f"{len(hidden)} more kinds of finding" + (
            f", {graver} of them more than notes" if graver else ", all notes"
        )
        say(f"({kinds}; {'see ' + report_file if report_file else '--report FILE lists them'})")
