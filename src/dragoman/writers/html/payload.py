"""The neutral conversation carried inside a page, so that the page can be converted again.

It is plain JSON in a data block: no browser runs it, and the filters' check of the finished page reads it as it
reads the rest. Compressed it would be smaller, and the check would be blind.
"""

from __future__ import annotations

from markupsafe import Markup

from dragoman.io.native import encode
from dragoman.model import Session

OPENING = '<script type="application/vnd.dragoman+json" id="dragoman-conversation">'
CLOSING = "</script>"


def island(session: Session) -> Markup:
    """The data block. `<` stands as an escape, so that nothing in it can end it or begin a comment."""
    data = encode(session).decode().replace("<", "\\u003c")
    return Markup(f"{OPENING}{data}{CLOSING}\n")
