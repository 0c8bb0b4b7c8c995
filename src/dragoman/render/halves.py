"""The second half of a big document is made by a second process, while this one makes the first.

The other process is a fork: it has the session already, so nothing is sent to it, and what it makes comes back
through a file without a name. Where forking isn't possible or safe (no fork, one processor, threads), and where
the other process fails for whatever reason, this process makes everything. The result is the same either way.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TypeAlias

import msgspec

from dragoman.model import Span
from dragoman.render.turns import Answer, Prompt, Step, Turn
from dragoman.report import Code, Finding, Report

CHUNK = 1 << 20
"""Bytes read back at a time."""

BIG = 1500
"""From so many entries on, a second process is worth its start."""

Make: TypeAlias = Callable[[Sequence[Turn], Report], Iterator[str]]
"""Makes the pieces of some turns, and reports what they leave out."""


def pieces(turns: Sequence[Turn], make: Make, report: Report, *, share: float = 0.5) -> Iterator[bytes]:
    """All pieces in their order, by one process or by two. `share`: how much of them this process makes.

    What goes through the whole conversation is best done before: afterwards, each page of memory that is touched is
    copied first.
    """
    middle = _halfway(turns, share) if can_fork() else 0
    if not middle:
        yield from (piece.encode() for piece in make(turns, report))
        return
    with _nameless() as made, _nameless() as told:
        child = os.fork()
        if child == 0:
            _second_half(turns[middle:], make, made, told)
        try:
            yield from (piece.encode() for piece in make(turns[:middle], report))
            _, status = os.waitpid(child, 0)
            child = 0
        finally:
            if child:
                with suppress(OSError):
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
        if status != 0:
            yield from (piece.encode() for piece in make(turns[middle:], report))
            return
        told.seek(0)
        report.merge(_unpacked(told.read()))
        made.seek(0)
        while chunk := made.read(CHUNK):
            yield chunk


def _second_half(turns: Sequence[Turn], make: Make, made: IO[bytes], told: IO[bytes]) -> None:
    """What the other process does. It ends here, whatever happens."""
    status = 1
    try:
        gc.disable()
        report = Report()
        for piece in make(turns, report):
            made.write(piece.encode())
        made.flush()
        told.write(_packed(report))
        told.flush()
        status = 0
    finally:
        os._exit(status)


def _nameless() -> IO[bytes]:
    """A file in memory: `tempfile` takes longer to import than most of what stands in it to write."""
    return os.fdopen(os.memfd_create("dragoman"), "w+b")


_Told: TypeAlias = list[tuple[str, str, int, tuple[Span, ...], tuple[int, ...]]]


def _packed(report: Report) -> bytes:
    told: _Told = [(each.code.name, each.what, each.count, each.places, each.counts) for each in report.findings]
    return msgspec.msgpack.encode(told)


def _unpacked(data: bytes) -> Report:
    told = msgspec.msgpack.decode(data, type=_Told)
    return Report.of(
        Finding(code=Code[name], what=what, count=n, places=places, counts=counts)
        for name, what, n, places, counts in told
    )


def can_fork() -> bool:
    """Whether there is a second processor, and nothing that a fork would leave half done."""
    if sys.platform != "linux" or threading.active_count() > 1 or len(os.sched_getaffinity(0)) < 2:
        return False
    try:
        return "\nThreads:\t1\n" in Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _halfway(turns: Sequence[Turn], share: float) -> int:
    """The prompt at which the second half begins, or 0 where there is none or it isn't worth it."""
    weights = [_weight(turn) for turn in turns]
    total = sum(weights)
    if total < BIG:
        return 0
    so_far = 0
    for position, turn in enumerate(turns):
        if position and so_far >= total * share and isinstance(turn, Prompt):
            return position
        so_far += weights[position]
    return 0


def _weight(turn: Turn) -> int:
    """Entries that a turn makes."""
    if isinstance(turn, Answer):
        return sum(len(item.parts) if isinstance(item, Step) else 1 for item in turn.items)
    return 1
