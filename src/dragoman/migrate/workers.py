"""The processes of a migration: one session after the other is converted in them, or in this one where none is worth it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait

from dragoman.migrate.moving import Outcome, Task, move
from dragoman.migrate.plan import Step
from dragoman.readers.claude_code import flat_agents

WORTH_A_PROCESS = 16 << 20
"""Bytes of source from which on a second process is worth its start."""


def work(todo: list[Step], task: Callable[[Step], Task], jobs: int) -> Generator[tuple[Step, Outcome]]:
    """Convert each session, in this process or in several; outcomes as they come."""
    size = sum(each for step in todo for _, each, _ in step.files)
    count = jobs or min(_cpus(), len(todo), max(1, size // WORTH_A_PROCESS))
    if count <= 1:
        with flat_agents.remembered():
            for step in todo:
                yield step, move(task(step))
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=_begin_worker) as pool:
        try:
            waiting: dict[Future[Outcome], Step] = {}
            for step in todo:
                job = task(step)
                with _deaf_to_ctrl_c():
                    waiting[pool.submit(move, job)] = step  # starts a process as long as there are too few
                if len(waiting) >= 2 * count + 2:
                    yield from _finished(waiting)
            while waiting:
                yield from _finished(waiting)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _finished(waiting: dict[Future[Outcome], Step]) -> Iterator[tuple[Step, Outcome]]:
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        step = waiting.pop(future)
        yield step, future.result()


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """A process that is started within leaves Ctrl-C to us, even while Python begins in it: it inherits what is blocked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker() -> None:
    """A worker lives for this run alone."""
    threading.Thread(target=_end_with_the_run, daemon=True).start()
    flat_agents.remember()


def _end_with_the_run() -> None:
    """Where the process that started us was killed, nobody tells us to end: all workers hold the queue's both ends."""
    if (run := multiprocessing.parent_process()) is not None:
        run.join()
        os._exit(1)


def _cpus() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1
