"""Addresses: of mail, whole or not at all, and of the internet protocol."""

from __future__ import annotations

import ipaddress
import re
import sys
from collections.abc import Iterator

from dragoman.filters.redact.identities.identity_words import lists

_AT = re.compile(r"@|%40|\\u0040|&#64;")
_UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")  # nobody sees them: what they part is one word
_LOCAL = re.compile(rf"(?:[\w.+%'-]|{_UNSEEN.pattern}){{1,64}}\Z")
_DOMAIN = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}(?:[A-Za-z]{2,24}|xn--[A-Za-z0-9-]{2,59})(?![\w-])"
)
_LOGIN_BEFORE = re.compile(
    r"(?:://[^\s/@\"'<>]{0,80}|\b(?:ssh|scp|sftp|rsync|mosh|autossh|sshpass|ssh-copy-id)\b[^\n|;&]{0,200}[\s\"'=])\Z"
)
_LOGIN_AFTER = re.compile(r":[/~.\w]")
_NOBODY = re.compile(r"(?i)(?:^|[.+_-])no-?reply|\[bot\]|^(?:bot|notifications?)[.+_-]|[.+_-]bot$")
_EXAMPLES = re.compile(r"(?i)(?:^|\.)(?:example\.(?:com|org|net|edu)|example|invalid|test|localhost)$")


def mails(text: str, first: int = 0, last: int = sys.maxsize) -> Iterator[tuple[int, int]]:
    """Where addresses of mail stand whose sign is between first and last: from and to.

    `user@host` of a login (ssh, a URL, a copy) is none.
    """
    for match in _AT.finditer(text, first, last):
        place = mail_at(text, match.start(), match.end())
        if place is not None:
            yield place


def mail_at(text: str, at: int, after: int) -> tuple[int, int] | None:
    """The address around the `@` that stands from `at` to `after`."""
    domain = _DOMAIN.match(text, after)
    if domain is None or domain[0].rsplit(".", 1)[1].lower() in lists().not_domains:
        return None
    local = _LOCAL.search(text, max(0, at - 64), at)
    if local is None:
        return None
    start = local.start()
    name = local[0]
    if "%" in name:  # what stands before in an encoded text: %22anna%40...
        cut = re.match(r".*%[0-9a-fA-F]{2}", name)
        if cut is not None:
            start += cut.end()
    for index in range(start, min(at, start + 2)):
        # `\n` is an escape's end, not the first letter of a name.
        if index == start and index and text[index - 1] == "\\" and text[index] in "abefnrtv":
            start = index + 1
    while start < at and text[start] in ".+-'%":
        start += 1
    if start >= at or (start and text[start - 1] == "@"):
        return None
    end = domain.end()
    if _LOGIN_AFTER.match(text, end) and not text.startswith(("mailto:", "MAILTO:"), max(0, start - 7)):
        return None
    if _LOGIN_BEFORE.search(text, max(0, start - 240), start):
        return None
    return start, end


def plain_mail(text: str) -> str:
    """An address as it would be written without codings, in lower case: the same for the same mailbox."""
    return _AT.sub("@", _UNSEEN.sub("", text)).lower()


def nobodys(mail: str) -> bool:
    """Whether an address is a role's, a program's or an example's, so that it tells no person."""
    local, _, domain = mail.rpartition("@")
    if _NOBODY.search(local):
        return True
    return local in lists().roles or (domain == "example.invalid" and re.fullmatch(r"email-\w+", local) is not None)


def example_domain(domain: str) -> bool:
    """Whether a domain is reserved for examples (RFC 2606, RFC 6761)."""
    return _EXAMPLES.search(domain) is not None


_IP4 = re.compile(r"\d(?<![\w.].)\d{0,2}(?:\.\d{1,3}){3}(?!\w|\.\d)")
_IP6_SIGN = re.compile(r":[0-9a-fA-F]{0,4}:")
_IP6 = re.compile(
    r"(?<![\w:.])(?:[0-9a-fA-F]{1,4}(?=:)|:(?=:))[0-9a-fA-F:]{2,38}(?:(?<=:)(?:\d{1,3}\.){3}\d{1,3})?(?![\w:]|\.\d)"
)
_VERSION_BEFORE = re.compile(r"(?i)(?:(?:version|release|build|==|>=|<=|~=|!=|[\^~><-]|\bv)\s{0,2}[\"':=]{0,3}\s?)\Z")
_PROSE_BEFORE = re.compile(
    r"(?:\b(?:[Ii]n|[Ss]ince|[Ww]ith|[Uu]ntil|[Bb]efore|[Aa]fter|(?!(?:IP|IPv4|Ip|Host|Server|Address|Addr|Ping|Peer|Client|Remote|From|To|On|At)\b)[A-Z][A-Za-z+#]+|[a-z]+/) ?)\Z"
)
_EVERYBODYS = frozenset(
    ipaddress.ip_network(each)
    for each in ("127.0.0.0/8", "0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "::/127", "fe80::/10", "ff00::/8")
)
_WELL_KNOWN = frozenset(
    "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 149.112.112.112 208.67.222.222 208.67.220.220 "
    "2001:4860:4860::8888 2001:4860:4860::8844 2606:4700:4700::1111 2606:4700:4700::1001 2620:fe::fe".split()
)
"""Resolvers that everyone uses."""

_BARE_PREFIXES = frozenset(map(ipaddress.ip_address, ("::ffff", "::ffff:0:0", "64:ff9b::", "fd00::", "fc00::")))
"""What addresses begin with, with no machine's part after it."""


def ips(text: str) -> Iterator[tuple[int, int]]:
    """Where addresses of single machines stand. Loopback, link-local, netmasks and the great resolvers are everybody's."""
    if "." in text:
        for match in _IP4.finditer(text):
            if _machine(match[0]) and not _version(text, match):
                yield match.span()
    if _IP6_SIGN.search(text):
        for match in _IP6.finditer(text):
            value = match[0]
            # `a::b` is a path in several languages; addresses that are in use begin in few ways.
            if value.count(":") >= 2 and re.match(r"(?i)[23][0-9a-f]{3}:|f[cd][0-9a-f]{2}:|::ffff:|64:ff9b:", value):
                end = match.end() - (1 if value.endswith(":") and not value.endswith("::") else 0)
                if _machine(text[match.start() : end]):
                    yield match.start(), end


def _version(text: str, match: re.Match[str]) -> bool:
    """Whether what looks like an address is a program's version of four parts: by the word before, or by its size.

    Versions in sentences have small parts (`in 1.7.0.2`); an address of which every part is below 20 is hardly met.
    """
    before = max(0, match.start() - 20)
    if _VERSION_BEFORE.search(text, before, match.start()):
        return True
    small = all(int(part) < 20 for part in match[0].split("."))
    return small and not match[0].startswith("10.") and _PROSE_BEFORE.search(text, before, match.start()) is not None


def _machine(value: str) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    if value in _WELL_KNOWN or address in _BARE_PREFIXES:
        return False
    return not any(address in network for network in _EVERYBODYS if network.version == address.version)
