"""Names of files: from ids that are safe and from the user's own file names, never from a transcript's words."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePath

from dragoman.model import Session

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._]+")


def stem(session: Session) -> str:
    """The session's id where it can be a file's name, else the name of the file that it was read from."""
    if _SAFE.fullmatch(session.header.id):
        return session.header.id
    files = session.header.files
    return _made_safe(PurePath(files[0].path.removesuffix(".gz")).stem if files else "") or "session"


def _made_safe(name: str) -> str:
    """What is left of a name in letters, digits and signs that every disk and shell takes."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return _UNSAFE.sub("-", plain)[:100].strip("-._")
