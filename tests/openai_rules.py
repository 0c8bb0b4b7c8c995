"""What makes Chat Completions messages valid: the `openai` package's types, and the rules that no type says."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam
from pydantic import TypeAdapter

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
PARTS = {
    "system": {"text"},
    "developer": {"text"},
    "user": {"text", "image_url", "input_audio", "file"},
    "assistant": {"text", "refusal"},
    "tool": {"text"},
}
FIELDS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "refusal", "audio", "reasoning_content", "weight"},
    "tool": {"role", "content", "tool_call_id"},
}


@cache
def _types() -> TypeAdapter[Any]:
    return TypeAdapter(list[ChatCompletionMessageParam])


def check_tools(tools: list[dict[str, Any]]) -> None:
    """Raise where `tools` wouldn't be taken."""
    TypeAdapter(list[ChatCompletionToolUnionParam]).validate_python(tools)
    for tool in tools:
        assert NAME.fullmatch(tool[tool["type"]]["name"])


def check(messages: list[dict[str, Any]]) -> None:
    """Raise AssertionError or pydantic's ValidationError where a provider would refuse."""
    _consume(_types().validate_python(messages, strict=False))
    seen: set[str] = set()
    waiting: list[str] = []
    for message in messages:
        role = message["role"]
        assert message.keys() <= FIELDS[role], message.keys() - FIELDS[role]
        content = message["content"]
        if waiting:
            assert role == "tool", f"a {role} message stands before the answers"
        if isinstance(content, list):
            assert content, "an empty list of parts"
            assert {part["type"] for part in content} <= PARTS[role]
        elif content is None:
            assert message.get("tool_calls") or message.get("audio"), "no content and no call"
        else:
            assert isinstance(content, str)
            assert content or role in ("tool", "assistant"), "an empty message"
        if role == "tool":
            assert message["tool_call_id"] == waiting.pop(0), "an answer out of its place"
        for call in message.get("tool_calls", ()):
            assert 1 <= len(call["id"]) <= 40 and call["id"] not in seen
            seen.add(call["id"])
            waiting.append(call["id"])
            inner = call[call["type"]]
            assert NAME.fullmatch(inner["name"]), inner["name"]
            if call["type"] == "function":
                assert isinstance(json.loads(inner["arguments"]), dict)
        if "tool_calls" in message:
            assert message["tool_calls"]
        if "name" in message:
            assert isinstance(message["name"], str)
    assert not waiting, "a call without an answer"


def _consume(value: Any) -> None:
    """Pydantic checks an Iterable's items only when they are taken."""
    if isinstance(value, dict):
        for each in value.values():
            _consume(each)
    elif not isinstance(value, str | bytes | int | float | bool | None):
        for each in value:
            _consume(each)
