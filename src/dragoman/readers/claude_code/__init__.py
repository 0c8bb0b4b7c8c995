"""Claude Code: `reader` is the component; each module beside it has one subject of the format.

documents → records → rows (blocks, users, results, events) → transcripts (replays, branches, queue, turns)
→ sessions (evidence, linking, header). `docs/formats/claude-code.md` says what becomes of what.
"""

from dragoman.readers.claude_code.reader import reader

__all__ = ["reader"]
