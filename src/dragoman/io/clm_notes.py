"""The first line that migrate gives a log, for whoever goes through clm's list: no person's prompt, and known again.

Migrate makes it, clm's reader and writer take it for what it is, and a conversion learns from it that
the session has another log.
"""

from __future__ import annotations

import re

MARK = "[migrated]"
"""Each begins so."""

_ID = "([0-9A-Za-z-]{1,64})"
_OTHER = re.compile(
    rf" \((?:up to its last compaction; it goes on in session {_ID}"
    rf"|since its last compaction; what came before is session {_ID}"
    rf"|newer messages; session {_ID} holds the earlier ones and went on in clm)\)\Z"
)
"""At the end: a title may hold such words, too."""


def goes_on(title: str, other: str) -> str:
    """Of what came before a compaction."""
    return f"{MARK} {title} (up to its last compaction; it goes on in session {other})"


def came_before(title: str, other: str) -> str:
    """Of what came after a compaction."""
    return f"{MARK} {title} (since its last compaction; what came before is session {other})"


def newer(title: str, other: str) -> str:
    """Of what is newer than a log that the user went on with."""
    return f"{MARK} {title or 'a session'} (newer messages; session {other} holds the earlier ones and went on in clm)"


def alone(task: str) -> str:
    """Of a subagent's work."""
    return f"{MARK} {task or 'no task'} (a subagent's work; its own session is gone from Claude Code)"


def is_note(text: str) -> bool:
    """Whether a message is one of these."""
    return text.startswith(MARK)


def other_log(text: str) -> str:
    """The id of the other log that a note names; empty where it names none, or is no note."""
    if not is_note(text):
        return ""
    found = _OTHER.search(text)
    return next(filter(None, found.groups()), "") if found else ""
