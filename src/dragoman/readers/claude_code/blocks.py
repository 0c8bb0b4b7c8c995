"""Content blocks: what a line's `message.content` holds, in the neutral words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dragoman.io.json import dumps
from dragoman.model import Block, Media, Reasoning, Text, ToolCall, ToolResult, Unknown
from dragoman.readers.claude_code.fields import identifier, string
from dragoman.readers.claude_code.reading import Reading
from dragoman.readers.claude_code.vocabulary import BLOCK_FIELDS, safe_name
from dragoman.report import Code


def blocks_of(content: Any, reading: Reading) -> list[Block]:
    """The blocks of a message, whatever `content` is. Results of the agent's own tools aren't looked for here."""
    if type(content) is list:
        if len(content) == 1 and type(block := content[0]) is dict and len(block) == 2 and block.get("type") == "text":
            text = block.get("text")
            if type(text) is str:
                return [Text(text)]  # nearly half of all lines
        if None in content:
            content = [each for each in content if each is not None or _null(reading)]
        return [_block(each, reading) for each in content]
    if type(content) is str:
        return [Text(content)]
    if content is None:
        return []
    reading.bad("message.content")
    return [_block(content, reading)] if type(content) is dict else [Unknown(kind="content", value=content)]


def _null(reading: Reading) -> bool:
    reading.bad("content block")
    return False


def _block(block: Any, reading: Reading) -> Block:
    if type(block) is not dict:
        reading.bad("content block")
        return Text(block) if type(block) is str else Unknown(kind="content", value=block)
    kind = block.get("type")
    if kind == "text" and len(block) == 2 and type(block.get("text")) is str:
        return Text(block["text"])  # nearly all
    make = _MAKERS.get(kind) if type(kind) is str else None
    if make is None:
        return _strange(block, kind, reading)
    made = make(block, reading)
    if made is None:
        reading.bad(f"a block of type {kind}")
        return Unknown(kind=str(kind), value=block)
    return made


def _strange(block: dict[str, Any], kind: Any, reading: Reading) -> Block:
    if type(kind) is not str:
        reading.bad("block.type")
        if type(block.get("text")) is str:
            return Text(block["text"], extra=_rest(block, "text", reading, "text"))
        return Unknown(kind="", value=block)
    if kind in BLOCK_FIELDS:
        return Unknown(kind=kind, value=block)
    reading.add(Code.UNKNOWN_BLOCK, safe_name(kind))
    return Unknown(kind=kind, value=block)


def _rest(block: dict[str, Any], kind: str, reading: Reading, *used: str) -> dict[str, Any]:
    """The fields of a block that its neutral form has no word for."""
    known = BLOCK_FIELDS[kind]
    rest = {}
    for field, value in block.items():
        if field not in known:
            reading.unknown_field(kind, field)
            rest[field] = value
        elif field not in used and field != "type" and value not in (None, "", [], {}):
            rest[field] = value
    return rest


def _text(block: dict[str, Any], reading: Reading) -> Block | None:
    text = block.get("text")
    if type(text) is not str:
        return None
    return Text(text, extra=_rest(block, "text", reading, "text"))


def _thinking(block: dict[str, Any], reading: Reading) -> Block | None:
    text, signature = block.get("thinking", ""), block.get("signature")
    if type(text) is not str:
        return None
    if not text:
        reading.add(Code.REASONING_WITHHELD)
    extra = _rest(block, "thinking", reading, "thinking", "signature") if len(block) > 3 else {}
    return Reasoning(text, signature=string(signature), withheld=not text, extra=extra)


def _redacted_thinking(block: dict[str, Any], reading: Reading) -> Block:
    reading.add(Code.REASONING_WITHHELD)
    return Reasoning(signature=string(block.get("data")), withheld=True, extra={"redacted": True})


def _tool_use(block: dict[str, Any], reading: Reading, *, server: bool = False) -> Block:
    call_id, name, given = identifier(block.get("id")), block.get("name"), block.get("input")
    if type(name) is not str:
        reading.bad("tool_use.name")
        name = ""
    if type(given) is str:
        arguments = given  # some builds up to 2.1.92
    elif type(given) is dict and len(given) == 1 and type(given.get("__unparsedToolInput")) is str:
        arguments = given["__unparsedToolInput"]
    else:
        arguments = "{}" if given is None else dumps(given)
    extra: dict[str, Any] = {}
    if len(block) > 4:
        extra = _rest(block, string(block.get("type")), reading, "id", "name", "input")
        if extra.get("caller") == {"type": "direct"}:
            del extra["caller"]
    return ToolCall(call_id, name, arguments, server, extra=extra)


def _server_tool_use(block: dict[str, Any], reading: Reading) -> Block:
    return _tool_use(block, reading, server=True)


def _server_result(block: dict[str, Any], reading: Reading) -> Block:
    content = block.get("content")
    failed = block.get("is_error") is True
    shown: tuple[Text | Media | Unknown, ...]
    structured: Any = content
    if type(content) is dict:
        kind = string(content.get("type"))
        failed = failed or kind.endswith("_error")
        shown = tuple(_server_words(content))
    elif type(content) is list and block.get("type") != "mcp_tool_result":
        shown = tuple(words for each in content if type(each) is dict for words in _server_words(each))
    else:
        shown, structured = result_content(content, reading), None
    extra = _rest(block, string(block.get("type")), reading, "tool_use_id", "content", "is_error")
    extra["type"] = block.get("type")
    call_id = identifier(block.get("tool_use_id"))
    return ToolResult(
        call_id,
        content=shown,
        structured=structured,
        error="yes" if failed else "unsaid",
        outcome="failed" if failed else "ok",
        extra=extra,
    )


def _server_words(value: dict[str, Any]) -> list[Text | Media | Unknown]:
    """What a person can read of a server tool's result."""
    title, url = string(value.get("title")), string(value.get("url"))
    if url:
        return [Text(f"{title}\n{url}" if title else url)]
    for field in ("text", "stdout", "error_message", "error_code"):
        if words := string(value.get(field)):
            more = string(value.get("stderr"))
            return [Text(words), Text(more)] if more else [Text(words)]
    inner = value.get("content")
    if type(inner) is dict and type(inner.get("source")) is dict:
        data = inner["source"].get("data")
        if type(data) is str and inner["source"].get("type") == "text":
            return [Text(data)]
    references = value.get("tool_references")
    if type(references) is list:
        return [Text(string(each.get("tool_name"))) for each in references if type(each) is dict]
    return []


def _image(block: dict[str, Any], reading: Reading) -> Block | None:
    return _media(block, "image", reading)


def _document(block: dict[str, Any], reading: Reading) -> Block | None:
    return _media(block, "document", reading)


def _media(block: dict[str, Any], kind: str, reading: Reading) -> Block | None:
    source = block.get("source")
    extra = _rest(block, kind, reading, "source", "data", "mimeType", "title")
    title = string(block.get("title"))
    if type(source) is not dict:
        if type(block.get("data")) is str:  # as MCP servers write it
            return Media(string(block.get("mimeType")), data=block["data"], name=title, extra=extra)
        return None
    how, media_type = source.get("type"), string(source.get("media_type"))
    if how == "text" and type(source.get("data")) is str:
        return Text(source["data"], extra={**extra, "document": title or "text"})
    if how == "url" and type(source.get("url")) is str:
        return Media(media_type or f"{kind}/*", url=source["url"], name=title, extra=extra)
    if how == "file" and type(source.get("file_id")) is str:
        return Media(
            media_type or f"{kind}/*", name=title or source["file_id"], extra={**extra, "file_id": source["file_id"]}
        )
    if type(source.get("data")) is str:
        told = _by_first_bytes(source["data"])
        if told and told != media_type:
            reading.bad("media_type")
            media_type, extra = told, {**extra, "declared": media_type} if media_type else extra
        return Media(media_type, data=source["data"], name=title, extra=extra)
    return None


_FIRST_BYTES = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi0": "application/pdf",
}


def _by_first_bytes(data: str) -> str:
    """The media type of base64 data: what a line declares may be wrong."""
    return next((kind for start, kind in _FIRST_BYTES.items() if data.startswith(start)), "")


def _tool_reference(block: dict[str, Any], reading: Reading) -> Block | None:
    name = block.get("tool_name")
    return Text(name, extra={"type": "tool_reference"}) if type(name) is str else None


def _search_result(block: dict[str, Any], reading: Reading) -> Block | None:
    inner = block.get("content")
    texts = [string(each.get("text")) for each in inner if type(each) is dict] if type(inner) is list else []
    head = "\n".join(part for part in (string(block.get("title")), string(block.get("source"))) if part)
    return Text("\n\n".join(part for part in (head, *texts) if part), extra={"type": "search_result"})


def _resource(block: dict[str, Any], reading: Reading) -> Block | None:
    resource = block.get("resource")
    if type(resource) is not dict:
        return None
    uri, media_type = string(resource.get("uri")), string(resource.get("mimeType"))
    if type(resource.get("text")) is str:
        return Text(resource["text"], extra={"type": "resource", "uri": uri, "media_type": media_type})
    if type(resource.get("blob")) is str:
        return Media(
            media_type or "application/octet-stream", data=resource["blob"], name=uri, extra={"type": "resource"}
        )
    return None


def _resource_link(block: dict[str, Any], reading: Reading) -> Block | None:
    uri = block.get("uri")
    if type(uri) is not str:
        return None
    extra = _rest(block, "resource_link", reading, "uri", "name", "mimeType")
    return Media(string(block.get("mimeType")), url=uri, name=string(block.get("name")), extra=extra)


def _audio(block: dict[str, Any], reading: Reading) -> Block | None:
    data = block.get("data")
    return Media(string(block.get("mimeType")) or "audio/*", data=data) if type(data) is str else None


_Maker = Callable[[dict[str, Any], Reading], Block | None]

_MAKERS: dict[str, _Maker] = {
    "text": _text,
    "thinking": _thinking,
    "redacted_thinking": _redacted_thinking,
    "tool_use": _tool_use,
    "server_tool_use": _server_tool_use,
    "mcp_tool_use": _server_tool_use,
    **dict.fromkeys((kind for kind in BLOCK_FIELDS if kind.endswith("_tool_result")), _server_result),
    "image": _image,
    "document": _document,
    "tool_reference": _tool_reference,
    "search_result": _search_result,
    "resource": _resource,
    "resource_link": _resource_link,
    "audio": _audio,
}


def result_content(content: Any, reading: Reading) -> tuple[Text | Media | Unknown, ...]:
    """What a tool result holds, which is never a call or another result."""
    if type(content) is str:
        return (Text(content),)
    found: list[Text | Media | Unknown] = []
    for block in blocks_of(content, reading):
        if isinstance(block, Text | Media | Unknown):
            found.append(block)
        elif isinstance(block, Reasoning):
            found.append(Unknown(kind="thinking", value={"thinking": block.text}))
        else:
            found.append(Unknown(kind="tool_use", value={"id": getattr(block, "id", "")}))
    return tuple(found)
