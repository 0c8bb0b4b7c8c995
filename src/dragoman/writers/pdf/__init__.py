"""A session as a document: cover, contents, bookmarks, page numbers. Made by WeasyPrint in parts, joined by pikepdf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.io.names import stem
from dragoman.writers.pdf.options import PdfOptions

if TYPE_CHECKING:
    from msgspec import Struct

    from dragoman.io.target import Target
    from dragoman.model import Session
    from dragoman.report import Report


class PdfWriter:
    """Writes one session as one PDF."""

    name = "pdf"
    description = "a typeset document with contents, bookmarks and page numbers"
    suffix = ".pdf"
    media_type = "application/pdf"
    binary = True
    several = False
    options: type[Struct] = PdfOptions

    def unavailable(self) -> str:
        """What this machine lacks for it, in one line."""
        from dragoman.writers.pdf.availability import unavailable

        return unavailable()

    def file_name(self, session: Session, options: PdfOptions) -> str:
        return f"{stem(session)}.pdf"

    def write(self, session: Session, target: Target, options: PdfOptions, report: Report) -> None:
        """Lay the session out and write it to the target."""
        from dragoman.writers.pdf.making import Making

        Making(session, options, report).write(target.main(self.file_name(session, options)), target.progress)

    def searchable(self, data: bytes) -> bytes:
        """Every word that the document shows or carries."""
        from dragoman.writers.pdf.text import extract

        return extract(data).encode()


writer = PdfWriter()
