"""A PDF's words for the check after rendering: page text, wraps undone, metadata, bookmarks, links and attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from dragoman.writers.pdf.wrap import MARK

_WRAP = re.compile(rf"\r?\n\s*{MARK}\s?")
CUT_TOKEN = 16
"""Two ends that meet at a line's end are also given as one word where they make one this long."""


def extract(data: bytes) -> str:
    """Every word of a PDF. Code that was wrapped is put together again.

    Prose is broken into lines by the layout, and a long word of it may be broken too: such ends follow a second
    time, joined, at the end.
    """
    import pypdfium2

    held: list[str] = []
    document = pypdfium2.PdfDocument(data)
    try:
        for number in range(len(document)):
            page = document[number]
            words = page.get_textpage()
            held.append(_WRAP.sub("", words.get_text_bounded()))
            words.close()
            page.close()
        held.extend(document.get_metadata_dict(skip_empty=True).values())
        held.extend(bookmark.get_title() for bookmark in document.get_toc())
    finally:
        document.close()
    held.extend(_links_and_files(data))
    return "\n".join([*held, *(word for page in held for word in _joined(page))])


def _joined(page: str) -> Iterator[str]:
    """The words that lines' ends and beginnings make together, over as many lines as one word may fill."""
    end = ""
    for line in page.splitlines():
        words = line.split()
        if not words:
            continue
        whole = end + words[0]
        if len(words) == 1:
            end = whole
            continue
        if end and len(whole) >= CUT_TOKEN:
            yield whole
        end = words[-1]
    if len(end) >= CUT_TOKEN:
        yield end


def _links_and_files(data: bytes) -> Iterator[str]:
    """What a page's text doesn't show: where links lead, and what is attached."""
    import io

    import pikepdf

    with pikepdf.open(io.BytesIO(data)) as pdf:
        for page in pdf.pages:
            for each in page.obj.get("/Annots", []):
                action: Any = each.get("/A")
                if action is not None and "/URI" in action:
                    yield str(action.URI)
        for spec in pdf.attachments.values():
            yield spec.get_file().read_bytes().decode(errors="replace")
