"""The JSON files that a command writes beside its output: the report and the receipt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from dragoman.errors import OutputError
from dragoman.io.target import Target


def write_json(value: Any, path: str, *, force: bool) -> None:
    """Write a value as indented JSON, whole or not at all. Raises OutputError where the file exists and may not go, and
    where the value can't be JSON: the output is there by then, whatever becomes of this."""
    try:
        data = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except orjson.JSONEncodeError as error:
        raise OutputError(f"{path}: can't be written as JSON ({error}); only this file is left out") from None
    target = Target.at(Path(path), force=force)
    try:
        target.main(Path(path).name).write(data)
        target.commit()
    finally:
        target.discard()
