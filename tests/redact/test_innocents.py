"""Words that look like secrets and are none: they stay, and so does everything else that they could poison."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dragoman.filters.redact import RedactFilter, RedactOptions
from dragoman.filters.redact.recipes import cook
from dragoman.model import Header, Message, Session, Text
from dragoman.report import Report

PASSWORD = cook("Kiwi{d*4}fruit")


def _redacted(*texts: str, options: RedactOptions | None = None) -> list[str]:
    """What becomes of the texts of one session, which must pass the check after rendering."""
    session = Session(
        header=Header(id="s"),
        entries=tuple(Message(role="user", origin="prompt", blocks=(Text(text),)) for text in texts),
    )
    redact = RedactFilter(options)
    report = Report()
    redact.prepare([session], report)
    new = redact.apply(session, report)
    assert redact.verify("s.json", msgspec.json.encode(new.entries)) == []
    return [entry.blocks[0].text for entry in new.entries]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE t SET password = :password", "UPDATE t SET password=:password, token=:token1 WHERE id=:id", "SET pw = @password", "password = %(password)s",
        "password = $1", "password = ?1", "password = :1", "SET password = :password::text", "WITH PASSWORD :'password'", "password: :password", "token => :api_token",
        '"password": ":password"', "PASSWORD = :new_password", "password = password:",
    ],
)  # fmt: skip
def test_the_parameters_of_a_statement_are_no_values(statement: str) -> None:
    """`:password` became a known value, stood in its own placeholder, and the check refused the whole output."""
    texts = [
        statement, "(1 row)", "src/conf.yml:7:password is too weak", "postgresql://user:password@localhost/db", "credentials.dig(:db, :password)",
        "{{resolve:secretsmanager:x:SecretString:password}}", f"DB_PASSWORD={PASSWORD}",
    ]  # fmt: skip
    assert _redacted(*texts) == [*texts[:-1], "DB_PASSWORD=[REDACTED:password:1]"]


@pytest.mark.parametrize("own", ["REDACTED", "password:1", "password", ":password", "own-text", "[REDACTED"])
def test_our_own_placeholders_hold_no_known_value(tmp_path: Path, own: str) -> None:
    path = tmp_path / "words.txt"
    path.write_text(own + "\n", "utf-8")
    before = [f"DB_PASSWORD={PASSWORD}", "[REDACTED:token:1] there"]
    new = _redacted(*before, options=RedactOptions(own_text=path))
    assert PASSWORD not in new[0] and new[0].endswith("=[REDACTED:password:1]")
    assert new[1] == before[1]


def test_what_only_begins_like_a_placeholder_is_searched() -> None:
    token = cook("ghp_{A*36}")
    assert all(token not in text for text in _redacted(f"[REDACTED: {token}]", f"[REDACTED:{token}:x]"))
