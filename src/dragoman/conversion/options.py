"""The options that readers and writers declare, and what a user gives of them as `key=value`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from dragoman import registry
from dragoman.errors import UsageError
from dragoman.readers.protocol import Reader
from dragoman.writers.protocol import Writer


class Option(Struct, frozen=True):
    """An option that a component declares: a field of its `options`, its meaning from `msgspec.Meta`."""

    name: str
    type: Any
    default: Any
    meaning: str = ""

    @property
    def flag(self) -> str:
        """As it is written on the command line."""
        return _flag(self.name)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def options_of(component: Reader | Writer) -> dict[str, Option]:
    """A component's options by name."""
    found: dict[str, Option] = {}
    for field in msgspec.structs.fields(component.options):
        kind, meaning = field.type, ""
        if get_origin(kind) is Annotated:
            kind, *more = get_args(kind)
            meaning = next((each.description for each in more if isinstance(each, Meta) and each.description), "")
        found[field.name] = Option(field.name, kind, field.default, meaning)
    return found


def owners(name: str) -> list[str]:
    """The formats that have an option of this name."""
    found: dict[str, None] = {}
    for each in dict.fromkeys([*registry.names("readers"), *registry.names("writers")]):
        try:
            reader = registry.reader(each) if each in registry.names("readers") else None
            writer = registry.writer(each) if each in registry.names("writers") else None
        except UsageError:  # a broken plugin is named by `dragoman formats`
            continue
        if any(name in options_of(side) for side in (reader, writer) if side is not None):
            found[each] = None
    return list(found)


def no_such_option(name: str, formats: Iterable[str], known: Mapping[str, Option]) -> UsageError:
    """Whose option it is, where it is another format's; else which there are."""
    flag = _flag(name)
    here = list(dict.fromkeys(formats))
    elsewhere = owners(name)
    if others := [each for each in here if elsewhere and each not in elsewhere]:
        return UsageError(f"{flag} is an option of {' and '.join(elsewhere)}, not of {' or '.join(others)}")
    listed = ", ".join(known[each].flag for each in sorted(known)) or "none"
    return UsageError(
        f"no option {flag}; {' or '.join(here)} has {listed}, and `dragoman convert --help` lists those for every format"
    )


def make_options(component: Reader | Writer, given: dict[str, str], *, role: str) -> Any:
    """A component's options from `key=value` strings. UsageError names what it doesn't have or can't be."""
    fields = options_of(component)
    for key in given:
        if key not in fields:
            raise no_such_option(key, [component.name], fields)
    try:
        return msgspec.convert(given, component.options, strict=False)
    except msgspec.ValidationError as error:
        wrong = "; ".join(_wrong(component, given))
        raise UsageError(f"the {component.name} {role}: {wrong or error}") from None


def _wrong(component: Reader | Writer, given: Mapping[str, str]) -> Iterator[str]:
    """What each option is, of those that it can't be."""
    for field in msgspec.structs.fields(component.options):
        if field.name not in given:
            continue
        try:
            msgspec.convert(given[field.name], field.type, strict=False)
        except msgspec.ValidationError as error:
            kind = _kind(field.type)
            yield f"{_flag(field.name)} is {kind}" if kind else f"{_flag(field.name)}: {error}"


def _kind(kind: Any) -> str:
    """What may be given for a type: `one of a4, letter`, `a whole number of 1 or more`; nothing for others."""
    bounds = ""
    if get_origin(kind) is Annotated:
        kind, *more = get_args(kind)
        bounds = "".join(_bounds(each) for each in more if isinstance(each, Meta))
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    return _KINDS[kind] + bounds if kind in _KINDS else ""


_KINDS = {bool: "true or false", int: "a whole number", float: "a number"}


def _bounds(meta: Meta) -> str:
    pairs = ((meta.ge, "{} or more"), (meta.gt, "more than {}"), (meta.le, "{} or less"), (meta.lt, "less than {}"))
    told = " and ".join(words.format(bound) for bound, words in pairs if bound is not None)
    return f" of {told}" if told else ""


def split_options(
    reader: Reader, writer: Writer | None, given: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Hand each `-O key=value` to the component that has it. UsageError where neither does."""
    of_reader = options_of(reader)
    of_writer = options_of(writer) if writer else {}
    for key in given:
        if key not in of_reader and key not in of_writer:
            formats = [reader.name, *([writer.name] if writer else [])]
            raise no_such_option(key, formats, {**of_reader, **of_writer})
    return (
        {key: value for key, value in given.items() if key in of_reader},
        {key: value for key, value in given.items() if key in of_writer},
    )
