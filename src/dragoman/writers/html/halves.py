"""The second half of a big conversation is made by a second process, while this one makes the first.

The other process is a fork: it has the conversation already, so nothing is sent to it, and what it makes comes
back through a file without a name. Where forking is not possible or not safe (no fork, one processor, threads),
and where the other process fails for whatever reason, this process makes everything.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from markupsafe import Markup

from dragoman.render.turns import Answer, Prompt, Step, Turn
from dragoman.report import Report

CHUNK = 1 << 20
"""Bytes read back at a time."""

Make = Callable[[Sequence[Turn], Report], Iterator[Markup]]
"""Makes the sections of some turns, and reports what they leave out."""


def sections(turns: Sequence[Turn], make: Make, report: Report, *, big: bool) -> Iterator[Markup]:
    """All sections, in their order, made by one process or by two."""
    middle = halfway(turns) if big and can_fork() else 0
    if not middle:
        yield from make(turns, report)
        return
    with tempfile.TemporaryFile() as made, tempfile.TemporaryFile() as told:
        child = os.fork()
        if child == 0:
            _second_half(turns[middle:], make, made, told)
        try:
            yield from make(turns[:middle], report)
            _, status = os.waitpid(child, 0)
            child = 0
        finally:
            if child:
                with suppress(OSError):
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
        if status != 0:
            yield from make(turns[middle:], report)
            return
        told.seek(0)
        report.merge(pickle.loads(told.read()))  # our own process wrote it, into a file without a name
        made.seek(0)
        left = b""
        while chunk := made.read(CHUNK):
            text, left = _whole(left + chunk)
            yield Markup(text)


def _second_half(turns: Sequence[Turn], make: Make, made: IO[bytes], told: IO[bytes]) -> None:
    """What the other process does. It ends here, whatever happens."""
    status = 1
    try:
        gc.disable()
        report = Report()
        for section in make(turns, report):
            made.write(section.encode())
        made.flush()
        told.write(pickle.dumps(report))
        told.flush()
        status = 0
    finally:
        os._exit(status)


def _whole(data: bytes) -> tuple[str, bytes]:
    """The text of all whole characters, and the bytes of one that is cut."""
    for cut in range(min(4, len(data) + 1)):
        with suppress(UnicodeDecodeError):
            return data[: len(data) - cut].decode(), data[len(data) - cut :]
    raise ValueError("the other half is no text")


def can_fork() -> bool:
    """Whether there is a second processor, and nothing that a fork would leave behind half done."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    if len(os.sched_getaffinity(0)) < 2:
        return False
    try:
        return "\nThreads:\t1\n" in Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def halfway(turns: Sequence[Turn]) -> int:
    """The prompt at which the second half begins, or 0 where there is none."""
    weights = [weight(turn) for turn in turns]
    half = sum(weights) / 2
    so_far = 0
    for position, turn in enumerate(turns):
        if position and so_far >= half and isinstance(turn, Prompt):
            return position
        so_far += weights[position]
    return 0


def weight(turn: Turn) -> int:
    """Entries that a turn makes."""
    if isinstance(turn, Answer):
        return sum(len(item.parts) if isinstance(item, Step) else 1 for item in turn.items)
    return 1
