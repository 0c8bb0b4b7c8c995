"""What a document is made of before it is cut into parts: flat blocks of HTML, each with its height in lines.

Nothing is nested (an agent's depth is a class), so that the document can be cut between any two blocks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice

from msgspec import Struct

from dragoman.render import ansi, diffs, text
from dragoman.render.markdown import Markdown
from dragoman.report import Code, Report
from dragoman.writers.pdf import code, language
from dragoman.writers.pdf.shorten import CHANGE, WHOLE, Gap, Row, Rule, shortened
from dragoman.writers.pdf.wrap import TAB, Run, html

LINE = 92
"""Characters of prose on a line, about: only for the estimate of heights."""

CHUNK = 90
"""Rows that one block holds: longer code becomes several blocks, which join without a gap."""

PROSE = 8_000
"""Characters of prose that one block holds, about."""

PARAGRAPH = 20_000
"""A paragraph beyond this is divided: the cost of breaking it into lines grows faster than its length."""

DEEPEST = 4
"""Depths beyond this are set like this one."""


class Block(Struct, frozen=True, gc=False):
    """A piece of the page. `lines`: about how high it is, in lines of prose. `turn`: a prompt begins here."""

    html: str
    lines: float
    turn: bool = False
    running: str = ""


class Measure(Struct, frozen=True):
    """Columns of code that fit, by depth; and whether long texts are cut."""

    columns: int
    full: bool = False

    def at(self, depth: int) -> int:
        """Columns at a depth: each takes its indentation."""
        return max(40, self.columns - 4 * min(depth, DEEPEST))


class Setter:
    """Sets texts as HTML. What it cuts and replaces it reports."""

    def __init__(self, measure: Measure, report: Report) -> None:
        self.measure = measure
        self.report = report
        self._markdown: dict[int, Markdown] = {}

    # prose

    def prose(self, words: str, depth: int) -> Iterator[tuple[str, float]]:
        """Markdown as HTML, in pieces."""
        columns = self.measure.at(depth)
        markdown = self._markdown.get(columns)
        if markdown is None:

            def highlight(source: str, language: str) -> str:
                return self.fence(source, language, columns)

            markdown = self._markdown[columns] = Markdown(highlight=highlight, shift=2, kept=200)
        self._count(words)
        for piece in divided(words):
            made = _broken(directed(_schemes(markdown.html(piece))))
            tag = language.of_cjk(piece)
            yield (f'<div lang="{tag}">{_spoken(made, tag)}</div>' if tag else made), height(piece)

    def shortened(self, words: str, depth: int, rule: Rule) -> Iterator[tuple[str, float]]:
        """Prose that the rule cuts, between its lines."""
        lines = words.strip("\n").split("\n")
        rows = [len(line) // LINE + 1 for line in lines]
        if self.measure.full or sum(rows) <= rule.most:
            yield from self.prose(words, depth)
            return
        first = _fitting(rows, rule.head)
        last = len(lines) - _fitting(rows[:first:-1], rule.tail)
        head, tail = "\n".join(lines[:first]), "\n".join(lines[last:])
        fences = _FENCES.findall(head)
        if len(fences) % 2:  # the cut is within a fence: it is closed, and opened again
            head, tail = f"{head}\n{fences[-1]}", f"{fences[-1]}\n{tail}"
        self.report.add(Code.TRUNCATED, None, rule.name)
        yield from self.prose(head, depth)
        yield f'<p class="gap">⋯ {Gap(last - first)}</p>', 1.2
        if tail.strip():
            yield from self.prose(tail, depth)

    def visible(self, words: str) -> str:
        """The words with what is invisible made visible, and counted."""
        self._count(words)
        return text.visible(words)

    def _count(self, words: str) -> None:
        count = text.count_hidden(words)
        if count:
            self.report.add(Code.CONTROL_CHARACTERS, None, "", count)

    def fence(self, source: str, language: str, columns: int) -> str:
        """Code inside an answer: coloured, wrapped, whole."""
        runs = code.coloured(source.rstrip("\n"), language)
        return "\n".join(
            html(row.runs, row.continued) for row in self.kept(runs, columns, WHOLE) if isinstance(row, Row)
        )

    # lines

    def kept(self, lines: Sequence[list[Run]], columns: int, rule: Rule) -> Iterator[Row | Gap]:
        """The rows that the rule keeps, or all of them where the user asked for that. What is left out is reported."""
        for row in shortened(lines, columns, WHOLE if self.measure.full else rule):
            if isinstance(row, Gap):
                self.report.add(Code.TRUNCATED, None, rule.name)
            yield row

    def terminal(self, output: str, depth: int, rule: Rule, kind: str = "") -> Iterator[tuple[str, float]]:
        """What a program printed, its colours kept."""
        output = output.strip("\n")
        if not output.strip():
            return
        lines = _coloured(output) if ansi.has_escapes(output) else code.lines(self.visible(_overprinted(output)))
        yield from self.listing(lines, depth, rule, kind or "out")

    def source(
        self, source: str, depth: int, rule: Rule, *, language: str = "", path: str = "", numbers: Sequence[int] = ()
    ) -> Iterator[tuple[str, float]]:
        """Code, coloured; with the numbers of its lines where those are given."""
        shown = self.visible(source.rstrip("\n"))
        if shown:
            lines = code.coloured(shown, language, path)
            yield from self.listing(lines, depth, rule, "src num" if numbers else "src", numbers)

    def listing(
        self, lines: Sequence[list[Run]], depth: int, rule: Rule, kind: str, numbers: Sequence[int] = ()
    ) -> Iterator[tuple[str, float]]:
        """Rows in one or several `pre`."""
        digits = len(str(numbers[-1])) if numbers else 0
        columns = self.measure.at(depth) - (digits + 2 if digits else 0)
        boxed = (
            " box"
            if any("\u2500" <= each <= "\u259f" for line in lines[:40] for run in line for each in run[0])
            else ""
        )
        rows = self.kept(lines, columns, rule)
        number = 0
        while chunk := list(islice(rows, CHUNK)):
            made = []
            for row in chunk:
                if isinstance(row, Gap):
                    made.append(f'<i class="gap">⋯ {row}</i>')
                    continue
                body = html(row.runs, row.continued)
                if numbers:
                    label = "" if row.continued or row.line >= len(numbers) else str(numbers[row.line])
                    body = f'<i class="no">{label:>{digits}}</i>{body}'
                made.append(body)
            joint = " mid" if number else ""
            yield f'<pre class="{kind}{boxed}{joint}">' + "\n".join(made) + "</pre>", len(chunk) * 0.78 + 0.6
            number += 1

    def diff(
        self, hunks: Sequence[diffs.Hunk], path: str, depth: int, rule: Rule = CHANGE
    ) -> Iterator[tuple[str, float]]:
        """Hunks, each line on its tint, the file's language coloured."""
        columns = self.measure.at(depth) - 2
        marks: list[str] = []
        lines: list[list[Run]] = []
        for number, hunk in enumerate(hunks):
            if number or (hunk.old_start and not hunk.heading.endswith("+1,1 @@")):
                marks.append("@")
                lines.append([(hunk.heading, "")])
            body = text.visible("\n".join(line[1:] for line in hunk.lines))
            plain = body.split("\n")
            coloured = code.coloured(body, path=path)
            if len(plain) != len(hunk.lines) or len(coloured) != len(plain):
                plain = [text.visible(line[1:]).replace("\n", " ") for line in hunk.lines]
                coloured = [[(each.expandtabs(TAB), "")] for each in plain]
            for line, runs in zip(hunk.lines, coloured, strict=True):
                marks.append(line[:1] or " ")
                lines.append(runs)
        rows = self.kept(lines, columns, rule)
        number = 0
        while chunk := list(islice(rows, CHUNK)):
            yield self._diff(chunk, marks, number > 0), len(chunk) * 0.78 + 0.6
            number += 1

    def _diff(self, rows: Iterable[Row | Gap], marks: list[str], middle: bool) -> str:
        """Neighbouring rows of one kind share a box: boxes are what a layout costs."""
        made: list[str] = [f'<div class="diff{" mid" if middle else ""}">']
        held: list[str] = []
        held_mark = ""

        def flush() -> None:
            if held:
                made.append(f'<pre class="{_DIFF.get(held_mark, "ctx")}">' + "\n".join(held) + "</pre>")
                held.clear()

        for row in rows:
            if isinstance(row, Gap):
                flush()
                made.append(f'<pre class="ctx"><i class="gap">⋯ {row}</i></pre>')
                continue
            mark = marks[row.line]
            if mark != held_mark:
                flush()
                held_mark = mark
            sign = "  " if row.continued or mark == "@" else {"-": "− ", "+": "+ "}.get(mark, f"{mark} ")
            held.append(sign + html(row.runs, row.continued))
        flush()
        made.append("</div>")
        return "".join(made)


_DIFF = {"+": "add", "-": "del", "@": "hunk", "\\": "hunk"}


def inline(words: str, limit: int = 160) -> str:
    """Untrusted words on one line, as HTML."""
    return escape(text.one_line(words, limit), quote=True)


def height(words: str) -> float:
    """About how many lines a piece of prose takes."""
    return sum(len(line) // LINE + 1 for line in words.split("\n")) * 1.05 + 0.5


def divided(words: str) -> Iterator[str]:
    """Markdown in pieces of bounded size: at blank lines outside fences and lists, and within giant paragraphs."""
    if len(words) <= PROSE:
        yield words
        return
    held: list[str] = []
    size = 0
    fence = ""
    for line in words.split("\n"):
        marker = _FENCE.match(line)
        if marker:
            if not fence:
                fence = marker[1]
            elif marker[1].startswith(fence) and not marker[2].strip():
                fence = ""
        blank = not line.strip()
        held.append(line)
        size += len(line) + 1
        if not fence and ((blank and size > PROSE) or size > PARAGRAPH):
            yield from _bounded("\n".join(held))
            held, size = [], 0
        elif fence and size > PARAGRAPH:
            yield "\n".join([*held, fence])
            held, size = [fence], len(fence)
    if held:
        yield from _bounded("\n".join(held))


def _fitting(rows: Sequence[int], room: int) -> int:
    """How many of the first lines fill the room; one at least."""
    used = 0
    for number, each in enumerate(rows):
        used += each
        if used > room:
            return max(number, 1)
    return len(rows)


_FENCES = re.compile(r"(?m)^ {0,3}(`{3,}|~{3,})")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def _bounded(words: str) -> Iterator[str]:
    while len(words) > 2 * PARAGRAPH:
        cut = words.rfind(" ", PARAGRAPH // 2, PARAGRAPH)
        cut = PARAGRAPH if cut < 0 else cut
        yield words[:cut]
        words = words[cut:]
    yield words


_AUTO = re.compile(r'<(\w+) dir="auto">((?:<[^>]*>|[^<])*?)(?=</\1>|<p|<ul|<ol|\Z)')
_LIST = re.compile(r'<(ul|ol)([^>]*)>(\s*<li dir="rtl">)')
_TAG = re.compile(r"<[^>]*>")
_HREF = re.compile(r'<a href="([^"]*)"([^>]*)>')


def directed(made: str) -> str:
    """`dir="auto"` decided here, by the first letter with a direction: print layouts don't know it."""
    if 'dir="auto"' not in made:
        return made
    made = _AUTO.sub(lambda match: f'<{match[1]} dir="{direction(_TAG.sub("", match[2]))}">{match[2]}', made)
    return _LIST.sub(r'<\1\2 dir="rtl">\3', made)


_ENDLESS = re.compile(r"[!-%'-:=?-~]{300,}")
_TEXT = re.compile(r"(<[^>]*>)")
_SLICE = re.compile(r".{76}")


def _broken(made: str) -> str:
    """Endless words (base64 in prose) broken into lines here: the layout would try every place, for minutes."""
    if not _ENDLESS.search(made):
        return made
    return "".join(
        part if part.startswith("<") else _ENDLESS.sub(lambda match: _SLICE.sub(r"\g<0><br/>", match[0]), part)
        for part in _TEXT.split(made)
    )


_PARAGRAPH = re.compile(r"<(p|li|h[1-6]|td|th)((?: dir=\"\w+\"| class=\"\w+\")*)>([^<]*)")

HAN_ALONE = 8
"""So many Chinese characters without kana or hangul are taken for Chinese even beside Japanese or Korean."""


def _spoken(made: str, tag: str) -> str:
    """Paragraphs in another CJK language than their surroundings say so."""

    def marked(match: re.Match[str]) -> str:
        own = language.of_cjk(match[3])
        if not own or own == tag or (own == "zh" and len(match[3]) < HAN_ALONE):
            return match[0]
        return f'<{match[1]}{match[2]} lang="{own}">{match[3]}'

    return _PARAGRAPH.sub(marked, made)


def direction(words: str) -> str:
    """`rtl` or `ltr`, by the first strong character."""
    for each in words[:400]:
        kind = unicodedata.bidirectional(each)
        if kind in ("R", "AL"):
            return "rtl"
        if kind == "L":
            return "ltr"
    return "ltr"


def _schemes(made: str) -> str:
    """Only http, https and mailto leave the document, whatever made the HTML."""

    def kept(match: re.Match[str]) -> str:
        return f'<a href="{match[1]}">' if match[1].lower().startswith(("http://", "https://", "mailto:")) else "<a>"

    return _HREF.sub(kept, made) if "<a " in made else made


def _overprinted(output: str) -> str:
    """Progress bars that rewrite their line with CR leave its last state, as on a screen."""
    if "\r" not in output:
        return output
    output = output.replace("\r\n", "\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in output.split("\n"))


_NAMED = ("k", "r", "g", "y", "b", "m", "t", "w")


def _coloured(output: str) -> list[list[Run]]:
    """ANSI colours as classes: the sixteen, and bold. Others are plain: print has no theme to fit them to."""
    lines: list[list[Run]] = [[]]
    for span in ansi.spans(_overprinted(output)):
        style = span.style
        kind = ""
        if style.fg.isdigit() and int(style.fg) < 16 and int(style.fg) % 8 not in (0, 7):
            kind = f"a{_NAMED[int(style.fg) % 8]}"
        if style.bold:
            kind = f"{kind} ab".strip()
        elif style.dim:
            kind = "ad"
        for number, piece in enumerate(text.visible(span.text).expandtabs(TAB).split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append((piece, kind))
    return lines
