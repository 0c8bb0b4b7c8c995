"""The rules as data: what stands in rules/*.toml, and in a user's own rule file, loaded and checked."""

from __future__ import annotations

import re
import tomllib
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from dragoman.errors import InputError
from dragoman.filters.redact.recipes import cook
from dragoman.io.source import read_text

VERSION = "1"
"""Version of our rule files, named in receipts. It changes with them."""


class Shape(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """A token that its form gives away. See the head of rules/shapes.toml for the fields."""

    id: str
    pattern: str
    kind: str = "secret"
    says: str = ""
    source: str = ""
    prefix: str = ""
    judge: str = ""
    match: tuple[str, ...] = ()
    differ: tuple[str, ...] = ()

    @cached_property
    def compiled(self) -> re.Pattern[bytes]:
        """The pattern over UTF-8 bytes, made when it is first asked for: most of them never are."""
        return re.compile(self.pattern.encode())


class Phrase(Struct, frozen=True, kw_only=True, dict=True):
    """A value that its surroundings give away, or several. See the head of rules/context.toml for the fields."""

    id: str
    pattern: str
    cues: tuple[str, ...]
    kind: str = "secret"
    says: str = ""
    source: str = ""
    sort: str = "any"
    stance: str = "quoted"
    each: str = ""
    match: tuple[str, ...] = ()
    differ: tuple[str, ...] = ()

    @cached_property
    def compiled(self) -> re.Pattern[bytes]:
        """The pattern over UTF-8 bytes, without regard to case; made when it is first asked for."""
        return re.compile(self.pattern.encode(), re.IGNORECASE)

    @cached_property
    def compiled_each(self) -> re.Pattern[bytes] | None:
        """What is searched within the pattern's value, where that holds several secrets."""
        return re.compile(self.each.encode(), re.IGNORECASE) if self.each else None


class _ShapeFile(Struct, forbid_unknown_fields=True):
    rule: tuple[Shape, ...] = ()


class _PhraseFile(Struct):
    rule: tuple[Phrase, ...] = ()


def _read(name: str) -> str:
    return files("dragoman.filters.redact").joinpath("rules").joinpath(name).read_text("utf-8")


@cache
def shapes() -> tuple[Shape, ...]:
    """The built-in shapes."""
    return msgspec.convert(tomllib.loads(_read("shapes.toml")), _ShapeFile).rule


@cache
def phrases() -> tuple[Phrase, ...]:
    """The built-in phrases."""
    files_of_phrases = ("context.toml", "commands.toml", "calls.toml", "sentences.toml")
    return tuple(
        rule for name in files_of_phrases for rule in msgspec.convert(tomllib.loads(_read(name)), _PhraseFile).rule
    )


def own_shapes(path: Path) -> tuple[Shape, ...]:
    """A user's rules, in the form of rules/shapes.toml, each tried on its own examples.

    An example is taken as it stands where it holds no recipe. Raises InputError, with the rule and what is
    wrong with it, if the file can't be read, a pattern doesn't compile, or an example isn't met.
    """
    try:
        rules = msgspec.convert(tomllib.loads(read_text(path)), _ShapeFile).rule
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise InputError(f"{path}: not a rule file: {error}") from error
    if not rules:
        raise InputError(f"{path}: not a rule file: no [[rule]] in it")
    seen: set[str] = set()
    for rule in rules:
        if rule.id in seen:
            raise InputError(f"{path}: rule {rule.id} stands twice")
        seen.add(rule.id)
        try:
            pattern = re.compile(rule.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise InputError(f"{path}: rule {rule.id}: the pattern doesn't compile: {error}") from error
        if pattern.search(""):
            raise InputError(f"{path}: rule {rule.id}: the pattern matches nothing at all, so everywhere")
        if not rule.match:
            raise InputError(f"{path}: rule {rule.id}: give at least one example in match")
        for example in rule.match:
            if not pattern.search(cook(example)):
                raise InputError(f"{path}: rule {rule.id}: an example that must match doesn't")
        for example in rule.differ:
            if pattern.search(cook(example)):
                raise InputError(f"{path}: rule {rule.id}: an example that must not match does")
    return rules
