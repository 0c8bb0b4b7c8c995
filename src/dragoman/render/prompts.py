"""How many prompts a session has, in the words that every reading format uses.

Everything that a person typed has a number in a document, commands too; a count of prompts is that of
`dragoman stats`, so what else is numbered is named beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dragoman.model import Message
from dragoman.render import text
from dragoman.stats import COMMANDS, PROMPTS

_OTHERS = {"plan": ("plan", "plans"), "task": ("task", "tasks"), "unsent_prompt": ("not sent", "not sent")}


def tally(messages: Iterable[Message]) -> list[str]:
    """`6 prompts`, `1 of them on an abandoned branch`, `2 commands`, …: prompts always, the rest where there is any."""
    kinds: Counter[str] = Counter()
    abandoned = 0
    for message in messages:
        if message.origin in PROMPTS:
            kinds["prompt"] += 1
            abandoned += bool(message.branch)
        elif message.origin in COMMANDS:
            kinds["command"] += 1
        elif message.origin in _OTHERS:
            kinds[message.origin] += 1
    made = [text.count(kinds["prompt"], "prompt")]
    if abandoned:
        made.append(f"{abandoned:,} of them on {'an abandoned branch' if abandoned == 1 else 'abandoned branches'}")
    if kinds["command"]:
        made.append(text.count(kinds["command"], "command"))
    return made + [text.count(kinds[origin], *words) for origin, words in _OTHERS.items() if kinds[origin]]
