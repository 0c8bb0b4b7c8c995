"""Scripts that no font here has, and the Debian package that has one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from dragoman.report import Code, Report

_CORE = "fonts-noto-core"
_PACKAGES = {
    "Han": "fonts-noto-cjk",
    "Hiragana": "fonts-noto-cjk",
    "Katakana": "fonts-noto-cjk",
    "Hangul": "fonts-noto-cjk",
    "Bopomofo": "fonts-noto-cjk",
    "CJK punctuation": "fonts-noto-cjk",
    "Emoji": "fonts-noto-color-emoji",
    "Symbols": "fonts-noto-core fonts-symbola",
    "Box drawing": "fonts-dejavu-core",
    "Private use": "",
    "Unassigned": "",
}

_BLOCKS = (
    ("Box drawing", 0x2500, 0x259F),
    ("Emoji", 0x1F300, 0x1FAFF),
    ("Emoji", 0x1F1E6, 0x1F1FF),
    ("Symbols", 0x2000, 0x2BFF),
    ("CJK punctuation", 0x3000, 0x303F),
    ("CJK punctuation", 0xFE30, 0xFE4F),
    ("CJK punctuation", 0xFF00, 0xFF65),
    ("Private use", 0xE000, 0xF8FF),
    ("Private use", 0xF0000, 0x10FFFF),
)
"""Where the character's own script says nothing (it is "Common")."""


def script(codepoint: int) -> str:
    """The script of a character, in English."""
    from fontTools import unicodedata  # type: ignore[import-untyped]

    for name, first, last in _BLOCKS:
        if first <= codepoint <= last:
            return name
    code = unicodedata.script(chr(codepoint))
    if code in ("Zyyy", "Zinh"):
        return str(unicodedata.block(chr(codepoint)))
    if code == "Zzzz":
        return "Unassigned"
    return str(unicodedata.script_name(code)).replace("_", " ")


def package(name: str) -> str:
    """The Debian package with a font for a script, or nothing."""
    return _PACKAGES.get(name, _CORE)


def report_missing(missing: Mapping[int, int], report: Report) -> None:
    """One finding a script: what is missing, how many different characters, and what to install."""
    scripts: Counter[str] = Counter()
    for codepoint, _ in sorted(missing.items()):
        scripts[script(codepoint)] += 1
    for name, count in scripts.items():
        needed = package(name)
        advice = f" (apt install {needed})" if needed else " characters"
        report.add(Code.MISSING_GLYPHS, None, f"{name}{advice}", count)
