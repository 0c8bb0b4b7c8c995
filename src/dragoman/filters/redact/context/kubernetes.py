"""Secrets of Kubernetes, as YAML and JSON write them."""

from __future__ import annotations

import base64
import binascii
import re

from dragoman.filters.redact.context.buffers import classified, decoded
from dragoman.filters.redact.hits import Hit, Seen
from dragoman.filters.redact.judge import placeholder, random

_SECRET_KIND = re.compile(rb"""(?i)kind\\*["']?\s*:\s*\\*["']?secret\b""")
_SECRET_ENTRY = re.compile(
    rb"""(?m)(?:^|[{,])[ \t]*["']?(?P<n>[\w.-]{1,128})["']?[ \t]*:[ \t]*["']?(?P<v>[A-Za-z0-9+/_-]{4,16000}={0,2})["']?[ \t]*(?=[,}\r\n\x00]|$)"""
)
_PUBLIC_PEM = (b"-----BEGIN CERTIFICATE-----", b"-----BEGIN PUBLIC KEY-----")
_NOT_DATA = re.compile(
    rb"(?i)apiVersion|kind|name|namespace|type|uid|resourceVersion|creationTimestamp|metadata|immutable|labels|annotations|managedFields|manager|operation|time|app|release|chart"
)


def entries(buffer: bytes, start: int, hits: list[Hit], seen: Seen) -> None:
    """The values under data and stringData of a Kubernetes Secret, in YAML or JSON."""
    match = _SECRET_KIND.match(buffer, start)
    if match is None:
        return
    low, high = max(0, match.start() - 8000), min(len(buffer), match.end() + 8000)
    for edge in (b"\n---", b"\x00"):
        found = buffer.rfind(edge, low, match.start())
        low = max(low, found + 1)
        found = buffer.find(edge, match.end(), high)
        high = found if found >= 0 else high
    data = -1
    for word in (b"data:", b'"data"', b"stringData", b"data\\"):
        data = buffer.find(word, low, high)
        if data >= 0:
            break
    if data < 0:
        return
    reached = seen.get("kubernetes", 0)
    if data < reached:  # from the last entry that may have been cut
        data = max(data, *(buffer.rfind(sign, data, min(reached, high)) for sign in (b"\n", b",", b"{")))
    seen["kubernetes"] = max(reached, high)
    for entry in _SECRET_ENTRY.finditer(buffer, data, high):
        if _NOT_DATA.fullmatch(entry["n"]):
            continue
        value = decoded(entry["v"])
        if placeholder(value) or len(value) < 6:
            continue
        try:
            plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
        except (binascii.Error, ValueError):
            plain = b""
        if plain.startswith(_PUBLIC_PEM) and b"PRIVATE" not in plain:
            continue
        if plain or random(value) or classified(entry["n"]) is not None:
            hits.append(Hit(*entry.span("v"), "kubernetes-secret", "kubernetes-secret"))
