"""The command line as a whole, and what becomes of errors."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn

from dragoman.cli.plain import plain
from dragoman.cli.terminal import say
from dragoman.errors import DragomanError, Exit

YOUNG = (500_000, 50, 100)
"""A conversation is a big tree without cycles: looking for them at Python's usual pace doubles the reading time.

A session of 30 MB makes about 200,000 objects, and passes without a look.
"""


def run(arguments: list[str]) -> int:
    """Run the command; every error becomes one line on stderr and an exit code."""
    ours, rest = _before_dashes(arguments)
    debug = "--debug" in ours
    ours = [each for each in ours if each != "--debug"]
    first = next((each for each in ours if not each.startswith("-")), None)
    signal.signal(signal.SIGTERM, _interrupt)
    gc.set_threshold(*YOUNG)
    try:
        wanted = plain(ours + rest)
        if wanted is not None:
            from dragoman.cli.converting import run as convert

            convert(wanted)
            return Exit.OK
        return _typed(first, ours + rest, debug)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except DragomanError as error:
        return _fail(str(error), error.exit_code, debug)
    except KeyboardInterrupt:
        return _fail("interrupted; nothing was left half-written", Exit.INTERRUPTED, debug=False)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - else Python complains once more at exit
        return Exit.OK
    except RecursionError:
        return _fail("the input is nested too deeply", Exit.FAILED, debug)
    except MemoryError:
        return _fail("not enough memory for this input", Exit.FAILED, debug)
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        return _fail(f"{what}{error.strerror or error}", Exit.FAILED, debug)
    except Exception as error:
        kind = type(error).__name__
        return _fail(
            f"a fault of ours ({kind}); nothing was left half-written. Please report it with what --debug shows",
            Exit.BUG,
            debug,
        )


def _typed(first: str | None, arguments: list[str], debug: bool) -> int:
    """Run the command by typer, which takes as long to import as all that a conversion needs."""
    import typer

    from dragoman.cli.arguments import Refused, refusal
    from dragoman.cli.commands import COMMANDS, build
    from dragoman.registry import unknown

    if first is not None and first not in COMMANDS:
        raise unknown("command", first, COMMANDS)
    try:
        code = build(first)(args=arguments, prog_name="dragoman", standalone_mode=False)
    except Refused as error:
        line = refusal(error)
        return _fail(line, Exit.USAGE, debug) if line else Exit.USAGE
    except typer.Abort:
        raise KeyboardInterrupt from None
    if code == Exit.INTERRUPTED:
        raise KeyboardInterrupt
    return code or Exit.OK


def _interrupt(number: int, frame: object) -> NoReturn:
    """Asked to end: clean up as for Ctrl-C."""
    raise KeyboardInterrupt


def _before_dashes(arguments: list[str]) -> tuple[list[str], list[str]]:
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:cut], arguments[cut:]


def _fail(line: str, code: Exit, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exc()
    say(f"dragoman: {line}")
    return code
