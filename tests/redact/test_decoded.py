"""A secret that was found encoded is known in clear, and one in clear in hex too: people decode it in the next line."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.filters.redact.filter import RedactFilter, RedactOptions
from dragoman.model import Header, Message, Session, Text
from dragoman.report import Report

DRAWN = "Wqzy" + "mMlopiWf" + "qUyH"
CHOSEN = "Gir" + "affe-12-quince"


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def told(*texts: str, **options: object) -> list[str]:
    """What becomes of the texts, a message each."""
    messages = tuple(Message(role="user", origin="prompt", blocks=(Text(each),)) for each in texts)
    session = Session(header=Header(id="decoded"), entries=messages)
    redact, report = RedactFilter(RedactOptions(**options)), Report()  # type: ignore[arg-type]
    redact.prepare([session], report)
    after = redact.apply(session, report)
    return [block.text for message in after.messages for block in message.blocks if isinstance(block, Text)]


@pytest.mark.parametrize("secret", [DRAWN, CHOSEN], ids=["drawn", "chosen"])
@pytest.mark.parametrize(
    "given",
    [
        lambda secret: f"kind: Secret\nmetadata:\n  name: db\ndata:\n  password: {coded(secret)}\n",
        lambda secret: json.dumps({"kind": "Secret", "apiVersion": "v1", "data": {"password": coded(secret)}}),
        lambda secret: f"kind: Secret\nmetadata:\n  name: db\ndata:\n  password: {coded(coded(secret))}\n",
        lambda secret: f"Authorization: Basic {coded('mira:' + secret)}",
        lambda secret: json.dumps({"auths": {"registry.example.com": {"auth": coded("mira:" + secret)}}}),
        lambda secret: f"DB_PASSWORD_B64={coded(secret)}",
        lambda secret: f"DB_PASSWORD_B64={coded(secret).rstrip('=')}",
        lambda secret: f"DB_PASSWORD_HEX={secret.encode().hex()}",
        lambda secret: f"  password: {coded(secret + chr(10))}",
        lambda secret: f"kind: Secret\ndata:\n  url: {coded('postgres://app:' + secret + '@db.corp.lan/app')}\n",
    ],
    ids=["kubernetes", "as JSON", "twice", "basic", "docker", "base64", "unpadded", "hex", "with a line's end", "url"],
)
def test_a_value_found_encoded_is_known_in_clear(given: Callable[[str], str], secret: str) -> None:
    first, then, before = told(given(secret), f"It decodes to {secret}", f"echo {secret} | base64")
    for text in (first, then, before):
        assert secret not in text
        assert coded(secret)[:12] not in text
    assert then.startswith("It decodes to [REDACTED:")


@pytest.mark.parametrize("secret", [DRAWN, CHOSEN], ids=["drawn", "chosen"])
def test_a_value_found_in_clear_is_known_in_hex(secret: str) -> None:
    digits = secret.encode().hex()
    _, then = told(f"DB_PASSWORD={secret}", f"{digits} or {digits.upper()}")
    assert then == "[REDACTED:password:1] or [REDACTED:password:1]"


def test_names_and_numbers_beside_it_stay() -> None:
    names = ("app_user", "myapp_production", "5432", "postgres", "db.internal.example.com")
    data = "".join(f"  key{n}: {coded(name)}\n" for n, name in enumerate(names))
    _, then = told(f"kind: Secret\nmetadata:\n  name: db\ndata:\n{data}", " ".join(names))
    assert then == " ".join(names)


def test_what_is_kept_stays(tmp_path: Path) -> None:
    keep = tmp_path / "keep.txt"
    keep.write_text(DRAWN + "\n")
    _, then = told(f"DB_PASSWORD_B64={coded(DRAWN)}", f"It decodes to {DRAWN}", keep=keep)
    assert then == f"It decodes to {DRAWN}"
