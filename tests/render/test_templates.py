"""Templates are found, and a user's own come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import UsageError
from dragoman.render import templates


def test_ours_are_found() -> None:
    assert templates.load("html/style.css")


@pytest.mark.parametrize(
    "name", ["../pyproject.toml", "html/../../x", "/etc/passwd", "html//x", "html/none.css", "a\\b"]
)
def test_nothing_else_is(name: str) -> None:
    with pytest.raises(UsageError, match="no template is called"):
        templates.load(name)


def test_a_users_folder_overrides_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_text("mine")
    assert templates.load("html/style.css", tmp_path) == "mine"
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "style.css").write_text("mine of html")
    assert templates.load("html/style.css", tmp_path) == "mine of html"


def test_an_environment_escapes_and_misses_nothing(tmp_path: Path) -> None:
    from jinja2 import TemplateNotFound, UndefinedError

    (tmp_path / "own.j2").write_text("{{ x }}")
    made = templates.environment("html", tmp_path)
    assert made.get_template("own.j2").render(x="<b>") == "&lt;b&gt;"
    with pytest.raises(UndefinedError):
        made.get_template("own.j2").render()
    with pytest.raises(TemplateNotFound):
        made.get_template("../own.j2")
    with pytest.raises(UsageError, match="no such folder"):
        templates.environment("html", tmp_path / "none")
