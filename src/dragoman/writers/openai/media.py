"""Pictures, documents and sounds as content parts."""

from __future__ import annotations

import re
from typing import Any

from dragoman.model import Media

_TYPE = re.compile(r"[A-Za-z0-9.+-]+/[A-Za-z0-9.+*-]+")
_URL = re.compile(r"https?://\S+|data:image/[A-Za-z0-9.+-]+;base64,[A-Za-z0-9+/=]+")
_AUDIO = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


def part(media: Media) -> dict[str, Any] | None:
    """The content part of a user message; None where Chat Completions have none for it."""
    kind = media.media_type if _TYPE.fullmatch(media.media_type) else ""
    if kind.startswith("image/"):
        url = f"data:{kind};base64,{media.data}" if media.data else media.url
        if not media.data and not _URL.fullmatch(url):
            return None
        image = {"url": url}
        if media.extra.get("detail") in ("auto", "low", "high"):
            image["detail"] = media.extra["detail"]
        return {"type": "image_url", "image_url": image}
    if media.data and kind in _AUDIO:
        return {"type": "input_audio", "input_audio": {"data": media.data, "format": _AUDIO[kind]}}
    file: dict[str, str] = {}
    if media.data and kind and not kind.startswith(("audio/", "video/")):
        file["file_data"] = f"data:{kind};base64,{media.data}"
    elif isinstance(media.extra.get("file_id"), str):
        file["file_id"] = media.extra["file_id"]
    if not file:
        return None
    if media.name:
        file["filename"] = media.name
    return {"type": "file", "file": file}


def note(media: Media) -> str:
    """Words in the place of what can't stand there."""
    words = " ".join(each for each in (kind_of(media), media.name, media.url) if each)
    return f"[{words}]"


def kind_of(media: Media) -> str:
    """What it is, in a word."""
    family = media.media_type.partition("/")[0]
    return family if family in ("image", "audio", "video") else "document"
