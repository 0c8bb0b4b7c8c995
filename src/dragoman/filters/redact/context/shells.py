"""A command in a text and, on the next line, the secret that it printed: `$ cat password.txt`, as people paste it."""

from __future__ import annotations

import re

from dragoman.filters.redact.context.commands import is_value, prints
from dragoman.filters.redact.judge import is_secret
from dragoman.filters.redact.names import Name

CUES = (
    "cat ", "echo $", 'echo "$', "echo %", "printf ", "printenv ", "jsonpath", "output -raw", "terraform output", "config:get", "pass show", "op read", "op item get", "bw get ",
    "versions access", "get-secret-value", "doppler secrets get", "-password ", "wg gen", "openssl rand", "vault kv get", "vault read", "auth token", "access-token", "get-parameter",
    "print-identity-token", "get-login-password", "secret-tool lookup", "rails secret", "rake secret", "/dev/urandom", "token_hex(", "token_urlsafe(", "generate_key()", "pwgen", "| cut -d", "jq -r",
    "create token", "keyvault secret show", "auth:token", "configure get", "gopass ", "get-content ", "head -", "tail -",
)  # fmt: skip
"""Where one of these stands, such a command may."""

_LONGEST = 500  # bytes of a line
_PROMPT = re.compile(
    r"(?:\([\w.-]{1,40}\) ?)?(?:\[?[\w.-]{1,40}@[\w.-]{1,60}[^\n$#%>]{0,80}|[~/][\w./~-]{0,80} ?|PS [^\n>]{0,80})?(?:[$#%>❯➜»!]{1,2}|\+) +"
)
_VALUE = re.compile(rb"[ \t]*([^\s\x00]{6,500})[ \t\r]*(?=\n|\x00|$)")


def below(buffer: bytes, start: int) -> tuple[int, int, Name] | None:
    """The secret on the line below the command that stands around `start`: bytes from, to, and its name."""
    end = buffer.find(b"\n", start, start + _LONGEST)
    if end < 0 or (value := _VALUE.match(buffer, end + 1, end + 1 + _LONGEST + 20)) is None:
        return None
    low = max(0, start - _LONGEST)
    left = max(buffer.rfind(b"\n", low, start), buffer.rfind(b"\x00", low, start), low - 1) + 1
    line = buffer[left:end].decode("utf-8", "replace").strip()
    prompt = _PROMPT.match(line)
    names = prints(line[prompt.end() :] if prompt is not None else line)
    name = names[-1] if names else None
    if name is None:
        return None
    text = value[1].decode("utf-8", "replace")
    # Without a prompt both lines may be a script's.
    good = is_value(text, name) and (
        prompt is not None or (sum(ch.isdigit() for ch in text) >= 2 and is_secret(name.sort, text, "prose"))
    )
    return (*value.span(1), name) if good else None
