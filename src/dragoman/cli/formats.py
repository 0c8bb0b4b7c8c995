"""`dragoman formats`: what can be read and written here, and each format's options."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
import orjson
import typer

from dragoman import registry
from dragoman.cli.terminal import console
from dragoman.conversion.options import Option, options_of
from dragoman.errors import DragomanError


def formats(
    name: str = typer.Argument("", help="Show the options of this format."),
    json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """List the formats that can be read and written, and why one can't be used here."""
    rows = [_row(each) for each in dict.fromkeys([*registry.names("readers"), *registry.names("writers")])]
    if name:
        known = [row["name"] for row in rows]
        if name not in known:
            raise registry.unknown("format", name, known)
        rows = [row for row in rows if row["name"] == name]
    if json:
        sys.stdout.buffer.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        return
    from rich.table import Table
    from rich.text import Text

    out = console()
    if name:
        table = Table("option", "of", "default", "may be", "meaning", box=None, header_style="bold", pad_edge=False)
        table.columns[0].no_wrap = True
        for option in rows[0]["options"]:
            words = (option[key] for key in ("of", "default", "type", "meaning"))
            table.add_row(f"--{option['name'].replace('_', '-')}", *(Text(each) for each in words))
        out.print(table if rows[0]["options"] else f"{name} has no options of its own.")
        return
    table = Table("format", "read", "write", "file", "what it is", box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(row["name"], "yes" if row["read"] else "-", row["write"], row["suffix"], row["description"])
    out.print(table)
    for plugin, reason in registry.broken.items():
        out.print(f"plugin {plugin} can't be used: {reason}", markup=False)


def _row(name: str) -> dict[str, Any]:
    reader = writer = None
    problem = ""
    try:
        reader = registry.reader(name) if name in registry.names("readers") else None
        writer = registry.writer(name) if name in registry.names("writers") else None
        problem = writer.unavailable() if writer else ""
    except DragomanError as error:
        problem = str(error)
    component = writer or reader
    options = [
        {
            "name": option.name,
            "of": side,
            "default": _default(option),
            "type": _type(option.type),
            "meaning": option.meaning,
        }
        for side, each in (("reader", reader), ("writer", writer))
        if each is not None
        for option in options_of(each).values()
    ]
    return {
        "name": name,
        "read": reader is not None,
        "write": "-" if writer is None and not problem else (f"no: {problem}" if problem else "yes"),
        "suffix": writer.suffix if writer else "",
        "description": component.description if component else "",
        "options": options,
    }


def _default(option: Option) -> str:
    if option.default is msgspec.NODEFAULT:
        return ""
    return str(option.default).lower() if isinstance(option.default, bool) else str(option.default)


def _type(kind: Any) -> str:
    if getattr(kind, "__args__", None) and getattr(kind, "__origin__", None) is not None:
        return " | ".join(str(each) for each in kind.__args__)
    return str(getattr(kind, "__name__", kind))
