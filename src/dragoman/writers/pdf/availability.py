"""Whether this machine can lay out a PDF, and if not, what to install. Costs milliseconds: nothing of it is imported."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib.util import find_spec

_LIBRARIES = (
    ("libglib2.0-0", ("libgobject-2.0.so.0", "libgobject-2.0.0.dylib", "libgobject-2.0-0.dll")),
    ("libpango-1.0-0", ("libpango-1.0.so.0", "libpango-1.0.dylib", "libpango-1.0-0.dll")),
    ("libharfbuzz0b", ("libharfbuzz.so.0", "libharfbuzz.0.dylib", "libharfbuzz-0.dll")),
    ("libfontconfig1", ("libfontconfig.so.1", "libfontconfig.1.dylib", "libfontconfig-1.dll")),
    ("libpangoft2-1.0-0", ("libpangoft2-1.0.so.0", "libpangoft2-1.0.dylib", "libpangoft2-1.0-0.dll")),
)
"""Debian package, and the names under which WeasyPrint (since 53) opens its library."""

_HOW = {"linux": "apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0", "darwin": "brew install pango"}
_ELSEWHERE = "see https://doc.courtbouillon.org/weasyprint/stable/first_steps.html"


@cache
def unavailable() -> str:
    """One line that says what is missing and how to install it; nothing where a PDF can be made."""
    for module in ("weasyprint", "pikepdf"):
        if find_spec(module) is None:
            return f"PDF needs {module}, which isn't installed here: pip install {module}"
    missing = [package for package, names in _LIBRARIES if not _opens(names)]
    if not missing:
        return ""
    return f"PDF needs the Pango libraries, and {', '.join(missing)} isn't here: {_HOW.get(sys.platform, _ELSEWHERE)}"


@cache
def fontless() -> str:
    """One line where fontconfig knows no font at all: Pango would end the process. Nothing where there is one."""
    for name in _LIBRARIES[3][1]:
        try:
            fontconfig = ctypes.CDLL(name)
        except OSError:
            continue
        fontconfig.FcConfigGetFonts.restype = ctypes.POINTER(ctypes.c_int)  # a struct that begins with their number
        fontconfig.FcConfigGetFonts.argtypes = (ctypes.c_void_p, ctypes.c_int)
        fontconfig.FcInit()
        found = fontconfig.FcConfigGetFonts(None, 0)
        if found and found[0] > 0:
            return ""
        return "PDF needs a font, and there is none here: apt install fonts-dejavu-core (or fonts-noto-core for many scripts)"
    return ""


def _opens(names: tuple[str, ...]) -> bool:
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False
