"""dragoman: any agent session in; readable, shareable, resumable formats out.

The library in five names: `read` and `read_all` a source into neutral sessions, `write` and
`write_all` them in a format, `convert` from file to file. None of them redacts by itself:
hand them `filters=[dragoman.redact()]`.
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
    """A redaction filter with the defaults of the command line (secrets and user names)."""
    from dragoman.filters.redact import RedactFilter, RedactOptions

    return RedactFilter(RedactOptions(**options))


def __getattr__(name: str) -> Any:
    """Import on first use, so that `dragoman --version` needs none of it."""
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'dragoman' has no attribute {name!r}")
