"""What a page says of its session's redaction: counts, kinds, and who became a pseudonym."""

from __future__ import annotations

from typing import Any

from dragoman.render import text

_NAMED = 12
"""So many kinds are named."""


def redaction(told: Any) -> str:
    """The receipt of a session's header in a sentence or two; nothing where no redaction ran or it can't be read."""
    if not isinstance(told, dict):
        return ""
    said: list[str] = []
    secrets, distinct = told.get("secrets"), told.get("distinct")
    if _count(secrets):
        if not secrets:
            said.append("Searched for secrets before it was written: none found.")
        else:
            words = f"Redacted: {text.count(secrets, 'secret')}"
            if _count(distinct) and distinct and distinct != secrets:
                words += f", {distinct} of them different"
            said.append(f"{words}{_kinds(told.get('kinds'))}.")
    mentions, identities = told.get("mentions"), told.get("identities")
    if _count(mentions) and isinstance(identities, dict):
        if mentions:
            number = sum(n for n in identities.values() if _count(n))
            who = f"{text.count(number, 'identity', 'identities')}{_kinds(identities)}, named" if number else "names"
            said.append(f"Replaced by pseudonyms: {who} in {text.count(mentions, 'place')}.")
        elif not said:
            said.append("Searched for people and machines before it was written: none found.")
    return " ".join(said)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _kinds(kinds: Any) -> str:
    """The commonest kinds with how many there are of each, in brackets."""
    if not isinstance(kinds, dict) or not kinds:
        return ""
    ranked = sorted(kinds.items(), key=lambda each: (-each[1] if _count(each[1]) else 0, str(each[0])))
    named = ", ".join(text.one_line(str(kind), 60) + (f" ×{n}" if n != 1 else "") for kind, n in ranked[:_NAMED])
    more = f" and {len(ranked) - _NAMED} more kinds" if len(ranked) > _NAMED else ""
    return f" ({named}{more})"
