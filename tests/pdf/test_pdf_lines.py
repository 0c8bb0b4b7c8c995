"""Code on rows that fit, and the stated rule by which long texts are cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.report import Code, Report
from dragoman.writers.pdf import code, shorten, wrap
from dragoman.writers.pdf.blocks import Measure, Setter
from dragoman.writers.pdf.shorten import Gap, Row, Rule

LINES = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=300)
RUNS = st.lists(st.tuples(LINES, st.sampled_from(["", "k", "s"])), min_size=1, max_size=5)


@settings(deadline=None)
@given(RUNS, st.integers(20, 120))
def test_rows_fit_and_lose_nothing(line: list[wrap.Run], columns: int) -> None:
    rows = list(wrap.rows(line, columns))
    assert "".join(text for _, row in rows for text, _ in row) == "".join(text for text, _ in line)
    for number, (continued, row) in enumerate(rows):
        assert continued == (number > 0)
        used = sum(wrap.width(each) for text, _ in row for each in text)
        assert used <= (columns - 2 if continued else columns)


def test_a_row_ends_at_a_gap_where_there_is_one() -> None:
    words = "alpha beta gamma delta epsilon zeta eta theta iota kappa"
    first, *_ = wrap.rows([(words, "")], 30)
    assert first[1][0][0].endswith(" ")


def test_a_continued_row_carries_its_mark() -> None:
    rows = list(wrap.rows([("x" * 50, "")], 40))
    assert wrap.MARK not in wrap.html(rows[0][1], rows[0][0])
    assert wrap.MARK in wrap.html(rows[1][1], rows[1][0])


def test_markup_in_code_is_text() -> None:
    assert wrap.html([("<b>&", "k")], False) == '<span class="k">&lt;b&gt;&amp;</span>'


@settings(deadline=None)
@given(st.lists(st.text("abc xyz", max_size=120), min_size=1, max_size=90), st.integers(20, 60))
def test_what_is_left_out_is_counted(lines: list[str], columns: int) -> None:
    rule = Rule("outputs", 12, 4, 3)
    shown = list(shorten.shortened([[(each, "")] for each in lines], columns, rule))
    kept = {row.line for row in shown if isinstance(row, Row)}
    gaps = [row for row in shown if isinstance(row, Gap)]
    assert len(kept) + sum(gap.lines for gap in gaps) == len(lines)
    assert sum(isinstance(row, Row) for row in shown) <= rule.most
    if not gaps:
        assert "".join(text for row in shown if isinstance(row, Row) for text, _ in row.runs) == "".join(lines)


def test_one_endless_line_says_how_many_characters_are_left_out() -> None:
    shown = list(shorten.shortened([[("y" * 100_000, "")]], 50, Rule("outputs", 10, 4)))
    gap = shown[-1]
    assert isinstance(gap, Gap)
    assert gap.lines == 0
    rows = [row for row in shown if isinstance(row, Row)]
    assert gap.characters + sum(len(text) for row in rows for text, _ in row.runs) == 100_000
    assert str(gap).endswith("characters of this line left out")


def test_a_huge_output_is_not_wrapped_to_be_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped = 0
    whole = shorten.rows

    def counting(line: Sequence[wrap.Run], columns: int) -> Iterator[tuple[bool, list[wrap.Run]]]:
        nonlocal wrapped
        wrapped += sum(len(text) for text, _ in line)
        return whole(line, columns)

    monkeypatch.setattr(shorten, "rows", counting)
    lines = [[("z" * 100_000, "")] for _ in range(3000)]
    rule = Rule("outputs", 10, 4)
    assert len(list(shorten.shortened(lines, 90, rule))) <= rule.most
    assert wrapped < 2 * 90 * (rule.most + 2)


def test_nothing_is_cut_without_a_rule() -> None:
    lines = [[(f"line {n}", "")] for n in range(5000)]
    assert len(list(shorten.shortened(lines, 90, shorten.WHOLE))) == 5000


@settings(deadline=None)
@given(st.text(max_size=400), st.sampled_from(["python", "json", "bash", "", "no such language", "html"]))
def test_colouring_alters_nothing(source: str, language: str) -> None:
    made = code.coloured(source, language)
    assert "\n".join("".join(text for text, _ in row) for row in made) == source.expandtabs(wrap.TAB)


def test_an_endless_word_is_broken_before_the_layout_tries_to() -> None:
    word = "QUJD" * 200
    made = "".join(
        html for html, _ in Setter(Measure(90), Report()).prose(f"see {word} and [it](https://e.org/{word})", 0)
    )
    assert max(map(len, re.split(r"\s|<[^>]*>", made))) < 200
    assert re.sub(r"<[^>]*>", "", made).count(word) == 1
    assert f'href="https://e.org/{word}"' in made


def test_keywords_strings_and_comments_have_colours() -> None:
    kinds = {kind for row in code.coloured("def f():\n    return 'x'  # why\n", "python") for _, kind in row}
    assert {"k", "s", "c", "f"} <= kinds
    assert code.coloured("x = 1", path="a/b.py") == code.coloured("x = 1", "python")


@settings(deadline=None)
@given(st.lists(st.sampled_from(["word " * 5, "x" * 300, "", "```", "- item"]), max_size=90))
def test_prose_is_cut_between_its_lines(lines: list[str]) -> None:
    report = Report()
    setter = Setter(Measure(90), report)
    made = [html for html, _ in setter.shortened("\n".join(lines), 0, shorten.OUTPUT)]
    gaps = [html for html in made if 'class="gap"' in html]
    assert len(gaps) == report.count(Code.TRUNCATED) <= 1
    if not gaps:
        assert made == [html for html, _ in setter.prose("\n".join(lines), 0)]
