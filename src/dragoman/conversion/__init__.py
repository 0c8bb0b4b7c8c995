"""The only room that joins the two sides: sources and readers, filters, writers and targets.

Sessions are read from sources (`sources`, with readers told by `guessing`), and go through filters into one target (`pipeline`).
Those that are a part of a session only are told by `parts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from dragoman.conversion.guessing import guess_writer, report_guess, report_other_name
from dragoman.conversion.pipeline import Conversion
from dragoman.conversion.sources import Sessions, open_all, plan, read_source
from dragoman.errors import InputError
from dragoman.filters.protocol import Filter
from dragoman.io import reads
from dragoman.io.source import open_source
from dragoman.io.target import Target
from dragoman.model import Session
from dragoman.report import Report


def read_all(path: Path | str, *, reader: str | None = None, report: Report | None = None) -> list[Session]:
    """Every session of a file, folder or archive. Raises DragomanError where nothing can be read."""
    report = Report() if report is None else report
    with open_source(Path(path)) as source:
        return list(read_source(source, report, reader=reader))


def read(path: Path | str, *, reader: str | None = None, report: Report | None = None) -> Session:
    """The one session of a source. Raises DragomanError where there is none, or more than one."""
    sessions = read_all(path, reader=reader, report=report)
    if len(sessions) != 1:
        found = "no conversation" if not sessions else f"{len(sessions)} sessions"
        raise InputError(f"{path}: {found} in it, where one was asked for")
    return sessions[0]


def write(
    session: Session,
    format: str,
    out: Path | str | BinaryIO,
    *,
    report: Report | None = None,
    filters: Sequence[Filter] = (),
    force: bool = False,
    **options: Any,
) -> list[Path]:
    """Write a session into a file, a folder (`out` is one, or ends with a slash), or an open binary stream.

    Redacts only by the filters given. `options` are the format's own. Returns the files made.
    """
    return write_all([session], format, out, report=report, filters=filters, force=force, **options)


def write_all(
    sessions: Iterable[Session],
    format: str,
    out: Path | str | BinaryIO,
    *,
    report: Report | None = None,
    filters: Sequence[Filter] = (),
    force: bool = False,
    **options: Any,
) -> list[Path]:
    """Write sessions into one file or stream of a format that can hold them, or into a folder."""
    if not isinstance(out, str | Path):
        target = Target(None, stream=out)
    elif str(out).endswith("/"):
        target = Target.folder(Path(out), force=force)
    else:
        target = Target.at(Path(out), force=force)
    given = {key: _as_text(value) for key, value in options.items()}
    return Conversion(format, target, Report() if report is None else report, options=given, filters=filters).run(
        sessions
    )


def convert(
    inputs: Path | str | Iterable[Path | str],
    out: Path | str,
    *,
    reader: str | None = None,
    writer: str | None = None,
    filters: Sequence[Filter] = (),
    report: Report | None = None,
    force: bool = False,
    options: dict[str, str] | None = None,
) -> list[Path]:
    """Convert files, folders or archives into `out`. Redacts only by the filters given."""
    report = Report() if report is None else report
    chosen, writer = writer, writer or guess_writer(Path(out))
    several = [inputs] if isinstance(inputs, str | Path) else list(inputs)
    with reads.remembered(), ExitStack() as stack:
        opened = open_all([Path(each) for each in several], stack, report)
        sources, of_writer = plan(opened, writer, options or {}, report, reader=reader)
        if not chosen:
            report_guess(Path(out), writer, [name for _, name, _ in sources], report)
        elif not str(out).endswith("/") and not Path(out).is_dir():
            report_other_name(Path(out), writer, report)
        return write_all(
            Sessions(sources, report), writer, out, report=report, filters=filters, force=force, **of_writer
        )


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
