"""Branches that a person abandoned by rewinding, told from the many forks that are none.

Parallel results, progress lines, attachments and local commands fork the chain all the time. Measured
on 485 real files, this rule finds the genuine rewinds and nothing else; where it is in doubt it finds none.
"""

from __future__ import annotations

from typing import Literal

from dragoman.readers.claude_code.rows import ReplyRow, Row

_Leads = tuple[Literal["prompt", "reply", "result"], int]
"""What a child comes to first when one walks down through machinery, and in which row."""


def mark_abandoned(rows: list[Row], aliases: dict[str, str]) -> None:
    """Set `branch` on every row of an abandoned branch."""
    named = [row.parent for row in rows if row.parent]
    if len(set(named)) == len(named) and not aliases:
        return  # nothing forks
    parents = _parents(rows, aliases)
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(parents):
        if parent >= 0:
            children.setdefault(parent, []).append(index)
    forks = [parent for parent, found in children.items() if len(found) > 1]
    if not forks:
        return
    leads, last = _look_down(rows, parents)
    abandoned: dict[int, str] = {}
    for fork in sorted(forks):
        for child in _abandoned(fork, children[fork], rows, leads, last):
            abandoned[child] = f"rewind-{len(abandoned) + 1}"
    if not abandoned:
        return
    over_compactions = _parents(rows, aliases, boundaries=True)
    for index, row in enumerate(rows):
        parent = over_compactions[index]
        row.branch = abandoned.get(index) or (rows[parent].branch if parent >= 0 else "")


def _parents(rows: list[Row], aliases: dict[str, str], *, boundaries: bool = False) -> list[int]:
    """For each row the index of its parent. Only earlier rows count, so there are no cycles.

    A compaction's boundary has no parent: what stands after it never takes the place of what it sums
    up. It only shares the fate of the branch that it was made on (`boundaries`).
    """
    places: dict[str, int] = {}
    found: list[int] = []
    for index, row in enumerate(rows):
        parent = row.parent or (row.logical_parent if boundaries and row.boundary else "")
        found.append(places.get(aliases.get(parent, parent), -1) if parent else -1)
        if row.uuid:
            places.setdefault(row.uuid, index)
    return found


def _look_down(rows: list[Row], parents: list[int]) -> tuple[list[_Leads | None], list[int]]:
    """For each row what it leads to, and the last row of its subtree."""
    leads: list[_Leads | None] = [None] * len(rows)
    last = list(range(len(rows)))
    for index in range(len(rows) - 1, -1, -1):
        row = rows[index]
        if row.kind == "reply":
            leads[index] = ("reply", index)
        elif row.kind == "result":
            leads[index] = ("result", index)
        elif row.kind == "prompt" and row.type == "user":
            leads[index] = ("prompt", index)
        parent = parents[index]
        if parent >= 0:
            last[parent] = max(last[parent], last[index])
            if leads[index] is not None:
                leads[parent] = leads[index]  # the first child in file order wins, coming last here
    return leads, last


def _abandoned(
    fork: int, children: list[int], rows: list[Row], leads: list[_Leads | None], last: list[int]
) -> list[int]:
    """The children of a fork that a later prompt took the place of."""
    live = max(children, key=lambda child: last[child])
    told = leads[live]
    if told is None or told[0] != "prompt":
        return []
    prompt = told[1]
    found = []
    for child in children:
        where = leads[child]
        if child == live or where is None or where[0] == "result" or where[1] > prompt:
            continue
        other, parent = rows[where[1]], rows[fork]
        if isinstance(other, ReplyRow) and (
            other.synthetic
            or (isinstance(parent, ReplyRow) and other.message_id and other.message_id == parent.message_id)
        ):
            continue
        if last[child] > prompt:
            continue  # it went on after the prompt, which was typed in the middle of a turn then
        found.append(child)
    return found
