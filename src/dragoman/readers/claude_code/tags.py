"""Text that the program wrote in a person's name, told by the tags at its start.

Only a whole pair of tags at the start (or, for reminders, at the end) counts: people paste tags in
prompts. Nothing here looks at a text twice, so cost grows with its length only.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from dragoman.model import Origin, Text

_OPEN = re.compile(r"<([A-Za-z][A-Za-z0-9_-]{0,40})((?:\s[^<>]{0,2000})?)>")
_ATTRIBUTE = re.compile(r'([A-Za-z_][\w-]{0,40})\s{0,3}=\s{0,3}"([^"]{0,2000})"')

INJECTED = frozenset(
    (
        "system-reminder ide_opened_file ide_selection ide_diagnostics post-tool-use-hook session-start-hook "
        "user-prompt-submit-hook tick goal fork-boilerplate local-command-caveat background-task-input new-diagnostics "
        "mcp-resource mcp-resource-content mcp-polling-update"
    ).split()
)
"""Context that the harness puts before or after what a person typed, in the same string or list."""

_SPEAKERS = frozenset("teammate-message agent-message agent-notification cross-session-message channel".split())
_COMMAND = ("command-name", "command-message", "command-args")

INTERRUPTS = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")
PLAN = "Implement the following plan:"
SUMMARY = "This session is being continued from a previous conversation"
WARMUP = "Warmup"


class Element(Struct, frozen=True):
    """A pair of tags and what stands between them: `text[start:end]` as a whole."""

    name: str
    attributes: str
    start: int
    end: int
    inner: str


class Piece(Struct, frozen=True):
    """A part of a user line with one origin."""

    origin: Origin
    blocks: tuple[Text, ...]
    about: str = ""
    extra: dict[str, Any] = {}


def element_at(text: str, start: int) -> Element | None:
    """The pair of tags that opens at `start` or after white space there; the first closing tag ends it."""
    start = _skip(text, start)
    if not text.startswith("<", start):
        return None
    opening = _OPEN.match(text, start)
    if opening is None:
        return None
    name = opening[1]
    close = text.find(f"</{name}>", opening.end())
    if close < 0:
        return None
    return Element(name, opening[2], start, close + len(name) + 3, text[opening.end() : close])


def _skip(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def attributes(written: str) -> dict[str, str]:
    """The attributes of an opening tag."""
    return dict(_ATTRIBUTE.findall(written))


def peel(text: str) -> tuple[list[str], str, list[str]]:
    """Injected pieces before, what is left, injected pieces after. What is left keeps its own white space."""
    if "<" not in text:
        return [], text, []
    before: list[str] = []
    start = 0
    while (element := element_at(text, start)) is not None and element.name in INJECTED:
        before.append(text[element.start : element.end])
        start = element.end
    end = len(text.rstrip())
    after: list[str] = []
    while end > start and text.endswith("</system-reminder>", start, end):
        opening = text.rfind("<system-reminder>", start, end)
        if opening < 0:
            break
        after.append(text[opening:end])
        end = len(text[start:opening].rstrip()) + start if len(after) < 50 else opening
    if not before and not after:
        return [], text, []
    return before, text[start:end].strip() if before or after else text, after[::-1]


def tagged(text: str) -> Piece | None:
    """What a text that begins with one of the program's tags is; None where it is somebody's own words."""
    first = element_at(text, 0)
    if first is None:
        return None
    name = first.name
    if name in _COMMAND:
        return _command(text)
    if name in ("local-command-stdout", "local-command-stderr"):
        return _streams(text, "command_output", ("local-command-stdout", "local-command-stderr"))
    if name in ("bash-stdout", "bash-stderr"):
        return _streams(text, "shell_output", ("bash-stdout", "bash-stderr"))
    if name == "bash-input":
        return _alone("shell_input", first, text)
    if name == "user-memory-input":
        return _alone("memory_note", first, text)
    if name == "task-notification":
        return notification(text)
    if name in _SPEAKERS:
        return _speakers(text)
    return None


def _alone(origin: Origin, element: Element, text: str) -> Piece | None:
    """Claude Code writes nothing after these: where something follows, a person pasted them."""
    return None if text[element.end :].strip() else Piece(origin, (Text(element.inner),))


def _command(text: str) -> Piece | None:
    """A slash command. Its arguments are a person's words, and may hold tags themselves."""
    found: dict[str, str] = {}
    start = 0
    while (element := element_at(text, start)) is not None and element.name not in found:
        if element.name == "command-args":
            close = text.rfind("</command-args>")
            opening = element.end - len(element.inner) - len("</command-args>")
            found["command-args"] = text[opening:close]
            start = close + len("</command-args>")
        elif element.name in _COMMAND or element.name.startswith("skill-"):
            found[element.name] = element.inner
            start = element.end
        else:
            break
    if "command-name" not in found and "command-message" not in found:
        return None
    name = found.get("command-name", "").strip() or "/" + found.get("command-message", "").strip().lstrip("/")
    args = found.get("command-args", "").strip()
    rest = text[start:].strip()
    blocks = [Text(f"{name} {args}" if args else name)]
    if rest:
        blocks.append(Text(rest))
    extra: dict[str, Any] = {"command": name}
    message = found.get("command-message", "").strip()
    if message and message.strip("/") != name.strip("/"):
        extra["command_message"] = message
    return Piece("slash_command", tuple(blocks), extra=extra)


def _streams(text: str, origin: Origin, names: tuple[str, str]) -> Piece | None:
    blocks: list[Text] = []
    start = 0
    while (element := element_at(text, start)) is not None and element.name in names:
        if element.inner.strip():
            blocks.append(Text(element.inner, extra={"stream": "stderr"} if element.name == names[1] else {}))
        start = element.end
    if text[start:].strip():
        return None  # a person's words after what they pasted
    return Piece(origin, tuple(blocks) or (Text(""),))


_NOTIFICATION_WORDS = ("summary", "result")


def notification(text: str) -> Piece:
    """What a background task or agent reports: its summary and result as text, the rest as data."""
    outer = element_at(text, 0)
    assert outer is not None
    inner, data = outer.inner, dict[str, Any]()
    blocks: list[Text] = []
    start, loose = 0, list[str]()
    while start < len(inner):
        opening = inner.find("<", start)
        element = element_at(inner, opening) if opening >= 0 else None
        if element is None:
            loose.append(inner[start:])
            break
        if before := inner[start:opening].strip():
            loose.append(before)
        if element.name == "result":  # an agent's answer, which may hold tags itself
            close = inner.rfind("</result>")
            body = inner[element.end - len(element.inner) - len("</result>") : close]
            blocks.append(Text(body.strip()))
            start = close + len("</result>")
            continue
        if element.name in _NOTIFICATION_WORDS:
            blocks.append(Text(element.inner.strip()))
        elif element.inner.strip():
            data[element.name.replace("-", "_")] = element.inner.strip()
        start = element.end
    if words := "\n".join(loose).strip():
        blocks.append(Text(words))
    if rest := text[outer.end :].strip():
        blocks.append(Text(rest))
    about = data.get("tool_use_id") or data.get("task_id") or ""
    return Piece("notification", tuple(blocks) or (Text(data.get("status", "")),), about, data)


def _speakers(text: str) -> Piece:
    """Messages of teammates, other sessions or channels: several may share a line."""
    blocks: list[Text] = []
    about, start = "", 0
    while (element := element_at(text, start)) is not None and element.name in _SPEAKERS:
        said = attributes(element.attributes)
        about = (
            about or said.get("teammate_id") or said.get("from-name") or said.get("from") or said.get("source") or ""
        )
        blocks.append(Text(element.inner.strip(), extra={"tag": element.name, **said}))
        start = element.end
    if rest := text[start:].strip():
        blocks.append(Text(rest))
    return Piece("agent_message", tuple(blocks), about)
