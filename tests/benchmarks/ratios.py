"""Whole conversions against their floor, paired in one run: `make bench`.

The floor is reading the bytes and `orjson.loads` over each line, in a process that has already
started. A conversion is the whole process: start-up, reading, writing, exit. Machines are noisy, so
only ratios of medians are worth quoting. Nothing here passes or fails.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson
from plain_session import write as write_plain
from rich.console import Console
from rich.table import Table

ROUNDS = 5
ROUTES = [
    # format, options, times the floor, plus seconds, memory: MB plus times the file
    ("clm", ["--no-redact"], 4, 0.4, 60, 3),
    ("openai", ["--no-redact"], 4, 0.4, 60, 3),
    ("markdown", ["--no-redact"], 4, 0.4, 60, 3),
    ("native", ["--no-redact"], 4, 0.4, 60, 3),
    ("html", ["--no-redact"], 35, 0.6, 60, 4),
    ("clm", [], 44, 1.4, 180, 3),
]


def floor(path: Path) -> float:
    """Seconds to read the file and decode its lines."""
    started = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
    return time.perf_counter() - started


def whole(command: list[str]) -> tuple[float, float]:
    """Seconds and peak megabytes of a whole process."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}\n{complaint.decode()}")
    return took, usage.ru_maxrss / 1024


def main() -> None:
    """Print one table: each route's time and memory, its ratio to the floor, and its bar."""
    megabytes, lines = (float(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else (30.0, 12_000)
    dragoman = str(Path(sys.executable).with_name("dragoman"))
    console = Console(width=120)
    with tempfile.TemporaryDirectory() as folder:
        path = write_plain(Path(folder) / "11112222-3333-4444-8555-666677778888.jsonl", megabytes, lines)
        size = path.stat().st_size / 1e6
        table = Table(
            "route", "floor s", "median s", "bar s", "x floor", "peak MB", "bar MB", "output / input", box=None
        )
        floors: list[float] = []
        for format_name, options, times, plus, base, per in ROUTES:
            took: list[float] = []
            peak = 0.0
            out = Path(folder) / "out"
            for _ in range(ROUNDS):
                floors.append(floor(path))
                seconds, memory = whole(
                    [dragoman, "convert", str(path), "-t", format_name, "-o", str(out), "--force", "-q", *options]
                )
                took.append(seconds)
                peak = max(peak, memory)
            middle, ground = statistics.median(took), statistics.median(floors[-ROUNDS:])
            name = format_name if "--no-redact" in options else f"{format_name}, redacted"
            table.add_row(
                name, f"{ground:.3f}", f"{middle:.2f}", f"{times * ground + plus:.2f}", f"{middle / ground:.1f}",
                f"{peak:.0f}", f"{base + per * size:.0f}", f"{out.stat().st_size / 1e6 / size:.2f}",
            )  # fmt: skip
        console.print(f"{size:.1f} MB, {lines} lines, {ROUNDS} rounds")
        console.print(table)
        bare = statistics.median(whole([sys.executable, "-c", "pass"])[0] for _ in range(9))
        version = statistics.median(whole([dragoman, "--version"])[0] for _ in range(9))
        console.print(f"dragoman --version: {version / bare:.1f} times python -c pass (bar 12)")


if __name__ == "__main__":
    main()
