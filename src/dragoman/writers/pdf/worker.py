"""The far end of a layout process: parts come in on a pipe, laid-out PDFs go back.

A process of its own making, not `multiprocessing`: that would import the caller's main module again, and a
library user's script may have no guard against it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import sys
from typing import IO

import msgspec
from msgspec import Struct

from dragoman.writers.pdf.typeset import Laid, Setting, Typesetter

BOOT = "import sys,json;sys.path[:]=json.loads(sys.argv[1]);from dragoman.writers.pdf.worker import main;main()"

_LENGTH = struct.Struct(">Q")


class Reply(Struct, frozen=True):
    """What became of a part: laid out, or the fault in a word (never the transcript's)."""

    laid: Laid | None = None
    fault: str = ""


def send(pipe: IO[bytes], value: object) -> None:
    """One value onto a pipe."""
    data = msgspec.msgpack.encode(value)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """One value's bytes from a pipe; EOFError where the other end is gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return data


def main() -> None:
    """Serve parts until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the replies
    with contextlib.suppress(EOFError, BrokenPipeError):
        setting = msgspec.msgpack.decode(receive(incoming), type=Setting)
        typesetter: Typesetter | None = None
        while True:
            html = msgspec.msgpack.decode(receive(incoming), type=str)
            try:
                typesetter = typesetter or Typesetter(setting)
                reply = Reply(laid=typesetter.lay_out(html))
            except Exception as error:  # whatever a layout library raises: the parent says it in one line
                reply = Reply(fault=type(error).__name__)
            send(outgoing, reply)
    sys.stdout = None  # nothing left to flush into a closed pipe
