"""Markdown that agents and people wrote, made safe to stand inside a document of ours.

It stays the Markdown that it was, except that

- raw HTML is text, and so are links to anything but http, https, mailto and relative places, and pictures
  (which would be fetched by whoever opens the document);
- definitions of links and footnotes, which would hold for the whole document, are text;
- headings move down below the document's own; headings by underlining become paragraphs;
- an open code block is closed where the text ends, and a code block in a list is indented as it should be;
- what entities would hide (bidi marks and such) stays spelt out.

The rule behind it: text is left alone only where any reading of CommonMark or GFM takes it for code. A line
whose reading could depend on what stands around it (tables, open backticks) is written so that it doesn't.
One pass over the lines; a text without any special sign goes through as it is.
"""

from __future__ import annotations

import re
from html import unescape

from dragoman.render.text import has_hidden

_UNDERLINED = re.compile(r"\n[ \t>]*(?:=+|-+)[ \t]*(?:\n|\Z)")
_SPECIAL = re.compile(r"[<`&#\[\]]")
_FENCE = re.compile(r"([ \t]*)((?:[-*+]|\d{1,9}[.)]) {1,4})?(?:(`{3,})([^`]*)|(~{3,})(.*))\Z")
_CLOSE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*\Z")
_QUOTE = re.compile(r"( {0,3})> ?")
_CONTAINERS = r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*)*"
_HEADING = re.compile(f"({_CONTAINERS})(#{{1,6}})(?=[ \\t]|\\Z)")
_HEADINGS = re.compile(f"^{_CONTAINERS}(#{{1,6}})(?=[ \\t]|$)", re.MULTILINE)
_CONTAINER = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)]|>)(?:[ \t]|$)", re.MULTILINE)
_DEFINITION = re.compile(_CONTAINERS + r"(\[)(?:[^\[\]\\]|\\.)*")
_UNDERLINE = re.compile(r"[ \t]*(=+|-+)[ \t]*\Z")
_DELIMITER_ROW = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[|:\- \t]*-[|:\- \t]*$", re.MULTILINE)
_PIPE = re.compile(r"(?<!\\)\||\\\\\|")
_POINT = re.compile(r"\\[!-/:-@\[-`{-~]|`+|<|&|!\[|\]\(")
_RUN = re.compile(r"`+")
_AUTOLINK = re.compile(r"<(?:https?://|mailto:)[^\s<>`\\]*>", re.IGNORECASE)
_BARE_LINK = re.compile(r"://|www\.", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,8}|#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{0,40});")
_TAIL = re.compile(
    r"\]\((?:(?:https?://|mailto:)[^\s()<>`\\]*(?:\([^\s()<>`\\]*\)[^\s()<>`\\]*)*"
    r"|[^\s()<>`\\:&]*(?:/[^\s()<>`\\&]*)?|#[^\s()<>`\\&]*)"
    r"(?:[ \t]+\"[^\"`<\\&]*\")?\)",
    re.IGNORECASE,
)
_TAG_STARTS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/!?")
_DEEPEST_QUOTE = 8
_LONGEST_RUN = 80  # GitHub takes no longer run of backticks for a code span
_BLANKS = " \t"  # what CommonMark calls blank; Python's strip() knows more


def prose(words: str, level: int = 0, *, hard: bool = False) -> str:
    """The text, safe. It must be clean (`inline.clean`). Headings move down together until the highest is at `level`.

    `hard` keeps line breaks where Markdown would join lines: people don't write them for nothing.
    """
    if not _is_special(words):
        return "\n".join(_broken(words.split("\n"))) if hard and "\n" in words else words
    lines = words.split("\n")
    table = "|" in words and _DELIMITER_ROW.search(words) is not None
    nested = "#" in words and _CONTAINER.search(words) is not None
    down = max(0, level - _highest(words)) if level and "#" in words else 0
    return "\n".join(_Scanner(down, table, nested, "]:" in words, hard).scan(lines, 0))


def _highest(words: str) -> int:
    """The level of the highest heading. A remark in code may be taken for one: then headings go a bit too deep."""
    return min((len(found) for found in _HEADINGS.findall(words)), default=6)


def _is_special(words: str) -> bool:
    """Whether anything in the text is worth a second look. Substring searches are far quicker than a pattern."""
    if "<" in words or "&" in words or "#" in words:
        return True
    if "]" in words and ("](" in words or "]:" in words or "![" in words):
        return True
    if ("`" in words and "```" in words) or ("~" in words and "~~~" in words):
        return True
    return ("-" in words or "=" in words) and _UNDERLINED.search(words) is not None


def _broken(lines: list[str]) -> list[str]:
    """Lines whose ends count: two blanks before the line feed."""
    last = len(lines) - 1
    return [
        line + "  " if n < last and line.strip(_BLANKS) and lines[n + 1].strip(_BLANKS) else line
        for n, line in enumerate(lines)
    ]


class _Scanner:
    """`table`, `nested`, `definitions`: whether the text may hold tables, headings in lists, definitions."""

    def __init__(self, shift: int, table: bool, nested: bool, definitions: bool, hard: bool) -> None:
        self.shift = shift
        self.table = table
        self.nested = nested
        self.definitions = definitions
        self.hard = hard

    def scan(self, lines: list[str], depth: int) -> list[str]:
        """The lines of one container."""
        out: list[str] = []
        at, total = 0, len(lines)
        while at < total:
            line = lines[at]
            if depth < _DEEPEST_QUOTE and line.lstrip(" ").startswith(">") and (quote := _QUOTE.match(line)):
                end = at + 1
                while end < total and _QUOTE.match(lines[end]):
                    end += 1
                inner = [_QUOTE.sub("", each, count=1) for each in lines[at:end]]
                mark = quote[1] + ">"
                out.extend(f"{mark} {each}" if each else mark for each in self.scan(inner, depth + 1))
                at = end
                continue
            if "```" in line or "~~~" in line:
                opened = _FENCE.match(line)
                if opened:
                    at = self.fenced(lines, at, opened, out, depth)
                    continue
            made = self.line(line, out)
            at += 1
            if self.hard and at < total and made.strip(_BLANKS) and lines[at].strip(_BLANKS):
                made += "  "
            out.append(made)
        return out

    def fenced(self, lines: list[str], at: int, opened: re.Match[str], out: list[str], depth: int) -> int:
        """A code block, from its opening line to past its closing one, which is put in where it lacks."""
        indent, marker = opened[1].expandtabs(4), opened[2] or ""
        width = len(indent) + len(marker)
        marks = opened[3] or opened[5]
        if (marker or width > 3) and (out[-1].strip(_BLANKS) if out else depth):
            out.append("")  # else it could be the middle of a paragraph
        info = opened[4] if opened[3] else opened[6]
        info = info.rstrip().replace("|", " ")  # some parsers see a table's head in it
        out.append(f"{indent}{marker}{marks}{info}")
        pad = " " * width
        most = width + 3
        at += 1
        total = len(lines)
        while at < total:
            line = lines[at]
            at += 1
            closed = _CLOSE.match(line) if marks in line else None
            if closed and closed[1].startswith(marks) and len(_indent(line)) <= most:
                break
            if width and line.strip(_BLANKS) and not line.startswith(pad):
                line = max(_indent(line), pad, key=len) + line.lstrip(_BLANKS)
            out.append(line)
        out.append(f"{pad}{marks}")
        return at

    def line(self, line: str, out: list[str]) -> str:
        """A line outside of code blocks."""
        first = line.lstrip(_BLANKS)[:1]
        if first and first in "=-" and out and out[-1].strip(_BLANKS) and (under := _UNDERLINE.match(line)):
            if under[1].startswith("-") and len(under[1]) > 2:
                out.append("")  # a rule, not the underline of a heading
            else:
                return f"{line[: under.start(1)]}\\{under[1]}"
        if _SPECIAL.search(line) is None:
            return line
        heading = _HEADING.match(line) if "#" in line and self.shift else None
        if heading and (self.nested or len(_indent(line)) < 4):  # else it is a remark in indented code
            level = min(6, len(heading[2]) + self.shift)
            line = heading[1] + "#" * level + line[heading.end() :]
        if self.definitions and "[" in line and (named := _DEFINITION.match(line)):
            after = line[named.end() : named.end() + 2]
            if after in ("", "\\", "]:"):  # the label may go on in the next line
                line = f"{line[: named.start(1)]}\\{line[named.start(1) :]}"
        return self.inline(line)

    def inline(self, line: str) -> str:
        point = _POINT.search(line)
        if point is None:
            return line
        runs = self.runs(line) if "`" in line else {}
        linked = _BARE_LINK.search(line) is not None
        in_link = False  # GitHub takes all that follows a bare address up to a blank for a part of it
        out: list[str] = []
        done = past = 0
        while point is not None:
            start, end = point.span()
            sign = line[start]
            if linked:
                blank = max(line.rfind(" ", past, start), line.rfind("\t", past, start))
                in_link = (in_link and blank < 0) or bool(_BARE_LINK.search(line, max(blank, past - 3, 0), start))
            if sign == "`":
                places = runs.get(end - start, []) if end - start <= _LONGEST_RUN else []
                while places and places[-1] <= start:
                    places.pop()
                close = places[-1] + end - start if places else -1
                if close > 0 and not in_link and not (self.table and _PIPE.search(line, end, close)):
                    end = close
                else:
                    out.append(line[done:start])
                    out.append("\\`" * (end - start))
                    done = end
            elif sign == "\\" and line[start + 1] in "<&":  # the backslash may belong to a bare link
                out.append(line[done:start])
                out.append("&lt;" if line[start + 1] == "<" else "&amp;")
                done = end
            elif sign == "<":
                link = _AUTOLINK.match(line, start)
                if link:
                    end = link.end()
                elif line[end : end + 1] in _TAG_STARTS and end < len(line):
                    out.append(line[done:start])
                    out.append("&lt;")  # a backslash would vanish into a bare link before it
                    done = end
            elif sign == "&":
                entity = _ENTITY.match(line, start)
                if entity:
                    meant = unescape(entity[0])
                    end = entity.end()
                    if has_hidden(meant) or "\n" in meant or "\t" in meant:
                        out.append(line[done:start])
                        out.append("&amp;")
                        done = start + 1
            elif sign == "!":
                out.append(line[done:start])
                out.append("\\![")
                done = end
            elif sign == "]":
                tail = _TAIL.match(line, start)
                if tail:
                    end = tail.end()
                    in_link = linked
                else:
                    out.append(line[done:start])
                    out.append("]\\(")
                    done = end
            past = end
            point = _POINT.search(line, end)
        out.append(line[done:])
        return "".join(out)

    @staticmethod
    def runs(line: str) -> dict[int, list[int]]:
        """Where backticks stand, by the length of their run, the last first."""
        places: dict[int, list[int]] = {}
        for run in _RUN.finditer(line):
            places.setdefault(run.end() - run.start(), []).append(run.start())
        for each in places.values():
            each.reverse()
        return places


def _indent(line: str) -> str:
    """The blanks before a line, tabs as blanks."""
    return line[: len(line) - len(line.lstrip(_BLANKS))].expandtabs(4)
