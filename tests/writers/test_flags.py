"""Sentences name an option as the command line takes it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "dragoman"


def test_no_sentence_names_an_option_as_key_and_value() -> None:
    """Reports said `-O lines=true`, the README `--lines`."""
    found = []
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        found += [
            f"{path.name}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
            and re.search(r"-O \w+=|\b[a-z_]+=(true|false)\b", node.value)
        ]  # fmt: skip
    assert found == []
