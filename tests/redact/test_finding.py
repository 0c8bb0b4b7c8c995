"""Finding in strings: names, sentences, commands, encodings; and what must stay."""

from __future__ import annotations

import base64
import html
import json
import time
import urllib.parse
from random import Random

import pytest

from dragoman.filters.redact.context import assignments
from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook

PASSWORD = cook("Kiwi{d*4}fruit")
TOKEN = cook("ghp_{A*36}")
OPAQUE = cook("{A*32}")
DJANGO = "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)"


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


def covered(finder: Finder, text: str) -> str:
    """The text with what was found blacked out."""
    for found in sorted(finder.scan(text), key=lambda each: -each.start):
        text = text[: found.start] + "█" * (found.end - found.start) + text[found.end :]
    return text


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD={v}", "export DB_PASSWORD='{v}'", '"password": "{v}",', "  password: {v}", 'password = "{v}"', "<password>{v}</password>",
        ":password => '{v}'", "--password {v}", "--password={v} x", 'password: str = "{v}"', "define('DB_PASSWORD', '{v}');", "db.password={v}",
        "the admin password is {v}.", "password (staging): {v}", "I changed the password to {v}", "Das Passwort lautet {v}", "le mot de passe est {v}",
        "la contraseña es {v}", "пароль: {v}", "密码是{v}", "mysql -u root -p{v} shop", "curl -u admin:{v} https://h", "sshpass -p {v} ssh h",
        "echo '{v}' | sudo -S ls", "CREATE USER app WITH PASSWORD '{v}';", "redis://:{v}@h:6379", "Server=h;User ID=sa;Password={v};", "auth=('admin', '{v}')",
        "| user | password |\n|---|---|\n| bob | {v} |", "name,password\nbob,{v}", "env:\n  - name: DB_PASSWORD\n    value: {v}", '{"Key":"DbPassword","Value":"{v}"}',
        "machine h\n  login bob\n  password {v}", "db.example.com:5432:app:app_rw:{v}", "log in as admin with {v} as the password", "username=admin&password={v}&x=1",
    ],
)  # fmt: skip
def test_a_password_is_given_away(finder: Finder, text: str) -> None:
    filled = f"before\n{text.replace('{v}', PASSWORD)}\nafter\n"
    assert PASSWORD not in covered(finder, filled)


@pytest.mark.parametrize(
    "text",
    [
        "password: str", "token = get_token(user)", 'api_key = os.environ["OPENAI_API_KEY"]', "password is required", "the token is refreshed daily", "TOKEN=$(gh auth token)",
        "password: ${DB_PASSWORD}", "API_KEY=YOUR_API_KEY", "token: ${{ secrets.X }}", "secretName: db-credentials", "max_tokens=4096", "password: hashedPassword,", "sha256:{h*64}", "commit {h*40}",
        "request_id={h*8}-{h*4}-{h*4}-{h*4}-{h*12}", "toolu_01{A*22}", '"integrity": "sha512-{b*86}=="', "def test_load__load_tests(self):", "isinstance(key, Ed25519PrivateKey)",
        "PASS tests/test_auth.py::test_login_2", "-----BEGIN PUBLIC KEY-----\n{b*64}\n-----END PUBLIC KEY-----", "pwd=$(pwd)", "AKIAIOSFODNN7EXAMPLE", "password=[REDACTED:password:1]",
        "https://[REDACTED:url-token:1]@github.com/a.git", "ssh-rsa AAAAB3NzaC1yc2E{b*340} bob@host",
    ],
)  # fmt: skip
def test_what_must_stay_stays(finder: Finder, text: str) -> None:
    filled = f"before\n{cook(text)}\nafter\n"
    assert covered(finder, filled) == filled


def _folded(text: str, width: int) -> str:
    return "\n".join(text[i : i + width] for i in range(0, len(text), width))


@pytest.mark.parametrize(
    "encode",
    [
        lambda s: json.dumps({"a": s}),
        lambda s: json.dumps({"a": json.dumps({"b": json.dumps({"c": s})})}),
        lambda s: "GET /?p=" + urllib.parse.quote(s, safe=""),
        lambda s: "GET /?p=" + urllib.parse.quote(urllib.parse.quote(s, safe=""), safe=""),
        lambda s: "<pre>" + html.escape(s) + "</pre>",
        lambda s: "".join(f"&#{ord(ch)};" for ch in s),
        lambda s: "".join(f"\\u{ord(ch):04x}" for ch in s),
        lambda s: "data: " + base64.b64encode(s.encode()).decode(),
        lambda s: _folded(base64.b64encode(f"some words first\n{s}\nand more words after".encode()).decode(), 76),
        lambda s: base64.b64encode(base64.b64encode(s.encode())).decode(),
        lambda s: s.encode().hex(),
        lambda s: s[:20] + "\x1b[0m\x1b[31m" + s[20:],
        lambda s: s[:20] + "\u200b" + s[20:],
        lambda s: s.replace("=", "=3D").replace("_", "=5F"),
    ],
)
def test_encodings_are_seen_through(finder: Finder, encode) -> None:  # type: ignore[no-untyped-def]
    text = encode(f"GITHUB_TOKEN={TOKEN}")
    found = finder.scan(text)
    assert any(TOKEN in each.value or (each.value in TOKEN and len(each.value) >= 36) for each in found), text


def test_concatenation_and_folding(finder: Finder) -> None:
    joined = f'token = "{TOKEN[:18]}" + "{TOKEN[18:]}"'
    assert any(each.value == TOKEN for each in finder.scan(joined))
    long = cook("sk-ant-api03-{w*93}AA")
    folded = _folded(f"ANTHROPIC_API_KEY={long}", 64)
    assert any(each.value == long for each in finder.scan(folded))


def test_a_comment_cannot_switch_it_off(finder: Finder) -> None:
    assert TOKEN not in covered(finder, f"{TOKEN}  # gitleaks:allow nosec kingfisher:ignore")


@pytest.mark.parametrize(
    "text",
    ["password=" * 30_000, "\\" * 300_000, '{"a":' * 50_000, "a" * 500_000, "%25" * 100_000, "A1b2" * 100_000, '"+"' * 100_000, "=\n" * 100_000, "-----BEGIN PRIVATE KEY-----\n" * 10_000, "eyJ." * 80_000, "kind: Secret\ndata:\n  a: b\n" * 20_000, "Cookie: a=b; " * 40_000, "-b a=b; " * 60_000],
    ids=["names", "backslashes", "nesting", "one letter", "percents", "token", "joins", "folds", "headers", "dots", "manifests", "cookies", "flags"],
)  # fmt: skip
def test_hostile_text_takes_linear_time(finder: Finder, text: str) -> None:
    finder.scan(text[: len(text) // 4])
    start = time.process_time()
    finder.scan(text[: len(text) // 2])
    half = time.process_time() - start
    start = time.process_time()
    finder.scan(text)
    whole = time.process_time() - start
    assert whole < max(half * 5, 2.0)


def test_names_one_behind_the_other_are_not_each_judged_with_all_that_follows(
    finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`token=token=token=…` took a second for each 10 KB: every name had all the others for its value."""
    judged = []
    monkeypatch.setattr(assignments, "offer", lambda *given: judged.append(given) or False)
    finder.scan("token=" * 5000 + TOKEN)
    assert len(judged) < 10
    monkeypatch.undo()
    assert any(each.value == TOKEN for each in finder.scan("token=" * 5001 + TOKEN))


def test_keys_of_django_begin_with_any_sign(finder: Finder) -> None:
    """One in twenty leaked: `%f…` and `$a…` look like references, and one with a single digit like no random value."""
    draw = Random(5)
    texts = [f'SECRET_KEY = "{first}{"".join(draw.choices(DJANGO, k=49))}"' for first in DJANGO for _ in range(8)]
    finder.scan_all(texts)
    assert [text for text in texts if not any((f.start, f.end) == (14, 64) for f in finder.known(text))] == []


def test_names_within_a_long_value_are_judged_with_it(finder: Finder) -> None:
    """Each of them once had up to 6000 characters to itself: ten thousand passwords in a row took minutes."""
    text = "".join(cook("password={A*9}") for _ in range(1500))
    start = time.process_time()
    assert covered(finder, text).count("█") > len(text) - 200
    assert time.process_time() - start < 4


def test_what_was_looked_at_is_not_looked_at_again(finder: Finder) -> None:
    """Each `kind: Secret` and each `Cookie` once looked over all that stands near: what stands there is found all the same."""
    values = [cook("{A*12}q7==", seed) for seed in range(400)]
    manifests = "".join(
        f"- apiVersion: v1\n  data:\n    first: {a}\n    second: {b}\n  kind: Secret\n  type: Opaque\n"
        for a, b in zip(values[::2], values[1::2], strict=True)
    )
    for text in (manifests, json.dumps(manifests)):
        assert [value for value in values if value in covered(finder, text)] == []
    cookies = [cook("{A*32}", seed) for seed in range(300)]
    line = "; ".join(f"session{number}={value}" for number, value in enumerate(cookies))
    for text in (
        f"Cookie: {line}",
        f"Cookie: a=b\nCookie: {line}",
        f"Set-Cookie: {line.replace('session', 'cookie: s')}",
    ):
        found = covered(finder, text)
        assert not [value for value in cookies[:80] if value in found]
