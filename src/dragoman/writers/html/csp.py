"""The page's Content-Security-Policy: nothing is loaded, and only our own style and script run, by hash."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

_END = re.compile(r"</(?=style|script)", re.IGNORECASE)


def hashed(text: str) -> str:
    """The source expression of an inline style or script that has exactly this text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def policy(styles: list[str], scripts: list[str]) -> str:
    """The policy of a page with these inline styles and scripts and no others.

    `frame-ancestors` and `sandbox` have no effect in a meta element, so they aren't there.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {' '.join(map(hashed, styles)) or repr('none')}",
            f"script-src {' '.join(map(hashed, scripts)) or repr('none')}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def style_text(css: str) -> str:
    r"""CSS that can't end its own element: in CSS, `<\/style` means the same in every place where it can stand."""
    return _END.sub(r"<\\/", css)
