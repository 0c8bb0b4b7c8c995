"""Where templates are: in the wheel, in the checkout, or in a user's own folder that overrides ours one by one.

`environment("html")` gives a jinja2 Environment over `templates/html`; `load("html/style.css")` a file's text.
Both read through importlib.resources, so that they work from a zip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING

from dragoman.errors import DragomanError, InputError, UsageError
from dragoman.io.source import read_text

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _ours() -> Traversable:
    """The folder of our templates."""
    packaged = files("dragoman") / "templates"
    if packaged.is_dir():
        return packaged
    checkout = Path(__file__).resolve().parents[3] / "templates"
    if checkout.is_dir():
        return checkout
    raise UsageError("dragoman's templates are not where they should be; install it again")


def _parts(name: str) -> list[str]:
    parts = name.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise UsageError(f"no template is called {name!r}")
    return parts


def _own(parts: list[str], folder: Path | None) -> Path | None:
    """The user's own file for a template."""
    if folder is None:
        return None
    own = folder.joinpath(*parts)
    if not own.is_file():
        own = folder.joinpath(*parts[1:])  # a folder for one format need not repeat its name
    return own if own.is_file() else None


def load(name: str, folder: Path | None = None) -> str:
    """The text of a template, e.g. `html/style.css`; the user's own where `folder` has one of that name."""
    parts = _parts(name)
    own = _own(parts, folder)
    if own is not None:
        try:
            return read_text(own)
        except InputError as error:
            raise UsageError(f"{own}: can't be read as a template ({error})") from None
    found = _ours()
    for part in parts:
        found = found / part
    if not found.is_file():
        raise UsageError(f"no template is called {name!r}")
    return found.read_text(encoding="utf-8")


def refuse_strange(format_name: str, folder: Path) -> None:
    """UsageError where a user's folder isn't there, or nothing in it stands in for a template of ours."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder of templates")
    names = list(_files(_ours() / format_name, ""))
    if not any(_own([format_name, *name.split("/")], folder) for name in names):
        raise UsageError(f"{folder}: nothing in it has the name of a template ({', '.join(names)})")


def _files(folder: Traversable, above: str) -> Iterator[str]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            yield from _files(each, f"{above}{each.name}/")
        else:
            yield f"{above}{each.name}"


def environment(
    format_name: str, folder: Path | None = None, *, autoescape: bool | Callable[[str | None], bool] = True
) -> Environment:
    """A jinja2 environment over a format's templates. A value that is missing is an error, not silence."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined, TemplateNotFound

    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder}: no such folder of templates")

    def source(name: str) -> tuple[str, str | None, None]:
        try:
            own = _own(_parts(f"{format_name}/{name}"), folder)
            return load(f"{format_name}/{name}", folder), str(own) if own is not None else None, None
        except UsageError as error:
            raise TemplateNotFound(name, str(error)) from None

    return Environment(
        loader=FunctionLoader(source),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )


ROUND = 20
"""A template that stands so often in a chain of calls goes round."""


@contextmanager
def blamed() -> Iterator[None]:
    """What goes wrong in a template of the user's own is a UsageError: one line, with the place in the template."""
    try:
        yield
    except (DragomanError, MemoryError):
        raise
    except Exception as error:
        places = list(_places(error))
        if not places or not places[-1] or (isinstance(error, RecursionError) and len(places) < ROUND):
            raise
        said = "it includes itself" if isinstance(error, RecursionError) else " ".join(str(error).split())[:200]
        raise UsageError(f"{places[-1]}: the template doesn't work: {said or type(error).__name__}") from None


def _places(error: Exception) -> Iterator[str]:
    """Where in templates an error passed, outermost first: nothing for one of ours."""
    for frame, line in walk_tb(error.__traceback__):
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            yield f"{template.filename}:{template.get_corresponding_lineno(line)}" if template.filename else ""
        elif "__jinja_exception__" in frame.f_globals:  # as jinja2 rewrites them
            name = frame.f_code.co_filename
            yield "" if name.startswith("<") else f"{name}:{line}"
