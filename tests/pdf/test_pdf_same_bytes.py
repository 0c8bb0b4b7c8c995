"""Same input, same bytes: whoever lays it out, and however often."""

from __future__ import annotations

import io
import os

import msgspec
import pdf_sessions
import pytest

from dragoman.report import Report
from dragoman.writers.pdf import making
from dragoman.writers.pdf.options import PdfOptions


def pdf() -> bytes:
    session = pdf_sessions.chat()
    short = msgspec.structs.replace(session, entries=session.entries[:2])
    out = io.BytesIO()
    making.Making(short, PdfOptions(embed=True), Report()).write(out)
    return out.getvalue()


def test_one_process_or_several_make_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes have hash seeds of their own: this is also a test that no order comes from one.

    What stands in the environment makes no difference, and is left as it was.
    """
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    here = pdf()
    assert "SOURCE_DATE_EPOCH" not in os.environ
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    monkeypatch.setattr(making, "TINY", -1)
    assert pdf() == here
    assert os.environ["SOURCE_DATE_EPOCH"] == "1"
