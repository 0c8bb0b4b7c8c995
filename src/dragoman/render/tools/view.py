"""From a call to its view: the agent's tools by name, everything else as it stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import orjson
from msgspec import Struct

from dragoman.render.tools import results
from dragoman.render.tools.fields import Fields
from dragoman.render.tools.views import Generic, View
from dragoman.render.turns import Call


class Pieces(Struct, gc=False):
    """What a tool's own function works with: the arguments, the result's text, and the agent's twin of it."""

    call: Call
    name: str
    args: Fields
    result: results.Plain
    twin: Fields

    def base(self, *, rest: str = "", left_out: tuple[str, ...] = (), structured_shown: bool = False) -> dict[str, Any]:
        """What every view has (`views.Base`). `rest` is the result's text that the view has no form for."""
        made: dict[str, Any] = {"structured_shown": structured_shown}
        result = self.result
        if more := self.args.rest:
            made["more"] = more
        if rest:
            made["rest"], made["rest_is_error"] = rest, result.failed
        if left_out:
            made["left_out"] = left_out
        if self.call.result is not None and self.call.result.feedback:
            made["feedback"] = self.call.result.feedback
        if result.reminders:
            made["reminders"] = result.reminders
        if result.media:
            made["media"] = result.media
        if result.unknown:
            made["unknown"] = result.unknown
        return made


Maker: TypeAlias = Callable[[Pieces], View]


def arguments(call: Call) -> dict[str, Any] | None:
    """The call's arguments, or None where they are no JSON object."""
    if call.call is None:
        return {}
    text = call.call.arguments
    if not text:
        return {}
    try:
        value = orjson.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def view(call: Call) -> View:
    """Everything that the call and its result hold, in the form that fits. Never raises."""
    args = arguments(call)
    result = results.plain(call.result)
    structured = call.result.structured if call.result is not None else None
    pieces = Pieces(call, call.name, Fields(args), result, Fields(structured))
    if args is None or call.call is None or not call.name:
        return generic(pieces)
    maker = known(call.name)
    return maker(pieces) if maker is not None else generic(pieces)


def known(name: str) -> Maker | None:
    """The function for a tool's name, or None."""
    return _makers().get(name)


@cache
def _makers() -> dict[str, Maker]:
    from dragoman.render.tools import claude_code, others  # which build on this module

    return {**others.MAKERS, **claude_code.MAKERS}


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
