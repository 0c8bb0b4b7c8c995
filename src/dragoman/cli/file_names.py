"""What the command line calls files in the lines of one list: all in one way, by which each can be found."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dragoman import registry
from dragoman.errors import UsageError
from dragoman.io.clm import OWN_ID
from dragoman.places.claude_code import SESSION_NAME


def shown_names(files: Iterable[str]) -> dict[str, str]:
    """Where all lie in agents' homes: the session's id, by which it can be converted, and the place in its folder; else
    paths, from here where they lie below."""
    files = list(files)
    here, roots = Path.cwd(), _roots()
    ids = {file: _in_session(Path(file), roots) for file in files}
    if all(ids.values()) and len(set(ids.values())) == len(ids):
        return ids
    return {file: _from(here, file) for file in files}


def _from(here: Path, file: str) -> str:
    return str(Path(file).relative_to(here)) if Path(file).is_relative_to(here) else file


def _roots() -> list[Path]:
    roots: list[Path] = []
    for name in registry.names("places"):
        try:
            roots += registry.place(name).roots()
        except UsageError:  # a broken plugin is named by `dragoman formats`
            continue
    return roots


def _in_session(path: Path, roots: list[Path]) -> str:
    """The path from the session's id on; empty where the file is none of an agent's home."""
    root = next((each for each in roots if path.is_relative_to(each)), None)
    if root is None:
        return ""
    parts = path.relative_to(root).parts
    for number, part in enumerate(parts):
        stem = part.removesuffix(".jsonl")
        if SESSION_NAME.fullmatch(f"{stem}.jsonl") or OWN_ID.fullmatch(stem):
            return "/".join((stem, *parts[number + 1 :]))
    return ""
