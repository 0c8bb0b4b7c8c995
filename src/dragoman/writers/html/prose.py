"""Markdown as agents write it, to HTML in which nothing runs and nothing is loaded.

`render.markdown` does the work where there is work to do. markdown-it reads one or two megabytes a second, and
most of what agents write is plain paragraphs, short lists and fenced code: those are made here, some ten times
faster, and a law (tests/html/test_prose.py) holds them to say what markdown-it says. Equal texts are rendered once.
"""

from __future__ import annotations

import re
from functools import cache

from dragoman.render import ansi, text
from dragoman.render.markdown import Markdown, linked
from dragoman.writers.html import highlighting

KEPT = 20_000
"""The longest text that is remembered, in characters."""

ROOM = 2_000_000
"""Characters of all texts that are remembered."""

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

# A paragraph that holds nothing but words, `code` and **bold**. What can begin a block, or mean anything else, isn't in it.
_WORDS = r"[^\\`*_\[\]<&!~|\n\r\t]"
_CODE = r"`[^`\n\r\t ](?:[^`\n\r\t]*[^`\n\r\t ])?`(?!`)"
_BOLD = r"(?<![^\s(])\*\*(?=[A-Za-z0-9])[^\\`*_\[\]<&!~|\n\r\t]*(?<=[A-Za-z0-9.:!?])\*\*(?=[\s.,:;)]|\Z)"
_SPAN = rf"(?:{_WORDS}++|{_CODE}|{_BOLD}|(?<=\w)_(?=\w))*+"
_START = r"(?![ ]{0,3}(?:[#>+=-]|\d{1,9}[.)])|[ ]{4})"
_LINE = rf"{_START}[ ]{{0,3}}(?=[^ \n]){_SPAN}"
_PARAGRAPH = re.compile(rf"{_LINE}(?:\n{_LINE})*+\Z")
_HEADING = re.compile(rf"(\#{{1,6}})[ ]+(?=[^\s\#]){_SPAN}(?<![\#\s])\Z")
_ITEM = rf"(?=[^\s#>+=\d`~-]|`[^`]|\d[^.)\d]){_SPAN}"
_BULLETS = re.compile(rf"-[ ]{_ITEM}(?:\n-[ ]{_ITEM})*\Z")
_NUMBERS = re.compile(rf"1\.[ ]{_ITEM}(?:\n\d{{1,3}}\.[ ]{_ITEM})*\Z")
_FENCE = re.compile(r"```([\w+#.-]*)[ ]*\n((?:(?![ ]{0,3}```)[^\n]*\n)*)```[ ]*\Z")
_PARTS = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|([^`*]+)")
_HEADING_TAG = re.compile(r"<(/?)h([1-6])\b")
_BLANK = re.compile(r"\n(?:[ ]*\n)+")


class Prose:
    """Renders texts for one page, and remembers them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], str] = {}
        self._room = ROOM

    def html(self, source: str, top: int = 3) -> str:
        """The text as HTML. `top` is the level of its highest headings."""
        key = (source, top)
        found = self._known.get(key)
        if found is None:
            found = render(source, top)
            if len(source) < min(KEPT, self._room):
                self._room -= len(source)
                self._known[key] = found
        return found


def render(source: str, top: int = 3) -> str:
    """The text as HTML: by the short way where that is certain, else by markdown-it."""
    made = ""
    if source.isascii() or not _RTL.search(source):
        made = quick(text.visible(ansi.strip(source)))
    return nested(made or _thorough().html(source), top)


def nested(made: str, top: int) -> str:
    """Headings one below another, from `top` on: what agents begin with `##` and go on with `####` skips no level."""
    above: list[int] = []

    def placed(tag: re.Match[str]) -> str:
        level = int(tag[2])
        if not tag[1]:
            while above and above[-1] >= level:
                above.pop()
            above.append(level)
        return f"<{tag[1]}h{min(top + len(above) - 1, 6)}"

    return _HEADING_TAG.sub(placed, made) if "</h" in made else made


@cache
def _thorough() -> Markdown:
    return Markdown(highlight=_highlight, shift=0, kept=1)


def _highlight(code: str, name: str) -> str:
    return highlighting.html(code, highlighting.of_name(name))


def quick(source: str) -> str:
    """The HTML of a text that has only simple blocks, or nothing."""
    source = source.strip("\n")
    if not source:
        return ""
    blocks = [source]
    if "\n" in source:
        blocks = _fenced(source) if "```" in source else _BLANK.split(source)
    made: list[str] = []
    last = ""
    for block in blocks:
        kind = block[0]
        if kind == "`" and block.startswith("```"):
            fence = _FENCE.match(block)
            if fence is None:
                return ""
            made.append(code_block(fence[2], fence[1]))
        elif kind == "#":
            heading = _HEADING.match(block)
            if heading is None:
                return ""
            level = len(heading[1])
            made.append(f"<h{level}>{_inline(block[len(heading[1]) :].strip())}</h{level}>\n")
        elif kind == "-" or kind == "1":
            if last == kind or not (_BULLETS if kind == "-" else _NUMBERS).match(block):
                # Two lists with a blank line between them are one, with paragraphs in it.
                if last == kind or kind == "-" or "  \n" in block or not _PARAGRAPH.match(block):
                    return ""
                made.append(f"<p>{_inline(_unindented(block))}</p>\n")
                last = "p"
                continue
            name = "ul" if kind == "-" else "ol"
            items = (line.split(" ", 1)[1].rstrip() for line in block.split("\n"))
            made.append(f"<{name}>\n{''.join(f'<li>{_inline(item)}</li>{chr(10)}' for item in items)}</{name}>\n")
        else:
            if last in ("-", "1") and block.startswith("  "):
                return ""  # it may go on with the list's last item
            if "  \n" in block or not _PARAGRAPH.match(block):  # two spaces: a line break
                return ""
            made.append(f"<p>{_inline(_unindented(block))}</p>\n")
        last = kind
    return "".join(made)


def _fenced(source: str) -> list[str]:
    """Blocks of a text with fenced code in it. What is unclear stays in one block, which then is not simple."""
    blocks: list[str] = []
    lines: list[str] = []
    fence = False
    for line in source.split("\n"):
        if fence:
            lines.append(line)
            if line.startswith("```") and not line[3:].strip():
                blocks.append("\n".join(lines))
                lines, fence = [], False
        elif line.startswith("```"):
            if lines:
                blocks.append("\n".join(lines))
            lines, fence = [line], True
        elif not line.strip(" "):
            if lines:
                blocks.append("\n".join(lines))
            lines = []
        else:
            lines.append(line)
    if lines:
        blocks.append("\n".join(lines))
    return blocks


def _unindented(block: str) -> str:
    if "\n" not in block:
        return block.strip(" ")
    return "\n".join(line.strip(" ") for line in block.split("\n"))


def _inline(block: str) -> str:
    if "`" not in block and "*" not in block:
        return linked(block)
    return "".join(
        f"<code>{highlighting.escaped(code)}</code>"
        if code
        else f"<strong>{linked(bold)}</strong>"
        if bold
        else linked(plain)
        for code, bold, plain in _PARTS.findall(block)
    )


def code_block(code: str, info: str) -> str:
    """A fenced block. Its language is only data in the page, never a class."""
    named = f' data-language="{highlighting.attribute(info)}"' if info else ""
    return f"<pre{named}><code>{highlighting.html(code, highlighting.of_name(info))}</code></pre>\n"
