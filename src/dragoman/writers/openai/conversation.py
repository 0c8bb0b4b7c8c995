"""One session as the list of its messages, in the order and shape that Chat Completions demand.

Every call is answered directly after its message. So results go to their calls, and what stood
between them comes after. A provider's own tools, whose results stand inside the reply, split it.
"""

from __future__ import annotations

from typing import Any

import orjson

from dragoman.model import (
    Block,
    Media,
    Message,
    Reasoning,
    Session,
    Span,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
)
from dragoman.report import Code, Report
from dragoman.writers.openai import media as media_parts
from dragoman.writers.openai.selection import Selection
from dragoman.writers.openai.tools import Ids, Names, custom_input, fit_arguments

NO_RESULT = "[No result of this call was recorded.]"

_OF_A_SESSION = ("id", "title", "cwd", "git_branch", "agent", "agent_version", "provider", "started", "parent")

_ENDED = {
    "rejected": "[The user rejected this call.]",
    "interrupted": "[This call was interrupted.]",
    "missing": NO_RESULT,
}


def conversation(session: Session, report: Report, *, reasoning: bool = False) -> list[dict[str, Any]]:
    """The messages of one session, without its subagents."""
    return _Conversation(session, report, reasoning).messages()


class _Conversation:
    def __init__(self, session: Session, report: Report, reasoning: bool) -> None:
        self.report = report
        self.reasoning = reasoning
        self.is_openai = session.header.format == "openai"
        self.out: list[dict[str, Any]] = []
        chosen = Selection(session, report)
        self.entries = chosen.entries
        self.results = chosen.results
        self.calls_left = chosen.calls
        self.held: dict[str, int] = {}
        """Results by call id that were met before their call."""
        self.answered: set[int] = set()
        self.names = Names(chosen.names, report)
        self.ids = Ids(report)
        self.moved_on = False
        self.times = self.models = self.usages = self.stop_reasons = self.extras = self.durations = 0
        self.block_extras = chosen.extras
        self.header = session.header

    def messages(self) -> list[dict[str, Any]]:
        for message, blocks in self.entries:
            match message.role:
                case "assistant":
                    self._reply(message, blocks)
                case "tool":
                    self._results(message, blocks)
                case _:
                    self._said(message, blocks)
        self._report_fields()
        note = self.names.note()
        return [note, *self.out] if note else self.out

    # --- what is left out -------------------------------------------------------------------------

    def _report_fields(self) -> None:
        for count, name in (
            (self.times, "time"),
            (self.models, "model"),
            (self.usages, "usage"),
            (self.stop_reasons, "stop reason"),
            (self.durations, "duration"),
            (self.extras, "extra"),
            (self.block_extras, "a block's extra"),
            (sum(key not in ("tools", "functions") for key in self.header.extra), "session extra"),
            *((1, f"session {name}") for name in _OF_A_SESSION if getattr(self.header, name)),
        ):
            if count:
                self.report.add(Code.DROPPED_FIELD, what=name, count=count)

    def _plain_fields(self, message: Message, out: dict[str, Any] | None) -> None:
        """What stands beside a message's content and has no place, or is OpenAI's own."""
        if message.time is not None:
            self.times += 1
        if message.model:
            self.models += 1
        if message.usage is not None:
            self.usages += 1
        if message.stop_reason:
            self.stop_reasons += 1
        if message.extra:
            for key, value in message.extra.items():
                if not (self.is_openai and out is not None and _own_field(key, value, out)):
                    self.extras += 1

    # --- people, systems --------------------------------------------------------------------------

    def _said(self, message: Message, blocks: tuple[Block, ...]) -> None:
        """A message of a person, of the harness in a person's place, or of the system."""
        parts: list[dict[str, Any]] = []
        system = message.role == "system"
        for block in blocks:
            match block:
                case Text():
                    if block.text:
                        parts.append({"type": "text", "text": block.text})
                case Media():
                    parts.append(self._note(block, message.span) if system else self._media(block, message.span))
                case ToolResult():
                    self._unless_answered(block, block.span or message.span)
                case ToolCall():  # only a foreign reader puts one here
                    self.report.add(Code.DROPPED_BLOCK, block.span or message.span, "a tool call by a user")
                case _:
                    self._no_place(block, message.span)
        self._emit("system" if system else "user", parts, message)

    def _emit(self, role: str, parts: list[dict[str, Any]], message: Message) -> None:
        if not parts:
            self.report.add(Code.EMPTY_MESSAGE, message.span)
            return
        out: dict[str, Any] = {"role": role, "content": _content(parts)}
        self._plain_fields(message, out)
        self.out.append(out)
        self.moved_on = True

    def _media(self, block: Media, span: Span | None) -> dict[str, Any]:
        part = media_parts.part(block)
        return self._note(block, span) if part is None else part

    def _note(self, block: Media, span: Span | None) -> dict[str, Any]:
        self.report.add(Code.DROPPED_MEDIA, block.span or span, media_parts.kind_of(block))
        return {"type": "text", "text": media_parts.note(block)}

    def _no_place(self, block: Block, span: Span | None) -> None:
        """Report a block that this kind of message can't hold."""
        match block:
            case Reasoning(text=text):
                code = Code.DROPPED_REASONING if text else Code.DROPPED_SIGNATURE
                self.report.add(code, block.span or span)
            case Unknown(kind=kind):
                self.report.add(Code.DROPPED_BLOCK, block.span or span, _shown(kind))
            case _:
                self.report.add(Code.DROPPED_BLOCK, block.span or span, type(block).__name__)

    # --- replies ----------------------------------------------------------------------------------

    def _reply(self, message: Message, blocks: tuple[Block, ...]) -> None:
        """A model's reply: one message, or several where results stand inside it."""
        reply = _Reply()
        wrote = False
        for block in blocks:
            if isinstance(block, ToolCall):
                reply.calls.append(block)
            elif isinstance(block, Text):
                if reply.server_answered:
                    wrote |= self._finish(reply, message)
                    reply = _Reply()
                if block.text:
                    if reply.calls:
                        self.report.add(Code.REORDERED, block.span or message.span, "a text before its calls")
                    refused = block.extra and block.extra.get("refusal") is True
                    kind = "refusal" if refused else "text"
                    reply.parts.append({"type": kind, kind: block.text})
            elif isinstance(block, Reasoning):
                if self.reasoning and block.text:
                    reply.reasoning.append(block.text)
                    if block.signature:
                        self.report.add(Code.DROPPED_SIGNATURE, block.span or message.span)
                else:
                    self._no_place(block, message.span)
            elif isinstance(block, ToolResult):
                reply.results.append(block)
                reply.server_answered = bool(reply.calls)
            elif isinstance(block, Media):
                reply.parts.append(self._note(block, message.span))
            elif self.is_openai and block.kind == "audio" and isinstance(block.value, dict):
                reply.audio = str(block.value.get("id", ""))
            else:
                self._no_place(block, message.span)
        wrote |= self._finish(reply, message)
        if not wrote:
            self.report.add(Code.EMPTY_MESSAGE, message.span)

    def _finish(self, reply: _Reply, message: Message) -> bool:
        """Write what a reply has so far, its calls answered. False where there was nothing."""
        wrote = False
        if reply.parts or reply.calls or reply.reasoning or reply.audio:
            out: dict[str, Any] = {"role": "assistant", "content": _content(reply.parts) if reply.parts else None}
            if reply.reasoning:
                out["reasoning_content"] = "\n\n".join(reply.reasoning)
                if not reply.parts and not reply.calls:
                    out["content"] = ""
            if reply.audio:
                out["audio"] = {"id": reply.audio}
            if len(reply.parts) == 1 and "refusal" in reply.parts[0]:
                out["content"], out["refusal"] = None, reply.parts[0]["refusal"]
                if not reply.calls:
                    out["content"] = ""
            if reply.calls:
                out["tool_calls"] = made = [self._call(call, message) for call in reply.calls]
            self._plain_fields(message, out)
            self.out.append(out)
            self.moved_on = False
            if reply.calls:
                self._answers(reply.calls, made, message)
            wrote = True
        for result in reply.results:
            self._unless_answered(result, result.span or message.span)
        return wrote or bool(reply.results)

    def _call(self, call: ToolCall, message: Message) -> dict[str, Any]:
        span = call.span or message.span
        fitted = self.ids.fit(call.id, span)
        name = self.names.fit(call.name, span)
        arguments = fit_arguments(call.arguments, span, self.report)
        if self.is_openai and call.extra.get("type") == "custom":
            custom = {"name": name, "input": custom_input(arguments)}
            return {"id": fitted, "type": "custom", "custom": custom}
        return {"id": fitted, "type": "function", "function": {"name": name, "arguments": arguments}}

    def _answers(self, calls: list[ToolCall], written: list[dict[str, Any]], message: Message) -> None:
        """A tool message for each call, then one user message with all their pictures."""
        pictures: list[dict[str, Any]] = []
        for call, out in zip(calls, written, strict=True):
            taken = self._take(call.id)
            if taken is not None:
                content = _content(self._result_content(*taken, call.name, pictures))
            else:
                self.report.add(Code.SYNTHETIC_RESULT, call.span or message.span)
                content = NO_RESULT
            self.out.append({"role": "tool", "tool_call_id": out["id"], "content": content})
        if pictures:
            self.out.append({"role": "user", "content": pictures})

    def _take(self, identifier: str) -> tuple[ToolResult, Span | None] | None:
        """The first result of this call id that isn't taken."""
        self.calls_left[identifier] -= 1
        waiting = self.results.get(identifier)
        while waiting:
            result, span = waiting.popleft()
            if id(result) not in self.answered:
                self.answered.add(id(result))
                if held := self.held.get(identifier, 0):
                    self.held[identifier] = held - 1
                return result, span
        return None

    # --- results ----------------------------------------------------------------------------------

    def _results(self, message: Message, blocks: tuple[Block, ...]) -> None:
        """A message of results: those that stand with their calls already, orphans, and words beside them."""
        parts: list[dict[str, Any]] = []
        for block in blocks:
            match block:
                case ToolResult():
                    if not self._unless_answered(block, block.span or message.span) and self.moved_on:
                        self.report.add(Code.REORDERED, block.span or message.span, "a result, to its call")
                case Text():
                    if block.text:
                        parts.append({"type": "text", "text": block.text})
                case Media():
                    parts.append(self._media(block, message.span))
                case _:
                    self._no_place(block, message.span)
        if parts:
            self._emit("user", parts, message)
        else:
            self._plain_fields(message, None)
            if not blocks:
                self.report.add(Code.EMPTY_MESSAGE, message.span)

    def _result_content(
        self, result: ToolResult, span: Span | None, tool: str, pictures: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """What a tool message says. Pictures go to `pictures`, and a word about them stays."""
        parts: list[dict[str, Any]] = []
        for block in result.content:
            if isinstance(block, Text):
                parts.append({"type": "text", "text": block.text})
            elif isinstance(block, Media):
                part = media_parts.part(block)
                if part is None:
                    parts.append(self._note(block, span))
                    continue
                kind = media_parts.kind_of(block)
                parts.append({"type": "text", "text": f"[{kind} below]"})
                pictures.append({"type": "text", "text": f"[{kind} from the result of {tool}]"})
                pictures.append(part)
            else:
                parts.append({"type": "text", "text": self._as_json(block, span)})
        if result.structured is not None:
            self.report.add(Code.DROPPED_STRUCTURED, span)
        if result.duration_ms is not None:
            self.durations += 1
        if result.outcome != "ok" or result.error == "yes" or result.feedback:
            self._say_how_it_ended(result, span, parts)
        return parts

    def _as_json(self, block: Unknown, span: Span | None) -> str:
        """The model saw it in some form, so it is shown whole."""
        try:
            return orjson.dumps(block.value).decode()
        except TypeError:
            self._no_place(block, span)
            return f"[{_shown(block.kind)}]"

    def _say_how_it_ended(self, result: ToolResult, span: Span | None, parts: list[dict[str, Any]]) -> None:
        said = any(part["text"] for part in parts)
        if result.outcome == "missing":
            self.report.add(Code.SYNTHETIC_RESULT, span)
            if not said:
                parts[:] = [{"type": "text", "text": NO_RESULT}]
        elif result.error == "yes" or result.outcome != "ok":
            self.report.add(Code.DROPPED_ERROR_FLAG, span)
            if result.outcome in _ENDED:
                if not said:
                    parts[:] = [{"type": "text", "text": _ENDED[result.outcome]}]
            elif not said:
                parts[:] = [{"type": "text", "text": "Error"}]
            elif not _tells_an_error(parts[0]["text"]):
                parts[0] = {"type": "text", "text": f"Error: {parts[0]['text']}"}
        if result.feedback and not any(result.feedback in part["text"] for part in parts):
            parts.append({"type": "text", "text": f"The user said: {result.feedback}"})

    def _unless_answered(self, result: ToolResult, span: Span | None) -> bool:
        """Write a result that no call takes as words of the user. False where a call has it, or will."""
        if id(result) in self.answered:
            return False
        held = self.held.get(result.call_id, 0)
        if held < self.calls_left.get(result.call_id, 0):
            self.held[result.call_id] = held + 1
            return False
        self.answered.add(id(result))
        self.report.add(Code.ORPHAN_RESULT, span)
        name = result.tool_name or "a tool"
        pictures: list[dict[str, Any]] = []
        content = self._result_content(result, span, name, pictures)
        said = {"type": "text", "text": f"[A result of {name}, whose call isn't here]"}
        self.out.append({"role": "user", "content": _content([said, *content, *pictures])})
        return True


class _Reply:
    """What has been gathered of a reply."""

    __slots__ = ("audio", "calls", "parts", "reasoning", "results", "server_answered")

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []
        self.calls: list[ToolCall] = []
        self.reasoning: list[str] = []
        self.results: list[ToolResult] = []
        self.audio = ""
        self.server_answered = False


def _content(parts: list[dict[str, Any]]) -> Any:
    """One text as a string, nothing as an empty one, anything else as the list that it is."""
    if not parts:
        return ""
    if len(parts) == 1 and parts[0]["type"] == "text":
        return parts[0]["text"]
    return parts


def _own_field(key: str, value: Any, out: dict[str, Any]) -> bool:
    """Put a field back that our reader took from OpenAI's message; False where it isn't one."""
    if key == "role" and value == "developer" and out["role"] == "system":
        out["role"] = "developer"
    elif key == "name" and isinstance(value, str) and out["role"] != "tool":
        out["name"] = value
    elif key == "weight" and value in (0, 1) and out["role"] == "assistant":
        out["weight"] = value
    else:
        return False
    return True


def _tells_an_error(text: str) -> bool:
    start = text[:40].lstrip("<[ \n").lower()
    return start.startswith(("error", "tool_use_error", "exit code", "traceback", "failed", "fatal"))


def _shown(kind: str) -> str:
    """A block type's name, unless it looks like content."""
    plain = 0 < len(kind) <= 60 and kind.isascii() and kind.replace("-", "_").isidentifier()
    return kind if plain else "unknown block"
