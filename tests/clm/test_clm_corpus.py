"""Every session of the corpus and the examples becomes clm logs that load without a fault."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from clm_loader import find_loader, find_shared
from dragoman import registry
from dragoman.errors import DragomanError
from dragoman.io.source import Source
from dragoman.io.target import Target
from dragoman.report import Report


def _inputs() -> list[Path]:
    shared = find_shared()
    if shared is None:
        return []
    found = sorted((shared / "corpus").glob("*/projects/*/*.jsonl"))
    return found + sorted((shared / "examples").glob("*/**/*.jsonl"))


@pytest.mark.parametrize("path", _inputs(), ids=lambda path: "/".join(path.parts[-4:]))
def test_loads_without_a_fault(path: Path, shared: Path) -> None:
    loader = find_loader(shared)
    reader = registry.reader("clm" if path.parent.name == "clm" else "claude-code")
    writer = registry.writer("clm")
    report = Report()
    try:
        sessions = list(reader.read(Source(path), reader.options(), report))
    except DragomanError:
        return
    for session in sessions:
        with tempfile.TemporaryDirectory() as folder:
            target = Target.folder(Path(folder))
            writer.write(session, target, writer.options(repair=True), report)
            for made in target.commit():
                assert loader.faults(made) == []


def test_there_are_inputs(shared: Path) -> None:
    assert len(_inputs()) > 50
