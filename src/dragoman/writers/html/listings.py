"""Texts that keep their lines: output of terminals, files with line numbers, diffs, JSON, plain text.

All give safe HTML: one <pre class="l …">. What a page already shows is not written again (`Listings.once`).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import orjson
from markupsafe import Markup

from dragoman.render import ansi, text
from dragoman.render.diffs import Hunk
from dragoman.writers.html import highlighting
from dragoman.writers.html.highlighting import escaped

REPEATED = 600
"""Characters of HTML from which a repeated listing is a link to the first one."""


class Listings:
    """Makes the listings of one page.

    `place` is the anchor and the name of the entry that is being made, for links to its listings.
    """

    def __init__(self) -> None:
        self._first: dict[bytes, tuple[str, str, int]] = {}
        self.place: tuple[str, str] = ("", "")
        self._n = 0

    def at(self, anchor: str, name: str) -> None:
        """An entry begins."""
        self.place = (anchor, name)
        self._n = 0

    def _once(self, made: str) -> Markup:
        """The listing, or a link to the same one earlier in the page."""
        number = self._n
        self._n += 1
        anchor, name = self.place
        if len(made) >= REPEATED and anchor:
            key = blake2b(made.encode(), digest_size=16).digest()
            first = self._first.get(key)
            if first is not None and first[0] != anchor:
                self._n -= 1
                return Markup(
                    f'<p class="same" data-of="{first[0]}" data-n="{first[2]}">The same text as in '
                    f'<a href="#{first[0]}">{escaped(first[1])}</a>.</p>'
                )
            if first is None:
                self._first[key] = (anchor, name, number)
        return Markup(made)

    def plain(self, source: str, language: str = "") -> Markup:
        """Text as it stands, coloured where its language is known."""
        shown = text.visible(ansi.strip(source))
        body = highlighting.html(shown, language) if language else escaped(shown)
        return self._once(f'<pre class="l{"" if language else " wrap"}">\n{body}</pre>')

    def json(self, value: Any) -> Markup:
        """A value as tidy JSON."""
        try:
            shown = orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode()
        except (TypeError, ValueError, RecursionError):
            shown = repr(value)
        return self._once(f'<pre class="l wrap">\n{highlighting.html(text.visible(shown), "json")}</pre>')

    def terminal(self, source: str) -> Markup:
        """What a terminal showed, its colours kept."""
        if not ansi.has_escapes(source):
            return self._once(f'<pre class="l wrap">\n{escaped(text.visible(source))}</pre>')
        out: list[str] = []
        for span in ansi.spans(source):
            shown = escaped(text.visible(span.text))
            names = _classes(span.style)
            out.append(f'<span class="{names}">{shown}</span>' if names else shown)
        return self._once(f'<pre class="l wrap">\n{"".join(out)}</pre>')

    def numbered(self, source: str, path: str, numbers: Sequence[int]) -> Markup:
        """Lines of a file with their numbers, or as they are where there are none."""
        language = highlighting.of_path(path)
        if not numbers:
            return self.plain(source, language)
        lines = highlighting.html(text.visible(ansi.strip(source)), language).split("\n")
        if lines and not lines[-1]:
            lines.pop()
        width = len(str(numbers[-1] + 1))
        told = [*numbers, *[""] * (len(lines) - len(numbers))]  # a carriage return became a line end
        body = "\n".join([f"<b>{number:>{width}}</b>{line}" for number, line in zip(told, lines, strict=False)])
        return self._once(f'<pre class="l num">\n{body}</pre>')

    def diff(self, hunks: Sequence[Hunk], path: str) -> Markup:
        """A coloured diff with the numbers of the lines."""
        language = highlighting.of_path(path)
        known = any(hunk.new_start > 0 for hunk in hunks)
        width = max((len(str(hunk.new_start + len(hunk.lines))) for hunk in hunks), default=1)
        out: list[str] = []
        for n, hunk in enumerate(hunks):
            if n or hunk.new_start > 1:
                out.append(f'<span class="hunk">{escaped(hunk.heading)}\n</span>')
            out.extend(_rows(hunk, language, width if known else 0))
        return self._once(f'<pre class="l diff"><code>{"".join(out)}</code></pre>')


def _classes(style: ansi.Style) -> str:
    if style == ansi.PLAIN:
        return ""
    fg, bg = (style.bg, style.fg or "7") if style.inverse else (style.fg, style.bg)
    flags = (
        ("tb", style.bold),
        ("td", style.dim),
        ("ti", style.italic),
        ("tu", style.underline),
        ("ts", style.strike),
    )
    names = [f"g{hue(bg)}" if bg else f"t{hue(fg)}" if fg else "", *(name for name, on in flags if on)]
    return " ".join(filter(None, names))


def _rows(hunk: Hunk, language: str, width: int) -> list[str]:
    bare = text.visible(ansi.strip("\n".join([line[1:] for line in hunk.lines])))
    lines = highlighting.html(bare, language).split("\n")
    marks = [line[0] for line in hunk.lines]
    if len(lines) != len(marks):  # a carriage return became a line end
        lines = [escaped(text.visible(line[1:]).replace("\n", "␍")) for line in hunk.lines]
    old, new = hunk.old_start, hunk.new_start
    rows: list[str] = []
    for mark, line in zip(marks, lines, strict=True):
        if mark == "+":
            number, new, name = new, new + 1, "ins"
        elif mark == "-":
            number, old, name = old, old + 1, "del"
        elif mark == "\\":
            rows.append(f"<b>{'':>{width}}</b>\\{line}\n" if width else f"\\{line}\n")
            continue
        else:
            number, old, new, name = new, old + 1, new + 1, ""
        numbered = f"<b>{number:>{width}}</b>" if width else ""
        shown = f"{numbered}{'−' if mark == '-' else mark} {line}\n"
        rows.append(f"<{name}>{shown}</{name}>" if name else shown)
    return rows


def hue(colour: str) -> str:
    """The one of the theme's eight colours that comes nearest: those are legible on light and dark paper alike."""
    if colour[0] != "#":
        number = int(colour)
        if number < 16:
            return str(number % 8) if number not in (8, 15) else {8: "7", 15: "0"}[number]
        if number >= 232:
            return "0" if number < 244 else "7"
        red, rest = divmod(number - 16, 36)
        levels = [red, *divmod(rest, 6)]
    else:
        levels = [int(colour[at : at + 2], 16) * 5 // 255 for at in (1, 3, 5)]
    low, high = min(levels), max(levels)
    if high - low <= 1:
        return "0" if high <= 1 else "7"
    middle = (low + high) / 2
    return str(sum(1 << n for n, level in enumerate(levels) if level > middle))
