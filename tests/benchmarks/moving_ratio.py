"""A Claude Code history moved to clm, against its floor: `python tests/benchmarks/moving_ratio.py [SESSIONS]`.

Sessions of 1 MB. The floor is reading the files and `orjson.loads` over each line, on one core. The file system's own
cost is that of making the same logs once more, each written beside its name, flushed to the disk and renamed; it
is taken off before times are compared with the floor. Each way is a whole process into a fresh folder, with both
measured right beside it, since disks and machines change their pace; the last row runs again without news.
Nothing here passes or fails.
"""

from __future__ import annotations

import os
import shutil
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
BAR = 5.0
"""Times the floor, on one core."""
AGAIN = 2.0
"""Seconds for a second run without news, of 1,000 sessions."""


def floor(paths: list[Path]) -> float:
    """Seconds to read the files and decode their lines."""
    started = time.perf_counter()
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                orjson.loads(line)
    return time.perf_counter() - started


def made_again(logs: list[bytes], folder: Path) -> float:
    """Seconds to make files with these contents."""
    folder.mkdir()
    started = time.perf_counter()
    for number, log in enumerate(logs):
        part = folder / f"{number}.part"
        with part.open("wb") as file:
            file.write(log)
            file.flush()
            os.fsync(file.fileno())
        part.rename(folder / f"{number}.jsonl")
    took = time.perf_counter() - started
    shutil.rmtree(folder)
    return took


def whole(command: list[str]) -> float:
    """Seconds of a whole process."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    """Print one table."""
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    dragoman = str(Path(sys.executable).with_name("dragoman"))
    console = Console(width=120)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        project = scratch / "claude" / "projects" / "-home-dev-demo"
        project.mkdir(parents=True)
        paths = []
        for number in range(sessions):
            path = project / f"11112222-3333-4444-8555-{number:012x}.jsonl"
            paths.append(write_plain(path, 1.0, 400, seed=number))
        size = sum(path.stat().st_size for path in paths) / 1e6
        times: dict[str, list[float]] = {"one process": [], "two processes": []}
        ratios: dict[str, list[float]] = {way: [] for way in times}
        again: list[float] = []
        floors: list[float] = []
        apart: list[float] = []
        target = scratch / "clm"
        command = [dragoman, "migrate", "--from", str(scratch / "claude"), "--to", str(target), "-q", "--jobs"]
        for _ in range(ROUNDS):
            for way, jobs in zip(times, ("1", "2"), strict=True):
                shutil.rmtree(target, ignore_errors=True)
                floors.append(floor(paths))
                times[way].append(whole([*command, jobs]))
                logs = [path.read_bytes() for path in sorted(target.rglob("*.jsonl"))]
                apart.append(made_again(logs, scratch / "again"))
                ratios[way].append((times[way][-1] - apart[-1]) / floors[-1])
                again.append(whole([*command, jobs]))
        table = Table("way", "median s", "x floor, without the file system: median", "each", box=None)
        for way, took in times.items():
            each = " ".join(f"{ratio:.2f}" for ratio in ratios[way])
            table.add_row(way, f"{statistics.median(took):.2f}", f"{statistics.median(ratios[way]):.2f}", each)
        table.add_row("again, without news", f"{statistics.median(again):.2f}", "", "")
        ground, files = statistics.median(floors), statistics.median(apart)
        console.print(
            f"{sessions} sessions, {size:.0f} MB, {ROUNDS} rounds; floor {ground:.2f} s, file system {files:.2f} s"
        )
        console.print(table)
        console.print(f"bars: one process {BAR:g} times the floor; again {AGAIN:g} s for 1,000 sessions")


if __name__ == "__main__":
    main()
