"""Whatever a transcript holds, a Markdown renderer that lets raw HTML through finds only ours."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_sessions import answers, call, result, says
from test_document import written

from dragoman.model import Event, Header, Media, Message, Session, Subagent, Text, ToolCall
from dragoman.writers.markdown import inline
from dragoman.writers.markdown.inline import clean
from dragoman.writers.markdown.prose import prose
from strategies import ODD, sessions

PARSER = MarkdownIt("gfm-like", {"html": True, "linkify": False})
OURS = {"details", "summary"}
MARKDOWN = {
    "p", "a", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "br",
    "table", "thead", "tbody", "tr", "th", "td", "s", "img",
}  # fmt: skip

HOSTILE = (
    "<script>pwn()</script>",
    "<img src=x onerror=pwn()>",
    "</details></summary><svg onload=pwn()>",
    "<!-- open comment",
    "<details open>",
    "<a href='javascript:pwn()'>x</a>",
    "[x](javascript:pwn())",
    "[x]( java&#115;cript:pwn() )",
    "[x](<javascript:pwn()>)",
    "[x][1]\n\n[1]: javascript:pwn()",
    "[1\n2]: javascript:pwn()\n[1 2]",
    "<javascript:pwn()>",
    "![x](https://tracker.example/x.png)",
    "![x](data:text/html;base64,PHNjcmlwdD4=)",
    "```\nunclosed <script>pwn()</script>",
    "~~~~ html\n</details>",
    "`` open ` <b> code",
    "`\n- <b onclick=pwn()>`",
    "| ` | <b onclick=pwn()> ` |\n|---|---|",
    "| a |\n|---|\n| `x | <b>` |",
    "- a\n  ```\n<script>pwn()</script>\n  ```",
    "text\n    ```\n    <script>pwn()</script>\n\n    ```",
    "> ```\nlazy <script>pwn()</script>",
    "[a](http://x \"`\") <script>pwn()</script> `",
    "http://a\\<script>pwn()</script>",
    "http://a`<b onclick=pwn()>`",
    "&lt;script&gt;&#60;b&#62;",
    "# Big\n\nUnder\n=====\n\nLine\n---",
    "<?php ?><![CDATA[ x ]]>",
    "<style>*{display:none}</style>",
    "\\<script>",
    "```a|b\n---\n<script>",
    "\u202e<b>\u202c \u200b&#x202e;&rlm;",
    "x\r<script>\r\n</script>",
    "\x1b]8;;javascript:pwn()\x07link\x1b]8;;\x07",
)  # fmt: skip


class Tags(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.depth = 0
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        self.depth += tag == "details"

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "details"
        if self.depth < 0:
            self.wrong.append("details closed too often")

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"comment {data[:20]}")

    def handle_decl(self, decl: str) -> None:
        self.wrong.append(f"declaration {decl[:20]}")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"instruction {data[:20]}")


def check(document: str) -> str:
    """Render it and assert that nothing in it is alive. Returns the HTML."""
    body = document.split("\n---\n", 1)[1]
    html = PARSER.render(body)
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert not tags.wrong and tags.depth == 0
    for tag, attributes in tags.seen:
        assert tag in OURS | MARKDOWN, f"<{tag}> comes through"
        assert not any(name.startswith("on") for name in attributes), attributes
        assert set(attributes) <= {"href", "src", "alt", "title", "class", "start", "style"}, attributes
        if tag in OURS:
            assert not attributes
        if "style" in attributes:
            assert re.fullmatch("text-align:(left|right|center)", attributes["style"] or "")
        link = attributes.get("href") or ""
        assert not re.match(r"\s*[a-z][a-z0-9+.-]*:", link, re.IGNORECASE) or re.match(
            r"(https?|mailto):", link, re.IGNORECASE
        ), link
        if tag == "img":
            assert re.match(
                r"talk-media/\d{3}\.\w{3}\Z|data:image/(png|jpeg|gif|webp);base64,", attributes["src"] or ""
            )
    assert html.count("<h1>") == 1, "the outline has one title"
    return html


def everywhere(words: str) -> Session:
    """The words in every field that reaches the page."""
    names = (
        "Bash", "Read", "Edit", "Write", "Grep", "TodoWrite", "AskUserQuestion", "ExitPlanMode", "WebSearch", "WebFetch",
        "NotebookEdit", "Agent", "Skill", "SendUserMessage", "MultiEdit", "TaskUpdate", "BashOutput", "mcp__a__b", words,
    )  # fmt: skip
    keys = (
        "command", "description", "file_path", "old_string", "new_string", "content", "pattern", "path", "plan", "query",
        "url", "prompt", "skill", "args", "message", "subagent_type", "new_source", "taskId", "status", "bash_id", words,
    )  # fmt: skip
    lists = {
        "todos": [{"content": words, "status": words}],
        "questions": [{"question": words, "header": words, "options": [{"label": words, "description": words}]}],
        "edits": [{"old_string": words, "new_string": words + "x"}],
    }
    arguments = dict.fromkeys(keys, words) | lists
    entries: list[Message | Event] = [
        says(words),
        Message(role="user", origin="slash_command", blocks=(Text(text=words),)),
        Message(role="user", origin="shell_input", blocks=(Text(text=words),)),
        Message(role="user", origin="command_output", blocks=(Text(text=words),)),
        Message(
            role="user", origin="injected", blocks=(Text(text=words), Media(media_type=words, url=words, name=words))
        ),
        Message(role="user", origin="prompt", blocks=(Text(text=words),), branch=words or "b"),
        *(
            Event(kind=kind, name=words, text=words, data={"hookErrors": [words]})
            for kind in ("title", "hook", "error", "link", "notice", "context", "compaction", "x")
        ),
        answers(words, *(call(f"c{n}", name, **arguments) for n, name in enumerate(names))),
        answers(ToolCall(id="raw", name=words, arguments=words)),
    ]
    for n, _ in enumerate(names):
        entries.append(
            result(f"c{n}", words, None, structured={"answers": {words: words}, "stderr": words}, feedback=words)
        )  # type: ignore[arg-type]
    entries.append(says("the end"))
    agent = Subagent(
        agent_id=words, kind=words, description=words, session=Session(header=Header(), entries=(says(words),))
    )
    header = Header(
        id=words, title=words, cwd=words, git_branch=words, models=(words,), agent=words, provider=words, format=words
    )
    return Session(header=header, entries=tuple(entries), subagents=(agent,))


@pytest.mark.parametrize("words", HOSTILE + ODD)
def test_nothing_comes_alive_anywhere(words: str, tmp_path: Path) -> None:
    html = check(written(everywhere(words), tmp_path))
    assert html.count("the end</p>") == 1, "what comes after is not swallowed"


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(session=sessions(depth=2))
def test_nothing_comes_alive_in_any_session(session: Session, tmp_path_factory: pytest.TempPathFactory) -> None:
    check(written(session, tmp_path_factory.mktemp("any")))


pieces = st.lists(
    st.sampled_from(
        (
            "<img src=x onerror=pwn()>", "</details>", "<!--", "-->", "<?", "`", "``", "```", "~~~", "\n", "\n\n", "\n    ", "\n  ",
            "\n- ", "\n1. ", "\n> ", "|", "\n|a|b|\n|-|-|\n|", " ", "a", "\t", "\\", "*", "[x](javascript:pwn())", "](", "[", "]: ",
            "[a]: javascript:pwn()", "![", "(", ")", '"', "&#x6a;", "&lt;", "<javascript:pwn()>", "http://a", "#", "# h",
            "\n===\n", "\n---\n", "\n-\n", "- ```", "\u00a0", "[^1]: ", ' "t`")',
        )
    ),
    max_size=16,
).map("".join)  # fmt: skip


@settings(deadline=None, max_examples=600)
@given(words=pieces, hard=st.booleans())
def test_prose_keeps_to_itself(words: str, hard: bool) -> None:
    html = PARSER.render(f"{prose(clean(words), 4, hard=hard)}\n\nEND [a] [^1]\n\n## Next\n")
    assert html.endswith("<p>END [a] [^1]</p>\n<h2>Next</h2>\n"), "it swallowed or changed what follows"
    tags = Tags()
    tags.feed(html)
    assert {tag for tag, _ in tags.seen} <= MARKDOWN - {"h1", "h3", "img"} and not tags.wrong


@settings(deadline=None)
@given(words=st.text("`~ab \n", max_size=80))
def test_a_fence_is_longer_than_what_it_holds(words: str) -> None:
    html = PARSER.render(inline.fence(words) + "\nEND\n")
    held = words if words.endswith("\n") or not words else words + "\n"
    assert html == f"<pre><code>{held}</code></pre>\n<p>END</p>\n"


@settings(deadline=None)
@given(words=st.text("`a \\*<|", max_size=40))
def test_a_code_span_holds_anything(words: str) -> None:
    line = " ".join(words.split())
    html = PARSER.renderInline(f"x {inline.code(words)} y")
    assert re.sub(r"</?code>", "", html).replace("&lt;", "<") == (f"x {line} y" if line else "x  y")


@settings(deadline=None)
@given(words=st.text(st.characters(codec="utf-8"), max_size=60) | st.sampled_from(HOSTILE))
def test_a_phrase_means_nothing(words: str) -> None:
    html = PARSER.renderInline(f"x {inline.phrase(words)} y")
    assert "<" not in html


@pytest.mark.parametrize(
    "words",
    [
        "plain",
        "- a\n- b\n\n1. c\n   ```py\n   x < 1\n   ```\n2. d",
        "```html\n<b>&amp;[x](javascript:1)</b>\n```",
        'see `a < b` and `<div>` and [x](https://e.org/a_(b)?c=d&e=f "t") and [y](src/a.py:12)',
        "<https://e.org> and a < b and AT&T",
        "| a | b |\n|---|---|\n| `x` | 1 |",
        "> quoted\n> ```\n> <b>\n> ```",
    ],
)
def test_honest_markdown_is_left_alone(words: str) -> None:
    assert prose(words, 4) == words


@pytest.mark.parametrize(
    ("words", "safe"),
    [
        ("# One\n## Two", "#### One\n##### Two"),
        ("## Two\n### Three", "#### Two\n##### Three"),
        ("###### Six", "###### Six"),
        ("Title\n=====", "Title\n\\====="),
        ("Title\n---", "Title\n\n---"),
        ("a <b> c", "a &lt;b> c"),
        ("```\nopen", "```\nopen\n```"),
        (
            "- x\n  ```\nwrongly indented\n```\nafter",
            "- x\n\n  ```\n  wrongly indented\n  ```\nafter".replace("\n\n", "\n", 1),
        ),
        ("[x](javascript:1)", "[x]\\(javascript:1)"),
        ("![x](https://e.org/x.png)", "\\![x](https://e.org/x.png)"),
        ("[a]: https://e.org", "\\[a]: https://e.org"),
        ("&rlm; &nbsp;", "&amp;rlm; &nbsp;"),
    ],
)
def test_what_becomes_of_it(words: str, safe: str) -> None:
    assert prose(words, 4) == safe


@pytest.mark.parametrize(
    "words",
    [
        "`" * 50_000,
        "`a" * 50_000,
        "[" * 100_000,
        "<" * 100_000,
        "> " * 50_000,
        "- " * 50_000,
        "```\n" * 50_000,
        "http://" * 30_000 + "`a`" * 30_000,
        "&#" * 50_000,
        "](" * 50_000,
        "\\" * 100_000,
        "[x](a(" * 20_000,
        "\n=" * 50_000,
        "| " * 50_000 + "\n" + "|-" * 50_000,
    ],
    ids=range(14),
)
def test_hostile_text_costs_no_more_than_its_length(words: str) -> None:
    prose(words, 4, hard=True)  # a quadratic reading of any of these takes minutes


@pytest.mark.parametrize(
    "words", ["Groupr! Once more", "a -> b", "about $0.31 in all", "≥ $2.39", "1,204 files (all)", "snake_case #4"]
)
def test_a_phrase_without_meaning_is_left_alone(words: str) -> None:
    r"""A title was `Groupr\! Once more`."""
    assert inline.phrase(words) == words


@pytest.mark.parametrize("words", ["$x$ and y", "$1$2 and $", "> quoted", "![x](y)", "a | b", "`x", "*x*", "_x_"])
def test_a_phrase_with_a_meaning_is_not(words: str) -> None:
    assert "\\" in inline.phrase(words)
