"""The commands, and what reads their arguments."""

from __future__ import annotations

from importlib import import_module

import typer

from dragoman import __version__
from dragoman.cli.arguments import Command

COMMANDS = {
    "convert": "dragoman.cli.convert:convert",
    "scan": "dragoman.cli.scan:scan",
    "migrate": "dragoman.cli.migrate:migrate",
    "stats": "dragoman.cli.stats:stats_command",
    "doctor": "dragoman.cli.doctor:doctor",
    "formats": "dragoman.cli.formats:formats",
}
"""One file a command, imported when it is called for."""

HELP = """dragoman converts AI-agent conversations: any session in; readable, shareable, resumable formats out."""


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"dragoman {__version__}")
        raise typer.Exit


def _top(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error (anywhere on the line)."),
) -> None:
    pass


def build(first: str | None = None) -> typer.Typer:
    """The application, with the one command that `first` names, or with all."""
    app = typer.Typer(
        name="dragoman", help=HELP, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
    )
    app.callback()(_top)
    for name in [first] if first in COMMANDS else COMMANDS:
        assert name is not None
        module, _, attribute = COMMANDS[name].partition(":")
        settings = {"allow_extra_args": True, "ignore_unknown_options": name == "convert"}
        app.command(name, cls=Command, context_settings=settings)(getattr(import_module(module), attribute))
    return app
