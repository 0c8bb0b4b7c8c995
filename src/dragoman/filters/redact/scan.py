"""Finding without writing, for `dragoman scan`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dragoman.filters.redact.filter import RedactFilter, RedactOptions
from dragoman.filters.redact.receipt import Receipt
from dragoman.model import Session
from dragoman.report import Report


def scan_sessions(
    sessions: Iterable[Session],
    options: RedactOptions | None = None,
    told: Callable[[str], None] | None = None,
) -> Receipt:
    """What redaction would take out of the sessions, as a receipt. One session is held at a time.

    A value or a name that an earlier session holds only bare is found there only where it comes before; to find
    those too, pass the sessions together to `RedactFilter`.
    """
    redact = RedactFilter(options, told)
    redact.begin()
    report = Report()
    for session in sessions:
        redact.prepare([session], report)
        redact.apply(session, report)
        redact.forget()
    return redact.receipt
