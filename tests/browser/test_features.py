"""Every feature of finding one's way, used as a person would."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

Visit = Callable[..., Any]
Soon = Callable[[Callable[[], bool]], None]
SIZES = ("phone", "tablet", "wide")
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


def in_view(page: Page, selector: str) -> bool:
    box = page.locator(selector).first.bounding_box()
    size = page.viewport_size
    return box is not None and box["y"] < size["height"] and box["y"] + box["height"] > 0


def here(page: Page) -> str:
    """The id of the entry that the reader is at."""
    return page.locator(".e.now").get_attribute("id") or ""


def matches(page: Page) -> tuple[int, int]:
    """Which match of how many."""
    expect(page.locator("#count")).to_have_text(re.compile(r"^\d+ / \d+$"))
    at, _, total = page.locator("#count").inner_text().partition(" / ")
    return int(at), int(total)


@pytest.mark.parametrize("size", SIZES)
def test_the_outline_leads_to_prompts(visit: Visit, pages: Path, size: str) -> None:
    with visit(pages / "everything.html", size) as opened:
        page = opened.page
        link = page.locator("#outline a", has_text="blue badge")
        if size == "phone":
            expect(link).not_to_be_in_viewport()
            page.get_by_role("button", name="Outline of the prompts").click()
            expect(link).to_be_in_viewport()
        link.click()
        if size == "phone":
            expect(link).not_to_be_in_viewport()
        target = link.get_attribute("href")
        expect(page.locator(f"{target} .body")).to_be_in_viewport()
        expect(page).to_have_url(re.compile(re.escape(str(target)) + "$"))
        if size != "phone":
            expect(page.locator("#outline a[aria-current]")).to_have_count(1)


def test_the_outline_can_be_put_away(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html", "tablet") as opened:
        page = opened.page
        button = page.get_by_role("button", name="Outline of the prompts")
        assert button.get_attribute("aria-expanded") == "true"
        button.click()
        expect(page.locator("#outline")).to_be_hidden()
        assert button.get_attribute("aria-expanded") == "false"


def test_a_drawer_is_left_by_escape_and_by_a_tap_beside_it(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html", "phone") as opened:
        page = opened.page
        button = page.get_by_role("button", name="Outline of the prompts")
        button.click()
        page.keyboard.press("Escape")
        expect(page.locator("#outline")).not_to_be_in_viewport()
        button.click()
        page.mouse.click(350, 500)
        expect(page.locator("#outline")).not_to_be_in_viewport()


@pytest.mark.parametrize("size", SIZES)
def test_search_counts_marks_and_goes_from_match_to_match(visit: Visit, pages: Path, size: str) -> None:
    with visit(pages / "everything.html", size) as opened:
        page = opened.page
        page.locator("#q").click()
        page.keyboard.type("PARSE")
        at, total = matches(page)
        assert at == 1
        assert total > 10
        marked = "[...CSS.highlights.get('found-now')][0].toString()"
        assert page.evaluate(marked).lower() == "parse"
        assert page.evaluate("CSS.highlights.get('found').size") >= 2
        page.keyboard.press("Enter")
        assert matches(page) == (2, total)
        page.get_by_role("button", name="Next match").click()
        assert matches(page) == (3, total)
        page.get_by_role("button", name="Previous match").click()
        page.get_by_role("button", name="Previous match").click()
        page.get_by_role("button", name="Previous match").click()
        assert matches(page) == (total, total), "round the corner"
        assert page.evaluate(marked).lower() == "parse"
        page.locator("#q").press("Escape")
        page.keyboard.press("Escape")
        expect(page.locator("#count")).to_be_empty()
        assert page.evaluate("CSS.highlights.size") == 0


def test_search_finds_and_opens_what_is_folded(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        page = opened.page
        page.keyboard.press("/")
        page.keyboard.type("usage: dump.py")
        assert matches(page) == (1, 1)
        expect(page.get_by_text("usage: dump.py [-h] FILE")).to_be_in_viewport()
        frame = page.locator(".pre", has=page.get_by_text("usage: dump.py [-h] FILE"))
        expect(frame.get_by_role("button")).to_have_count(1)  # opened, it got its button: that moved the words
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate("[...CSS.highlights.get('found-now')][0].toString()") == "usage: dump.py"
        assert page.evaluate("[...CSS.highlights.get('found')].every((range) => range.toString())")


def test_search_in_a_long_page_looks_into_what_is_not_there_yet(visit: Visit, pages: Path) -> None:
    with visit(pages / "long.html") as opened:
        page = opened.page
        page.keyboard.press("/")
        page.keyboard.type("needle-77-2")
        assert matches(page) == (1, 1)
        expect(page.get_by_text("needle-77-2")).to_be_in_viewport()
        page.locator("#q").fill("needle-")
        assert matches(page)[1] == 600
        page.locator("#q").fill("assert 5 < 6 & 'nothing'")
        expect(page.locator("#count")).to_have_text("none")


def test_words_match_over_line_ends_and_marks_are_no_expressions(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        page = opened.page
        page.locator("#q").fill("characters. please find")
        assert matches(page) == (1, 1)
        page.locator("#q").fill("value[:width]")
        assert matches(page)[1] >= 2
        page.locator("#q").fill("مرحبا")
        assert matches(page)[1] >= 1


@pytest.mark.parametrize("size", SIZES)
def test_filters(visit: Visit, pages: Path, size: str) -> None:
    with visit(pages / "everything.html", size) as opened:
        page = opened.page
        page.get_by_role("button", name="Filter").click()
        for kind in ("Answers", "Thinking", "Tools", "Notes"):
            page.get_by_role("checkbox", name=re.compile(f"^{kind}")).uncheck()
        shown = page.locator(".e.hit:visible")
        assert set(shown.evaluate_all("all => all.map(each => each.dataset.k)")) <= {"prompt", "note"}
        expect(page.locator("main > .turn > .answer:visible")).to_have_count(0)
        expect(page.locator("#shown")).to_have_text(re.compile(r"^\d+ of \d+ shown$"))
        expect(page).to_have_url(re.compile("show=prompt"))
        page.get_by_role("button", name="Show everything").click()
        assert page.locator("main > .turn > .answer:visible").count() > 2
        page.get_by_label("Errors only").check()
        visible = page.locator(".e.hit:visible")
        assert visible.count() >= 2
        assert all("err" in classes for classes in visible.evaluate_all("all => all.map(each => each.className)"))
        page.get_by_label("Errors only").uncheck()
        page.locator("#f-tool").select_option(label="Grep (2)")
        expect(page.locator(".e.hit")).to_have_count(2)
        expect(page.locator(".e.hit").last).to_be_visible()
        page.locator("#f-tool").select_option("")
        page.locator("#f-agent").select_option(label="Check the scripts")
        expect(page.get_by_text("python scripts/dump.py --help").first).to_be_visible()
        expect(page).to_have_url(re.compile("agent="))


def test_search_stays_within_the_filter(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        page = opened.page
        page.locator("#q").fill("badge")
        everywhere = matches(page)[1]
        page.get_by_role("button", name="Filter").click()
        page.get_by_role("checkbox", name=re.compile("^Answers")).uncheck()
        expect(page.locator("#count")).not_to_have_text(re.compile(f"{everywhere}$"))


def test_keys(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        page = opened.page
        page.keyboard.press("j")
        first = here(page)
        assert page.locator(f"#{first}").get_attribute("data-k") == "prompt"
        page.keyboard.press("j")
        second = here(page)
        assert second != first
        page.keyboard.press("k")
        assert here(page) == first
        page.keyboard.press("j")
        details = page.locator(f"#{second} > details")
        page.keyboard.press("o")
        assert details.evaluate("each => each.open")
        page.keyboard.press("o")
        assert not details.evaluate("each => each.open")
        page.keyboard.press("k")
        page.keyboard.press("o")
        assert page.locator(f".turn:has(#{first}) .fold > details[open]").count() > 8, "on a prompt: all that follows"
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "q"
        page.keyboard.type("jjj")
        assert page.locator("#q").input_value() == "jjj", "keys are letters while one types"
        page.keyboard.press("Escape")
        assert page.locator("#q").input_value() == "jjj", "out of the field"
        page.keyboard.press("Escape")
        assert page.locator("#q").input_value() == "", "the end of the search"
        page.keyboard.press("Escape")
        expect(page.locator(".e.now")).to_have_count(0)


def test_keys_in_a_long_page(visit: Visit, pages: Path, soon: Soon) -> None:
    with visit(pages / "long.html") as opened:
        page = opened.page
        for _ in range(5):
            page.keyboard.press("j")
        expect(page.locator(".e.now")).to_be_in_viewport()
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.keyboard.press("Escape")
        page.wait_for_timeout(300)
        page.keyboard.press("k")
        expect(page.locator(".e.now")).to_be_in_viewport()
        soon(lambda: page.evaluate("scrollY") > 5000)


@pytest.mark.parametrize("size", SIZES)
def test_copying(visit: Visit, pages: Path, size: str, soon: Soon) -> None:
    with visit(pages / "everything.html", size, **CLIPBOARD) as opened:
        page = opened.page

        def clipboard() -> str:
            return str(page.evaluate("navigator.clipboard.readText()"))

        answer = page.locator(".answer", has_text="There are three ways out")
        answer.scroll_into_view_if_needed()
        answer.hover()
        answer.get_by_role("button", name="Copy this message as Markdown").click()
        expect(page.get_by_role("status").last).to_have_text("Markdown copied")
        copied = clipboard()
        assert "The default of `width` is the culprit: **values are cut, not folded**." in copied
        assert "| Way | Effort | Keeps old callers |\n| --- | --- | --- |\n| Drop `width` | small | no |" in copied
        assert "1. `parse` keeps the whole value\n2. `Header.folded` says whether it *needs* folding" in copied
        assert "```python\ndef parse(line: str) -> Header:\n    name, _, value" in copied
        assert "> Lines longer than 78 characters SHOULD be folded" in copied
        answer.locator(".pre").hover()
        answer.get_by_role("button", name="Copy this text").click()
        soon(lambda: clipboard().startswith("def parse(line: str) -> Header:\n    name"))
        answer.hover()
        answer.get_by_role("button", name="Copy a link to this message").click()
        link = f"file://{pages}/everything.html#{answer.get_attribute('id')}"
        soon(lambda: clipboard() == link)
        fold = page.locator(".fold", has_text="src/headers.py · +3 −2")
        fold.locator("summary").first.click()
        fold.locator(".pre").hover()
        fold.get_by_role("button", name="Copy this text").click()
        diff = "− def parse(line: str, width: int = 78) -> Header:\n+ def parse(line: str) -> Header:\n"
        soon(lambda: diff in clipboard())
        read = page.locator(".fold", has_text="src/headers.py · 20 lines")
        read.locator("summary").click()
        read.locator(".pre").hover()
        read.get_by_role("button", name="Copy this text").click()
        soon(lambda: clipboard().startswith('"""Reads headers."""\nfrom __future__'))


@pytest.mark.parametrize("size", SIZES)
def test_a_link_leads_to_its_message_and_opens_it(visit: Visit, pages: Path, size: str) -> None:
    with visit(pages / "everything.html", size) as opened:
        inner = opened.page.locator(".inner .inner .fold").first.get_attribute("id")
    with visit(pages / "everything.html", size, hash=f"#{inner}") as opened:
        page = opened.page
        expect(page.locator(f"#{inner} > details > summary")).to_be_in_viewport()
        expect(page.locator(f"#{inner}").get_by_text("usage: dump.py")).to_be_visible()
        assert here(page) == inner


def test_the_state_is_in_the_address(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        page = opened.page
        page.locator("#q").fill("badge")
        matches(page)
        page.get_by_role("button", name="Filter").click()
        page.get_by_role("checkbox", name=re.compile("^Thinking")).uncheck()
        expect(page).to_have_url(re.compile("q=badge.*show="))
        address = page.url
    with visit(pages / "everything.html", hash="#" + address.partition("#")[2]) as opened:
        page = opened.page
        assert page.locator("#q").input_value() == "badge"
        expect(page.locator("#count")).to_have_text(re.compile(r"\d"))
        assert not page.get_by_role("checkbox", name=re.compile("^Thinking")).is_checked()
        expect(page.locator("#filters")).to_be_visible()


def test_going_back_leads_back(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        page = opened.page
        links = page.locator("#outline a")
        links.nth(1).click()
        first = page.url
        links.nth(3).click()
        page.go_back()
        expect(page).to_have_url(first)
        expect(page.locator(str(links.nth(1).get_attribute("href")))).to_be_in_viewport()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_follow_the_reader(visit: Visit, pages: Path, scheme: str) -> None:
    def paper(page: Page) -> int:
        colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        return sum(int(part) for part in re.findall(r"\d+", colour)[:3])

    with visit(pages / "everything.html", "wide", scheme) as opened:
        page = opened.page
        assert (paper(page) > 400) is (scheme == "light")
        page.locator("#b-theme").click()
        assert (paper(page) > 400) is (scheme == "dark")
        other = "light" if scheme == "dark" else "dark"
        assert page.evaluate("localStorage.getItem('dragoman-theme')") == other
        for _ in range(
            5
        ):  # Chromium stores beside the page: a reload right after may, once in a thousand, be too early
            page.reload()
            if page.locator("html").get_attribute("data-theme") is not None:
                break
        assert page.locator("html").get_attribute("data-theme") == other, "the choice is kept"
        assert (paper(page) > 400) is (scheme == "dark")


def test_the_timeline_leads_there_and_says_it_in_words(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        page = opened.page
        page.locator(".timeline svg a:has(.x)").first.click()
        expect(page).to_have_url(re.compile("#."))
        target = page.url.partition("#")[2]
        assert "err" in (page.locator(f"#{target}").get_attribute("class") or "")
        expect(page.locator(f"#{target}")).to_be_in_viewport()
        page.get_by_text("The timeline as a list").click()
        page.locator(".as-list a", has_text="blue badge").click()
        expect(page.locator(".prompt", has_text="blue badge")).to_be_in_viewport()


def test_everything_can_be_opened_and_folded(visit: Visit, pages: Path) -> None:
    with visit(pages / "long.html") as opened:
        page = opened.page
        button = page.get_by_role("button", name="Open everything that is folded")
        button.click()
        page.locator(".fold", has_text="module_0_0.py").first.scroll_into_view_if_needed()
        expect(page.locator(".fold pre").first).to_be_visible()
        button.click()
        expect(page.locator("main .e > details[open]")).to_have_count(0)


def test_a_bodys_buttons_lie_over_none_of_its_words(visit: Visit, pages: Path) -> None:
    """Where an abandoned branch was open, its buttons stood on the last line of its last message."""
    with visit(pages / "everything.html", "phone") as opened:
        page = opened.page
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        for turn in page.locator("main > .turn").all():  # each gets its buttons when it comes near
            turn.scroll_into_view_if_needed()
        expect(page.locator("main > .turn").last.locator(".acts").first).to_be_attached()
        covered = page.evaluate(
            """[...document.querySelectorAll('.body > .acts')].filter((acts) => {
              const own = acts.getBoundingClientRect();
              const before = acts.previousElementSibling && acts.previousElementSibling.getBoundingClientRect();
              return own.height && before && before.bottom > own.top + 1;
            }).length"""
        )
        assert covered == 0
        assert page.locator(".body > .acts").count() > 3
