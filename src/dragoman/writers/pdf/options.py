"""What can be asked of the PDF writer."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from dragoman.render.turns import Level

Paper = Literal["a4", "letter"]


class PdfOptions(Struct, frozen=True, kw_only=True):
    """Options of the PDF writer.

    full: nothing is shortened. tagged: a PDF/UA-1 document with a structure tree, for screen readers; laid out
    in one process, which takes longer. pdfa: a PDF/A-3u document, for archives. The two exclude each other.
    embed: the neutral conversation goes along as an attachment, and the `pdf` reader finds it there.
    only: how much is shown. tz: the time zone of every time shown. paper: a4 or letter.
    """

    full: bool = False
    tagged: bool = False
    pdfa: bool = False
    embed: bool = False
    only: Level = "everything"
    tz: str = "UTC"
    paper: Paper = "a4"
