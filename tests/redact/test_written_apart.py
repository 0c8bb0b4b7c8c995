"""Secrets that are put together in code, and known ones that are written by the numbers of their characters."""

from __future__ import annotations

import pytest

from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook
from dragoman.filters.redact.replace import Replacer

TOKEN = cook("ghp_{A*36}")
OPAQUE = cook("{A*32}")


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


@pytest.mark.parametrize(
    "text",
    [
        'x = "§a"\nx += "§b"', 'x = "§a";\n  x += "§b";', "$x = '§a';\n$x .= '§b';", 'x = "§a" & _\n  "§b"', 'x="§a""§b"', "x='§a''§b'", "const t = ['§a', '§b'].join('')", 'x = ["§a",\n  "§b"].join("")',
    ],
)  # fmt: skip
def test_what_code_puts_together(finder: Finder, text: str) -> None:
    for place in (20, 13):
        filled = text.replace("§a", TOKEN[:place]).replace("§b", TOKEN[place:])
        assert any(found.value == TOKEN for found in finder.scan(f"before\n{filled}\nafter\n")), filled


def _dump(data: bytes, style: str) -> str:
    lines = []
    for place in range(0, len(data), 16):
        row = data[place : place + 16]
        shown = "".join(chr(code) if 32 <= code < 127 else "." for code in row)
        if style == "xxd":
            words = " ".join(row.hex()[at : at + 4] for at in range(0, 2 * len(row), 4))
            lines.append(f"{place:08x}: {words:<39}  {shown}")
        else:
            halves = "  ".join(" ".join(f"{code:02x}" for code in row[at : at + 8]) for at in (0, 8))
            lines.append(f"{place:08x}  {halves:<48}  |{shown}|")
    return "\n".join(lines)


@pytest.mark.parametrize("style", ["xxd", "hexdump"])
@pytest.mark.parametrize("text", ["§", "some words\nDB_PASSWORD=§\nand more", "§\n"])
def test_dumps_of_bytes(finder: Finder, style: str, text: str) -> None:
    for value in (TOKEN, OPAQUE) if "=" in text else (TOKEN,):
        dump = _dump(text.replace("§", value).encode(), style)
        replacer = Replacer(finder)
        replacer.learn([f"first\n{dump}\nlast"])
        replacer.freeze()
        new = replacer.replace(f"first\n{dump}\nlast")
        assert new.startswith("first\n0000") and new.endswith("last")
        for place in range(len(value) - 8):
            piece = value[place : place + 8]
            assert piece not in new and piece.encode().hex() not in new.replace(" ", ""), new


def test_dumps_of_other_things_stay(finder: Finder) -> None:
    text = _dump(bytes(range(256)), "xxd") + "\n\n" + _dump(b"a plain text with nothing in it", "hexdump")
    assert finder.scan(text) == ()


@pytest.mark.parametrize("value", [OPAQUE, cook("Kiwi{d*4}fruit")])
@pytest.mark.parametrize("form", ["\\u{:04x}", "\\u{:04X}", "\\x{:02x}", "&#{};", "&#x{:x};", "%{:02x}"])
def test_known_values_letter_by_letter(finder: Finder, value: str, form: str) -> None:
    copy = f"before\nt = '{''.join(form.format(ord(ch)) for ch in value)}' and so on\nafter"
    replacer = Replacer(finder)
    replacer.learn([f"DB_PASSWORD={value}", copy])
    replacer.freeze()
    assert replacer.replace(copy) == "before\nt = '[REDACTED:password:1]' and so on\nafter"


@pytest.mark.parametrize("text", ['x = "abc"\nx += "def"', "['a1', 'b2'].join('')", 'a,"say ""hi12345"" to"', "\\u0041\\u0042\\u0043\\u0044\\u0045\\u0046\\u0047"])  # fmt: skip
def test_other_strings_stay(finder: Finder, text: str) -> None:
    assert finder.scan(text) == ()
