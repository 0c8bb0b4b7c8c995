"""Recipes for fakes in the shape of secrets, so that none stands verbatim in the rules or the tests.

`ghp_{A*36}` is `ghp_` and 36 characters of the alphabet A; `{x*8}` is eight times the letter x;
`{base64 admin:{A*12}}` is the base64 of what stands in it.
"""

from __future__ import annotations

import base64
import random
import re
import string

ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "L": string.ascii_letters.replace("l", "").replace("I", "").replace("O", ""),
    "U": string.ascii_uppercase,
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase,
    "n": string.ascii_lowercase + string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": string.digits,
    "w": string.ascii_letters + string.digits + "-_",
    "b": string.ascii_letters + string.digits + "+/",
    "2": string.ascii_uppercase + "234567",
    "x": "x",
}
_CODED = re.compile(r"\{base64 ([^{}]*)\}")
_PART = re.compile(r"\{([A-Za-z0-9])\*(\d+)\}")


def cook(recipe: str, seed: int = 0) -> str:
    """The fake that a recipe describes; the same seed makes the same one."""
    source = random.Random(f"{recipe}:{seed}")

    def part(match: re.Match[str]) -> str:
        alphabet, length = ALPHABETS.get(match[1]), int(match[2])
        if alphabet is None:  # no recipe
            return match[0]
        body = "".join(source.choice(alphabet) for _ in range(length))
        if length >= 12 and any(ch.isdigit() for ch in alphabet) and not any(ch.isdigit() for ch in body):
            body = body[:5] + "7" + body[6:]
        if length >= 12 and match[1] != "d" and alphabet != "x" and body.isdigit():
            body = "a" + body[1:]
        return body

    return _CODED.sub(lambda match: base64.b64encode(match[1].encode()).decode(), _PART.sub(part, recipe))
