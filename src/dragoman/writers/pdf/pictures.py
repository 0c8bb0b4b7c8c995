"""Pictures of a transcript: those that can be drawn safely, with what is to be said of the others."""

from __future__ import annotations

import base64
import binascii
import io
import re
import warnings
from html import escape

from msgspec import Struct

from dragoman.model import Media
from dragoman.render import text

PIXELS = 40_000_000
"""A picture beyond this isn't drawn: it would cost the layout hundreds of megabytes."""

FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp", "BMP": "image/bmp"}
"""What is drawn. SVG is not: it is a program for the layout to run."""


_NAME = re.compile(r"[a-z]{1,20}/[a-z0-9][a-z0-9.+-]{0,60}")


class Picture(Struct, frozen=True, gc=False):
    """A picture to be drawn, or the reason why it isn't. `lines`: about how high it is."""

    html: str
    lines: float
    reason: str = ""


def picture(media: Media) -> Picture:
    """A block of the transcript as a figure or as a note in its place."""
    if media.media_type.startswith("image/") and media.data:
        found = _open(media.data)
        if isinstance(found, str):
            return _note(media, found)
        media_type, width, height, data = found
        caption = " · ".join(
            each
            for each in (text.one_line(media.name, 80), f"{width} × {height}", text.size(_bytes(media.data)))
            if each
        )
        alt = text.one_line(media.name, 80) or "picture"
        html = (
            f'<figure><img src="data:{media_type};base64,{data}" alt="{escape(alt, quote=True)}"/>'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )
        drawn = min(24.0, 30.0 * height / max(width, 1), height / 14) + 2.5
        return Picture(html, drawn + len(media.data) / 100_000)
    return _note(media, "")


def _note(media: Media, reason: str) -> Picture:
    what = "Picture" if media.media_type.startswith("image/") else "Document"
    facts = [text.one_line(media.name, 120), text.one_line(media.media_type, 60)]
    if media.data:
        facts.append(text.size(_bytes(media.data)))
    elif media.url:
        facts.append(text.one_line(media.url, 200))
    facts.append(reason)
    told = " · ".join(escape(each) for each in facts if each)
    named = media.media_type if _NAME.fullmatch(media.media_type) else "unknown type"  # a report never holds content
    return Picture(f'<p class="medium"><b>{what}</b> {told}</p>', 1.6, reason or named)


def _bytes(data: str) -> int:
    return len(data) * 3 // 4


def _open(data: str) -> tuple[str, int, int, str] | str:
    """Media type, size and clean base64, from the bytes and not from what the transcript says; or what is wrong."""
    from PIL import Image, UnidentifiedImageError

    try:
        raw = base64.b64decode(data, validate=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a "decompression bomb": the limit is ours
            with Image.open(io.BytesIO(raw), formats=tuple(FORMATS)) as image:
                kind, (width, height) = image.format, image.size
                if width * height > PIXELS:
                    return "too many pixels to draw"
                image.load()
    except (binascii.Error, UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return "damaged"
    return FORMATS[kind or "PNG"], width, height, base64.b64encode(raw).decode()
