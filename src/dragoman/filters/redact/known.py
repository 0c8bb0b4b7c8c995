"""Values that the user names: from .env files, ~/.aws, ~/.netrc, the environment, and files of words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from dragoman.errors import InputError
from dragoman.filters.redact.judge import chosen, is_secret, placeholder
from dragoman.filters.redact.names import classify
from dragoman.io.paths import home
from dragoman.io.source import read_text

LEAST = 4
"""Shorter words than so many characters would take half the text with them."""

_ASSIGNED = re.compile(r"^\s*(?:export\s+)?(?P<name>[\w.-]+)\s*[=:]\s*(?P<value>.*?)\s*$")


def of_environment() -> Iterator[tuple[str, str]]:
    """(kind, value) of every variable whose name is a secret's."""
    for name, value in os.environ.items():
        named = classify(name)
        if named is not None and is_secret(named.sort, value, "env"):
            yield named.kind, value


def of_file(path: Path) -> Iterator[tuple[str, str]]:
    """(kind, value) of every assignment in an .env file, an AWS credentials file or the like."""
    text = read_text(path, "replace")
    netrc = re.finditer(r"\bpassword\s+(\S+)", text) if path.name.lstrip("._") == "netrc" else ()
    for found in netrc:
        yield "password", found[1]
    for line in text.splitlines():
        match = _ASSIGNED.match(line)
        if match is None or line.lstrip().startswith("#"):
            continue
        value = match["value"].strip("\"'")
        if len(value) < LEAST or placeholder(value):
            continue
        named = classify(match["name"])
        if named is not None and (is_secret(named.sort, value, "env") or chosen(value)):
            yield named.kind, value
        elif named is None and "://" not in value and is_secret("auth", value, "env"):
            yield "secret", value  # such a file holds little else that looks drawn


def of_home() -> Iterator[tuple[str, str]]:
    """What the places hold that everybody has: ~/.aws/credentials, ~/.netrc, ./.env*."""
    folder = home()
    paths = [
        folder / ".aws" / "credentials",
        folder / ".netrc",
        folder / ".pgpass",
        folder / ".npmrc",
        folder / ".pypirc",
        *sorted(Path().glob(".env*")),
    ]
    for path in paths:
        if path.is_file():
            try:
                yield from of_file(path)
            except InputError:
                continue


def words_of(path: Path) -> list[str]:
    """The lines of a file, one word or phrase each; blank ones and comments (#) are left out."""
    lines = read_text(path).splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
