"""What the function of a tool works with, and what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

from dragoman.render.tools import results
from dragoman.render.tools.fields import Fields
from dragoman.render.tools.views import View
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
"""Makes a tool's view."""
