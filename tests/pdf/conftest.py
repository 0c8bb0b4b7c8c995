"""PDFs of the invented sessions, each made once a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pdf_made import SESSIONS, Made

from dragoman import conversion
from dragoman.report import Report
from dragoman.writers.pdf.availability import unavailable


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Made]:
    """`made("chat", embed=True)`: the PDF of an invented session, from a store."""
    if unavailable():
        pytest.skip(unavailable())
    folder = tmp_path_factory.mktemp("pdf")
    store: dict[tuple[str, str], Made] = {}

    def make(name: str, **options: object) -> Made:
        key = (name, repr(sorted(options.items())))
        if key not in store:
            report = Report()
            session = SESSIONS[name]()
            path = folder / f"{len(store)}-{name}.pdf"
            conversion.write(session, "pdf", path, report=report, **options)
            store[key] = Made(session, path, report)
        return store[key]

    return make
