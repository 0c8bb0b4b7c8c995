"""What calls take is raw JSON, in which a line ends with `\\n` in two characters: no value reaches over that.

Starred passwords took the beginning of the next line along there, and where the same text stood in prose as well, a whole
conversion was refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest

from dragoman.filters.redact import RedactFilter
from dragoman.filters.redact.catalog import phrases
from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook
from dragoman.filters.redact.replace import Replacer
from dragoman.model import Header, Message, Session, Text, ToolCall
from dragoman.report import Report

MASKED = [
    "assert out == 'Password: {}'\nassert err == ''", "cat <<EOF\nPassword: {}\nEOF", "Passwort: {}\ninterface Props {{", "The password is {}\nPlease change it.", "password: {}\nnext1 line2",
    "login as: mira\nPassword: {}\nLast login: Mon Nov 30 on ttys001\n", "Password: {}\ntype Token = {{ kind: 'ident' | 'number'; text: string }}", "DB_PASSWORD={}\nDB_HOST2=localhost",
    "mot de passe : {}\nligne2 suivante", "the password was reset to {}\nThen2 log in", "echo {} | sudo -S ls\nmake2 all", "curl -u admin:{}\nmake2 all", "mysql -u root -p{}\nselect2 x", "api_key: {}\nregion: eu-west-1",
]  # fmt: skip
MASKS = ["****", "********", "••••••••", "xxxxxxxx", "........", "**********"]

WRITTEN: list[Callable[[str], str]] = [
    lambda text: text,
    lambda text: json.dumps({"content": text}),
    lambda text: json.dumps({"content": text}, ensure_ascii=False),
    lambda text: json.dumps(json.dumps({"content": text})),
    lambda text: json.dumps({"content": text.replace("\n", "\r\n")}),
]


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


@pytest.mark.parametrize("said", MASKED)
def test_a_mask_takes_no_next_line_with_it(finder: Finder, said: str) -> None:
    texts = [write(said.format(mask)) for mask in MASKS for write in WRITTEN]
    finder.scan_all(texts)
    assert [(text, finder.known(text)) for text in texts if finder.known(text)] == []


def test_what_stands_in_a_call_and_in_prose_passes_the_check() -> None:
    said = [said.format(mask) for said in MASKED for mask in MASKS]
    blocks = [
        *(ToolCall(id=f"c{n}", name="Write", arguments=json.dumps({"content": text})) for n, text in enumerate(said)),
        *map(Text, said),
    ]
    session = Session(
        header=Header(id="s"), entries=(Message(role="assistant", origin="prompt", blocks=tuple(blocks)),)
    )
    redact = RedactFilter()
    report = Report()
    redact.prepare([session], report)
    new = redact.apply(session, report)
    assert redact.verify("s.json", msgspec.json.encode(new.entries)) == []
    assert new.entries == session.entries


def _replaced(finder: Finder, text: str) -> str:
    replacer = Replacer(finder)
    replacer.learn([text])
    replacer.freeze()
    return replacer.replace(text)


def test_a_value_before_a_written_line_end_goes_without_it(finder: Finder) -> None:
    """Whatever rule finds it: the next line stays, whole."""
    lines = [cook(example) for rule in phrases() if rule.sort not in ("whole", "digits") for example in rule.match]
    texts = [json.dumps({"content": f"{line}\nprops2 = next4line"}) for line in lines]
    finder.scan_all(texts)
    new = [json.loads(_replaced(finder, text))["content"] for text in texts]
    assert [each for each in new if not each.endswith("\nprops2 = next4line") or "[REDACTED:" not in each] == []


def test_a_literal_with_a_line_end_of_its_own_goes_whole(finder: Finder) -> None:
    text = json.dumps({"password": cook("Tiger{d*4}\nLion{d*4}")})
    finder.scan_all([text])
    assert _replaced(finder, text) == '{"password": "[REDACTED:password:1]"}'
