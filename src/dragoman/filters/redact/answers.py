"""Answers that are secrets: one speaker asks for a password or a token, the other says it, and names nothing.

Agents ask in words and with forms (`AskUserQuestion`, whose result holds `"question"="answer"`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from dragoman.filters.redact.finder import Found
from dragoman.filters.redact.judge import is_secret, random
from dragoman.filters.redact.names import Name
from dragoman.model import Message, Session, Text, ToolResult

RULE = "named-answer"

_TAIL = 400  # characters of a message in which it may ask at its end
_LONGEST = 400  # characters of an answer in which a secret may stand among others
_WORDS = 14

_PASSWORD = (
    r"(?:password|passwd|passphrase|pass[ ]phrase|passcode|pass[ ]?code|credentials?|logins?|pin(?:[ ]code|[ ]number)?"
    r"|passw(?:ort|örter)|kennwort|mot[ ]de[ ]passe|contraseña|senha|wachtwoord|hasło|лозинка|пароль)"
)
_TOKEN = r"(?:tokens?|secrets?|(?:api[ -]?)?keys?|pat|seed|schlüssel)"
_NOUN = re.compile(rf"\b(?:(?P<password>{_PASSWORD})|{_TOKEN})\b", re.IGNORECASE)
_REST = re.compile(
    r"""[\s"'`*)]*(?:\Z|[?:.,;!–—-]|(?:for|of|to|on|in|at|from|with|that|which|you|we|i|is|was|again|here|now|please|so
    |and|should|do|does|did|can|für|von|zu|auf|pour|de|du|para|da|voor)\b)[^?\n]{0,160}[?:.!\]]*[\s"'`*_)]*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""Behind the noun: the sentence's end, or what doesn't make it a word about something else (`password fix`)."""
_LEADS = frozenset(
    "what what's whats what´s what’s which enter paste send give type provide tell share need have know remember supply drop"
    " gib sende nenne brauche lautet quel quelle cuál cual qual".split()
)
_PAIRS = frozenset(("was ist", "was war", "wie ist", "wie war", "wie heißt"))
_BEFORE = 9  # words in which the sentence begins to ask
_STEMS = (
    "passw passphr passcode pass credential login pin kennwort mot contrase senha wachtwoord hasło пароль token secret key"
    " pat seed schlüssel"
).split()
"""Plain words are looked for first: no text without one asks for a secret."""
_SENTENCE = re.compile(r"(?<=[?!.:])[ \n]+|\n")
_FORM = re.compile(r'"(?P<question>[^"\n]{5,400})"="(?P<answer>[^"\n]{3,300})"')
_SPLIT = re.compile(r"[^\s\"'`<>“”‘’«»]+")
_NAMED = re.compile(r"[A-Za-z_][\w.-]{0,60}[=:](?=[^=:/\s])")
_TRIM = ".,;:!?)(]*_"
_STRONG = re.compile(
    r"(?=.*[0-9])(?=.*[A-Za-z])(?=.*[!@#$%^&*?+~]).{6,}|(?=.*[A-Za-z])(?=.*[0-9].*[0-9])[A-Za-z0-9]{8,}|(?=.*[A-Za-z])(?=.*[0-9]{3})[A-Za-z0-9]{6,}"
)


def answers(session: Session) -> Iterator[tuple[str, Found]]:
    """Every text of the session and its agents that answers such a question, with each secret in it."""
    question, asker = "", ""
    for entry in session.entries:
        if not isinstance(entry, Message):
            continue
        said = [block.text for block in entry.blocks if isinstance(block, Text)]
        for block in entry.blocks:
            if isinstance(block, ToolResult):
                yield from _of_form(block)
        if not said or entry.role not in ("user", "assistant") or entry.origin == "injected":
            continue
        if question and entry.role != asker and _is_short(said[0]) and (name := _asked_for(question)) is not None:
            yield from _secrets(said[0], name)
        question, asker = said[-1], entry.role
    for agent in session.subagents:
        yield from answers(agent.session)


def _of_form(result: ToolResult) -> Iterator[tuple[str, Found]]:
    """Of a form's result: what the model saw, its twin, and what the reader kept of it."""
    told = result.structured.get("answers") if isinstance(result.structured, dict) else None
    for question, answer in told.items() if isinstance(told, dict) else ():
        if isinstance(answer, str) and (name := _asked_for(question)) is not None:
            for text in (answer, result.feedback):
                yield from _secrets(text, name)
    for part in result.content:
        if not isinstance(part, Text) or '"="' not in part.text:
            continue
        for match in _FORM.finditer(part.text):
            if (name := _asked_for(match["question"])) is not None:
                for _, found in _secrets(match["answer"], name):
                    start = match.start("answer") + found.start
                    yield part.text, Found(start, start + found.end - found.start, RULE, found.kind, found.value)


def _asked_for(text: str) -> Name | None:
    """What kind of secret a text asks for at its end; None where it asks for none."""
    for sentence in _SENTENCE.split(text[-_TAIL:].rstrip())[-3:]:
        low = sentence.lower()
        if not any(stem in low for stem in _STEMS):
            continue  # nearly always
        for noun in _NOUN.finditer(low):
            if _REST.match(low, noun.end()) and _asks(low[: noun.start()].split()[-_BEFORE:]):
                return Name("password", "password") if noun["password"] else Name("token", "token")
    return None


def _asks(before: list[str]) -> bool:
    """Whether one of the words before the noun asks for it."""
    words = [word.strip("\"'`*(,¿¡") for word in before]
    return not _LEADS.isdisjoint(words) or any(f"{one} {two}" in _PAIRS for one, two in pairwise(words))


def _is_short(text: str) -> bool:
    return len(text) <= _LONGEST and len(text.split()) <= _WORDS


def _secrets(text: str, name: Name) -> Iterator[tuple[str, Found]]:
    """The secrets in an answer. What is said alone is one sooner than a word among others."""
    parts = [match.span() for match in _SPLIT.finditer(text)] if _is_short(text) else []
    for start, end in parts:
        first = start
        while start < end and text[start] in _TRIM:
            start += 1
        # A password may end with a mark that a sentence may end with, too.
        marks = _TRIM if len(parts) > 1 or start > first else ".,;:"
        while start < end and text[end - 1] in marks:
            end -= 1
        named = _NAMED.match(text, start, end)
        if named is not None:
            start = named.end()
        value = text[start:end]
        if len(parts) == 1:
            good = is_secret(name.sort, value, "prose") or (
                name.sort == "password" and is_secret("token", value, "prose")
            )
        else:
            good = random(value) or _STRONG.fullmatch(value) is not None
            good = good and (is_secret(name.sort, value, "prose") or is_secret("password", value, "prose"))
        if good:
            yield text, Found(start, end, RULE, name.kind, value)
