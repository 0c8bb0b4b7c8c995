"""`make demo`: the shipped session in every format that this machine can write."""

from __future__ import annotations

import sys
from pathlib import Path

import dragoman
from dragoman import registry
from dragoman.errors import DragomanError
from dragoman.report import Report

SESSION = Path("fixtures/claude-code/2.1.300/subagents")


def main(folder: Path) -> int:
    """Convert the fixture into `folder`, one subfolder a format; say where everything lies."""
    failed = 0
    sys.stdout.write(f"reading {SESSION}\n")
    for name in registry.names("writers"):
        report = Report()
        try:
            session = dragoman.read(SESSION, report=report)
            made = dragoman.write(session, name, f"{folder / name}/", report=report, filters=[dragoman.redact()])
        except DragomanError as error:
            failed += 1
            sys.stdout.write(f"{name:12} can't be written here: {error}\n")
            continue
        for path in made:
            sys.stdout.write(f"{name:12} {path}  ({path.stat().st_size:,} bytes)\n")
        if report.findings:
            sys.stdout.write(f"{'':12} {len(report.findings)} kinds of finding, gravest: {report.findings[0].sentence}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
