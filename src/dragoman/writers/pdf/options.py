"""What can be asked of the PDF writer."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from dragoman.render.turns import Level

Paper = Literal["a4", "letter"]


class PdfOptions(Struct, frozen=True, kw_only=True):
    """What can be asked of the PDF writer. `tagged` and `pdfa` exclude each other."""

    full: Annotated[bool, Meta(description="Shorten nothing.")] = False
    tagged: Annotated[
        bool, Meta(description="PDF/UA-1, with a structure tree for screen readers; laid out in one process, slower.")
    ] = False
    pdfa: Annotated[bool, Meta(description="PDF/A-3u, for archives.")] = False
    embed: Annotated[
        bool, Meta(description="Attach the conversation, so that the document can be converted again.")
    ] = False
    only: Annotated[Level, Meta(description="How much is shown.")] = "everything"
    tz: Annotated[str, Meta(description="The zone of the times shown: UTC, local, Europe/Vienna.")] = "UTC"
    paper: Annotated[Paper, Meta(description="The size of a page.")] = "a4"
