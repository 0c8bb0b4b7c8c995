"""`dragoman` and `python -m dragoman`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:  # answered before anything else is imported
        from dragoman import __version__

        sys.stdout.write(f"dragoman {__version__}\n")
        return
    from dragoman.cli.app import run

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
