"""The keys of an untrusted JSON object, by type, remembering which were shown."""

from __future__ import annotations

from typing import Any


class Fields:
    """A wrapper of an object whose keys are all optional and may be of any type."""

    def __init__(self, values: Any) -> None:
        self.values: dict[str, Any] = values if isinstance(values, dict) else {}
        self.used: set[str] = set()

    def text(self, *keys: str) -> str:
        """The first of the keys that holds a string."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, str):
                self.used.add(key)
                return value
        return ""

    def word(self, *keys: str) -> str:
        """A string, or a number as one (ids are both)."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
                self.used.add(key)
                return str(value)
        return ""

    def number(self, *keys: str) -> int | None:
        """The first of the keys that holds a whole number."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, int) and not isinstance(value, bool):
                self.used.add(key)
                return value
        return None

    def flag(self, *keys: str) -> bool:
        """Whether one of the keys holds true. False is shown by not being shown."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, bool):
                self.used.add(key)
                return value
        return False

    def list(self, *keys: str) -> list[Any]:
        """The first of the keys that holds a list."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, list):
                self.used.add(key)
                return value
        return []

    def object(self, *keys: str) -> dict[str, Any]:
        """The first of the keys that holds an object."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, dict):
                self.used.add(key)
                return value
        return {}

    @property
    def rest(self) -> dict[str, Any]:
        """What nobody asked for."""
        if len(self.used) == len(self.values):
            return {}
        return {key: value for key, value in self.values.items() if key not in self.used}
