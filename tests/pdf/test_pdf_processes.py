"""Parts laid out side by side: in order, with a bounded queue, and with an end whatever happens."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pdf_sessions
import pytest

from dragoman.errors import Exit, OutputError, UnavailableError, UsageError
from dragoman.report import Code, Report
from dragoman.writers.pdf import availability, layout, making, parts, worker
from dragoman.writers.pdf.blocks import Block
from dragoman.writers.pdf.fonts import package, report_missing, script
from dragoman.writers.pdf.options import PdfOptions
from dragoman.writers.pdf.text import extract
from dragoman.writers.pdf.typeset import Laid, Setting, Typesetter

SETTING = Setting(css="@page { size: 200pt 100pt; margin: 10pt }")


def pages(*numbers: int) -> Iterator[str]:
    for number in numbers:
        yield f"<p>part number {number}</p>"


def test_parts_come_back_in_their_order() -> None:
    laid = list(layout.lay_out(pages(*range(7)), SETTING, count=2))
    assert [f"part number {n}" in extract(each.pdf) for n, each in enumerate(laid)] == [True] * 7


def test_parts_are_taken_only_as_fast_as_they_are_laid_out() -> None:
    taken = 0

    def counting() -> Iterator[str]:
        nonlocal taken
        for html in pages(*range(9)):
            taken += 1
            yield html

    finished = layout.lay_out(counting(), SETTING, count=1)
    next(finished)
    assert taken <= 4
    finished.close()  # type: ignore[attr-defined]


def test_a_process_that_dies_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "BOOT", "import os;os._exit(9)")
    with pytest.raises(OutputError, match="ended unexpectedly"):
        list(layout.lay_out(pages(1), SETTING, count=1))


def test_a_layout_that_fails_is_one_line_without_the_transcript(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        layout,
        "BOOT",
        worker.BOOT.replace("main()", "").replace(
            "import main;", "import main;import dragoman.writers.pdf.typeset as t;"
        )
        + "t.Typesetter.lay_out=lambda s,h:1/0;main()",
    )
    with pytest.raises(OutputError, match=r"failed on a part \(ZeroDivisionError\)"):
        list(layout.lay_out(pages(1), SETTING, count=1))


def test_without_an_interpreter_to_start_it_is_laid_out_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "TINY", -1)
    monkeypatch.setattr(sys, "executable", "")
    out = io.BytesIO()
    assert making.Making(pdf_sessions.chat(), PdfOptions(only="prompts"), Report()).write(out) == 2


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    making.Making(pdf_sessions.chat(), PdfOptions(only="prompts"), Report()).write(
        io.BytesIO(), lambda done, total: told.append((done, total))
    )
    assert told[-1] == (3, 3)
    assert told == sorted(told)


# where it is cut


def block(lines: float, *, turn: bool = False, head: bool = False) -> Block:
    return Block(f'<div class="b{" head d1" if head else ""}">x</div>', lines, turn, "1 · running")


def test_a_short_document_is_one_part() -> None:
    assert len(list(parts.cut(block(10, turn=n % 5 == 0) for n in range(20)))) == 1


def test_cuts_are_at_turns_where_turns_are_short() -> None:
    cuts = list(parts.cut(iter([block(10, turn=n % 6 == 0) for n in range(2000)])))
    assert len(cuts) > 5
    assert all(part.running == "" for part in cuts)
    assert sum(part.turns for part in cuts) == 334
    assert all(part.lines < 2 * parts.LARGE for part in cuts)


def test_one_endless_turn_is_cut_too_and_the_header_goes_on() -> None:
    cuts = list(parts.cut(iter([block(10, turn=n == 0, head=n % 2 == 0) for n in range(2000)])))
    assert all(part.lines < 2 * parts.LARGE for part in cuts)
    assert [bool(part.running) for part in cuts] == [False] + [True] * (len(cuts) - 1)
    assert all(" head" not in part.html.rsplit("<div", 1)[1][:30] for part in cuts[:-1])


# what is missing on the machine


def test_missing_glyphs_are_found_and_named() -> None:
    laid = Typesetter(SETTING).lay_out("<p>a \U0010fffd b</p>")
    assert laid.missing == {0x10FFFD: 1}
    report = Report()
    report_missing(laid.missing, report)
    (finding,) = report.findings
    assert finding.code is Code.MISSING_GLYPHS
    assert "Private use" in finding.sentence


@pytest.mark.parametrize(
    ("character", "name", "needed"),
    [
        ("क", "Devanagari", "fonts-noto-core"),
        ("漢", "Han", "fonts-noto-cjk"),
        ("한", "Hangul", "fonts-noto-cjk"),
        ("ع", "Arabic", "fonts-noto-core"),
        ("ש", "Hebrew", "fonts-noto-core"),
        ("🚢", "Emoji", "fonts-noto-color-emoji"),
        ("╬", "Box drawing", "fonts-dejavu-core"),
    ],
)
def test_a_script_has_its_package(character: str, name: str, needed: str) -> None:
    assert script(ord(character)) == name
    assert package(name) == needed


def test_without_pango_it_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(availability.ctypes, "CDLL", absent)
    availability.unavailable.cache_clear()
    try:
        reason = availability.unavailable()
        assert "Pango" in reason and "install" in reason and "\n" not in reason
        with pytest.raises(UnavailableError) as caught:
            making.Making(pdf_sessions.chat(), PdfOptions(), Report())
        assert caught.value.exit_code is Exit.UNAVAILABLE
    finally:
        availability.unavailable.cache_clear()


def test_without_any_font_it_is_one_line(tmp_path: Path) -> None:
    """Pango ends a process that has no font to set a letter in."""
    (tmp_path / "fonts.conf").write_text(
        f"<fontconfig><dir>{tmp_path}</dir><cachedir>{tmp_path}/c</cachedir></fontconfig>"
    )
    done = subprocess.run(
        [sys.executable, "-c", "from dragoman.writers.pdf.availability import fontless; print(fontless())"],
        env={**os.environ, "FONTCONFIG_FILE": str(tmp_path / "fonts.conf")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "apt install fonts-dejavu-core" in done.stdout
    assert availability.fontless() == ""


def test_tagged_and_archive_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        making.Making(pdf_sessions.chat(), PdfOptions(tagged=True, pdfa=True), Report())


def test_a_laid_out_part_survives_the_pipe() -> None:
    pipe = io.BytesIO()
    worker.send(pipe, worker.Reply(laid=Laid(b"x", 1, {65: 2}, 3)))
    pipe.seek(0)
    assert worker.msgspec.msgpack.decode(worker.receive(pipe), type=worker.Reply).laid == Laid(b"x", 1, {65: 2}, 3)
    with pytest.raises(EOFError):
        worker.receive(pipe)
