"""Tables: the cells beside a name in its row, and those in the column that it heads."""

from __future__ import annotations

import re

from dragoman.filters.redact.buffers import MARKUP, STRING_END, decoded
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.judge import is_secret, random
from dragoman.filters.redact.names import Name, classify
from dragoman.filters.redact.offers import offer

_CELL = re.compile(rb"[ \t]*[`*\"']{0,2}(?P<v>[^|\n\x00`*\"'\xe2]+?)[`*\"']{0,2}[ \t]*(?=\||\xe2\x94|\n|\x00|$)")
_CELL_START = re.compile(rb"(?:[,;|\t\n\x00]|\xe2\x94[\x82\x83]|^)[ \"'`*]*(?:[A-Za-z_]+[ ]){0,3}$")
_CELL_END = re.compile(rb"[ \t]*(?:[,;\t\r\n|]|\xe2\x94)")
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
    if not columns:
        return
    position = end + 1
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
            if len(pieces) != len(cells):
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
                        hits.append(Hit(offset + lead, offset + lead + width, "named-column", columns[index].kind))
                offset += size + len(delimiter.encode())
        position = stop + 1
        if position >= len(buffer):
            return
