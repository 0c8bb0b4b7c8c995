"""A real Chromium, the pages that it opens, and an ear for everything that it complains about."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from dragoman.conversion import write

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "html"))

from showcase import long_session, showcase

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
expect.set_options(timeout=20_000)  # other tests may keep the processors busy
SIZES = {"phone": (360, 740), "tablet": (900, 1100), "wide": (1600, 1000)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One browser for all of them: with xdist they go to one worker."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("no chromium here, and CI must have it: apt-get install chromium")
        pytest.skip("no chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def soon() -> Callable[[Callable[[], bool]], None]:
    """`soon(lambda: …)` waits until something holds that a page does in its own time, and fails where it never does."""

    def holds(told: Callable[[], bool]) -> None:
        last = time.monotonic() + 20
        while not told():
            assert time.monotonic() < last, "it never came to hold"
            time.sleep(0.05)

    return holds


class Opened:
    """A page with what went wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.refused: list[str] = []
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", lambda request: self.refused.append(request.url))
        page.on("dialog", lambda dialog: (self.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def quiet(self) -> None:
        """Nothing was complained of, and nothing but the file itself and what is in it was asked for."""
        assert self.complaints == []
        strange = [url for url in self.requests if not url.startswith(("data:", "blob:", "file://"))]
        assert strange == []
        assert len({url.split("#")[0] for url in self.requests if url.startswith("file://")}) <= 1


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Any]]:
    """`with visit(path, "phone", "dark", scripts=False) as opened`: checks at the end that the page was quiet."""

    @contextmanager
    def open_page(
        path: Path, size: str = "wide", scheme: str = "light", *, scripts: bool = True, hash: str = "", **more: Any
    ) -> Iterator[Opened]:
        width, height = SIZES[size]
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,  # type: ignore[arg-type]
            java_script_enabled=scripts,
            has_touch=size == "phone",
            **more,
        )
        context.set_default_timeout(20_000)
        context.set_default_navigation_timeout(60_000)
        opened = Opened(context.new_page())
        opened.page.goto(f"file://{path}{hash}")
        try:
            yield opened
            opened.quiet()
        finally:
            context.close()

    yield open_page


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the pages: everything.html (every form), long.html (many entries, made lazily), split/."""
    folder = tmp_path_factory.mktemp("pages")
    write(showcase(), "html", folder / "everything.html")
    write(long_session(), "html", folder / "long.html")
    (folder / "split").mkdir()
    write(long_session(), "html", folder / "split" / "talk.html", split=True)
    return folder
