"""The short way through Markdown says what markdown-it says."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.writers.html import prose

TEXTS = (
    "Plain words.",
    "Two paragraphs.\n\nHere is the second,\nover two lines.",
    "A `code span` and **bold words** and snake_case_names.",
    "# Heading\n\nWords.\n\n## Smaller `one`",
    "- one\n- **two**\n- `three`",
    "1. one\n2. two\n3. three\n\nAfter.",
    "Before:\n\n```python\ndef f(): return '<b>'\n```\n\nAfter.",
    "```\n\n  two empty lines\n\n```",
    "See https://example.org/a_b?c=d&e=f, and go.",
    "1 apple a day",
    "- one\n\n- two",
    "- one\n\nwords",
    "- one\n\n  words of one",
    "a\n- b",
    "words\n===",
    "words\n---",
    "1. a\n\n1. b",
    "5. five",
    "**not bold** **",
    "a ** b ** c",
    "`` ` ``",
    "line with two spaces  \nbroken",
    "trailing\\\nbackslash",
    "&amp; &#65; <b>x</b>",
    "***",
    "    indented",
    "text\n    not code",
    "# a #",
    "#hash",
    "####### seven",
    "1.no space",
    "- ",
    "-\n- a",
    "```py\nunclosed",
    "````\n```\n````",
    "~~~\nx\n~~~",
    "[a](b)",
    "a | b\n--|--\n1 | 2",
    "\tx",
    "http://a.b/`c`",
    "**a**b",
    "x**a**",
    "1) one",
    "10. ten\n11. eleven",
    "- [ ] task\n- [x] done",
)
ALPHABET = "ab1 -#*`_.\n\n>~=+[](){}|<&\\:/é"


def same(one: str, other: str) -> bool:
    def plain(html: str) -> str:
        return re.sub(r"&quot;", '"', html).strip()

    return plain(one) == plain(other)


@pytest.mark.parametrize("text", TEXTS)
def test_examples_agree(text: str) -> None:
    quick = prose.quick(text)
    assert not quick or same(quick, prose._thorough().html(text))


@given(st.text(ALPHABET, max_size=60))
@example("- a\n\n b")
@example("a\n1. b")
@example("**a. b**")
def test_whatever_it_takes_on_it_does_right(text: str) -> None:
    quick = prose.quick(text)
    assert not quick or same(quick, prose._thorough().html(text)), repr(text)


LINES = st.sampled_from(
    ("words here", "- item one", "- item `two`", "1. first", "2. second", "# Title", "```", "```py", "", "", " indented", "  two", "**bold** words", "a_b", "--", "x.", "`c`")
)  # fmt: skip


@given(st.lists(LINES, max_size=12).map("\n".join))
def test_whole_documents_agree(text: str) -> None:
    quick = prose.quick(text)
    assert not quick or same(quick, prose._thorough().html(text)), repr(text)


def test_most_of_what_agents_write_goes_the_short_way() -> None:
    text = "I found it in `parser.py`.\n\n1. Read the **whole** file\n2. Fix it\n\n```python\nx = 1\n```\n\n- done\n- tested"
    assert prose.quick(text)


@pytest.mark.parametrize(
    ("marks", "levels"),
    [
        ("# ## ###", "345"),
        ("## ###", "34"),
        ("# #### ## ##### #", "34453"),
        ("### # ##", "334"),
        ("# ## ### #### ##### ######", "345666"),
    ],
)
def test_headings_skip_no_level(marks: str, levels: str) -> None:
    """A message that began with `##` skipped the level below its prompt's."""
    html = prose.render("\n\n".join(f"{each} Words *of it*" for each in marks.split()))
    assert "".join(re.findall(r"<h(\d)>", html)) == "".join(re.findall(r"</h(\d)>", html)) == levels
    assert (
        "".join(re.findall(r"<h(\d)>", prose.render("\n\n".join(f"{each} Words" for each in marks.split())))) == levels
    )


def test_hostile_text_is_text() -> None:
    html = prose.render("<script>x</script> [a](javascript:x) ![b](http://example.org/x.png) <b onclick=x>")
    assert "<script" not in html
    assert "href" not in html
    assert "<img" not in html
    assert "<b " not in html
    assert "javascript:x" in unescape(html)
