"""Calls without a form of their own, as they stand: tools that nobody knows, those of MCP servers, damaged calls."""

from __future__ import annotations

import orjson

from dragoman.render.tools.pieces import Pieces
from dragoman.render.tools.views import Generic


def generic(pieces: Pieces) -> Generic:
    """A call without a form of its own."""
    call = pieces.call
    raw = ""
    if call.call is not None and not pieces.args.values:
        raw = call.call.arguments
        if raw.strip() in ("{}", ""):
            raw = ""
    server, _ = mcp(call.name)
    arguments = pieces.args.values
    pieces.args.used.update(arguments)
    text = pieces.result.text
    structured = pieces.call.result.structured if pieces.call.result is not None else None
    shown = None
    if structured is not None and not text and not pieces.result.media and not isinstance(structured, str):
        shown = structured  # the only words there are
    elif isinstance(structured, str) and not text:
        text = structured
    return Generic(
        server=server,
        arguments=arguments,
        raw=raw,
        text=text,
        text_form="json" if _is_json(text) else "plain",
        structured=shown,
        **pieces.base(structured_shown=shown is not None),
    )


def mcp(name: str) -> tuple[str, str]:
    """The server and the tool of `mcp__server__tool`; no server where it is another name."""
    if not name.startswith("mcp__"):
        return "", name
    server, _, tool = name[5:].partition("__")
    return (server, tool) if tool else ("", name)


def _is_json(text: str) -> bool:
    """Whether it is an object or a list. Long texts aren't tried."""
    if not text or len(text) > 200_000 or text[0] not in "{[" or text.rstrip()[-1:] not in "}]":
        return False
    try:
        orjson.loads(text)
    except ValueError:
        return False
    return True
