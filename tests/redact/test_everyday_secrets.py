"""Secrets as they stand in everyday work, each of which leaked once: in prose and in the raw JSON of a call."""

from __future__ import annotations

import json

import pytest

from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook
from dragoman.filters.redact.replace import Replacer

LINES = [
    ('echo "§" | gh secret set NAME', "{A*16}"), ("echo -n '§' | kubectl create secret generic x --from-file=pw=/dev/stdin", "Kiwi#{A*5}{d*2}"), ("printf '%s' '§' | docker secret create db_password -", "Kiwi#{A*5}{d*2}"),
    ("echo § | npx wrangler secret put API_KEY", "{A*16}"), ("echo '§' | vercel env add STRIPE_KEY production", "{A*16}"), ("echo -n § | gcloud secrets versions add db --data-file=-", "{A*16}"),
    ("the deploy PIN is §", "{d*4}-{d*4}"), ("The deploy PIN: §.", "{d*4}-{d*4}"), ("the PIN is §.", "{d*4}"), ('PIN = "§"', "{d*6}"), ("pin = '§'", "{d*6}"), ('{"pin": "§"}', "{d*6}"),
    ("     1\tpassword:\n     2\t  §\n     3\tpool: 5", "Kiwi#{A*5}{d*2}"), ("    12→password: |\n    13→  §\n    14→pool: 5", "{A*12}{d*2}"), ("1\tdb:\n2\t  password: >-\n3\t    §\n", "Kiwi#{A*5}{d*2}"),
    ("    12→password:\n    13→  §\n    14→pool: 5", "Kiwi#{A*5}{d*2}"), ("Das Passwort lautet §.", "PasswfErGPmpG"), ("the password is §", "qWbXrTpLmZ"), ('url = "https://api.example.com/hook?id=7&sig=§"', "{A*20}"),
    ("https://h/x?signature=§&a=b", "{A*24}"), ("https://h/x?X-Amz-Signature=§&x=1", "{h*64}"), ("expect(login('mira', '§'))", "Herbst{d*4}!"), ('await signIn("mira@example.com", "§")', "Herbst{d*4}!"),
]  # fmt: skip


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


@pytest.mark.parametrize(("line", "recipe"), LINES, ids=[line for line, _ in LINES])
def test_the_value_goes_and_nothing_else(finder: Finder, line: str, recipe: str) -> None:
    for seed in range(4):
        value = cook(recipe, seed)
        for text in (line.replace("§", value), json.dumps({"content": line.replace("§", value)})):
            finder.scan_all([text])
            replacer = Replacer(finder)
            replacer.learn([text])
            replacer.freeze()
            before, _, after = text.partition(value)
            new = replacer.replace(text)
            assert new.startswith(f"{before}[REDACTED:") and new.endswith(f"]{after}") and value not in new
