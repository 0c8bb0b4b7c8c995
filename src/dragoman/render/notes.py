"""Which of the machinery's words people may want to see, and under what title.

Of messages all are shown; of events only those that say something: the rest is bookkeeping, left out and counted.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from dragoman.model import Event, Message
from dragoman.render import text
from dragoman.render.turns import Form
from dragoman.stats import NUMBERED


class Heading(Struct, frozen=True, gc=False):
    """How a note is headed and whether it is folded or alarming."""

    title: str
    folded: bool = False
    alarm: bool = False
    form: Form = "prose"
    text: str = ""


PROMPTS = NUMBERED
"""Origins of messages that are somebody's own words: they become `Prompt`s."""

TALK = frozenset({"interrupt", "agent_message", "synthetic_error"})
"""Origins of notes that belong to the conversation without its machinery."""

_ORIGINS = {
    "command_output": Heading("Output of the command", form="terminal"),
    "shell_output": Heading("Output", form="terminal"),
    "interrupt": Heading("Interrupted by the user"),
    "injected": Heading("Context added for the model", folded=True),
    "compaction_summary": Heading("Summary of the conversation so far", folded=True),
    "notification": Heading("Notification", folded=True),
    "agent_message": Heading("Message from another agent"),
    "synthetic_error": Heading("Error", alarm=True),
    "synthetic": Heading("Said by the program, not by the model", folded=True),
    "instructions": Heading("System prompt", folded=True),
    "reply": Heading("Reply"),
    "result": Heading("Beside a tool's result", folded=True),
}


def of_message(message: Message) -> Heading:
    """The heading of a message that is neither a prompt nor an answer."""
    heading = _ORIGINS.get(message.origin)
    if heading is None:
        return Heading(message.origin.replace("_", " ").capitalize(), folded=True)
    return heading


def of_event(event: Event) -> Heading | None:
    """The heading of an event that people may want to see, or None where it is bookkeeping."""
    maker = _EVENTS.get(event.kind, _unknown)
    return maker(event)


def _data(event: Event) -> dict[str, Any]:
    return event.data if isinstance(event.data, dict) else {}


def _phrase(value: Any, limit: int = 160) -> str:
    return text.one_line(value, limit) if isinstance(value, str) else ""


def _with_text(event: Event, title: str, *, folded: bool = False, alarm: bool = False) -> Heading | None:
    """A note whose text goes into its title where it is short, else becomes its body."""
    words = event.text.strip()
    if not words:
        return None
    if len(words) <= 160 and "\n" not in words and "\x1b" not in words:
        return Heading(f"{title}: {words}" if title else words, alarm=alarm)
    return Heading(title or _phrase(words), folded=folded, alarm=alarm, text=event.text)


def _title(event: Event) -> Heading | None:
    words = _phrase(event.text)
    return Heading(f"Titled “{words}”", text=event.text if words.endswith("…") else "") if words else None


def _command(event: Event) -> Heading | None:
    words = event.text.strip()
    if not words:
        return None
    if "\n" in words or len(words) > 160 or "\x1b" in words:
        return Heading("Command", form="terminal", text=event.text)
    return Heading(f"Command: {words}")


def _hook(event: Event) -> Heading | None:
    """Hooks that only ran are bookkeeping; those that blocked or failed aren't."""
    data = _data(event)
    errors = data.get("hookErrors")
    blocked = data.get("blockingError") or data.get("preventedContinuation") is True or errors
    failed = "error" in event.name or "blocking" in event.name.replace("non_blocking", "") or "stopped" in event.name
    if not blocked and not failed:
        return None
    words = event.text
    if not words:
        blocking = data.get("blockingError")
        if isinstance(blocking, dict):
            blocking = blocking.get("blockingError")
        found = [
            blocking,
            *(errors if isinstance(errors, list) else [errors]),
            data.get("stopReason"),
            data.get("stderr"),
        ]
        words = "\n".join(each for each in found if isinstance(each, str) and each)
    hook = _phrase(data.get("hookName") or data.get("hookEvent"), 60)
    return Heading(
        f"A hook complained ({hook})" if hook else "A hook complained", alarm=True, form="terminal", text=words
    )


def _notice(event: Event) -> Heading | None:
    return _with_text(event, "")


def _error(event: Event) -> Heading | None:
    data = _data(event)
    attempt, most = data.get("retryAttempt"), data.get("maxRetries")
    again = f", attempt {attempt} of {most}" if isinstance(attempt, int) and isinstance(most, int) else ""
    words = event.text.strip() or _phrase(data.get("message")) or _phrase(data.get("cause"))
    if "\n" in words or len(words) > 200:
        return Heading(f"Error{again}", alarm=True, folded=True, form="terminal", text=event.text)
    return Heading(f"Error{again}: {words}" if words else f"Error from the API{again}", alarm=True)


def _link(event: Event) -> Heading | None:
    data = _data(event)
    words = event.text.strip() or next(
        (data[key] for key in ("prUrl", "url", "continuedInSessionId") if isinstance(data.get(key), str)), ""
    )
    return Heading(f"Link: {_phrase(words, 300)}", text=words if len(words) > 300 else "") if words else None


def _summary(event: Event) -> Heading | None:
    return _with_text(event, "Recap")


def _context(event: Event) -> Heading | None:
    """Attached files are named; what else the program put in for the model is folded, if it has words."""
    words = event.text.strip()
    if not words:
        return None
    what = event.name.replace("_", " ").strip()
    if len(words) <= 160 and "\n" not in words:
        return Heading(f"Context ({what}): {words}" if what else f"Context: {words}")
    return Heading(
        f"Context added for the model ({what})" if what else "Context added for the model", folded=True, text=event.text
    )


def _unknown(event: Event) -> Heading | None:
    what = _phrase(event.name or event.kind, 60)
    title = f"Record of an unknown type: {what}" if event.kind == "unknown" else what or "Event"
    if event.data is None:
        return Heading(title, folded=True, text=event.text)
    import orjson

    try:
        shown = orjson.dumps(event.data, option=orjson.OPT_INDENT_2, default=str).decode()
    except (TypeError, ValueError, RecursionError):
        shown = repr(event.data)
    return Heading(title, folded=True, form="json", text=f"{event.text}\n{shown}" if event.text else shown)


def _bookkeeping(event: Event) -> Heading | None:
    return None


_EVENTS = {
    "title": _title,
    "command": _command,
    "hook": _hook,
    "notice": _notice,
    "error": _error,
    "link": _link,
    "summary": _summary,
    "context": _context,
    "microcompaction": _bookkeeping,
    "snapshot": _bookkeeping,
    "queue": _bookkeeping,
    "progress": _bookkeeping,
    "state": _bookkeeping,
}
