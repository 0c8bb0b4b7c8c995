"""Errors that a user meets: one line, saying what, where, and what to do; and the exit codes."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of the command, documented in the README."""

    OK = 0
    FAILED = 1  # the input could not be read, or the output not be written
    USAGE = 2  # the command was not understood, or names no or several sessions
    LOSS = 3  # --fail-on: something was lost or doubtful
    LEAK = 4  # the check after rendering found a secret: nothing was written
    FOUND = 5  # scan --check found something
    UNAVAILABLE = 6  # a format needs something that this machine lacks
    BUG = 70  # a fault of ours
    INTERRUPTED = 130


class DragomanError(Exception):
    """Something went wrong that the user can do something about. `str()` is the whole line."""

    exit_code: Exit = Exit.FAILED


class UsageError(DragomanError):
    """The request itself doesn't work out."""

    exit_code = Exit.USAGE


class InputError(DragomanError):
    """An input can't be read at all."""


class OutputError(DragomanError):
    """An output can't be written."""


class LeakError(DragomanError):
    """The check after rendering found what should have been redacted; nothing was written."""

    exit_code = Exit.LEAK


class PictureLeakError(LeakError):
    """It was found in the bytes of a picture or document, which can't be cleaned."""


class UnavailableError(DragomanError):
    """A format or feature needs something that this machine lacks. The message says what to install."""

    exit_code = Exit.UNAVAILABLE
