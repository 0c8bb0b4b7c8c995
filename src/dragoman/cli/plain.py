"""The plainest command lines, read without typer: half of a small conversion's time is typer's import.

What isn't understood here, and whatever is wrong, is left to typer, which reads all of it anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dragoman.cli.converting import Wanted

_VALUES = {"--from": "reader", "-f": "reader", "--to": "writer", "-t": "writer", "--output": "out", "-o": "out"}
_SWITCHES = {"--no-redact": "no_redact", "--force": "force", "--quiet": "quiet", "-q": "quiet"}


def plain(arguments: list[str]) -> Wanted | None:
    """What `convert` with inputs and these options wants; None for every other command line."""
    if not arguments or arguments[0] != "convert":
        return None
    inputs: list[str] = []
    found: dict[str, Any] = {}
    words = iter(arguments[1:])
    for word in words:
        if word == "-" or not word.startswith("-"):
            inputs.append(word)
            continue
        name = _SWITCHES.get(word) or _VALUES.get(word)
        if name is None or name in found:
            return None
        value: str | bool = True
        if word in _VALUES:
            value = next(words, "")
            if not value or (value.startswith("-") and value != "-"):
                return None
        found[name] = value
    if not inputs:
        return None
    from dragoman.cli.converting import Wanted

    return Wanted(inputs=inputs, **found)
