"""`dragoman formats`: what can be read and written here, and each format's options."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
import orjson
import typer

from dragoman import registry
from dragoman.errors import DragomanError, UsageError


def formats(
    name: str = typer.Argument("", help="Show the options of this format."),
    json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """List the formats that can be read and written, and why one can't be used here."""
    rows = [_row(each) for each in dict.fromkeys([*registry.names("readers"), *registry.names("writers")])]
    if name:
        rows = [row for row in rows if row["name"] == name]
        if not rows:
            raise UsageError(f"no format is called {name!r}; `dragoman formats` lists them")
    if json:
        sys.stdout.buffer.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        return
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if name:
        table = Table("option", "of", "default", "may be", box=None, header_style="bold", pad_edge=False)
        for option in rows[0]["options"]:
            table.add_row(f"--{option['name'].replace('_', '-')}", option["of"], option["default"], option["type"])
        console.print(table if rows[0]["options"] else f"{name} has no options of its own.")
        return
    table = Table("format", "read", "write", "file", "what it is", box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(row["name"], "yes" if row["read"] else "-", row["write"], row["suffix"], row["description"])
    console.print(table)
    for plugin, reason in registry.broken.items():
        console.print(f"plugin {plugin} can't be used: {reason}", markup=False)


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
        {"name": field.name, "of": side, "default": _default(field), "type": _type(field.type)}
        for side, each in (("reader", reader), ("writer", writer))
        if each is not None
        for field in msgspec.structs.fields(each.options)
    ]
    return {
        "name": name,
        "read": reader is not None,
        "write": "-" if writer is None and not problem else (f"no: {problem}" if problem else "yes"),
        "suffix": writer.suffix if writer else "",
        "description": component.description if component else "",
        "options": options,
    }


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.default is msgspec.NODEFAULT:
        return ""
    return str(field.default).lower() if isinstance(field.default, bool) else str(field.default)


def _type(kind: Any) -> str:
    if getattr(kind, "__args__", None) and getattr(kind, "__origin__", None) is not None:
        return " | ".join(str(each) for each in kind.__args__)
    return str(getattr(kind, "__name__", kind))
