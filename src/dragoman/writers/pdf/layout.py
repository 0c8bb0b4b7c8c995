"""Parts laid out side by side: in processes where there is enough to do, in this one where there isn't.

Which parts there are never depends on how many processes lay them out: same input, same bytes.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import msgspec

from dragoman.errors import OutputError
from dragoman.writers.pdf.typeset import Laid, Setting, Typesetter
from dragoman.writers.pdf.worker import BOOT, Reply, receive, send

MOST = 8
"""Processes at most: each holds a part and the layout library, about 150 MB."""


def processes() -> int:
    """How many layout processes this machine gets."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        cores = os.cpu_count() or 1
    return max(1, min(cores, MOST))


def lay_out_here(parts: Iterable[str], setting: Setting) -> Iterator[Laid]:
    """Every part in this process, one after the other."""
    typesetter = Typesetter(setting)
    for html in parts:
        try:
            yield typesetter.lay_out(html)
        except Exception as error:  # whatever a layout library raises
            raise OutputError(f"the layout failed on a part ({type(error).__name__})") from error


def lay_out(
    parts: Iterable[str], setting: Setting, done: Callable[[Laid], None] | None = None, *, count: int | None = None
) -> Iterator[Laid]:
    """Every part, in order, laid out by `count` processes. `done` hears of each as it is finished, in any order.

    Parts are taken only as fast as they are laid out, so memory doesn't grow with their number.
    """
    count = processes() if count is None else count
    workers: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    every = [_Worker(setting) for _ in range(count)]
    for each in every:
        workers.put(each)

    def run(html: str) -> Laid:
        worker = workers.get()
        try:
            laid = worker.lay_out(html)
        finally:
            workers.put(worker)
        if done is not None:
            done(laid)
        return laid

    pool = ThreadPoolExecutor(count, thread_name_prefix="layout")
    waiting: queue.SimpleQueue[Future[Laid]] = queue.SimpleQueue()
    try:
        for html in parts:
            waiting.put(pool.submit(run, html))
            if waiting.qsize() > 2 * count:
                yield waiting.get().result()
        while not waiting.empty():
            yield waiting.get().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for each in every:
            each.stop()
        pool.shutdown(wait=True)


class _Worker:
    """One layout process, started when first needed and once more if it dies."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def lay_out(self, html: str) -> Laid:
        for attempt in (1, 2):
            process = self._start()
            try:
                assert process.stdin is not None and process.stdout is not None
                send(process.stdin, html)
                reply = msgspec.msgpack.decode(receive(process.stdout), type=Reply)
            except (OSError, EOFError):  # it was killed, most likely for memory
                self._end()
                if attempt == 2 or self._stopped:
                    raise OutputError("the layout process ended unexpectedly (out of memory?)") from None
                continue
            if reply.laid is None:
                raise OutputError(f"the layout failed on a part ({reply.fault})")
            return reply.laid
        raise AssertionError

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._stopped = True
        self._end()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise OutputError("the layout was stopped")
            if self._process is None:
                path = json.dumps([each for each in sys.path if isinstance(each, str)])
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", BOOT, path],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
                send(self._process.stdin, self._setting)  # type: ignore[arg-type]
            return self._process

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        process.wait()
