"""Markdown of agents and people as safe HTML, for the formats that show it formatted.

Raw HTML is text. Links go to http, https and mailto only; pictures are named, never loaded. Headings move down
by `shift`, so that an answer can't break the page's outline. A name such as `__init__` isn't bold. Invisible and bidi characters become visible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from dragoman.render import ansi, text

Highlight = Callable[[str, str], str]
"""Code and its language (untrusted, perhaps empty) to safe HTML for the inside of `<code>`, or "" to leave it plain."""

LONGEST = 400_000
"""Characters that are parsed at once; a longer text is shown as it stands (people don't write such Markdown)."""

_NAME = re.compile(r"(?<![\w\\])__\w+")
_PLAIN = re.compile(r"[^\W_][\w ,.;:()'’“”/?%…–—-]*")
_NUMBERED = re.compile(r"\d{1,9}[.)](?: |\Z)")
_SAFE = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s<>\"'`|\\^{}⟦⟧]{0,2000}[^\s<>\"'`|\\^{}⟦⟧.,;:!?)\]*_~]")
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_DIRECTED = re.compile(r"<(p|li|h[1-6]|blockquote|td|th)>")
_RUNS = re.compile(r"[\[\]]{60}|[*_]{400}|[<>]{400}|(?:!?\[){60}|(?:> ?){60}|(?:[*_] ?){400}")


def linked(words: str) -> str:
    """Words as HTML, the web addresses in them as links."""
    if "://" not in words:
        return escape(words, quote=False)
    made: list[str] = []
    at = 0
    for match in _URL.finditer(words):
        url = escape(match[0])
        made += escape(words[at : match.start()], quote=False), f'<a href="{url}" rel="noopener noreferrer">{url}</a>'
        at = match.end()
    made.append(escape(words[at:], quote=False))
    return "".join(made)


class Markdown:
    """A renderer. It keeps what it rendered, since transcripts repeat themselves."""

    def __init__(self, *, highlight: Highlight | None = None, shift: int = 2, kept: int = 2000) -> None:
        self._parser = MarkdownIt(
            "js-default", {"html": False, "linkify": False, "typographer": False, "maxNesting": 40}
        )
        self._parser.inline.ruler.before("emphasis", "name", _name)
        self._parser.validateLink = _is_safe  # type: ignore[method-assign]
        self._shift = shift
        self._highlight = highlight
        self._kept: dict[str, str] = {}
        self._limit = kept
        for name, rule in (
            ("text", _text),
            ("image", self._image),
            ("fence", self._fence),
            ("code_block", self._fence),
        ):
            self._parser.add_render_rule(name, _as_rule(rule))
        self._parser.add_render_rule("heading_open", _as_rule(self._heading))
        self._parser.add_render_rule("heading_close", _as_rule(self._heading))
        self._parser.add_render_rule("link_open", _as_rule(_link_open))
        self._parser.add_render_rule("td_open", _as_rule(_cell_open))
        self._parser.add_render_rule("th_open", _as_rule(_cell_open))

    def html(self, source: str) -> str:
        """The HTML of a text: blocks, without a wrapper."""
        kept = self._kept.get(source)
        if kept is not None:
            return kept
        made = self._make(source)
        if len(self._kept) >= self._limit:
            self._kept.clear()
        self._kept[source] = made
        return made

    def _make(self, source: str) -> str:
        words = text.visible(ansi.strip(source))
        if _PLAIN.fullmatch(words) and "//" not in words and not _NUMBERED.match(words):
            made = f"<p>{escape(words.rstrip(), quote=False)}</p>\n"
        elif len(words) > LONGEST or _RUNS.search(words):
            made = f'<pre class="plain">{escape(words, quote=False)}</pre>\n'
        else:
            made = text.visible(self._parser.render(words))  # again: it decodes entities, and addresses
            if "[ ]" in made or "[x]" in made or "[X]" in made:
                made = _checkboxes(made)
        return _DIRECTED.sub(r'<\1 dir="auto">', made) if not words.isascii() and _RTL.search(words) else made

    def _image(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        words = "".join(child.content for child in token.children or ())
        source = token.attrGet("src")
        return f'<span class="picture" title="{escape(str(source or ""))}">{escape(words) or "picture"}</span>'

    def _fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
        code = self._highlight(token.content, language) if self._highlight is not None else ""
        named = f' data-language="{escape(language)}"' if language else ""
        return f"<pre{named}><code>{code or escape(token.content, quote=False)}</code></pre>\n"

    def _heading(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        level = min(6, int(token.tag[1]) + self._shift)
        return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"


def _name(state: StateInline, silent: bool) -> bool:
    """`__init__` is a name of a program, and no emphasis, in prompts above all."""
    if state.src[state.pos] != "_":
        return False
    match = _NAME.match(state.src, state.pos, state.posMax)
    if match is None or len(match[0]) < 5 or not match[0].endswith("__"):
        return False
    if not silent:
        state.pending += match[0]
    state.pos = match.end()
    return True


def _text(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    words = tokens[index].content
    if "://" not in words:
        return escape(words, quote=False)
    within = next(
        (
            token.type
            for token in reversed(tokens[max(0, index - 50) : index])
            if token.type in ("link_open", "link_close")
        ),
        "",
    )
    return escape(words, quote=False) if within == "link_open" else linked(words)


def _link_open(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    title = token.attrGet("title")
    told = f' title="{escape(str(title))}"' if title else ""
    return f'<a href="{escape(str(token.attrGet("href") or ""))}"{told} rel="noopener noreferrer">'


def _cell_open(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Alignment as a class: a page's security policy may forbid style attributes."""
    token = tokens[index]
    aligned = str(token.attrGet("style") or "").rpartition(":")[2]
    return f'<{token.tag} class="{aligned}">' if aligned in ("left", "center", "right") else f"<{token.tag}>"


def _as_rule(function: Callable[[Sequence[Token], int, Any, Any], str]) -> Callable[..., str]:
    """A render rule: markdown-it binds it to the renderer."""

    def rule(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return function(tokens, index, options, env)

    return rule


def _is_safe(url: str) -> bool:
    return _SAFE.match(url) is not None


_BOXES = ((" ", "☐"), ("x", "☑"), ("X", "☑"))


def _checkboxes(made: str) -> str:
    """Task lists. In rendered HTML `<li>` can only be ours: the text's own is escaped."""
    for mark, box in _BOXES:
        made = made.replace(f"<li>[{mark}] ", f'<li class="task">{box} ').replace(
            f"<li>\n<p>[{mark}] ", f'<li class="task">\n<p>{box} '
        )
    return made
