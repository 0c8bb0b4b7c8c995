"""Standard streams that were closed before the program began: Python has None in their place."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import NoReturn


class _Closed(io.TextIOBase):
    """Refuses in one line what would be an AttributeError otherwise."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def buffer(self) -> NoReturn:
        raise OSError(errno.EBADF, f"{self._name} is closed")

    def write(self, text: str) -> NoReturn:
        raise OSError(errno.EBADF, f"{self._name} is closed")

    def read(self, size: int | None = -1) -> NoReturn:
        raise OSError(errno.EBADF, f"{self._name} is closed")


def replace_closed() -> None:
    """What is said to nobody goes nowhere; what is asked of nobody, or answered to nobody, is an error."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123
    if sys.stdout is None:
        sys.stdout = _Closed("standard output")
    if sys.stdin is None:
        sys.stdin = _Closed("standard input")
