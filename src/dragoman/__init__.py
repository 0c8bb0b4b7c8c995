"""dragoman: any agent session in; readable, shareable, resumable formats out.

The library in five names: `read` and `read_all` a source into neutral sessions, `write` and
`write_all` them in a format, `convert` from file to file. None of them redacts by itself:
hand them `filters=[dragoman.redact()]`. `dragoman.stats` counts tokens, cost and time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dragoman.conversion import convert, read, read_all, write, write_all
    from dragoman.errors import DragomanError
    from dragoman.model import Session
    from dragoman.report import Report

__version__ = "0.1.0"

__all__ = [
    "DragomanError",
    "Report",
    "Session",
    "__version__",
    "convert",
    "read",
    "read_all",
    "redact",
    "write",
    "write_all",
]

_HOME = {
    **dict.fromkeys(("convert", "read", "read_all", "write", "write_all"), "dragoman.conversion"),
    "DragomanError": "dragoman.errors",
    "Session": "dragoman.model",
    "Report": "dragoman.report",
}


def redact(**options: Any) -> Any:
    """A redaction filter with the defaults of the command line (secrets and user names).

    Options, all of them of `dragoman.filters.redact.RedactOptions`:

    - `what`: kinds to redact, of secrets, users, emails, names, hosts, ips, numbers, all; `("secrets", "users")` without it
    - `own_text`, `own_rules`: a `Path` to words of your own, one a line; to rules of your own, as TOML
    - `keep`: a `Path` to values that are no secret after all, one a line
    - `known`: also take values from .env files, ~/.aws, ~/.netrc and the environment; `known_from`: from these `Path`s
    - `drop`: leave out, of tool-results, reasoning, images, events, subagents
    - `key`: a key with which placeholders and fingerprints are the same in every run
    - `plain_engine`: Python's `re` in place of Kingfisher

    UsageError for an option or a word that isn't there.
    """
    from dragoman.errors import UsageError
    from dragoman.filters.redact import RedactFilter, RedactOptions

    there = RedactOptions.__struct_fields__
    unknown = [name for name in options if name not in there]
    if unknown:
        raise UsageError(f"redact() has no option {', '.join(unknown)}; there are: {', '.join(there)}")
    return RedactFilter(RedactOptions(**options))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "stats"})


def __getattr__(name: str) -> Any:
    """Import on first use, so that `dragoman --version` needs none of it."""
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    if name == "stats":
        import dragoman.stats

        return dragoman.stats
    raise AttributeError(f"module 'dragoman' has no attribute {name!r}")
