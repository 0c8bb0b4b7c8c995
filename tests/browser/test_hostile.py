"""Hostile text in every field that reaches a page: it stays text, and nothing of it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from dragoman.conversion import write
from dragoman.model import (
    AgentLink,
    Event,
    Header,
    Media,
    Message,
    Reasoning,
    Session,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
)

Visit = Callable[..., Any]

RUN = "window.pwned=1"
BREAKERS = ("", '"', "'", "`", ">", '">', "'>", "-->", "]]>", "</title>", "</style>", "</script>", "</noscript>", "</textarea>",
            "</pre></code>", "</details></summary>", "{{", "{%", "\\", "\x00", "\u2028", "\r\n\r\n", "&#34;>", "&quot;>")  # fmt: skip
CORES = (
    f"<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<body onload={RUN}>",
    f"<details open ontoggle={RUN}>",
    f"<math><mtext></mtext><mglyph><style><img src=x onerror={RUN}></style></mglyph></math>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'></noscript>",
    f'<a href="javascript:{RUN}" id=evil>x</a>',
    f"<form action=javascript:{RUN}><input autofocus onfocus={RUN}></form>",
    f"<style>@import 'javascript:{RUN}';*{{background:url(javascript:{RUN})}}</style>",
    "<base href=https://example.org/><link rel=stylesheet href=//example.org/x.css>",
    "<meta http-equiv=refresh content='0;url=https://example.org/'>",
)
MARKDOWN = (
    f"[x](javascript:{RUN})",
    f"[x](JaVaScRiPt:{RUN})",
    f"[x](java&#115;cript:{RUN})",
    f"[x](data:text/html,<script>{RUN}</script>)",
    f"[x](vbscript:{RUN})",
    "![x](https://example.org/spy.png)",
    "![x](//example.org/spy.png)",
    f'[x](https://example.org/" onmouseover="{RUN})',
    f"<javascript:{RUN}>",
    f"[x]: javascript:{RUN}\n\n[x]",
    f'```html" onmouseover="{RUN}\nx\n```',
    f"```<img src=x onerror={RUN}>\n<img src=x onerror={RUN}>\n```",
    f"| a |\n|---|\n| <img src=x onerror={RUN}> |",
    f'https://example.org/"onmouseover={RUN}',
    "\x1b]8;;javascript:window.pwned=1\x07link\x1b]8;;\x07 \x1b[31mred",
    "\u202e\u2066evil\u200b\u2069",
)
PAYLOADS = [before + core for core in CORES for before in BREAKERS] + [
    before + core for core in MARKDOWN for before in ("", "> ", "- ", '">')
]


def wreck(n: int, p: str) -> list[Message | Event]:
    """A turn with the payload in every field."""
    hurt = {"command": p, "description": p, "file_path": p, "old_string": p, "new_string": p + "x", p: p}
    calls = []
    results = []
    tools: list[tuple[str, Any, Any]] = [
        ("Bash", {"command": p, "description": p}, None),
        ("Edit", hurt, {"structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": ["-" + p, "+" + p]}], "filePath": p}),
        ("Read", {"file_path": p + ".py"}, {"file": {"content": p, "filePath": p, "startLine": 1}}),
        ("Grep", {"pattern": p, "path": p}, {"filenames": [p]}),
        ("TodoWrite", {"todos": [{"content": p, "status": p}]}, None),
        ("AskUserQuestion", {"questions": [{"question": p, "header": p, "options": [{"label": p, "description": p}]}]}, {"answers": {p: p}}),
        ("ExitPlanMode", {"plan": p}, None),
        ("WebSearch", {"query": p}, {"query": p, "results": [{"content": [{"title": p, "url": "javascript:window.pwned=1"}]}]}),
        ("WebFetch", {"url": p, "prompt": p}, {"url": p, "result": p}),
        ("NotebookEdit", {"notebook_path": p, "new_source": p, "cell_type": p}, None),
        ("Skill", {"skill": p, "args": p}, None),
        (p, {p: p}, p),
        ("mcp__" + p, p, [p]),
    ]  # fmt: skip
    for k, (name, arguments, structured) in enumerate(tools):
        call = f"{p}-{n}-{k}"
        given = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
        calls.append(ToolCall(id=call, name=name, arguments=given))
        results.append(
            ToolResult(
                call_id=call,
                content=(Text(text=p), Media(media_type=p, data="AAAA", name=p), Media(media_type=p, url=p), Unknown(kind=p, value={p: p})),
                structured=structured,
                outcome="rejected" if k % 3 == 0 else "ok",
                feedback=p,
                tool_name=name,
            )
        )  # fmt: skip
    return [
        Message(role="user", origin="prompt", uuid=p, blocks=(Text(text=p), Media(media_type="image/svg+xml", data=p, name=p))),
        Message(role="assistant", origin="reply", uuid=p, id=p, model=p, blocks=(Reasoning(text=p), Text(text=p), Text(text=f"words {p} words"), *calls, Unknown(kind=p, value=p))),
        Message(role="tool", origin="result", blocks=tuple(results)),
        Message(role="user", origin="injected", blocks=(Text(text=p),)),
        Message(role="user", origin="shell_output", blocks=(Text(text=p),)),
        Message(role="user", origin="slash_command", blocks=(Text(text=p),)),
        Event(kind="notice", name=p, text=p, data={p: p}),
        Event(kind="error", name=p, text=p + "\n" + p),
        Event(kind="compaction", name=p, text=p),
        Event(kind="title", text=p),
        Event(kind=p, name=p, text=p, data={p: [p]}),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def wrecked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    every = "".join(BREAKERS) + "".join(CORES)
    inner = Session(header=Header(id=every, title=every), entries=tuple(wreck(10_000, every)))
    agent = Subagent(
        agent_id=every,
        kind=every,
        description=every,
        links=(AgentLink(call_id=f"{PAYLOADS[0]}-0-0", evidence="result"),),
        session=inner,
    )
    loose = Subagent(agent_id="x" + every, kind=every, description=every, session=inner)
    header = Header(
        id=every, title=every, cwd=every, git_branch=every, models=(every,), agent=every, agent_version=every, provider=every,
        extra={"redaction": {"secrets": 1, "distinct": 1, "kinds": {every: 1}}},
    )  # fmt: skip
    entries = [entry for n, payload in enumerate(PAYLOADS) for entry in wreck(n, payload)]
    session = Session(header=header, entries=tuple(entries), subagents=(agent, loose))
    folder = tmp_path_factory.mktemp("wrecked")
    write(session, "html", folder / "page.html", embed=True)
    write(session, "html", folder / "page-only.html", only="conversation")
    return folder


def test_there_are_a_few_hundred() -> None:
    assert len(PAYLOADS) > 350


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_nothing_runs_and_nothing_is_loaded(visit: Visit, wrecked: Path, scripts: bool) -> None:
    with visit(wrecked / "page.html", "wide", scripts=scripts) as opened:
        page = opened.page
        if scripts:
            # Every body that a reader could open becomes elements, as opening it does.
            page.evaluate(
                """() => document.querySelectorAll("main noscript").forEach(each => {
                const holder = document.createElement("template");
                holder.innerHTML = each.textContent;
                each.replaceWith(holder.content);
            })"""
            )
            page.wait_for_timeout(300)
            assert page.evaluate("window.pwned") is None
        found = page.evaluate(
            """() => {
            const ours = new Set(["SCRIPT", "STYLE", "LINK", "META", "BASE", "IFRAME", "OBJECT", "EMBED", "FORM"]);
            const inside = [...document.querySelectorAll("main *")];
            return {
                strange: inside.filter(each => ours.has(each.nodeName)).map(each => each.outerHTML.slice(0, 200)),
                handlers: [...document.querySelectorAll("*")].flatMap(each => each.getAttributeNames())
                    .filter(name => name.startsWith("on") || name === "style"),
                links: [...document.querySelectorAll("main a[href], nav a[href]")].map(each => each.getAttribute("href"))
                    .filter(href => !/^(#|https?:|mailto:)/.test(href)),
                pictures: [...document.querySelectorAll("main img")].map(each => each.getAttribute("src"))
                    .filter(source => !source.startsWith("data:image/")),
                classes: [...new Set(inside.flatMap(each => [...each.classList]))].filter(name => !/^[a-z][a-z0-9-]{0,11}$/.test(name)),
                ids: inside.map(each => each.id).filter(id => id && !/^[a-z0-9-]+$/.test(id)),
                twice: inside.map(each => each.id).filter((id, n, all) => id && all.indexOf(id) !== n).length,
            };
        }"""
        )
        assert found == {
            "strange": [], "handlers": [], "links": [], "pictures": [], "classes": [], "ids": [], "twice": 0,
        }  # fmt: skip


def test_what_deceives_the_eye_is_made_visible(visit: Visit, wrecked: Path) -> None:
    content = (wrecked / "page-only.html").read_text()
    assert "⟦U+202E⟧" in content
    for hidden in ("\u202e", "\u2066", "\u200b", "\x1b", "\x00", "\u2028"):
        assert hidden not in content, repr(hidden)
