"""What `dragoman convert` does, once it is known what is wanted: any session in, any format out."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from dragoman import registry
from dragoman.cli.inputs import resolve
from dragoman.cli.progress import Line
from dragoman.cli.redaction import GOES_HOME, redact_options, say_what_was_done, write_receipt
from dragoman.cli.side_file import write_json
from dragoman.cli.terminal import say, say_errors, summarize
from dragoman.conversion.guessing import guess_writer, report_guess, report_other_name
from dragoman.conversion.options import no_such_option, options_of
from dragoman.conversion.pipeline import Conversion
from dragoman.conversion.sources import Sessions, leave_out, open_all, plan
from dragoman.errors import Exit, LeakError, OutputError, PictureLeakError, UsageError
from dragoman.filters.protocol import Filter
from dragoman.filters.select import SelectFilter, SelectOptions
from dragoman.io import reads
from dragoman.io.paths import expanded_text, real
from dragoman.io.target import Target, is_device
from dragoman.report import Code, Report, Severity
from dragoman.wording import counted

if TYPE_CHECKING:
    from dragoman.filters.redact import RedactFilter


class Wanted(Struct, frozen=True, kw_only=True):
    """What the command line says; `dragoman convert --help` tells what each means."""

    inputs: list[str]
    reader: str = ""
    writer: str = ""
    out: str = ""
    option: list[str] = []
    title: str = ""
    no_redact: bool = False
    redact: str = ""
    redact_report: str = ""
    redact_text: str = ""
    redact_rules: str = ""
    redact_key: str = ""
    known: bool = False
    keep: str = ""
    drop: str = ""
    report_file: str = ""
    fail_on: str = ""
    force: bool = False
    quiet: bool = False


_sessions: Sessions | None = None
"""Those of the last run, kept: the process ends next, and needn't take them apart before."""


STANDARD_OUTPUT = frozenset({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
"""Other names of `-`."""

WAYS_OUT = (
    "What is no secret can be named in a file (--keep FILE); else leave that session out, and please report it: "
    "it is a fault of ours"
)
"""What to do where the check after rendering found something."""

PICTURES_OUT = "A picture or document can't be cleaned: --drop images leaves them out"


def run(wanted: Wanted, after_dashes: Sequence[str] = ()) -> None:
    """Convert what `wanted` names, and what stood after `--`. SystemExit with 3 where something as grave as `fail_on` was reported, with 1 where an input was left out."""
    wanted = replace(
        wanted,
        out="-" if wanted.out in STANDARD_OUTPUT else expanded_text(wanted.out),
        report_file=expanded_text(wanted.report_file),
        redact_report=expanded_text(wanted.redact_report),
    )
    for flag, path in (("--report", wanted.report_file), ("--redact-report", wanted.redact_report)):
        if path == "-":
            raise UsageError(f"{flag} -: standard output is the conversation's; give a file")
    bar = _severity(wanted.fail_on)
    given, inputs = _options(wanted, after_dashes)
    report = Report()
    writer_name = wanted.writer or _writer_for(wanted.out)
    target = _target(wanted.out, force=wanted.force)
    _refuse_terminal(writer_name, target)
    if wanted.no_redact and wanted.redact:
        raise UsageError("--redact and --no-redact exclude each other")
    with reads.remembered(), ExitStack() as stack:
        paths = resolve(inputs, wanted.reader or None, lambda name, error: leave_out(name, error, report))
        opened = open_all(paths, stack, report)
        sources, of_writer = plan(opened, writer_name, given, report, reader=wanted.reader or None)
        if _names_a_file(wanted.out) and not wanted.writer:
            report_guess(Path(wanted.out), writer_name, [reader for _, reader, _ in sources], report)
        elif _names_a_file(wanted.out):
            report_other_name(Path(wanted.out), writer_name, report)
        redacting = not wanted.no_redact and (bool(wanted.redact) or writer_name not in GOES_HOME)
        if not redacting and not wanted.no_redact and not wanted.quiet:
            say(f"not redacted: {writer_name} goes back to your own folder (--redact users redacts it)")
        filters: list[Filter] = [SelectFilter(SelectOptions(title=wanted.title))] if wanted.title else []
        redactor = None
        if redacting or wanted.drop:
            from dragoman.filters.redact import RedactFilter as Redactor

            options = redact_options(
                what=wanted.redact, off=not redacting, own_text=wanted.redact_text, own_rules=wanted.redact_rules,
                keep=wanted.keep, known=wanted.known, drop=wanted.drop, key=wanted.redact_key,
            )  # fmt: skip
            redactor = Redactor(options, told=say)
            filters.append(redactor)
        _refuse_collisions(wanted)
        target.beside = [Path(each) for each in (wanted.report_file, wanted.redact_report) if each]
        conversion = Conversion(writer_name, target, report, options=of_writer, filters=filters)
        line = Line(quiet=wanted.quiet or (target.to_stdout and sys.stdout.isatty()))
        target.progress = line.part
        if redactor is not None:
            redactor.begin()
        global _sessions
        _sessions = Sessions(sources, report, line.session)
        try:
            made = conversion.run(_sessions, line.session)
        except LeakError as error:
            line.end()
            try:
                _write_beside(wanted, report, redactor)
            except OutputError as problem:
                say(str(problem))
            ways = PICTURES_OUT if isinstance(error, PictureLeakError) else WAYS_OUT
            raise LeakError(f"{error}. {ways}") from None
        line.end()
    _write_beside(wanted, report, redactor)
    if not wanted.quiet:
        if redactor is not None and redacting:
            say_what_was_done(redactor.receipt, wanted.redact_report)
        summarize(report, report_file=wanted.report_file)
        if target.is_folder:
            say(f"wrote {counted(len(made), 'file')} to {wanted.out}")
        elif len(made) > 1:
            say(f"wrote {wanted.out} and {counted(len(made) - 1, 'file')} beside it")
    else:
        say_errors(report)
    worst = report.worst()
    if bar is not None and worst is not None and worst >= bar:
        raise SystemExit(int(Exit.LOSS))
    if report.count(Code.INPUT_SKIPPED):
        raise SystemExit(int(Exit.FAILED))


def _write_beside(wanted: Wanted, report: Report, redactor: RedactFilter | None) -> None:
    """The report and the receipt, where they are asked for: each, whatever becomes of the other."""
    try:
        if wanted.report_file:
            write_json({"findings": report.as_json()}, wanted.report_file, force=wanted.force)
    finally:
        if redactor is not None and wanted.redact_report:
            write_receipt(redactor.receipt, wanted.redact_report, force=wanted.force)


def _refuse_collisions(wanted: Wanted) -> None:
    """What is known before anything is read: no output lies where an input or another output does."""
    named = (wanted.out, wanted.report_file, wanted.redact_report)
    outputs = [path for path in named if path and path != "-" and not is_device(Path(path))]
    places = [real(each) for each in outputs]
    for each, place in zip(outputs, places, strict=True):
        if place.is_file() and reads.is_input(place):
            raise UsageError(f"{each} is an input; inputs are only ever read")
        if places.count(place) > 1:
            raise UsageError(f"{each} is named for two outputs")
    for each in outputs:
        if each != wanted.out and Path(each).exists() and not wanted.force:
            raise OutputError(f"{each}: exists already; --force replaces it")


def _options(wanted: Wanted, after_dashes: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """`-O key=value` and the components' own `--key value`, which stand among the inputs; and the inputs left."""
    given: dict[str, str] = {}
    for each in wanted.option:
        key, equals, value = each.partition("=")
        given[key.replace("-", "_")] = value if equals else "true"
        if equals and not value:
            raise UsageError(f"-O {each}: it needs a value")
    if not any(each.startswith("-") and each != "-" for each in wanted.inputs):
        return given, [*wanted.inputs, *after_dashes]
    writer = wanted.writer or _writer_for(wanted.out)
    flags = _flags(writer)
    left: list[str] = []
    words = iter(wanted.inputs)
    for word in words:
        if not word.startswith("--") or len(word) == 2:
            if word.startswith("-") and len(word) > 1:
                raise UsageError(f"no option {word}; `dragoman convert --help` lists them")
            left.append(word)
            continue
        key, equals, value = word[2:].partition("=")
        key = key.replace("-", "_")
        if key.startswith("no_") and flags.get(key[3:]) is True and not equals:
            given[key[3:]] = "false"
        elif key not in flags:
            raise no_such_option(key, [writer], options_of(registry.writer(writer)))
        elif flags[key] and not equals:
            given[key] = "true"
        else:
            given[key] = value if equals else next(words, "")
            if not given[key]:
                raise UsageError(f"--{key.replace('_', '-')} needs a value")
    left += after_dashes
    if not left:
        raise UsageError("no INPUT given; `dragoman convert --help` says what it can be")
    return given, left


def _flags(writer: str) -> dict[str, bool]:
    """The options that the components declare: whether each is a switch."""
    components: list[Any] = [registry.writer(writer)]
    for name in registry.names("readers"):
        try:
            components.append(registry.reader(name))
        except UsageError:
            continue
    return {name: option.type is bool for each in reversed(components) for name, option in options_of(each).items()}


def _writer_for(out: str) -> str:
    return guess_writer(Path(out)) if _names_a_file(out) else "markdown"


def _names_a_file(out: str) -> bool:
    return bool(out) and out != "-" and not out.endswith("/") and not Path(out).is_dir() and not is_device(Path(out))


def _target(out: str, *, force: bool) -> Target:
    if not out or out == "-":
        return Target(None)
    if out.endswith("/"):
        return Target.folder(Path(out), force=force)
    return Target.at(Path(out), force=force)


def _refuse_terminal(writer: str, target: Target) -> None:
    if target.to_stdout and target.device is None and registry.writer(writer).binary and os.isatty(sys.stdout.fileno()):
        raise OutputError(f"{writer} is binary and doesn't go to a terminal; use -o FILE, or a pipe")


def _severity(name: str) -> Severity | None:
    if not name:
        return None
    try:
        return Severity[name.upper()]
    except KeyError:
        known = ", ".join(each.name.lower() for each in Severity)
        raise UsageError(f"--fail-on {name}: it is one of {known}") from None
