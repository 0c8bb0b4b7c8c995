"""The JSON files that a command writes beside its output: the report and the receipt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from dragoman.io.target import Target


def write_json(value: Any, path: str, *, force: bool) -> None:
    """Write a value as indented JSON, whole or not at all. Raises OutputError where the file exists and may not go."""
    target = Target.at(Path(path), force=force)
    try:
        target.main(Path(path).name).write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        target.commit()
    finally:
        target.discard()
