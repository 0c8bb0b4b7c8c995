"""Everybody else's JSON: fast where it is sound, forgiving where it isn't.

orjson reads sound JSON. What it refuses (lone surrogates, NaN, bytes that are no UTF-8) goes the
slow way once, and every repair is reported.
"""

from __future__ import annotations

from typing import Any

import orjson

from dragoman.model import Span
from dragoman.report import Report


def loads(data: bytes, span: Span | None, report: Report) -> Any:
    """Decode one JSON value, repairing what can be repaired. Raises ValueError where nothing can."""
    try:
        return orjson.loads(data)
    except ValueError:
        return _loads_slowly(data, span, report)


def dumps(value: Any) -> str:
    """Compact JSON text, non-ASCII verbatim."""
    return orjson.dumps(value).decode()


def _loads_slowly(data: bytes, span: Span | None, report: Report) -> Any:
    raise NotImplementedError
