"""A page loads nothing, complains of nothing, and can be read whole without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from dragoman.conversion import write
from dragoman.model import Header, Message, Session, Text

Visit = Callable[..., Any]
Soon = Callable[[Callable[[], bool]], None]
WHEN = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
EVERY_SIZE = [(size, scheme) for size in ("phone", "tablet", "wide") for scheme in ("light", "dark")]


@pytest.mark.parametrize(("size", "scheme"), EVERY_SIZE)
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_it_is_quiet_and_fits(visit: Visit, pages: Path, size: str, scheme: str, scripts: bool) -> None:
    with visit(pages / "everything.html", size, scheme, scripts=scripts) as opened:
        page = opened.page
        assert page.title() == "Fold long headers instead of cutting them"
        assert page.locator("h1").is_visible()
        page.locator("main .prompt").first.scroll_into_view_if_needed()
        wide = page.locator("html").bounding_box()["width"]
        for part in ("main", ".about", ".prompt >> nth=0", ".answer >> nth=0"):
            box = page.locator(part).first.bounding_box()
            assert box["x"] + box["width"] <= wide + 1, f"{part} is wider than the screen"


@pytest.mark.parametrize("opened_up", [False, True], ids=["folded", "open"])
def test_no_sideways_scrolling_anywhere(visit: Visit, pages: Path, opened_up: bool) -> None:
    """The line under the title was one word to the browser: between a phone and a desk it was wider than the screen."""
    with visit(pages / "everything.html", "phone") as opened:
        page = opened.page
        if opened_up:
            page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        too_wide = []
        for width in (320, 360, 390, 600, 768, 799, 800, 820, 900, 1024, 1087, 1088, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            if (found := page.evaluate("document.documentElement.scrollWidth")) > width:
                too_wide.append((width, found))
        assert too_wide == []


def test_a_drawing_that_is_cut_says_that_it_goes_on(visit: Visit, pages: Path) -> None:
    """The timeline ended at the screen's edge as if that were all of it."""
    with visit(pages / "everything.html", "phone") as opened:
        page = opened.page
        for width in (390, 820, 1000, 1100, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            cut = page.locator(".timeline .scroll").evaluate("each => each.scrollWidth > each.clientWidth")
            assert page.locator(".goes-on").is_visible() == cut, width


def test_every_word_is_there_without_scripts(visit: Visit, pages: Path) -> None:
    with visit(pages / "long.html", "phone", scripts=False) as opened:
        page = opened.page
        fold = page.locator(".fold", has_text="pytest -q tests/test_149_3.py")
        shown = fold.locator("pre").last
        expect(shown).to_be_hidden()
        fold.locator("summary").click()
        expect(shown).to_be_visible()
        assert "needle-149-3" in shown.inner_text()
        expect(page.locator("#outline a").first).to_be_visible()
        expect(page.locator("header.bar"), "buttons that can't work are not shown").to_be_hidden()


def test_folded_bodies_of_a_long_page_are_no_elements_until_opened(visit: Visit, pages: Path) -> None:
    with visit(pages / "long.html") as opened:
        page = opened.page
        assert page.locator("noscript").count() > 1000
        fold = page.locator(".fold", has_text="module_3_1.py")
        assert fold.locator("pre").count() == 0
        fold.locator("summary").click()
        expect(fold.locator("pre")).to_be_visible()


def test_a_repeated_text_is_stored_once_and_still_shown(visit: Visit, pages: Path) -> None:
    content = (pages / "long.html").read_text()
    assert content.count("A name and its value.") <= 2, "one a process that makes the page"
    with visit(pages / "long.html") as opened:
        fold = opened.page.locator(".fold", has_text="module_3_1.py")
        fold.locator("summary").click()
        expect(fold.get_by_role("link", name=re.compile("module_"))).to_be_visible()
        expect(fold.get_by_text("A name and its value.")).to_be_visible()


def test_the_policy_forbids_what_a_stranger_would_want(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        page = opened.page
        page.evaluate(
            """() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = 1";
            document.body.append(script);
            document.body.insertAdjacentHTML("beforeend",
                "<img src=x onerror='window.ran = 2'><img src='https://example.org/x.png'><p style='color:red' id=styled>x</p>");
        }"""
        )
        page.wait_for_timeout(200)
        assert page.evaluate("window.ran") is None
        assert page.evaluate("getComputedStyle(document.getElementById('styled')).color") != "rgb(255, 0, 0)"
        assert opened.complaints, "the browser says what it refused"
        assert {url for url in opened.requests if url.startswith("http")} <= set(opened.refused)
        opened.complaints.clear()
        opened.requests.clear()


def test_split_pages_lead_to_each_other(visit: Visit, pages: Path) -> None:
    files = sorted(path.name for path in (pages / "split").iterdir())
    assert len(files) > 2
    with visit(pages / "split" / "talk.html", scripts=False) as opened:
        page = opened.page
        page.locator("#outline a").last.click()
        assert page.url.rpartition("/")[2].startswith(files[-2].split("-")[0])
        expect(page.locator(".prompt", has_text="module number 149")).to_be_in_viewport()
        page.locator(".pages a").first.click()
        expect(page).to_have_url(re.compile("/talk.html$"))
        expect(page.locator(".timeline svg").first).to_be_visible()
        opened.requests.clear()


@pytest.mark.parametrize("size", ["phone", "wide"])
def test_the_buttons_of_a_call_are_quiet_and_in_reach(visit: Visit, pages: Path, size: str) -> None:
    """Two bordered buttons in a row of their own stood under every call."""
    with visit(pages / "everything.html", size, **({"is_mobile": True} if size == "phone" else {})) as opened:
        page = opened.page
        fold = page.locator("main > .turn > .fold.tool:not(.agent)", has=page.locator("summary", has_text="Grep")).first
        fold.locator("summary").click()
        acts = fold.locator(".acts")
        expect(acts).to_have_count(1)
        page.locator("h1").click()
        page.evaluate("document.querySelectorAll('.now').forEach(each => each.classList.remove('now'))")
        seen = "each => getComputedStyle(each).opacity"
        assert acts.evaluate(seen) == ("1" if size == "phone" else "0")
        button = acts.get_by_role("button").first
        button.focus()
        assert acts.evaluate(seen) == "1"
        assert button.evaluate("each => getComputedStyle(each).borderTopColor") == "rgba(0, 0, 0, 0)"
        box, words = button.bounding_box(), fold.locator(".pre").last.bounding_box()
        assert box["height"] >= 24 and box["width"] >= 24
        assert box["y"] >= words["y"] + words["height"] - 1, "over the words"
        entry = fold.bounding_box()
        assert box["y"] + box["height"] <= entry["y"] + entry["height"] + 1, "over what follows"


def test_printing_keeps_the_conversation_and_drops_the_tools(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        page = opened.page
        page.emulate_media(media="print")
        assert not page.locator("header.bar").is_visible()
        assert not page.locator("#outline").is_visible()
        assert page.locator(".prompt").first.is_visible()
        assert (
            page.locator("body").evaluate("each => getComputedStyle(each.parentElement).backgroundColor")
            == "rgb(255, 255, 255)"
        )


OVERLAID = """() => {
  const found = [];
  const boxes = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return Array.from(range.getClientRects());
  };
  for (const own of document.querySelectorAll(".answer > .head > *, .pre > .copy")) {
    const words = own.closest(".pre")?.querySelector("pre") ?? own.closest(".answer").querySelector(":scope > .body");
    const at = own.getBoundingClientRect();
    const edge = words.getBoundingClientRect().right; // a long line of code is cut there, and scrolls
    const beside = (box) => box.left > at.right - 1 || Math.min(box.right, edge) < at.left + 1;
    const over = boxes(words).some((box) => !beside(box) && box.top < at.bottom - 1 && box.bottom > at.top + 1);
    if (at.width && over) found.push(own.className + " over " + words.textContent.slice(0, 40));
  }
  return found;
}"""


@pytest.mark.parametrize("width", [360, 500, 900, 1280])
def test_no_button_and_no_time_lies_over_the_words(visit: Visit, tmp_path: Path, width: int) -> None:
    """Without a mouse the buttons always show, and they hid the end of an answer's first line and of code."""
    long = "One finds the tests and the other checks all the stations that have no summer time. " * 6
    said = [
        Message(role="user", origin="prompt", blocks=(Text("Go on."),)),
        *(
            Message(role="assistant", origin="reply", model="m", id=f"r{n}", blocks=(Text(words),), time=WHEN)
            for n, words in enumerate((long, long, f"```\n{long}\n```\n"))
        ),
    ]
    page_file = tmp_path / "long-lines.html"
    write(Session(header=Header(id="long-lines"), entries=tuple(said)), "html", page_file)
    with visit(page_file, "phone", is_mobile=True) as opened:
        page = opened.page
        page.set_viewport_size({"width": width, "height": 1200})
        expect(page.locator(".answer .acts")).to_have_count(3)
        assert page.evaluate("matchMedia('(hover: none)').matches")
        assert page.evaluate(OVERLAID) == []
        page.emulate_media(media="print")
        assert page.evaluate(OVERLAID) == []


def test_a_task_has_a_box_and_no_bullet(visit: Visit, tmp_path: Path, soon: Soon) -> None:
    """A bullet stood before every box."""
    words = "- [x] Read the log\n- [ ] Write the test\n  - [ ] and its story\n- an item"
    said = Message(role="assistant", origin="reply", model="m", id="r", blocks=(Text(words),), time=WHEN)
    write(Session(header=Header(id="tasks"), entries=(said,)), "html", tmp_path / "tasks.html")
    with visit(tmp_path / "tasks.html", permissions=["clipboard-read", "clipboard-write"]) as opened:
        page = opened.page
        style = "all => all.map(each => getComputedStyle(each).listStyleType)"
        assert page.locator(".answer li").evaluate_all(style) == ["none", "none", "none", "disc"]
        left = """each => { const range = document.createRange(); range.selectNodeContents(each);
            return range.getBoundingClientRect().left; }"""
        box, item = (page.locator(".answer .body > ul > li").nth(n).evaluate(left) for n in (0, 2))
        assert item - 24 < box < item, "where the bullet would be"
        page.locator(".answer").hover()
        page.get_by_role("button", name="Copy this message as Markdown").click()
        soon(lambda: page.evaluate("navigator.clipboard.readText()").strip() == words)
