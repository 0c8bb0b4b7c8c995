"""`dragoman doctor`: what a session holds that this version does not know, safe to show to anybody."""

from __future__ import annotations

import sys

import typer

from dragoman import __version__
from dragoman.cli.inputs import resolve
from dragoman.conversion.guessing import SURE, guess_reader
from dragoman.errors import DragomanError, InputError
from dragoman.io.source import Source, open_source
from dragoman.readers.claude_code.drift import Drifts
from dragoman.wording import counted


def doctor(
    inputs: list[str] = typer.Argument(
        ...,
        metavar="INPUT...",
        help="Files, folders, archives, globs, `-`, a session id or its beginning, `last`, or a project folder.",
    ),
) -> None:
    """List types and fields of Claude Code sessions that this version does not know, with counts.

    No value, no path and no tool's name is shown: the list can be pasted into a public issue.
    """
    drifts = Drifts()
    for path in resolve(inputs, "claude-code"):
        with open_source(path) as source:
            if other := _other_format(source):
                raise InputError(
                    f"{source.name}: not a Claude Code session but {other}; doctor looks at Claude Code's only"
                )
            drifts.look_at(source, lambda file: bool(_other_format(Source(file))))
    out = sys.stdout
    looked = f"{counted(drifts.records, 'record')} in {counted(drifts.files, 'file')}"
    found = drifts.found
    if not drifts.records:
        raise InputError(f"{', '.join(inputs)}: no Claude Code session there; doctor looks at that format only")
    if not found:
        out.write(f"nothing unknown: dragoman {__version__} knows every type and field of {looked}\n")
        return
    out.write(f"dragoman {__version__} does not know everything in these {looked} (all of it is carried along):\n\n")
    rows = [("what", "name", "count", "first seen")]
    rows += [
        (each.what, each.name, str(each.count), f"{each.version or 'no version'}, line {each.line}") for each in found
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        out.write("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n")


def _other_format(source: Source) -> str:
    """The format that it certainly is where that isn't Claude Code's, else nothing."""
    try:
        guess = guess_reader(source)
    except DragomanError:  # nothing that is known: the look at its records tells
        return ""
    return guess.name if guess.name != "claude-code" and guess.confidence >= SURE else ""
