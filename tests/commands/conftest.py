"""Runs the Markdown files of this folder: they are the manual's examples, and must stay true.

In a ```` ```console ```` block, a line that begins with `$ ` is run by sh in a fresh folder per file, with `dragoman` on
its path and a home of its own. What follows is what it must print (stdout and stderr as a terminal
shows them), `...` standing for anything; a last line `[N]` is its exit code, else 0.
A block headed ```` ```text name=FILE ```` makes a file first. `FIXTURES` is the folder of fixtures.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> pytest.Collector | None:
    if file_path.suffix == ".md":
        collector: pytest.Collector = Page.from_parent(parent, path=file_path)
        return collector
    return None


class Page(pytest.File):
    """One Markdown file: one test."""

    def collect(self) -> Iterator[pytest.Item]:
        yield Session.from_parent(self, name=self.path.stem)


class Session(pytest.Item):
    """All commands of a page, in order, in one folder."""

    def runtest(self) -> None:
        folder = self.config._tmp_path_factory.mktemp(self.name)  # type: ignore[attr-defined]
        for token in MarkdownIt().parse(self.path.read_text(encoding="utf-8")):
            if token.type != "fence":
                continue
            kind, _, name = token.info.partition(" name=")
            if name:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(token.content, encoding="utf-8")
            elif kind == "console":
                assert token.map is not None
                for command, expected, code, line in _commands(token.content, token.map[0] + 2):
                    self._run(folder, command, expected, code, line)

    def _run(self, folder: Path, command: str, expected: str, code: int, line: int) -> None:
        home = folder / "home"
        home.mkdir(exist_ok=True)
        environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(home),
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
            "XDG_STATE_HOME": str(home / "state"),
            "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "FIXTURES": str(ROOT / "fixtures"),
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "100",
            "TZ": "UTC",
        }
        run = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)  # fmt: skip
        got = run.stdout.decode().replace(str(ROOT / "fixtures"), "$FIXTURES").replace(str(folder), "$PWD")
        where = f"{self.path.name}:{line}: {command}"
        assert run.returncode == code, f"{where}\nexit {run.returncode}, not {code}; it printed:\n{got}"
        pattern = re.escape(expected.rstrip("\n")).replace(r"\.\.\.", "(?s:.*)")
        assert re.fullmatch(pattern, got.rstrip("\n")), f"{where}\nmust print:\n{expected}\nprinted:\n{got}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"commands of {self.path.name}"


def _commands(text: str, line: int) -> Iterator[tuple[str, str, int, int]]:
    """Each command of a block, what it must print, its exit code, and the line that it stands on."""
    command, output, started = "", list[str](), line
    for number, each in enumerate([*text.split("\n"), "$ "], line):
        if each.startswith("$ "):
            if command:
                code = 0
                while output and not output[-1]:
                    output.pop()
                if output and re.fullmatch(r"\[\d+\]", output[-1]):
                    code = int(output.pop()[1:-1])
                yield command, "\n".join(output), code, started
            command, output, started = each[2:], [], number
        else:
            output.append(each)
