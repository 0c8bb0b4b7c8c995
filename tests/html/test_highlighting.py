"""Colouring changes no character, keeps to its line, and costs what its input costs."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.writers.html import highlighting
from dragoman.writers.html.languages import BY_NAME, LANGUAGES

PIECES = st.sampled_from(
    ('"', "'", "`", "#", "//", "/*", "*/", "--", "\n", " ", "def x", "class Y", "0x1f", "$a", "${b}", "<a b='c'>", "-->", "{", "}", "[[", ":", "=", "\\", "@d", "é", "→", "&lt;", "'''", '"""')
)  # fmt: skip


def stripped(html: str) -> str:
    return unescape(re.sub(r"</?i[^>]*>", "", html))


@given(st.sampled_from(sorted(LANGUAGES)), st.lists(PIECES, max_size=40).map("".join))
def test_no_character_is_changed(language: str, code: str) -> None:
    made = highlighting.html(code, language)
    assert stripped(made) == code.replace("&lt;", "&lt;") or stripped(made) == code
    for line in made.split("\n"):
        assert line.count("<i ") == line.count("</i>"), "no element goes over a line's end"


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)


@given(st.sampled_from(sorted(LANGUAGES)), st.text("<>&\"'/=ab \n#", max_size=60))
def test_nothing_but_our_own_element_comes_out(language: str, code: str) -> None:
    parser = Elements()
    parser.feed(highlighting.html(code, language))
    assert parser.names <= {"i"}


def test_python_looks_right() -> None:
    made = highlighting.html('def f(x):  # why\n    return "s" + str(1)', "python")
    assert made == (
        "<i class=k>def</i> <i class=f>f</i>(x):  <i class=c># why</i>\n"
        '    <i class=k>return</i> <i class=s>"s"</i> + str(<i class=m>1</i>)'
    )


def test_a_comment_over_lines_is_coloured_line_by_line() -> None:
    assert highlighting.html("/* a\nb */", "c") == "<i class=c>/* a</i>\n<i class=c>b */</i>"


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/a/b.py", "python"),
        ("B.TSX", "javascript"),
        ("Dockerfile", "docker"),
        ("x.unknown", ""),
        ("noext", ""),
        ("C:\\a\\b.rs", "rust"),
    ],
)
def test_languages_by_file(path: str, language: str) -> None:
    assert highlighting.of_path(path) == language


def test_every_name_leads_to_a_language() -> None:
    assert set(BY_NAME.values()) <= set(LANGUAGES)
