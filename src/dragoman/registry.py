"""All components by name: ours from one table, others' from entry points; imported when used.

A plugin that can't be loaded is a line of complaint (`broken`), never a crash.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from dragoman.errors import UsageError
from dragoman.filters.protocol import Filter
from dragoman.places.protocol import Place
from dragoman.readers.protocol import Reader
from dragoman.writers.protocol import Writer

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["readers", "writers", "filters", "places"]

BUILT_IN: dict[Kind, dict[str, str]] = {
    "readers": {
        "claude-code": "dragoman.readers.claude_code:reader",
        "clm": "dragoman.readers.clm:reader",
        "openai": "dragoman.readers.openai:reader",
        "native": "dragoman.readers.native:reader",
        "html": "dragoman.readers.html:reader",
        "pdf": "dragoman.readers.pdf:reader",
    },
    "writers": {
        "clm": "dragoman.writers.clm:writer",
        "markdown": "dragoman.writers.markdown:writer",
        "html": "dragoman.writers.html:writer",
        "openai": "dragoman.writers.openai:writer",
        "native": "dragoman.writers.native:writer",
        "claude-code": "dragoman.writers.claude_code:writer",
        "pdf": "dragoman.writers.pdf:writer",
    },
    "filters": {
        "redact": "dragoman.filters.redact:RedactFilter",
        "select": "dragoman.filters.select:SelectFilter",
    },
    "places": {
        "claude-code": "dragoman.places.claude_code:place",
        "clm": "dragoman.places.clm:place",
    },
}


@cache
def _plugins(kind: Kind) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow, and needed only where a name isn't ours

    return {point.name: point for point in entry_points(group=f"dragoman.{kind}")}


broken: dict[str, str] = {}
"""Plugins that could not be loaded: name to reason."""


def names(kind: Kind) -> Iterator[str]:
    """Every name of a kind, ours first: whoever stops before they are through never looks for plugins."""
    yield from BUILT_IN[kind]
    yield from (name for name in _plugins(kind) if name not in BUILT_IN[kind])


@cache
def _load(kind: Kind, name: str) -> Any:
    if name in BUILT_IN[kind]:
        module, _, attribute = BUILT_IN[kind][name].partition(":")
        return getattr(import_module(module), attribute)
    if name in _plugins(kind):
        try:
            return _plugins(kind)[name].load()
        except Exception as error:  # whatever a stranger's module raises at import
            broken[f"{kind}/{name}"] = f"{type(error).__name__}: {error}"
            raise UsageError(f"the plugin for {name!r} can't be loaded ({type(error).__name__}: {error})") from error
    raise unknown(kind[:-1], name, names(kind))


CLOSE = 0.65
"""How much of a name must be right for it to be taken for another's: `cml` may be clm, `nope` isn't openai."""

_ALIASES = {"md": "markdown", "htm": "html", "claude": "claude-code", "chatgpt": "openai"}


def unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    """The error for a name that nothing has, with the one that was meant, and all that there are."""
    from difflib import get_close_matches

    there = list(known)
    meant = name.lower().strip(" .").replace("_", "-")
    near = get_close_matches(_ALIASES.get(meant, meant), there, n=1, cutoff=CLOSE)
    hint = f"did you mean {near[0]}? There" if near else "there"
    return UsageError(f"no {what} is called {name!r}; {hint} are: {', '.join(there)}")


def reader(name: str) -> Reader:
    """The reader of that name; UsageError where there is none."""
    component: Reader = _load("readers", name)
    return component


def writer(name: str) -> Writer:
    """The writer of that name; UsageError where there is none."""
    component: Writer = _load("writers", name)
    return component


def filter_type(name: str) -> type[Filter]:
    """The filter's class: called with its options it makes a Filter."""
    component: type[Filter] = _load("filters", name)
    return component


def place(name: str) -> Place:
    """The place of that name; UsageError where there is none."""
    component: Place = _load("places", name)
    return component
