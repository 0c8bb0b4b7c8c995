"""What a secret that was found encoded says in clear: Kubernetes, Basic and registries' credentials, `…_B64`, `…_HEX`.

People and agents decode it in the next line, and then it stands there bare.
"""

from __future__ import annotations

import base64
import binascii
import re
import urllib.parse
from collections.abc import Iterator

from dragoman.filters.redact.judge import is_secret, random

_LONGEST = 4096
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){6,}")
_NAMED = re.compile(r"[\w.@+-]{1,64}:(?!//)")
"""A user's name before the password, as in Basic and registries' credentials."""

_PAIRS = ("basic-auth", "registry-auth")

_LAYERS = 3
"""So often a value is decoded: Secrets of Kubernetes hold what is base64 already."""


def in_clear(value: str, kind: str) -> Iterator[str]:
    """The secrets that an encoded one of this kind holds. Numbers, names and addresses in it are none."""
    if "%" in value and kind.startswith("url"):
        plain = urllib.parse.unquote(value)
        if plain != value:
            yield plain
    text = value
    for _ in range(_LAYERS):
        text = _decoded(text)
        if not text:
            return
        named = _NAMED.match(text)
        if named is not None:
            held = text[named.end() :]
            if kind in _PAIRS or random(held) or is_secret("password", held, "quoted"):
                yield held
        elif text[0] not in "{[" and (random(text) or is_secret("password", text, "quoted")):
            yield text  # what is JSON was looked into where it stands


def _decoded(value: str) -> str:
    """What the text is the base64 or the hex digits of; "" where that is no line of text."""
    short = "".join(value.split())
    if len(short) > _LONGEST:
        return ""
    data = b""
    if _HEX.fullmatch(short):
        data = bytes.fromhex(short)
    elif _BASE64.fullmatch(short):
        bare = short.rstrip("=").replace("-", "+").replace("_", "/")
        try:
            data = base64.b64decode(bare + "=" * (-len(bare) % 4))
        except binascii.Error:
            return ""
    try:
        text = data.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""
