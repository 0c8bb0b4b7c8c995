"""Secrets with something in their middle, in look-alike letters, or in two neighbouring texts."""

from __future__ import annotations

import base64
import time
import unicodedata

import pytest

from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook
from dragoman.filters.redact.replace import Replacer

GITHUB = cook("ghp_{A*36}")
AWS = "AKIA" + "QZ7XWT4M" + "3NPL5RKD"
OPAQUE = cook("{A*40}")


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


def redacted(finder: Finder, *texts: str) -> list[str]:
    replacer = Replacer(finder)
    replacer.learn(texts)
    replacer.freeze()
    new = [replacer.replace(text) for text in texts]
    again = Replacer(finder)
    again.learn(new)
    again.freeze()
    assert [again.replace(text) for text in new] == new, "a second run changes something"
    return new


BREAKS = {
    "carriage return": "\r", "CRLF": "\r\n", "line": "\n", "indented line": "\n    ", "erased line": "\x1b[K\r", "tab": "\t",
    "escaped n": "\\n", "escaped r": "\\r", "escaped CRLF": "\\r\\n", "escaped t": "\\t", "escaped b": "\\b", "escaped twice": "\\\\n",
    "escaped space of no width": "\\u200b", "escaped colour": "\\x1b[0m", "colour in JSON": "\\u001b[0m", "colour in octal": "\\033[0m", "colour in bash": "\\e[31m",
    "bold": "**", "italic": "*", "code": "`", "struck": "~~", "underscore": "_", "underscores": "__", "highlight": "==",
    "tag": "<b>", "end tag": "</b>", "span": '<span class="x">', "wbr": "<wbr>", "escaped tag": "&lt;b&gt;", "comment": "<!-- x -->",
    "soft hyphen": "\u00ad", "grapheme joiner": "\u034f", "no-break space of no width": "\ufeff", "override": "\u202e", "isolate": "\u2067", "variation": "\ufe0f",
    "filler": "\u3164", "language tag": "\U000e0041", "invisible plus": "\u2064", "Arabic mark": "\u061c", "no-break space": "\u00a0", "line separator": "\u2028",
    "thin space": "\u2009", "hair space": "\u200a", "wide space": "\u3000", "unreadable": "\ufffd",
    "NUL": "\0", "backspace": "\b", "bell": "\x07", "delete": "\x7f", "8-bit colour": "\x9b0m",
    "start of heading": "\x01", "acknowledge": "\x06", "shift out": "\x0e", "escape": "\x1b", "unit separator": "\x1f", "padding": "\x80", "8-bit index": "\x84", "escaped control": "\\u0001",
    "cursor saved": "\x1b7", "reverse index": "\x1bM", "keypad": "\x1b=", "keypad in JSON": "\\u001b=", "charset": "\x1b(B", "tests of alignment": "\x1b#8", "UTF-8": "\x1b%G",
    "device string": "\x1bPq\x1b\\", "program command": "\x1b_Gi=1;AAAA\x1b\\", "privacy": "\x1b^ab\x1b\\", "string": "\x1bXab\x1b\\", "8-bit string": "\x90q\x9c", "title": "\x1b]0;my title\x07", "private mode": "\x1b[?2004l", "device": "\x1b[>1c",
    "entity": "&shy;", "entity joiner": "&zwnj;", "entity by number": "&#8203;", "percent": "%E2%80%8B", "percent line": "%0D%0A",
    "shell": "\\\n", "shell, indented": "\\\n    ", "PowerShell": "`\n  ", "joined": '" + "', "joined over lines": '" +\n  "', "joined before": '"\n  + "', "Lua": '" .. "',
    "template": "` + `", "PHP": "' . '", "joined in JSON": '\\" +\\n  \\"',
}  # fmt: skip


@pytest.mark.parametrize("between", BREAKS.values(), ids=BREAKS)
@pytest.mark.parametrize(
    ("secret", "told"),
    [(GITHUB, "the key is {v} and so on"), (AWS, "with {v} as the id"), (OPAQUE, "export API_TOKEN={v}")],
    ids=["github", "aws", "named"],
)
def test_what_comes_into_the_middle(finder: Finder, between: str, secret: str, told: str) -> None:
    """Found whole, and taken out with what came between."""
    if between.startswith("_") and secret is OPAQUE:
        return  # a name says what is behind it, with or without
    for place in (len(secret) // 2, 9):
        text = f"first\n{told.replace('{v}', secret[:place] + between + secret[place:])}\nlast\n"
        (new,) = redacted(finder, text)
        assert secret[:place] not in new and secret[place:] not in new, new
        assert new.startswith("first\n") and new.endswith("last\n")


@pytest.mark.parametrize(
    "around",
    ["\x1b]0;{v}\x07", "\x1b]8;;https://example.com/?key={v}\x1b\\there", "\x1bP{v}\x1b\\", "\x1b{v}", "\x90{v}\x9c"],
)
def test_what_an_escape_takes_along(finder: Finder, around: str) -> None:
    """A terminal shows it in its title or not at all; it stands in the file all the same. Once, nobody looked there."""
    new = redacted(
        finder,
        f"see {around.replace('{v}', GITHUB)} ok",
        f"and {around.replace('{v}', OPAQUE)} ok",
        f"export API_TOKEN={OPAQUE}",
    )
    assert GITHUB[-36:] not in new[0] and OPAQUE not in new[1]
    assert "\x1b[REDACTED" not in new[0], "a placeholder that is an escape doesn't show"


def _full_width(text: str) -> str:
    return "".join(chr(ord(ch) + 0xFEE0) if ch.isalnum() or ch == "_" else ch for ch in text)


def _mathematical(text: str) -> str:
    return "".join(
        chr(0x1D7CE + ord(ch) - 48) if ch.isdigit()
        else chr(0x1D41A + ord(ch) - 97) if ch.islower()
        else chr(0x1D400 + ord(ch) - 65) if ch.isupper()
        else ch
        for ch in text
    )  # fmt: skip


@pytest.mark.parametrize("style", [_full_width, _mathematical])
def test_letters_that_only_look_alike(finder: Finder, style) -> None:  # type: ignore[no-untyped-def]
    styled = style(GITHUB)
    assert unicodedata.normalize("NFKC", styled) == GITHUB
    new = redacted(finder, f"it is {styled} indeed", f"export API_TOKEN={OPAQUE}", f"and {style(OPAQUE)} too")
    assert new[0] == "it is [REDACTED:github-token:1] indeed"
    assert new[2] == "and [REDACTED:token:1] too"


def test_letters_struck_twice(finder: Finder) -> None:
    (new,) = redacted(finder, "it is " + "".join(f"{ch}\b{ch}" for ch in GITHUB) + " indeed")
    assert new.endswith("[REDACTED:github-token:1] indeed")


@pytest.mark.parametrize("line", [20, 60, 76])
def test_base64_in_lines(finder: Finder, line: int) -> None:
    coded = base64.b64encode(f"some words before\nAPI_TOKEN={OPAQUE}\nsome more words behind it\n".encode()).decode()
    pieces = [coded[place : place + line] for place in range(0, len(coded), line)]
    for between in ("\n", "\\n", "\r\n"):
        (new,) = redacted(finder, f"data:\n{between.join(pieces)}\nend\n")
        within = coded[36:84]
        assert not any(within[place : place + 12] in new for place in range(len(within) - 12)), new


@pytest.mark.parametrize("between", ["\r\r\n", " │\n│ ", " |\n| "])
def test_ends_of_lines_that_only_a_beginning_tells(finder: Finder, between: str) -> None:
    (new,) = redacted(finder, f"first\n| {GITHUB[:20]}{between}{GITHUB[20:]} |\nlast")
    assert new == "first\n| [REDACTED:github-token:1] |\nlast"
    rows = f"| {GITHUB}{between}{AWS} |\n| myVariableName12 |"
    assert redacted(finder, rows) == [
        f"| [REDACTED:github-token:1]{between}[REDACTED:aws-access-key-id:1] |\n| myVariableName12 |"
    ]


@pytest.mark.parametrize("width", [16, 20, 32])
@pytest.mark.parametrize("lead", ["", "> ", "| ", "export X=", "numbered"])
def test_a_long_token_in_narrow_lines(finder: Finder, width: int, lead: str) -> None:
    """Once, the lines went until it could be a token, and two thirds of it stayed. What stands below stays."""
    token = cook("sk-" + "proj-{A*120}")
    lines = [token[place : place + width] for place in range(0, len(token), width)]
    below = "The next line has 12 words of its own\nmyVariableName12 = 3"
    if lead == "numbered":
        text = "\n".join(f"{number:4}→{line}" for number, line in enumerate(lines, 9))
    else:
        text = lead + f"\n{lead if lead.endswith(' ') else ''}".join(lines)
    (new,) = redacted(finder, f"first\n{text}\n{below}\n")
    assert not any(line in new for line in lines[:-1]), new
    assert below in new


def test_the_words_of_yaml_over_two_lines(finder: Finder) -> None:
    (new,) = redacted(finder, f"api_key: >-\n  {OPAQUE[:20]}\n  {OPAQUE[20:]}\nname: x\n")
    assert OPAQUE[:20] not in new and OPAQUE[20:] not in new


@pytest.mark.parametrize(
    "text",
    [
        "TOKEN=abc\n{h*40}  file.txt\n", "sha256 {h*64}\n{h*64}\n", "key**value**2, x1**y2", "<td>{h*8}</td><td>{h*8}</td>", "`id1234567`and`id7654321`",
        "{h*8}-{h*4}-{h*4}-{h*4}-{h*12}\n{h*8}-{h*4}-{h*4}-{h*4}-{h*12}", "test_login_2\ntest_login_3", "    12\tdef load_token_2(self):\n    13\t    return 1", "hf_hub_download\nhf_hub_url",
    ],
)  # fmt: skip
def test_what_stands_side_by_side_stays(finder: Finder, text: str) -> None:
    filled = cook(text)
    assert redacted(finder, filled) == [filled]


@pytest.mark.parametrize(
    "unit", ["https://a:b@", "aB3dE5fG7hI9jK1l\n", "é https://a:b@", "a1**", "a1b2<b>", "ghp_a1\n"]
)
def test_what_is_found_often_takes_linear_time(finder: Finder, unit: str) -> None:
    """Each find looked at the whole text again, and each line at all that follow."""
    text = unit * (300_000 // len(unit))
    took = []
    for part in (text[: len(text) // 4], text):
        started = time.process_time()
        finder.scan(part)
        took.append(time.process_time() - started)
    assert took[1] < max(took[0] * 8, 2.5)
