"""What only `claude -p --output-format stream-json` (or json) writes: the run's result, partial messages."""

from __future__ import annotations

from dragoman.readers.claude_code.transcript import Transcript


def finish_stream(main: Transcript) -> None:
    """Placeholder until the corner is built."""
