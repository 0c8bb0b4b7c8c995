"""From Chat Completions messages to a neutral session. Whatever has no word in the model is carried."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson

from dragoman.model import (
    Block,
    Entry,
    Event,
    Header,
    Media,
    Message,
    Reasoning,
    Session,
    SourceFile,
    Span,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)
from dragoman.readers.openai.parts import blocks_of
from dragoman.report import Code, Report

NOTE = "dragoman"
"""The `name` of the system message in which our writer says what mapped tool names stand for."""

_KNOWN = {
    "system": {"role", "content"},
    "developer": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {
        "role",
        "content",
        "refusal",
        "tool_calls",
        "function_call",
        "reasoning_content",
        "reasoning",
        "audio",
    },
    "tool": {"role", "content", "tool_call_id"},
    "function": {"role", "content", "name"},
}
_CARRIED = {"name", "weight", "annotations", "id", "prefix", "function_call", "tool_calls", "audio", "refusal"}
"""Fields that are no news, though the model has no word for them (or they are null)."""

_BODY = {"messages", "choices", "usage", "model", "id", "created", "object", "request", "response", "body"}


class Conversation:
    """Takes messages in their order and makes one session of them."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.entries: list[Entry] = []
        self.names: dict[str, str] = {}
        """Call id to the tool's name."""
        self.restored: dict[str, str] = {}
        """A name as written to the name as it was."""
        self.old_style: list[tuple[str, str]] = []
        """Calls by `function_call` that wait for their `function` message: (name, id)."""
        self.made_ids = 0
        self.models: dict[str, None] = {}
        self.times: list[datetime] = []
        self.id = ""
        self.extra: dict[str, Any] = {}

    def session(self, file: str) -> Session:
        """What was taken, as a session read from `file`."""
        return Session(
            header=Header(
                id=self.id,
                format="openai",
                models=tuple(self.models),
                started=min(self.times, default=None),
                ended=max(self.times, default=None),
                files=(SourceFile(path=file),),
                extra=self.extra,
            ),
            entries=tuple(self.entries),
        )

    # --- bodies -----------------------------------------------------------------------------------

    def body(self, value: dict[str, Any], span: Span) -> None:
        """A request's body, a response's, a line of training data, or a log entry with both bodies."""
        for key in ("request", "body", "response"):
            if isinstance(value.get(key), dict):
                self.body(value[key], span)
        messages = value.get("messages")
        for message in messages if isinstance(messages, list) else ():
            self.message(message, span)
        if isinstance(value.get("choices"), list):
            self._choices(value, span)
        for key, each in value.items():
            if key not in _BODY:
                self.extra[key] = each
            elif key == "model" and isinstance(each, str) and "choices" not in value:
                self.extra["model"] = each

    def _choices(self, value: dict[str, Any], span: Span) -> None:
        """The answers of a response. Those after the first stand on branches of their own."""
        usage = _usage(value.get("usage"))
        created = value.get("created")
        time = None
        if isinstance(created, int | float) and 0 < created < 1e11:
            time = datetime.fromtimestamp(created, UTC)
            self.times.append(time)
        model = value["model"] if isinstance(value.get("model"), str) else ""
        identifier = value["id"] if isinstance(value.get("id"), str) else ""
        if model:
            self.models[model] = None
        self.id = self.id or identifier
        for number, choice in enumerate(value["choices"]):
            message = choice.get("message") if isinstance(choice, dict) else None
            if not isinstance(message, dict):
                self._carry(choice, "choice", span)
                continue
            reason = choice.get("finish_reason")
            self._assistant(
                message,
                span,
                id=identifier,
                time=time,
                model=model,
                usage=usage if number == 0 else None,
                stop_reason=reason if isinstance(reason, str) else "",
                branch=f"choice {number}" if number else "",
            )

    # --- messages ---------------------------------------------------------------------------------

    def message(self, value: Any, span: Span) -> None:
        """One message, or whatever stands in its place."""
        if not isinstance(value, dict) or not isinstance(value.get("role"), str):
            self._carry(value, "message", span)
            return
        match value["role"]:
            case "system" if value.get("name") == NOTE and self._is_note(value.get("content")):
                return
            case "system" | "developer" as role:
                extra = self._extra(value, role, span)
                if role == "developer":
                    extra["role"] = role
                self._add(
                    Message(
                        role="system", origin="instructions", blocks=self._content(value, span), span=span, extra=extra
                    )
                )
            case "user":
                extra = self._extra(value, "user", span)
                self._add(
                    Message(role="user", origin="prompt", blocks=self._content(value, span), span=span, extra=extra)
                )
            case "assistant":
                self._assistant(value, span)
            case "tool" | "function":
                self._result(value, span)
            case role:
                self.report.add(Code.UNKNOWN_RECORD, span, _shown(role))
                self.entries.append(Event(kind="unknown", name=role, data=value, span=span))

    def _add(self, message: Message) -> None:
        self.entries.append(message)

    def _carry(self, value: Any, what: str, span: Span) -> None:
        self.report.add(Code.BAD_VALUE, span, what)
        self.entries.append(Event(kind="unknown", name=what, data=value, span=span))

    def _is_note(self, content: Any) -> bool:
        """Whether this is our writer's note on tool names, which is then taken in."""
        try:
            names = orjson.loads(content)["tool_names"]
        except (ValueError, TypeError, KeyError):
            return False
        if not isinstance(names, dict) or not all(isinstance(each, str) for each in names.values()):
            return False
        self.restored.update(names)
        return True

    def _content(self, value: dict[str, Any], span: Span) -> tuple[Block, ...]:
        return tuple(blocks_of(value.get("content"), span, self.report))

    def _extra(self, value: dict[str, Any], role: str, span: Span) -> dict[str, Any]:
        extra = {key: each for key, each in value.items() if key not in _KNOWN[role]}
        for key in extra:
            if key not in _CARRIED:
                self.report.add(Code.UNKNOWN_FIELD, span, f"{role}.{_shown(key)}")
        return extra

    def _assistant(self, value: dict[str, Any], span: Span, **reply: Any) -> None:
        blocks: list[Block] = []
        for key in ("reasoning_content", "reasoning"):
            thought = value.get(key)
            if isinstance(thought, str) and thought:
                blocks.append(Reasoning(thought))
                break
            if thought is not None and not isinstance(thought, str):
                blocks.append(self._unknown(key, thought, span))
        blocks += self._content(value, span)
        refusal = value.get("refusal")
        if isinstance(refusal, str) and refusal:
            blocks.append(Text(refusal, extra={"refusal": True}))
        elif refusal not in (None, ""):
            blocks.append(self._unknown("refusal", refusal, span))
        if value.get("audio") is not None:
            blocks += self._audio(value["audio"], span)
        calls = value.get("tool_calls")
        if isinstance(calls, list):
            blocks += (self._call(each, span) for each in calls)
        elif calls is not None:
            blocks.append(self._unknown("tool_calls", calls, span))
        if value.get("function_call") is not None:
            blocks.append(self._old_call(value["function_call"], span))
        extra = self._extra(value, "assistant", span)
        self._add(Message(role="assistant", origin="reply", blocks=tuple(blocks), span=span, extra=extra, **reply))

    def _unknown(self, kind: str, value: Any, span: Span) -> Unknown:
        self.report.add(Code.UNKNOWN_BLOCK, span, _shown(kind))
        return Unknown(kind=kind, value=value)

    def _audio(self, value: Any, span: Span) -> list[Block]:
        """Spoken output: sound and transcript, or only an id of it at the provider."""
        if not isinstance(value, dict):
            return [self._unknown("audio", value, span)]
        spoken: list[Block] = []
        if isinstance(value.get("data"), str):
            rest = {key: each for key, each in value.items() if key not in ("data", "transcript")}
            spoken.append(Media(media_type="audio/wav", data=value["data"], extra=rest))
        if isinstance(value.get("transcript"), str) and value["transcript"]:
            spoken.append(Text(value["transcript"], extra={"transcript": True}))
        return spoken or [Unknown(kind="audio", value=value)]

    def _call(self, value: Any, span: Span) -> Block:
        kind = value.get("type", "function") if isinstance(value, dict) else None
        inner = value.get(kind) if isinstance(kind, str) and kind in ("function", "custom") else None
        if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
            return self._unknown("tool_call", value, span)
        identifier: str = value["id"] if isinstance(value.get("id"), str) else self._make_id()
        name = self._name(inner["name"])
        self.names[identifier] = name
        extra = {key: each for key, each in value.items() if key not in ("id", "type", "function", "custom", "index")}
        extra.update(
            (f"{kind}.{key}", each) for key, each in inner.items() if key not in ("name", "arguments", "input")
        )
        if kind == "custom":
            text = inner.get("input", "")
            arguments = orjson.dumps({"input": text}).decode()
            return ToolCall(identifier, name, arguments, extra={**extra, "type": "custom"})
        return ToolCall(identifier, name, self._arguments(inner.get("arguments", ""), span), extra=extra)

    def _arguments(self, value: Any, span: Span) -> str:
        """JSON text; some programs write the object itself."""
        if isinstance(value, str):
            return value
        self.report.add(Code.BAD_VALUE, span, "arguments")
        return orjson.dumps(value).decode()

    def _old_call(self, value: Any, span: Span) -> Block:
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            return self._unknown("function_call", value, span)
        identifier = self._make_id()
        name = self._name(value["name"])
        self.names[identifier] = name
        self.old_style.append((value["name"], identifier))
        return ToolCall(identifier, name, self._arguments(value.get("arguments", ""), span))

    def _name(self, written: str) -> str:
        return self.restored.get(written, written)

    def _make_id(self) -> str:
        self.made_ids += 1
        return f"call_{self.made_ids}"

    def _result(self, value: dict[str, Any], span: Span) -> None:
        role = value["role"]
        identifier = value.get("tool_call_id")
        if role == "function" or not isinstance(identifier, str):
            identifier = self._old_id(value.get("name"))
        content = blocks_of(value.get("content"), span, self.report)
        result = ToolResult(
            identifier,
            content=tuple(each for each in content if isinstance(each, Text | Media | Unknown)),
            tool_name=self.names.get(identifier, ""),
        )
        extra = self._extra(value, role, span)
        self._add(Message(role="tool", origin="result", blocks=(result,), span=span, extra=extra))

    def _old_id(self, name: Any) -> str:
        """The id that was made for the last old call of that name without an answer."""
        for index, (each, identifier) in enumerate(self.old_style):
            if each == name:
                del self.old_style[index]
                return identifier
        return ""


def _usage(value: Any) -> Usage | None:
    """Tokens of a response. `prompt_tokens` include the cached ones, `completion_tokens` the reasoning."""
    if not isinstance(value, dict):
        return None
    cached = _count(value.get("prompt_tokens_details"), "cached_tokens")
    return Usage(
        input=max(_count(value, "prompt_tokens") - cached, 0),
        output=_count(value, "completion_tokens"),
        cache_read=cached,
        reasoning=_count(value.get("completion_tokens_details"), "reasoning_tokens"),
    )


def _count(value: Any, key: str) -> int:
    number = value.get(key) if isinstance(value, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else 0


def _shown(name: str) -> str:
    """A role or field name in the report, unless it looks like content."""
    plain = 0 < len(name) <= 60 and name.isascii() and name.replace("-", "_").replace(".", "_").isidentifier()
    return name if plain else "(a name that isn't shown)"
