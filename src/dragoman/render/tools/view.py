"""From a call to its view: the agent's tools by name, everything else as it stands."""

from __future__ import annotations

from typing import Any

import orjson

from dragoman.render.tools import claude_code, messages, others, results
from dragoman.render.tools.fields import Fields
from dragoman.render.tools.generic import generic
from dragoman.render.tools.pieces import Maker, Pieces
from dragoman.render.tools.views import View
from dragoman.render.turns import Call

_MAKERS: dict[str, Maker] = {**others.MAKERS, **claude_code.MAKERS, **messages.MAKERS}


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
    return _MAKERS.get(name)
