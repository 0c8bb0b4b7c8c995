"""What README says of the program is what the program says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman import registry
from dragoman.errors import Exit

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"


def section(name: str) -> str:
    found = re.search(
        rf"<!-- {name}: checked against the program -->\n(.*?)<!-- /{name} -->", README.read_text("utf-8"), re.DOTALL
    )
    assert found, f"README has no section {name}"
    return found[1]


def replace_section(name: str, text: str) -> None:
    whole = README.read_text("utf-8")
    start = f"<!-- {name}: checked against the program -->\n"
    before, _, rest = whole.partition(start)
    _, _, after = rest.partition(f"<!-- /{name} -->")
    README.write_text(f"{before}{start}{text}<!-- /{name} -->{after}", "utf-8")


def format_table() -> str:
    rows = ["| format | read | write | file | what it is |", "|---|---|---|---|---|"]
    for name in dict.fromkeys([*registry.BUILT_IN["readers"], *registry.BUILT_IN["writers"]]):
        reads, writes = name in registry.BUILT_IN["readers"], name in registry.BUILT_IN["writers"]
        component = registry.writer(name) if writes else registry.reader(name)
        suffix = registry.writer(name).suffix if writes else ""
        rows.append(
            f"| {name} | {'yes' if reads else ''} | {'yes' if writes else ''} | {suffix} | {component.description} |"
        )
    return "\n".join(rows) + "\n"


def help_text() -> str:
    environment = {**os.environ, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "dragoman", "convert", "--help"]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    lines = [line.rstrip() for line in shown.strip().split("\n")]
    return "```\n" + "\n".join(lines) + "\n```\n"


@pytest.mark.parametrize(("name", "make"), [("formats", format_table), ("help", help_text)])
def test_readme_shows_what_the_program_says(name: str, make: object, request: pytest.FixtureRequest) -> None:
    assert callable(make)
    if request.config.getoption("force_regen"):
        replace_section(name, make())
    assert section(name) == make(), f"README's {name} section is out of date: pytest --force-regen tests/packaging"


def test_readme_names_every_exit_code() -> None:
    named = {int(code) for code in re.findall(r"^\| (\d+) \|", README.read_text("utf-8"), re.MULTILINE)}
    assert named == {code.value for code in Exit}


def test_every_format_has_a_page() -> None:
    for name in {*registry.BUILT_IN["readers"], *registry.BUILT_IN["writers"]}:
        assert (ROOT / "docs" / "formats" / f"{name}.md").exists(), name
