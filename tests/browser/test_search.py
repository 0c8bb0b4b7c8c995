"""Search, where it is more than a word in a page: repeated listings, filters, keys, links, and words that aren't there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from showcase import CODE, Talk, read_result

from dragoman.conversion import write
from dragoman.model import Session

Visit = Callable[..., Any]
Soon = Callable[[Callable[[], bool]], None]
MARKED = "[...CSS.highlights.get('found-now')][0].toString()"


def here(page: Page) -> str:
    """The id of the entry that the reader is at."""
    return page.locator(".e.now").get_attribute("id") or ""


def in_view(page: Page, selector: str) -> bool:
    box = page.locator(selector).bounding_box()
    return box is not None and 0 <= box["y"] < page.viewport_size["height"]


def repeating(fillers: int) -> Session:
    """Two files, each read twice: the second time both at once, in an order of their own."""
    one, other = (read_result(CODE.replace("Header", name)) for name in ("Quince", "Medlar"))
    t = Talk("repeating")
    t.say("prompt", "Compare the two.")
    t.call("Read", {"file_path": "/home/dev/one.py"}, one)
    t.call("Read", {"file_path": "/home/dev/other.py"}, other)
    for n in range(fillers):
        t.call("Bash", {"command": f"true {n}"}, "")
    t.say("prompt", "And again.")
    t.call("Read", {"file_path": "/home/dev/other.py"}, other)
    t.call("Read", {"file_path": "/home/dev/one.py"}, one)
    return t.session(title="The same twice")


@pytest.mark.parametrize("fillers", [0, 1600], ids=["short", "long"])
def test_a_repeated_listing_is_found_wherever_it_stands(visit: Visit, tmp_path: Path, fillers: int) -> None:
    """Copies are made when they come near, and search knew only the first one: a word in two turns was counted once."""
    write(repeating(fillers), "html", tmp_path / "same.html")
    with visit(tmp_path / "same.html", hash="#conversation") as opened:
        page = opened.page
        assert page.locator("noscript").count() > 1000 if fillers else page.locator("noscript").count() == 0
        once = CODE.count("Header")
        page.locator("#q").fill("quince")
        expect(page.locator("#count")).to_have_text(f"1 / {2 * once}")
        visited = []
        for n in range(1, 2 * once + 1):
            expect(page.locator("#count")).to_have_text(f"{n} / {2 * once}")
            assert page.evaluate(MARKED) == "Quince"
            visited.append(page.locator(".e.now").get_attribute("id"))
            page.keyboard.press("Enter")
        assert visited == [visited[0]] * once + [visited[-1]] * once
        assert visited[0] != visited[-1]
        page.locator("#q").fill("medlar parse")  # over the end of one listing there is nothing
        expect(page.locator("#count")).to_have_text("none")


@pytest.mark.parametrize("fillers", [0, 1600], ids=["short", "long"])
def test_a_copy_in_a_listings_entry_does_not_push_it_away(visit: Visit, tmp_path: Path, fillers: int) -> None:
    """A listing was counted among the copies beside it: where both were repeated, the wrong one was copied."""
    t = Talk("counted")
    t.say("prompt", "Ask the tracker.")
    same = {"filter": "assigned " * 90}
    t.call("mcp__tracker__find", same, "nothing")
    t.call("mcp__tracker__find", same, "a walnut in a row\n" * 50)
    for n in range(fillers):
        t.call("Bash", {"command": f"true {n}"}, "")
    t.call("mcp__tracker__again", {}, "a walnut in a row\n" * 50)
    write(t.session(title="Counted"), "html", tmp_path / "counted.html")
    with visit(tmp_path / "counted.html", hash="#conversation") as opened:
        page = opened.page
        page.locator("#q").fill("walnut")
        expect(page.locator("#count")).to_have_text("1 / 100")
        page.get_by_role("button", name="Previous match").click()
        expect(page.locator("#count")).to_have_text("100 / 100")
        assert page.evaluate(MARKED) == "walnut"
        assert page.locator(".e.now pre").inner_text().count("walnut") == 50


@pytest.mark.parametrize("size", ["phone", "wide"])
def test_what_the_filter_hides_is_counted(visit: Visit, pages: Path, size: str) -> None:
    """Words that stand only where the filter shows nothing were said to be nowhere."""
    with visit(pages / "everything.html", size) as opened:
        page = opened.page
        count = page.locator("#count")
        page.locator("#q").fill("badge")
        expect(count).to_have_text("1 / 5")
        assert count.get_attribute("aria-label") == "match 1 of 5"
        page.get_by_role("button", name="Filter").click()
        page.get_by_role("checkbox", name=re.compile("^Answers")).uncheck()
        expect(count).to_have_text("3 · 2 hidden")
        assert count.get_attribute("aria-label") == "3 matches, 2 hidden by the filter"
        page.get_by_role("button", name="Next match").click()
        expect(count).to_have_text("1 / 3 · 2 hidden")
        page.get_by_role("checkbox", name=re.compile("^Prompts")).uncheck()
        expect(count).to_have_text("none · 5 hidden by the filter")
        assert count.get_attribute("aria-label") == "no match, 5 hidden by the filter"
        field, told = page.locator("#q").bounding_box(), count.bounding_box()
        assert field["width"] > 80, "room to type"
        assert told["x"] >= field["x"] + field["width"]
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
        page.get_by_role("button", name="Show everything").click()
        expect(count).to_have_text("5")


def test_a_link_with_a_search_goes_on_from_its_message(visit: Visit, pages: Path) -> None:
    """Next went to the first match of the page, wherever the link led."""
    link = "#m44&q=badge"  # badges stand in m40, m42-p1, m46, m47 and m48
    with visit(pages / "everything.html", hash=link) as opened:
        page = opened.page
        count = page.locator("#count")
        expect(count).to_have_text("5")
        assert count.get_attribute("aria-label") == "5 matches"
        assert here(page) == "m44"
        page.keyboard.press("n")
        expect(count).to_have_text("3 / 5")
        assert here(page) == "m46"
    with visit(pages / "everything.html", hash=link) as opened:
        page = opened.page
        expect(page.locator("#count")).to_have_text("5")
        page.get_by_role("button", name="Previous match").click()
        expect(page.locator("#count")).to_have_text("2 / 5")
        assert here(page) == "m42-p1"
    with visit(pages / "everything.html", hash="#m42&q=badge") as opened:
        page = opened.page
        expect(page.locator("#count")).to_have_text("5")
        page.locator("#q").press("Enter")
        expect(page.locator("#count")).to_have_text("2 / 5")


def test_a_link_may_hold_a_search_alone(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html", hash="#q=notes.pdf&show=prompt") as opened:
        page = opened.page
        assert page.locator("#q").input_value() == "notes.pdf"
        expect(page.locator("#count")).to_have_text("1 / 1")
        assert here(page) == "m40"
        page.locator("#q").fill("nowhere at all")
        page.get_by_role("button", name="Show everything").click()
        expect(page).to_have_url(re.compile(r"#m40&q=nowhere\+at\+all$"))


def test_a_link_to_what_its_filter_hides_leads_to_what_follows(visit: Visit, pages: Path) -> None:
    """It opened at the top, and said nothing."""
    with visit(pages / "everything.html", "phone", hash="#m42&q=badge&show=prompt") as opened:
        page = opened.page
        expect(page.get_by_role("status").last).to_have_text(
            "The filter hides the message of this link: here is the nearest"
        )
        assert here(page) == "m44"
        filters = page.locator("#filters").bounding_box()
        assert page.locator("#m44").bounding_box()["y"] >= filters["y"] + filters["height"], (
            "below the filters, not behind"
        )
        page.get_by_role("button", name="Next match").click()
        assert here(page) == "m46"
    with visit(pages / "everything.html", hash="#m49&show=thinking") as opened:
        assert opened.page.locator(".e.now").get_attribute("data-k") == "thinking", (
            "nothing follows: what stands before"
        )
    with visit(pages / "everything.html", hash="#m49&show=none") as opened:
        expect(opened.page.get_by_role("status").last).to_have_text("The filter hides the message of this link")


@pytest.mark.parametrize("size", ["phone", "wide"])
def test_the_field_is_gone_to_without_moving_the_page(visit: Visit, pages: Path, size: str) -> None:
    """The bar lay within the page's scroll padding: to show the field in it, Chromium scrolled up by a screen."""
    with visit(pages / "long.html", size) as opened:
        page = opened.page
        page.evaluate("scrollTo(0, 5000)")
        page.wait_for_timeout(300)
        before = page.evaluate("scrollY")
        page.keyboard.press("/")
        page.keyboard.type("é")
        expect(page.locator("#count")).to_have_text("none")
        # What lies above may get its real height meanwhile, and the browser makes up for it.
        assert abs(page.evaluate("scrollY") - before) < 200


@pytest.mark.parametrize("name", ["everything.html", "long.html"])
def test_words_that_are_nowhere_lead_back(visit: Visit, pages: Path, name: str, soon: Soon) -> None:
    """The first letters took the reader to the other end of the page, and the last ones left him there."""
    with visit(pages / name, hash="#conversation") as opened:
        page = opened.page
        at = page.locator("main > .turn > .prompt").nth(1)
        at.scroll_into_view_if_needed()
        page.keyboard.press("j")
        page.wait_for_timeout(200)
        place, before, address = here(page), at.bounding_box(), page.url
        page.locator("#q").focus()
        page.keyboard.type("blue" if name == "everything.html" else "module number 140")
        expect(page.locator("#count")).to_have_text(re.compile(r"^1 / "))
        assert here(page) != place
        assert not in_view(page, f"#{place}")
        page.keyboard.type(" giraffe")
        expect(page.locator("#count")).to_have_text("none")
        soon(lambda: here(page) == place and abs(at.bounding_box()["y"] - before["y"]) < 60)  # no screen further
        assert page.url.partition("&")[0] == address
        for _ in range(len(" giraffe")):
            page.keyboard.press("Backspace")
        expect(page.locator("#count")).to_have_text(re.compile(r"^1 / "))
        page.keyboard.press("Enter")
        taken = here(page)
        page.keyboard.type(" giraffe")
        expect(page.locator("#count")).to_have_text("none")
        assert here(page) == taken, "a match that one went on to is a place of one's own"


@pytest.mark.parametrize("size", ["phone", "wide"])
def test_escape_leaves_the_field_and_then_the_search(visit: Visit, pages: Path, size: str) -> None:
    """It wiped the search, so that n and N, letters in the field, could never be pressed."""
    with visit(pages / "everything.html", size) as opened:
        page = opened.page
        count = page.locator("#count")
        page.keyboard.press("/")
        page.keyboard.type("badge")
        expect(count).to_have_text("1 / 5")
        page.keyboard.press("Escape")
        assert page.locator("#q").input_value() == "badge"
        expect(count).to_have_text("1 / 5")
        focused = "document.activeElement.closest('.e').id"
        assert page.evaluate(focused) == here(page) == "m40"
        page.keyboard.press("n")
        expect(count).to_have_text("2 / 5")
        assert page.evaluate(focused) == here(page) == "m42-p1"
        assert page.evaluate(MARKED) == "badge"
        page.keyboard.press("N")
        page.keyboard.press("N")
        expect(count).to_have_text("5 / 5")
        page.keyboard.press("/")
        page.keyboard.press("Enter")
        expect(count).to_have_text("1 / 5")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        expect(count).to_be_empty()
        assert page.locator("#q").input_value() == ""
        assert page.evaluate("CSS.highlights.size") == 0
        expect(page).not_to_have_url(re.compile("q="))
    with visit(pages / "everything.html", size) as opened:
        page = opened.page
        page.keyboard.press("/")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.id") == "conversation", "without a search too"
