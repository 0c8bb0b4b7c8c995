"""Work that goes on in a thread beside the rest: Kingfisher's, which does without Python's lock."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class Beside(Generic[T]):
    """What a call gives, made in a thread from now on and asked for later."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._given: list[T] = []
        self._failed: Exception | None = None
        self._ended = Event()  # a join that Ctrl-C breaks off takes the thread for ended, for good
        self._thread = Thread(target=self._work, args=(call,), name="redaction")
        self._thread.start()

    def _work(self, call: Callable[[], T]) -> None:
        try:
            self._given.append(call())
        except Exception as error:
            self._failed = error
        finally:
            self._ended.set()

    def result(self) -> T:
        """What the call gave, once it is there; or what went wrong, raised."""
        self._ended.wait()
        if not self._given:
            raise self._failed or RuntimeError("a thread of redaction was stopped")
        return self._given[0]
