"""Who may import whom. The rooms are the ones that CONTRIBUTING.md names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "dragoman"

ROOMS = {
    "model": set(),
    "errors": set(),
    "wording": set(),
    "report": {"model", "wording"},
    "io": {"model", "report", "errors"},
    "stats": {"model", "report", "errors", "io"},
    "readers": {"model", "report", "errors", "io"},
    "filters": {"model", "report", "errors", "io"},
    "render": {"model", "report", "errors", "io", "stats"},
    "writers": {"model", "wording", "report", "errors", "io", "render", "stats"},
    "places": {"model", "errors", "io"},
    "registry": {"readers", "writers", "filters", "places", "errors"},
    "conversion": {"model", "wording", "report", "errors", "io", "registry", "readers", "writers", "filters"},
    "migrate": {
        "model",
        "wording",
        "report",
        "errors",
        "io",
        "registry",
        "conversion",
        "readers",
        "writers",
        "places",
        "filters",
    },
    "cli": {
        "model",
        "wording",
        "report",
        "errors",
        "io",
        "registry",
        "conversion",
        "places",
        "filters",
        "stats",
        "render",
        "migrate",
        "readers",
    },
}
PROTOCOLS_ONLY = {
    "registry": {"readers", "writers", "filters", "places"},
    "conversion": {"readers", "writers", "filters"},
}
ONLY_IN = {
    "typer": {"cli"},
    "rich": {"cli"},
    "jinja2": {"render", "writers"},
    "markdown_it": {"render", "writers"},
    "markupsafe": {"render", "writers"},
    "pygments": {"render", "writers"},
    "weasyprint": {"writers"},
    "pikepdf": {"writers", "readers"},
    "pypdfium2": {"writers", "readers"},
    "kingfisher_sdk": {"filters"},
}
NOT_AT_IMPORT = {"weasyprint", "kingfisher_sdk", "pygments", "pikepdf", "pypdfium2"}
"""Slow or absent somewhere: only inside functions, except in a module that is itself imported late."""

MODULES = sorted(SOURCE.rglob("*.py"))


def room(path: Path) -> str:
    parts = path.relative_to(SOURCE).parts
    return parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "dragoman":
                yield from (f"dragoman.{alias.name}" for alias in node.names)
            elif node.module:
                yield node.module


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_room_imports_only_what_it_may(path: Path) -> None:
    here = room(path)
    if here in ("__init__", "__main__"):
        return
    assert here in ROOMS, f"{here} is no room of the house"
    for name in imports(path):
        top, _, rest = name.partition(".")
        if top == "dragoman":
            there = rest.partition(".")[0]
            if there in ("", "__version__") or there == here:
                continue
            assert there in ROOMS[here], f"{path.name} imports {name}: {here} may not know {there}"
            if there in PROTOCOLS_ONLY.get(here, ()):
                lazily = here == "conversion" and there == "filters"
                assert name.endswith(".protocol") or lazily, f"{path.name} imports {name} eagerly"
        elif top in ONLY_IN:
            assert here in ONLY_IN[top], f"{path.name} imports {top}, which only {ONLY_IN[top]} may"


@pytest.mark.parametrize("kind", ["readers", "writers"])
def test_a_format_does_not_know_another_format_of_its_side(kind: str) -> None:
    """A reader, a writer can be deleted alone."""
    shared_by_all = {"protocol"}
    for path in (SOURCE / kind).rglob("*.py"):
        own = path.relative_to(SOURCE / kind).parts[0].removesuffix(".py")
        for name in imports(path):
            parts = name.split(".")
            if parts[:2] == ["dragoman", kind] and len(parts) > 2 and parts[2] != own:
                assert parts[2] in shared_by_all, f"{path}: {name}"


def test_no_file_is_a_heap() -> None:
    for path in MODULES:
        lines = path.read_text(encoding="utf-8").count("\n")
        assert lines < 1000, f"{path}: {lines} lines"
        assert path.stem not in ("utils", "util", "helpers", "misc", "common", "shared"), path


def test_every_module_says_what_it_is() -> None:
    for path in MODULES:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or not path.read_text().strip(), path


def test_paths_of_users_are_told_by_what_never_raises() -> None:
    """`Path.resolve` raises on a link that goes round, `expanduser` and `home` where nobody is of that name."""
    raising = {"resolve", "expanduser", "home"}
    found = [
        f"{module.relative_to(SOURCE)}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in raising
        and module.relative_to(SOURCE).as_posix() not in {"render/templates.py", "io/paths.py"}
    ]
    assert found == []
