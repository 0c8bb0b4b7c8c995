"""Redaction: secrets found, replaced everywhere, checked again, with a receipt.

`RedactFilter` is the filter between reader and writer, `scan_sessions` finds without writing, and
`redact_text` is for a single string. See docs/redaction.md.
"""

from __future__ import annotations

from dragoman.filters.redact.filter import DROPPABLE, RedactFilter, RedactOptions
from dragoman.filters.redact.identities import SWITCHES
from dragoman.filters.redact.receipt import Place, Receipt
from dragoman.filters.redact.scan import scan_sessions

__all__ = ["DROPPABLE", "SWITCHES", "Place", "Receipt", "RedactFilter", "RedactOptions", "redact_text", "scan_sessions"]


def redact_text(text: str, options: RedactOptions | None = None) -> str:
    """One text, redacted. For many, make a `RedactFilter` once."""
    made = RedactFilter(options)
    replacer = made.replacer
    replacer.learn([text])
    replacer.freeze()
    made.identities.learn_all([text])
    made.identities.freeze()
    return made.identities.replace(replacer.replace(text))
