"""Names of files: from ids that are safe, never from a transcript's words."""

from __future__ import annotations

import re

from dragoman.model import Session

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def stem(session: Session) -> str:
    """The session's id where it can be a file's name."""
    return session.header.id if _SAFE.fullmatch(session.header.id) else "session"
