"""Paths that a user gives, told without an error: a link that goes round, a `~` of nobody, a machine without a home."""

from __future__ import annotations

import os
from pathlib import Path


def expanded(path: str | Path) -> Path:
    """`~` and `~name` filled in, which a shell doesn't do in `--option=~/file`; left as they are where nobody is of that
    name (`Path.expanduser` raises)."""
    return Path(os.path.expanduser(path))  # noqa: PTH111


def expanded_text(path: str) -> str:
    """The same, with the slash at the end that says that a folder is meant."""
    return os.path.expanduser(path)  # noqa: PTH111


def home() -> Path:
    """The user's home, or `~` itself where there is none (`Path.home` raises)."""
    return expanded("~")


def real(path: str | Path) -> Path:
    """The absolute path with links followed, as far as they go (`Path.resolve` raises on a loop before Python 3.13)."""
    return Path(os.path.realpath(path))


def written(text: str) -> str:
    """A file's name as it may be written down: bytes that are no UTF-8 become U+FFFD."""
    return text if text.isascii() else text.encode(errors="surrogateescape").decode(errors="replace")


def meant(path: str) -> Path:
    """The path that was written down: where a name in it isn't UTF-8, the only one there that is written so."""
    found = Path(path)
    if "\N{REPLACEMENT CHARACTER}" not in path or found.exists():
        return found
    found = Path(found.anchor)
    for name in Path(path).relative_to(found).parts:
        if "\N{REPLACEMENT CHARACTER}" in name:
            try:
                alike = [each for each in found.iterdir() if written(each.name) == name]
            except OSError:
                alike = []
            if len(alike) == 1:
                found = alike[0]
                continue
        found /= name
    return found


def files_in(folder: Path) -> list[Path]:
    """What lies in a folder beside folders; nothing where it isn't there or may not be looked into."""
    try:
        return [each for each in folder.iterdir() if not each.is_dir()]
    except OSError:
        return []
