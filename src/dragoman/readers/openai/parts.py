"""Content of a message: a string, nothing, or a list of parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dragoman.model import Media, Span, Text, Unknown
from dragoman.report import Code, Report

_AUDIO = {"wav": "audio/wav", "mp3": "audio/mpeg"}


def blocks_of(content: Any, span: Span, report: Report) -> list[Text | Media | Unknown]:
    """The blocks of a message's `content`, in their order."""
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(content)]
    if isinstance(content, list):
        return list(_parts(content, span, report))
    report.add(Code.BAD_VALUE, span, "content")
    return [Unknown(kind="content", value=content)]


def _parts(content: list[Any], span: Span, report: Report) -> Iterator[Text | Media | Unknown]:
    for part in content:
        block: Text | Media | Unknown | None = None
        if isinstance(part, str):
            block = Text(part)
        elif isinstance(part, dict):
            block = _part(part)
        if block is None:
            kind = part.get("type") if isinstance(part, dict) else None
            kind = kind if isinstance(kind, str) else "part"
            shown = kind if len(kind) <= 60 and kind.isascii() and kind.isidentifier() else "(a name that isn't shown)"
            report.add(Code.UNKNOWN_BLOCK, span, shown)
            block = Unknown(kind=kind, value=part)
        yield block


def _part(part: dict[str, Any]) -> Text | Media | None:
    match part:
        case {"type": "text", "text": str(text)}:
            return Text(text, extra=_rest(part, "type", "text"))
        case {"type": "refusal", "refusal": str(text)}:
            return Text(text, extra={"refusal": True, **_rest(part, "type", "refusal")})
        case {"type": "image_url", "image_url": {"url": str(url)} as image}:
            return _at(url, "image/*", extra=_rest(image, "url"))
        case {"type": "image_url", "image_url": str(url)}:
            return _at(url, "image/*")
        case {"type": "input_audio", "input_audio": {"data": str(data), "format": str(form)}} if form in _AUDIO:
            return Media(media_type=_AUDIO[form], data=data)
        case {"type": "file", "file": dict(file)}:
            return _file(file)
    return None


def _file(file: dict[str, Any]) -> Media | None:
    name = file["filename"] if isinstance(file.get("filename"), str) else ""
    extra = _rest(file, "filename", "file_data")
    match file.get("file_data"):
        case str(data) if data.startswith("data:"):
            return _at(data, "application/octet-stream", name=name, extra=extra)
        case str(data):
            return Media(media_type="application/pdf", data=data, name=name, extra=extra)
    return Media(media_type="", name=name, extra=extra) if isinstance(file.get("file_id"), str) else None


def _at(url: str, fallback: str, *, name: str = "", extra: dict[str, Any] | None = None) -> Media:
    """What a URL points at; a `data:` URL holds it."""
    head, comma, data = url.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64"):
        kind = head[5:-7].partition(";")[0] or fallback
        return Media(media_type=kind, data=data, name=name, extra=extra or {})
    return Media(media_type=fallback, url=url, name=name, extra=extra or {})


def _rest(value: dict[str, Any], *known: str) -> dict[str, Any]:
    return {key: each for key, each in value.items() if key not in known}
