"""What the command line says and asks of redaction, for `convert` and `scan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman import __version__
from dragoman.cli.side_file import write_json
from dragoman.cli.terminal import say
from dragoman.errors import InputError
from dragoman.io.paths import expanded
from dragoman.io.source import read_text

if TYPE_CHECKING:
    from dragoman.filters.redact import RedactOptions
    from dragoman.filters.redact.receipt import Receipt

GOES_HOME = frozenset({"claude-code"})
"""Formats that go back to the user's own private folders: redaction is off there unless asked for."""


def redact_options(
    *,
    what: str = "",
    off: bool = False,
    own_text: str = "",
    own_rules: str = "",
    keep: str = "",
    known: bool = False,
    drop: str = "",
    key: str = "",
) -> RedactOptions:
    """What the command's options ask of the filter. Raises one line where a file of the user's can't be used."""
    from dragoman.filters.redact import RedactOptions

    for flag, path in (
        ("--redact-text", own_text),
        ("--redact-rules", own_rules),
        ("--keep", keep),
        ("--redact-key", key),
    ):
        if path and not expanded(path).is_file():
            what = "no regular file" if expanded(path).exists() else "no such file"
            raise InputError(f"{path}: {what} ({flag})")
    chosen: tuple[str, ...] = ()
    if not off:  # whoever names what else is to go doesn't mean that secrets may stay
        chosen = tuple(dict.fromkeys(("secrets", *_words(what)))) if what else ("secrets", "users")
    return RedactOptions(
        what=chosen,
        own_text=expanded(own_text) if own_text else None,
        own_rules=expanded(own_rules) if own_rules else None,
        keep=expanded(keep) if keep else None,
        known=known,
        drop=tuple(_words(drop)),
        key=_key(key),
    )


def _key(path: str) -> str:
    """What the user's key file holds. An empty one is refused: it would be no key, and nothing would say so."""
    if not path:
        return ""
    key = read_text(expanded(path), "replace").strip()
    if not key:
        raise InputError(f"{path}: the key is empty; `openssl rand -hex 32 > FILE` makes one")
    return key


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def say_what_was_done(receipt: Receipt, report_file: str) -> None:
    """The line on stderr after a conversion."""
    where = f"see {report_file}" if report_file else "--redact-report FILE for where"
    say(f"{receipt.sentence()}; {where}" if receipt.places else receipt.sentence())


def write_receipt(receipt: Receipt, path: str, *, force: bool) -> None:
    """The receipt as JSON, or as SARIF where the file is named so."""
    sarif = path.endswith((".sarif", ".sarif.json"))
    write_json(receipt.as_sarif(__version__) if sarif else receipt.as_json(), path, force=force)
