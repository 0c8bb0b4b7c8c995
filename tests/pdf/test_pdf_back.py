"""A PDF of ours reads back through its attachment; and its words can be searched."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest
from pdf_made import Made

from dragoman import conversion
from dragoman.errors import InputError
from dragoman.io.attachment import NAME
from dragoman.model import Header, Message, Session, Text
from dragoman.readers import pdf as pdf_reader
from dragoman.registry import writer
from dragoman.writers.pdf.text import extract


def test_a_pdf_of_ours_reads_back(made: Callable[..., Made]) -> None:
    held = made("chat", pdfa=True, embed=True)
    assert conversion.read(held.path) == held.session


def test_a_pdf_without_the_conversation_says_how_to_get_one(made: Callable[..., Made]) -> None:
    with pytest.raises(InputError, match="--embed"):
        conversion.read(made("chat").path)


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.7\n" + b"\x00\xff" * 500, b"%PDF-1.4\n1 0 obj\n<</Type"])
def test_a_damaged_pdf_is_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        conversion.read(path)
    assert "\n" not in str(caught.value)


def with_attachment(path: Path, data: bytes, **saving: object) -> Path:
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.attachments[NAME] = pikepdf.AttachedFileSpec(pdf, data, filename=NAME)
        pdf.save(path, **saving)  # type: ignore[arg-type]
    return path


@pytest.mark.parametrize("data", [b"", b"no JSON", b"[1]", b'{"dragoman": {"major": 99, "minor": 0}}'])
def test_another_attachment_of_that_name_is_one_line(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        conversion.read(with_attachment(tmp_path / "x.pdf", data))
    assert "\n" not in str(caught.value)


def test_an_encrypted_pdf_is_one_line(tmp_path: Path) -> None:
    path = with_attachment(tmp_path / "x.pdf", b"{}", encryption=pikepdf.Encryption(owner="a", user="b"))
    with pytest.raises(InputError, match="encrypted"):
        conversion.read(path)


def test_an_attachment_cannot_unpack_to_more_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = with_attachment(tmp_path / "x.pdf", b" " * 100_000, compress_streams=True)
    monkeypatch.setattr(pdf_reader, "LIMIT", 1000)
    with pytest.raises(InputError, match="too big"):
        conversion.read(path)


def test_words_that_the_layout_broke_are_found_again(tmp_path: Path) -> None:
    """The check after rendering must find a secret wherever it ended up: broken over rows, in a link, attached."""
    token = "-".join("tok" + str(n) * 9 for n in range(10))  # longer than a row of code
    prose = "".join(chr(97 + n % 26) + str(n % 10) for n in range(70))  # longer than a line of prose
    session = Session(
        header=Header(id="x", title="Find them"),
        entries=(
            Message(role="user", origin="prompt", blocks=(Text(f"start {prose} end"),)),
            Message(
                role="assistant",
                origin="reply",
                blocks=(Text(f"```\nkey = {token}\n```\n\n[here](https://example.org/?q=hidden-{token[:24]})"),),
            ),
        ),
    )
    path = tmp_path / "x.pdf"
    conversion.write(session, "pdf", path)
    words = extract(path.read_bytes())
    assert token in words
    assert prose in words
    assert f"hidden-{token[:24]}" in words
    assert "Find them" in words


def test_the_writer_gives_what_must_be_searched(made: Callable[..., Made]) -> None:
    data = made("chat", pdfa=True, embed=True).data
    words = writer("pdf").searchable(data).decode()  # type: ignore[attr-defined]
    assert "small harbour office" in words
    assert '"origin":"prompt"' in words  # of the attachment


def test_the_attachment_is_the_only_one(made: Callable[..., Made]) -> None:
    with pikepdf.open(io.BytesIO(made("chat", pdfa=True, embed=True).data)) as pdf:
        assert list(pdf.attachments) == [NAME]
