"""`dragoman convert`: its arguments and options."""

from __future__ import annotations

import typer

from dragoman.cli.arguments import AFTER_DASHES
from dragoman.cli.converting import Wanted, run


def convert(
    context: typer.Context,
    inputs: list[str] = typer.Argument(
        ...,
        metavar="INPUT...",
        help="Files, folders, archives, globs, `-`, a session id or its beginning, `last`, or a project folder.",
    ),
    reader: str = typer.Option("", "--from", "-f", metavar="FORMAT", help="The input's format (else by its content)."),
    writer: str = typer.Option(
        "", "--to", "-t", metavar="FORMAT", help="The output's format (else by the name of -o, else markdown)."
    ),
    out: str = typer.Option(
        "",
        "--output",
        "-o",
        metavar="OUT",
        help="A file, or a folder (with a slash at its end). `-`, or without it: standard output.",
    ),
    option: list[str] = typer.Option(
        [],
        "--option",
        "-O",
        metavar="KEY=VALUE",
        help="An option of the format; `dragoman formats NAME` lists them. `--key value` works too.",
    ),
    title: str = typer.Option("", "--title", help="The title to set."),
    no_redact: bool = typer.Option(False, "--no-redact", help="Let secrets through. Without it they are redacted."),
    redact: str = typer.Option(
        "",
        "--redact",
        metavar="KINDS",
        help="What to redact beside secrets, with commas: users (also without it), emails, names, hosts, ips, numbers, all.",
    ),
    redact_report: str = typer.Option(
        "",
        "--redact-report",
        metavar="FILE",
        help="Write where what was redacted, as JSON or .sarif; never the values.",
    ),
    redact_text: str = typer.Option(
        "", "--redact-text", metavar="FILE", help="Words of your own to redact, one a line."
    ),
    redact_rules: str = typer.Option("", "--redact-rules", metavar="FILE", help="Rules of your own."),
    redact_key: str = typer.Option(
        "", "--redact-key", metavar="FILE", help="A file with a key: placeholders are then the same across sessions."
    ),
    known: bool = typer.Option(
        False, "--known", help="Redact the values of .env files, ~/.aws, ~/.netrc and the environment, too."
    ),
    keep: str = typer.Option("", "--keep", metavar="FILE", help="Values that are no secret after all, one a line."),
    drop: str = typer.Option(
        "",
        "--drop",
        metavar="PARTS",
        help="Leave out, with commas: tool-results, reasoning, images, events, subagents.",
    ),
    report_file: str = typer.Option("", "--report", metavar="FILE", help="Write every loss, repair and doubt as JSON."),
    fail_on: str = typer.Option(
        "",
        "--fail-on",
        metavar="SEVERITY",
        help="Exit with 3 where something this grave was reported: note, repair, doubt, loss or error.",
    ),
    force: bool = typer.Option(False, "--force", help="Replace files that exist."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Say nothing on stderr but errors."),
) -> None:
    """Convert sessions from one format into another."""
    plain = len(inputs) - context.meta[AFTER_DASHES]
    run(
        Wanted(
            inputs=inputs[:plain],
            reader=reader,
            writer=writer,
            out=out,
            option=option,
            title=title,
            no_redact=no_redact,
            redact=redact,
            redact_report=redact_report,
            redact_text=redact_text,
            redact_rules=redact_rules,
            redact_key=redact_key,
            known=known,
            keep=keep,
            drop=drop,
            report_file=report_file,
            fail_on=fail_on,
            force=force,
            quiet=quiet,
        ),
        inputs[plain:],
    )
