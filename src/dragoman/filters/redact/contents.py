"""What each entry says, kept from the first pass: the second goes only through those in which something changes."""

from __future__ import annotations

from collections.abc import Callable

from dragoman.model import Event, Message

_MOST = 100_000_000
"""Characters: entries that say more than this together aren't held. Sessions that big are read anew for the second pass."""


class Contents:
    """The strings of each entry. `settle` says which of them change, once everything is known."""

    def __init__(self) -> None:
        self._said: dict[int, tuple[Message | Event, list[str]]] = {}
        self._last: list[str] = []
        self._size = 0
        self._changing: set[str] | None = None

    def begin(self, entry: Message | Event) -> list[str]:
        """First pass: a list for what this entry says. The entry is held, so that no other gets its place in memory."""
        self._size += sum(map(len, self._last))
        self._last = []
        if self._size > _MOST:
            self._said.clear()
        else:
            self._said[id(entry)] = entry, self._last
        return self._last

    def settle(self, changing: Callable[[set[str]], set[str]]) -> None:
        """End of the first pass: ask once which of all strings may change."""
        every: set[str] = set()
        every.update(*(said for _, said in self._said.values()))
        self._changing = changing(every)

    def unchanged(self, entry: Message | Event) -> bool:
        """Second pass: whether this very entry was there in the first, and nothing that it says changes."""
        if self._changing is None:
            return False
        held = self._said.get(id(entry))
        return held is not None and held[0] is entry and self._changing.isdisjoint(held[1])

    def forget(self) -> None:
        """Drop all of it: every entry is gone through."""
        self._said.clear()
        self._last, self._size, self._changing = [], 0, None
