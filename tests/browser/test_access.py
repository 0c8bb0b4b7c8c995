"""axe-core finds nothing serious, at every size and in both colours, with everything open as well."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from showcase import Talk

from dragoman.conversion import write
from dragoman.model import AgentLink, Subagent

Visit = Callable[..., Any]
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.is_file():
        if os.environ.get("CI"):
            pytest.fail("axe-core is missing, and CI must have it: npm install in tests/browser")
        pytest.skip("axe-core is not here: npm install in tests/browser")
    return AXE.read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["phone", "tablet", "wide"])
def test_nothing_serious(visit: Visit, pages: Path, axe: str, size: str, scheme: str) -> None:
    with visit(pages / "everything.html", size, scheme, bypass_csp=True) as opened:
        page = opened.page
        page.get_by_role("button", name="Filter").click()
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        page.wait_for_timeout(300)
        page.evaluate(axe)
        result = page.evaluate("rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']})", RULES)
        found = [
            f"{each['id']} ({each['impact']}): {node['html'][:140]} {node['any'][0]['message'][:160] if node['any'] else ''}"
            for each in result["violations"]
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"][:4]
        ]
        assert found == []


def violations(page: Any, axe: str, rule: str) -> list[str]:
    """What breaks one of axe's rules, with everything open."""
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.evaluate(axe)
    result = page.evaluate("rule => axe.run(document, {runOnly: [rule], resultTypes: ['violations']})", rule)
    return [node["html"][:140] for each in result["violations"] for node in each["nodes"]]


def test_agents_of_the_same_name_are_no_landmarks(visit: Visit, tmp_path: Path, axe: str) -> None:
    """Each agent was a region of the page: two of one name couldn't be told apart in a list of landmarks."""
    talk = Talk("twins")
    talk.say("prompt", "Look twice.")
    agents = []
    for n in range(2):
        call = talk.call("Task", {"description": "Look", "prompt": "Look.", "subagent_type": "Explore"}, "Seen.")
        inner = Talk(f"twin-{n}")
        inner.say("task", "Look.")
        inner.reply("Seen.")
        link = AgentLink(call_id=call, evidence="result")
        agents.append(
            Subagent(agent_id=f"t{n}", kind="Explore", description="Look", links=(link,), session=inner.session())
        )
    (path,) = write(talk.session(*agents), "html", tmp_path / "twins.html")
    with visit(path, bypass_csp=True) as opened:
        assert violations(opened.page, axe, "landmark-unique") == []
        expect(opened.page.get_by_role("group", name="Agent: Look")).to_have_count(2)


def test_headings_skip_no_level(visit: Visit, tmp_path: Path, axe: str) -> None:
    """Messages that begin with `##`, agents without a task, and answers before the first prompt left levels out."""
    talk = Talk("headed")
    talk.say("injected", "## Rules\n\nBe brief.")
    talk.reply("### Ready\n\nGo on.")
    talk.say("prompt", "## Look\n\n#### Closely\n\nPlease.")
    talk.reply("## Found\n\nNothing.\n\n#### Where\n\nHere.\n\n# End")
    agents = []
    for n in range(2):
        call = talk.call("Task", {"description": f"Look {n}", "prompt": "Look."}, "## Seen\n\nIt.")
        inner = Talk(f"inner-{n}")
        if n:
            inner.say("task", "## Look\n\nLook.")
        inner.reply("### Seen\n\nIt.\n\n##### Where\n\nHere.")
        link = AgentLink(call_id=call, evidence="result")
        agents.append(Subagent(agent_id=f"h{n}", kind="Explore", links=(link,), session=inner.session()))
    talk.say("prompt", "Left", branch="b")
    talk.reply("## Of a branch", branch="b")
    (path,) = write(talk.session(*agents), "html", tmp_path / "headed.html")
    with visit(path, bypass_csp=True) as opened:
        assert violations(opened.page, axe, "heading-order") == []
        assert opened.page.locator("main :is(h3, h4, h5)").count() > 10


def test_headings_and_landmarks(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        page = opened.page
        assert page.get_by_role("main").count() == 1
        assert page.get_by_role("navigation", name="Prompts").count() == 1
        assert page.get_by_role("search").count() == 1
        assert page.get_by_role("heading", level=1).count() == 1
        assert page.locator("main h2").count() >= 6, "a heading a prompt"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the conversation"


@pytest.mark.parametrize(("size", "least"), [("phone", 44), ("wide", 24)])
def test_split_pages_say_where_one_is_and_where_to_go_on(visit: Visit, pages: Path, size: str, least: int) -> None:
    """The links were bare digits in a paragraph: nothing said what "2" was, and a finger had 9 by 22 pixels of it."""
    last = len(list((pages / "split").iterdir()))
    with visit(pages / "split" / "talk-2.html", size) as opened:
        page = opened.page
        listed = page.get_by_role("navigation", name="Pages of this conversation")
        links = listed.get_by_role("link")
        expect(links).to_have_count(last - 1)
        expect(links.first).to_have_accessible_name("Page 1")
        expect(listed.locator("[aria-current=page]")).to_have_text("Page 2")
        steps = page.get_by_role("navigation", name="Previous and next page")
        expect(steps).to_contain_text(f"Page 2 of {last}")
        expect(steps.get_by_role("link", name="Next page")).to_have_attribute("href", "talk-3.html")
        for box in [link.bounding_box() for link in [*links.all(), *steps.get_by_role("link").all()]]:
            assert box["width"] >= least
            assert box["height"] >= least
        steps.get_by_role("link", name="Previous page").click()
        expect(page).to_have_url(re.compile("/talk.html$"))
        expect(page.get_by_role("link", name="Previous page")).to_have_count(0)
        opened.requests.clear()
    with visit(pages / "split" / f"talk-{last}.html", size) as opened:
        expect(opened.page.get_by_role("link", name="Previous page")).to_have_count(1)
        expect(opened.page.get_by_role("link", name="Next page")).to_have_count(0)


def test_reduced_motion_is_respected(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html", "phone", reduced_motion="reduce") as opened:
        assert opened.page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
        assert opened.page.locator("#outline").evaluate("each => getComputedStyle(each).transitionDuration") == "0s"


def test_directions_follow_the_text(visit: Visit, pages: Path) -> None:
    with visit(pages / "everything.html") as opened:
        item = opened.page.locator("li", has_text="أول اختبار").last
        assert item.evaluate("each => getComputedStyle(each).direction") == "rtl"
