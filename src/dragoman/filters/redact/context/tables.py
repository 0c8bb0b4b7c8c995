"""Tables: the cells beside a name in its row, and those in the column that it heads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.filters.redact.context.buffers import MARKUP, STRING_END, decoded
from dragoman.filters.redact.context.offers import offer
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.judge import is_secret, placeholder, random
from dragoman.filters.redact.names import Name, classify

_CELL = re.compile(rb"[ \t]*[`*\"']{0,2}(?P<v>[^|\n\x00`*\"'\xe2]+?)[`*\"']{0,2}[ \t]*(?=\||\xe2\x94|\n|\x00|$)")
_CELL_START = re.compile(rb"(?:[,;|\t\n\x00]|\xe2\x94[\x82\x83]|^)[ \"'`*]*(?:[A-Za-z_]+[ ]){0,3}$")
_CELL_END = re.compile(rb"[ \t]*(?:[,;\t\r\n|]|\xe2\x94)")
_NUMBERED = re.compile(r"[ \t]*([0-9]{1,7})(?:\u2192|\t)")
_HEADING = re.compile(r"(?:[+>-][ \t]*)?[^\W\d][\w .:/()#&-]+|#|№")
_PROMPTS = ("$ ", "% ", "# ", "> ", "❯ ")
_MOST = 3
"""A column holds what its head says where at least one in so many of its cells looks so."""
_DELIMITER_LINE = re.compile(r"[\s|+:─═┼╪┬┴├┤│┃-]+")


def heads_column(buffer: bytes, left: int, right: int) -> bool:
    """Whether the name at left to right may be a cell of a table's head."""
    return (
        _CELL_END.match(buffer, right) is not None and _CELL_START.search(buffer, max(0, left - 32), left) is not None
    )


def behind_border(buffer: bytes, name: Name, border: int, position: int, hits: list[Hit]) -> bool:
    """The cell at `position`, beside that of the name, up to whose `border` is looked; else its column and its row."""
    cell = _CELL.match(buffer, position, position + 600)
    if cell is not None and offer(buffer, name, cell.start("v"), cell.end("v"), "prose", hits, "table"):
        return True
    columns_below(buffer, border, hits)
    if name.sort == "password":
        _row(buffer, border, name, hits)
    return False


def _row(buffer: bytes, place: int, name: Name, hits: list[Hit]) -> None:
    """A table's row in which one cell says password: what looks like one in the others."""
    low = max(0, place - 400)
    start = max(low, buffer.rfind(b"\n", low, place) + 1)
    end = buffer.find(b"\n", place, place + 400)
    line = buffer[start : end if end >= 0 else place + 400]
    position = start
    for cell in line.split(b"|"):
        text = STRING_END.split(decoded(cell.strip(b" \t\r`*\"'")), maxsplit=1)[0]
        bare = text.encode("utf-8", "surrogatepass")
        if (
            len(text) >= 8
            and sum(ch.isdigit() for ch in text) >= 2
            and not any(ch in "/:" for ch in text)
            and not re.search(r"@[\w-]+\.", text)
            and is_secret("password", text, "prose")
        ):
            low = position + cell.find(bare)
            hits.append(Hit(low, low + len(bare), "named-row", name.kind))
        position += len(cell) + 1


def columns_below(buffer: bytes, place: int, hits: list[Hit]) -> None:
    """Where a secret's name heads a column (CSV, tables of psql, Markdown, boxes): the cells below it."""
    start = buffer.rfind(b"\n", max(0, place - 600), place) + 1
    end = buffer.find(b"\n", place, place + 600)
    if end < 0 or (start == 0 and place > 600):
        return
    following = buffer.find(b"\n", end + 1, end + 2001)
    if following >= 0:  # the second line below: the first may be a rule
        second = buffer.find(b"\n", following + 1, following + 2001)
        following = second if second >= 0 else min(len(buffer), following + 2001)
    for mark in (b"|", b"\t", b";", b",", b"\xe2\x94"):
        count = buffer.count(mark, start, end)
        if count:
            below = buffer.count(mark, end + 1, following if following >= 0 else min(len(buffer), end + 2001))
            if not below:
                return
            break
    else:
        return
    head = decoded(buffer[start:end]).strip("\r")
    delimiter = next((mark for mark in ("│", "┃", "|", "\t", ";", ",") if mark in head), None)
    if delimiter is None or any(mark in head for mark in "=(){}"):
        return
    cells = [cell.strip(" \"'`*") for cell in head.split(delimiter)]
    if (
        sum(bool(cell) for cell in cells) < 2
        or any(len(cell) > 40 for cell in cells)
        or (delimiter == "," and not cells[-1])
    ):
        return
    columns = {index: named for index, cell in enumerate(cells) if (named := classify(cell)) is not None}
    if not columns or not _is_head(buffer, start, end, delimiter, cells):
        return
    found: dict[int, list[Hit]] = {index: [] for index in columns}
    held = dict.fromkeys(columns, 0)
    for index, hit in _cells_below(buffer, end + 1, delimiter, len(cells), columns):
        held[index] += 1
        if hit is not None:
            found[index].append(hit)
    for index, each in found.items():
        if len(each) * _MOST >= held[index]:
            hits.extend(each)


def _is_head(buffer: bytes, start: int, end: int, delimiter: str, cells: list[str]) -> bool:
    """Whether the line at start to end, with these cells, is a table's first: a rule stands below it, or it says names."""
    above = _line_above(buffer, start)
    if _is_rule(above):
        above = _line_above(buffer, start - len(above.encode("utf-8", "surrogatepass")) - 1)
    if _is_row(above, delimiter, cells):
        return False
    stop = buffer.find(b"\n", end + 1, end + 2001)
    below = decoded(buffer[end + 1 : stop if stop >= 0 else end + 2001])
    if _is_rule(below):
        return True
    number = _NUMBERED.match(cells[0] + delimiter)
    names = cells
    if number is not None:
        following = _NUMBERED.match(below)
        if following is None or int(following[1]) != int(number[1]) + 1:
            return False
        names = [rest, *cells[1:]] if (rest := cells[0][number.end() :]) else cells[1:]
    if delimiter == "|" and not names[0]:
        return False  # Markdown, which has a rule there
    return all(_HEADING.fullmatch(name) for name in names if name)


def _line_above(buffer: bytes, start: int) -> str:
    if start < 2:
        return ""
    low = max(0, start - 2000)
    return decoded(buffer[max(low, buffer.rfind(b"\n", low, start - 1) + 1) : start - 1])


def _is_rule(line: str) -> bool:
    number = _NUMBERED.match(line)
    bare = line[number.end() :] if number is not None else line
    return bool(bare.strip()) and _DELIMITER_LINE.fullmatch(bare) is not None


def _is_row(line: str, delimiter: str, cells: list[str]) -> bool:
    """Whether a line has as many cells as the one below it, and is no sentence or command that only happens to."""
    line = line.strip("\r")
    if line.count(delimiter) != len(cells) - 1 or line.endswith((":", ".", "!", "?")) or line.startswith(_PROMPTS):
        return False
    return delimiter != "," or ", " not in line


def _cells_below(
    buffer: bytes, position: int, delimiter: str, count: int, columns: dict[int, Name]
) -> Iterator[tuple[int, Hit | None]]:
    """What stands in the columns from `position` on: which column, and a hit where that looks like its secret."""
    for _ in range(60):
        stop = buffer.find(b"\n", position, position + 2000)
        if stop < 0:
            stop = min(len(buffer), position + 2000)
        line = buffer[position:stop]
        if not line or line.startswith(b"\x00"):
            return
        text = decoded(line)
        if not _DELIMITER_LINE.fullmatch(text):
            pieces = text.split(delimiter)
            if len(pieces) != count:
                return
            offset = position
            for index, piece in enumerate(pieces):
                size = len(piece.encode("utf-8", "surrogatepass"))
                if index in columns:
                    bare = MARKUP.split(piece, maxsplit=1)[0].strip(" \"'`*\r")
                    bare = STRING_END.split(bare, maxsplit=1)[0]
                    first = bare.split(" ", 1)[0]
                    if first != bare and random(first):  # a sentence goes on behind the last cell
                        bare = first
                    if bare and is_secret(columns[index].sort, bare, "field"):
                        lead = len(piece[: piece.find(bare)].encode("utf-8", "surrogatepass"))
                        width = len(bare.encode("utf-8", "surrogatepass"))
                        yield index, Hit(offset + lead, offset + lead + width, "named-column", columns[index].kind)
                    elif len(bare) > 2 and not placeholder(bare):
                        yield index, None
                offset += size + len(delimiter.encode())
        position = stop + 1
        if position >= len(buffer):
            return
