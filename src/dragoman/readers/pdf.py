"""Reads a PDF of ours back, through the neutral conversation that is attached to it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from dragoman.errors import InputError, UnavailableError
from dragoman.io import json
from dragoman.io.attachment import NAME
from dragoman.io.native import decode
from dragoman.io.source import Source, open_regular
from dragoman.model import Session, Span
from dragoman.readers.protocol import NoOptions
from dragoman.report import Report

LIMIT = 4 * 1024**3
"""Bytes that an attached conversation may unpack to."""


class PdfReader:
    """The attached conversation; the pages themselves aren't read."""

    name = "pdf"
    description = "a PDF of ours that carries its conversation (written with --embed)"
    suffixes = (".pdf",)
    options = NoOptions

    def sniff(self, head: bytes, name: str) -> float:
        return 1.0 if head.startswith(b"%PDF-") else 0.0

    def read(self, source: Source, options: Any, report: Report) -> Iterator[Session]:
        span = Span(source.name, 1)
        data = _attached(source)
        try:
            value = json.loads(data, span, report)
        except (ValueError, RecursionError):
            raise InputError(f"{source.name}: the attached conversation is no JSON") from None
        yield decode(value, span, report)


def _attached(source: Source) -> bytes:
    """The bytes of the attached conversation. InputError, in one line, where there is none."""
    try:
        import pikepdf
    except ImportError:
        raise UnavailableError("reading a PDF needs pikepdf, which isn't installed here: pip install pikepdf") from None
    if source.is_folder:
        raise InputError(f"{source.name}: a folder; name the PDF in it")
    try:
        with open_regular(source.path, source.name) as file, pikepdf.open(file) as pdf:
            if NAME not in pdf.attachments:
                raise InputError(
                    f"{source.name}: no conversation is attached; dragoman attaches it when asked to (--embed)"
                )
            return _unpacked(pdf.attachments[NAME].get_file().obj, source.name)
    except pikepdf.PasswordError:
        raise InputError(f"{source.name}: the PDF is encrypted") from None
    except (pikepdf.PdfError, ValueError, TypeError, KeyError, AttributeError, zlib.error) as error:
        raise InputError(f"{source.name}: a damaged PDF ({type(error).__name__})") from None
    except OSError as error:
        raise InputError(f"{source.name}: {error.strerror or error}") from None


def _unpacked(stream: Any, name: str) -> bytes:
    """The stream's content, never more than LIMIT: a small file may claim to hold terabytes."""
    packed: bytes = stream.read_raw_bytes()
    if "/Filter" not in stream:
        return packed
    import pikepdf

    filters = stream.Filter
    names = [str(each) for each in filters] if isinstance(filters, pikepdf.Array) else [str(filters)]
    if names != ["/FlateDecode"] or "/DecodeParms" in stream:
        raise InputError(f"{name}: the attached conversation is packed in a way that dragoman doesn't write")
    data = zlib.decompressobj().decompress(packed, LIMIT)
    if len(data) >= LIMIT:
        raise InputError(f"{name}: the attached conversation is too big")
    return data


reader = PdfReader()
