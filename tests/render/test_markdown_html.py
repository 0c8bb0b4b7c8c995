"""Markdown as safe HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.render.markdown import Markdown

SHOWN = Markdown()


@pytest.mark.parametrize(
    ("words", "html"),
    [
        ("Plain words, “quoted”.", "<p>Plain words, “quoted”.</p>\n"),
        ("1. x", "<ol>\n<li>x</li>\n</ol>\n"),
        ("# One", "<h3>One</h3>\n"),
        ("a <b>&amp;", "<p>a &lt;b&gt;&amp;</p>\n"),
        ("[x](javascript:1) [y](data:a) [z](file:///etc)", "<p>[x](javascript:1) [y](data:a) [z](file:///etc)</p>\n"),
        ("[x](https://e.org)", '<p><a href="https://e.org" rel="noopener noreferrer">x</a></p>\n'),
        ("![alt](https://e.org/x.png)", '<p><span class="picture" title="https://e.org/x.png">alt</span></p>\n'),
        ("- [x] done\n- [ ] open", '<ul>\n<li class="task">☑ done</li>\n<li class="task">☐ open</li>\n</ul>\n'),
        ('```py"><b>\n<x>\n```', '<pre data-language="py&quot;&gt;&lt;b&gt;"><code>&lt;x&gt;\n</code></pre>\n'),
        ("In __init__.py, f.__call__()", "<p>In __init__.py, f.__call__()</p>\n"),
        ("__two words__ **__x__**", "<p><strong>two words</strong> <strong>__x__</strong></p>\n"),
        ("שלום", '<p dir="auto">שלום</p>\n'),
        ("\u202ea", "<p>⟦U+202E⟧a</p>\n"),
    ],
)
def test_what_becomes_of_it(words: str, html: str) -> None:
    assert SHOWN.html(words) == html
    assert SHOWN.html(words) is SHOWN.html(words), "kept"


def test_columns_are_aligned_without_a_style_attribute() -> None:
    assert '<td class="right">1</td>' in SHOWN.html("| a |\n|--:|\n| 1 |")


def test_highlighted_code() -> None:
    shown = Markdown(highlight=lambda code, language: f"<i>{language}</i>" if language else "")
    assert shown.html("```py x\n1\n```") == '<pre data-language="py"><code><i>py</i></code></pre>\n'


class Tags(HTMLParser):
    """Collects the tags."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert {name for name, _ in attrs} <= {"href", "title", "rel", "class", "data-language", "dir", "start"}


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from("a<>&\"'`*_[]()!#-|:~\n \\/jx1."), max_size=60))
def test_only_tags_of_markdown(words: str) -> None:
    tags = Tags()
    tags.feed(SHOWN.html(words))
    assert tags.seen <= {"p", "a", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "h3", "h4", "h5", "h6", "hr", "br", "table", "thead", "tbody", "tr", "th", "td", "s", "span"}  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "[" * 30_000,
        "![" * 30_000,
        "*a_ " * 30_000,
        "`a" * 30_000,
        "> " * 10_000,
        "- " * 10_000,
        "<" * 50_000,
        "a](b" * 20_000,
        "[a](" * 20_000,
        "|a" * 20_000 + "\n" + "|-" * 20_000,
        "&#" * 30_000,
        "~~a" * 20_000,
        "``" * 20_000 + "`",
        "\\" * 50_000,
        "1. " * 10_000,
    ],
    ids=range(15),
)
def test_hostile_markdown_ends(words: str) -> None:
    SHOWN.html(words)
