"""The only fetcher that a PDF is laid out with: it serves `data:` and nothing else.

Nothing in a transcript can make the layout read a file or ask a host.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any
from urllib.parse import unquote_to_bytes

LIMIT = 64 * 1024 * 1024
"""Bytes that one `data:` URL may hold."""


class Refused(ValueError):
    """A URL that isn't served. WeasyPrint shows the alternative text in its place."""


def decode(url: str) -> tuple[str, bytes]:
    """Media type and bytes of a `data:` URL. Raises Refused for every other URL and for a broken one."""
    if url[:5].lower() != "data:":
        raise Refused("only data: is served")
    head, comma, payload = url[5:].partition(",")
    if not comma:
        raise Refused("a data: URL without data")
    if len(payload) > LIMIT * 4 // 3 + 4:
        raise Refused("a data: URL beyond the limit")
    media_type, *parameters = head.split(";")
    data = unquote_to_bytes(payload)
    if "base64" in (each.strip().lower() for each in parameters):
        try:
            data = base64.b64decode(data)
        except (binascii.Error, ValueError):
            raise Refused("a data: URL whose base64 is broken") from None
    return media_type.strip().lower() or "text/plain", data


def make_fetcher() -> Any:
    """The fetcher in the form that WeasyPrint takes (which is imported here)."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class DataOnly(URLFetcher):  # type: ignore[misc]
        """Its parent opens files and hosts: `fetch` is replaced whole, and nothing of the parent's is called."""

        def __init__(self) -> None:
            super().__init__(allowed_protocols={"data"}, allow_redirects=False)

        def fetch(self, url: str, headers: Any = None) -> Any:
            media_type, data = decode(url)
            return URLFetcherResponse(url, data, {"Content-Type": media_type})

    return DataOnly()
