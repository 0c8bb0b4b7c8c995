"""`dragoman` and `python -m dragoman`."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> None:
    """Run the command line and exit with its code."""
    arguments = sys.argv[1:]
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from dragoman.cli.streams import replace_closed

        replace_closed()
    if arguments == ["--version"]:  # answered before anything else is imported
        from dragoman import __version__

        try:
            sys.stdout.write(f"dragoman {__version__}\n")
        except OSError as error:
            sys.stderr.write(f"dragoman: {error.strerror}\n")
            sys.exit(1)
        return
    from dragoman.cli.app import run

    sys.exit(run(arguments))


def script() -> NoReturn:
    """`main`, as the whole of a process: nothing is left to do after it. Not for a caller that goes on."""
    try:
        main()
    except SystemExit as stop:
        _end(stop.code if isinstance(stop.code, int) else int(stop.code is not None))
    except KeyboardInterrupt:  # while Python still imports; later on the command line says what it leaves behind
        _end(130)
    _end(0)


def _end(code: int) -> NoReturn:
    """End at once: taking a big conversation apart takes a tenth of the time, and the system frees it anyway."""
    import atexit
    import os

    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        _flush_errors()
    except (OSError, ValueError):  # whoever read it is gone
        pass
    else:
        if "threading" not in sys.modules or sys.modules["threading"].active_count() == 1:
            os._exit(code)
    sys.exit(code)


def _flush_errors() -> None:
    """What was said about a result is worth less than the result: a full disk under stderr doesn't undo it."""
    import contextlib
    import os

    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError):
            sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - else Python complains once more at exit


if __name__ == "__main__":
    script()
