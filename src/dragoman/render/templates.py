"""Where templates are: in the wheel, in the checkout, or in a user's own folder that overrides ours one by one.

`environment("html")` gives a jinja2 Environment over `templates/html`; `load("html/style.css")` a file's text.
Both read through importlib.resources, so that they work from a zip.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.errors import InputError, UsageError
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


def load(name: str, folder: Path | None = None) -> str:
    """The text of a template, e.g. `html/style.css`; the user's own where `folder` has one of that name."""
    parts = _parts(name)
    if folder is not None:
        own = folder.joinpath(*parts)
        if not own.is_file():
            own = folder.joinpath(*parts[1:])  # a folder for one format need not repeat its name
        if own.is_file():
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


def environment(
    format_name: str, folder: Path | None = None, *, autoescape: bool | Callable[[str | None], bool] = True
) -> Environment:
    """A jinja2 environment over a format's templates. A value that is missing is an error, not silence."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined, TemplateNotFound

    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder}: no such folder of templates")

    def source(name: str) -> str:
        try:
            return load(f"{format_name}/{name}", folder)
        except UsageError:
            raise TemplateNotFound(name) from None

    return Environment(
        loader=FunctionLoader(source),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
