"""Claude Code's tools that send words: to a person, or to another agent."""

from __future__ import annotations

from typing import Any

import orjson

from dragoman.render.tools import views
from dragoman.render.tools.claude_code import confirmed, remainder
from dragoman.render.tools.generic import generic
from dragoman.render.tools.pieces import Maker, Pieces
from dragoman.render.tools.views import View

WORDS = ("message", "content", "text")
ADDRESSEES = ("to", "recipient", "target")


def message(pieces: Pieces) -> View:
    words = pieces.args.text(*WORDS)
    if not words:
        return generic(pieces)
    _pass_repeated(pieces, words, "")
    return views.MessageToHuman(text=words, **remainder(pieces, "a message"))


def send_message(pieces: Pieces) -> View:
    words = pieces.args.text(*WORDS)
    to = pieces.args.text(*ADDRESSEES)
    if not words:
        return generic(pieces)
    _pass_repeated(pieces, words, to)
    told = _told(pieces, words)
    base = remainder(pieces, "a message") if told is None else _receipt(pieces, told, words, to)
    return views.MessageToHuman(text=words, to=to or "another agent", **base)


def _pass_repeated(pieces: Pieces, words: str, to: str) -> None:
    """Count arguments as shown that say again what others said: Claude Code gives the old names beside the new ones."""
    args = pieces.args
    args.used.update(key for key in WORDS if args.values.get(key) == words)
    args.used.update(key for key in ADDRESSEES if to and args.values.get(key) == to)
    if args.values.get("type") == "message":
        args.used.add("type")


def _told(pieces: Pieces, words: str) -> dict[str, Any] | None:
    """What the result's text says as JSON, if that is what it is."""
    text = pieces.result.text
    if pieces.result.failed or not text.startswith("{"):
        return None
    try:
        told = orjson.loads(text)
    except ValueError:
        # Cut off, or changed by what made names unreadable: the agent's own form of it is whole.
        twin = pieces.twin.values
        begun = orjson.dumps(words.partition("\n")[0]).decode()[1:-1]
        return twin if begun in text and words in _flat(twin).values() else None
    return told if isinstance(told, dict) else None


def _receipt(pieces: Pieces, told: dict[str, Any], words: str, to: str) -> dict[str, Any]:
    """The base of a view whose result's text is JSON: only what the call hasn't said."""
    facts = _flat(told)
    said = facts.pop("message", "")
    if facts.get("success") is True:
        del facts["success"]
    passed = {words, to, f"@{to}", *(value for value in pieces.args.values.values() if isinstance(value, str))}
    more = {key: value for key, value in facts.items() if not isinstance(value, str) or value not in passed}
    left_out = ["repetition of a message"] if len(more) < len(facts) else []
    if not isinstance(said, str):
        more["message"], said = said, ""
    if said in passed or confirmed(said):
        said = ""
        left_out.append("confirmation of a message")
    given = pieces.args.rest
    if given.keys() & more.keys():
        return remainder(pieces, "a message")
    base = pieces.base(rest=said, left_out=tuple(left_out), structured_shown=pieces.twin.values == told)
    if given or more:
        base["more"] = {**given, **more}
    return base


def _flat(told: dict[str, Any]) -> dict[str, Any]:
    """The result's facts, with those of its route among them."""
    route = told.get("routing")
    if not isinstance(route, dict) or set(route) & set(told):
        return dict(told)
    return {**{key: value for key, value in told.items() if key != "routing"}, **route}


MAKERS: dict[str, Maker] = {
    "SendUserMessage": message,
    "Brief": message,
    "SendMessage": send_message,
}
