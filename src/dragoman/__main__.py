"""`dragoman` and `python -m dragoman`."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> None:
    """Run the command line and exit with its code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:  # answered before anything else is imported
        from dragoman import __version__

        sys.stdout.write(f"dragoman {__version__}\n")
        return
    from dragoman.cli.app import run

    _end(run(arguments))


def _end(code: int) -> NoReturn:
    """End at once: taking a big conversation apart takes a tenth of the time, and the system frees it anyway."""
    import atexit
    import os

    try:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # None where it was closed from the start
                stream.flush()
    except (OSError, ValueError):  # whoever read it is gone
        pass
    else:
        if "threading" not in sys.modules or sys.modules["threading"].active_count() == 1:
            os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
