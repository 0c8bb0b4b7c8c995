"""Who and where: user names, addresses and numbers of people, as pseudonyms that stay the same throughout.

What is replaced is taken from the transcript itself: from home folders and the project names made of
them, from git's author lines and from addresses. The machine that converts isn't asked: the transcript
may be somebody else's.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable

from dragoman.filters.redact.names import words

SWITCHES = ("secrets", "users", "emails", "names", "hosts", "ips", "numbers")

_HOME = re.compile(
    r"(?:/Users/|/home/|/var/home/|/export/home/|[A-Za-z]:(?:\\{1,8}|/)Users(?:\\{1,8}|/)|/mnt/[a-z]/Users/|%2FUsers%2F|%2Fhome%2F|\\/Users\\/|\\/home\\/)"
    r"(?P<user>[A-Za-z0-9_][A-Za-z0-9_.@~-]{0,63}?)(?=[/\\\"'`:;,)\]}>\s|]|%2F|$)"
)
_HOME_MUNGED = re.compile(r"(?<![A-Za-z0-9])-(?:Users|home)-(?P<user>[A-Za-z0-9_]+)")
_HOME_WORDS = (
    "/Users/",
    "/home/",
    "\\Users\\",
    "-Users-",
    "-home-",
    "%2FUsers",
    "%2Fhome",
    ":/Users",
    "\\/Users",
    "\\/home",
)
_NOT_USERS = frozenset(
    {
        "shared",
        "public",
        "default",
        "all users",
        "runner",
        "user",
        "users",
        "linuxbrew",
        "homebrew",
        "name",
        "username",
        "you",
        "me",
        "xxx",
        "foo",
        "...",
    }
)
_EMAIL = re.compile(
    r"(?<![\w.+/=:-])[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}(?![\w-])"
)
_HARMLESS_EMAIL = re.compile(
    r"(?i)@(?:example\.(?:com|org|net|invalid)|[\w.-]*\.(?:example|invalid|test|local)|users\.noreply\.github\.com|github\.com|gitlab\.com|bitbucket\.org|localhost)$|^(?:git|noreply|no-reply|hello|info|support|admin|root|postmaster)@|noreply@"
)
_AUTHOR = re.compile(
    r"(?:^|\n|\\n)[ \t+-]*(?:Author|Commit|Committer|Co-authored-by|Signed-off-by|Reviewed-by|Reported-by|Tested-by|Acked-by|From|author|committer):?[ \t]+(?P<name>[^<>\n\\\"]{2,60}?)[ \t]*<(?P<email>[^<>\s]{3,120})>"
)
_GIT_NAME = re.compile(
    r"(?:user\.name[ =\"']+|GIT_(?:AUTHOR|COMMITTER)_NAME=[\"']?)(?P<name>[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*){1,3})"
)
_HOST = re.compile(
    r"(?:(?<=@)(?P<a>[A-Za-z][A-Za-z0-9-]{2,62})(?=[:~ ][~/$#]|:\S*[$#] )|(?i:hostname[\"']?[:= ]+[\"']?)(?P<b>[A-Za-z][A-Za-z0-9-]{2,62})|(?P<c>[A-Za-z][A-Za-z0-9-]{2,62})(?=\.(?:local|lan|home|internal|corp|localdomain)\b)|(?i:HOST(?:NAME)?=)(?P<d>[A-Za-z][A-Za-z0-9-]{4,62})(?=\s|$))"
)
_NOT_HOSTS = frozenset(
    {
        "localhost",
        "github",
        "gitlab",
        "example",
        "server",
        "host",
        "hostname",
        "string",
        "none",
        "null",
        "true",
        "false",
        "docker",
        "kubernetes",
        "metadata",
        "production",
        "staging",
        "name",
        "the",
        "and",
        "str",
    }
)
_IP4 = re.compile(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)")
_IP6 = re.compile(r"(?<![\w:.])(?:[0-9a-fA-F]{1,4}:){2,7}(?::?[0-9a-fA-F]{1,4}){1,7}(?![\w:])")
_CARD = re.compile(r"(?<![\w.-])(?:\d[ -]?){13,19}(?![\w.-])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_SSN = re.compile(r"(?<![\w.-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-]|\.\d)")
_PHONE = re.compile(
    r"(?<![\w.+/=-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,4}|\(\d{3}\) ?\d{3}[-. ]\d{4})(?![\w-])"
)


class Identities:
    """Learns who is in the transcript, then gives every one a pseudonym."""

    def __init__(self, switches: Iterable[str]) -> None:
        self.switches = frozenset(switches)
        self.users: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._hosts: dict[str, str] = {}
        self._others: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}
        self._munged: dict[str, str] = {}
        self._in_paths: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self._needles: tuple[str, ...] = ()
        self.replaced = 0

    @property
    def active(self) -> bool:
        """Whether anything beside secrets is asked for."""
        return bool(self.switches - {"secrets"})

    def learn_all(self, texts: list[str]) -> None:
        """First pass: take names from these strings."""
        if not self.switches & {"names", "hosts"}:
            texts = [text for text in texts if "sers" in text or "home" in text]
        for text in texts:
            self.learn(text)

    def learn(self, text: str) -> None:
        """First pass: take names from a string."""
        if (
            "users" in self.switches
            and ("sers" in text or "home" in text)
            and any(word in text for word in _HOME_WORDS)
        ):
            for match in _HOME.finditer(text):
                self._user(match["user"])
            if "-Users-" in text or "-home-" in text:
                for match in _HOME_MUNGED.finditer(text):
                    self._user(match["user"])
        if "names" in self.switches:
            if "<" in text and "@" in text:
                for match in _AUTHOR.finditer(text):
                    name = match["name"].strip()
                    if " " in name:
                        self._names.setdefault(name, "")
            for match in _GIT_NAME.finditer(text):
                self._names.setdefault(match["name"], "")
        if "hosts" in self.switches:
            for match in _HOST.finditer(text):
                host = match[match.lastgroup or "a"]
                if host.lower() not in _NOT_HOSTS and len(host) >= 4:
                    self._hosts.setdefault(host, "")

    def _user(self, name: str) -> None:
        name = name.strip(" .")
        if name and name.lower() not in _NOT_USERS and name[:1] != "-" and name not in self.users:
            self.users[name] = ""

    def freeze(self) -> None:
        """End of the first pass: number what was learnt, in the order in which it was met."""
        common = words().common_users
        # A munged path can't tell the user from what follows; the shortest that another place names is it.
        munged = {re.sub(r"[^A-Za-z0-9]", "-", name): name for name in self.users if not name.isalnum()}
        for form, name in munged.items():
            if form != name:
                self._munged[form] = name
                self.users.pop(form.split("-")[0], None)
        for kind, table in (("user", self.users), ("person", self._names), ("host", self._hosts)):
            for name in table:
                if kind == "user" and name.lower() in common:
                    continue
                table[name] = table[name] or self._next(kind)
        parts: list[str] = []
        table = {**{form: self.users.get(name, "") for form, name in self._munged.items()}, **self.users}
        self._in_paths = {name: known_as for name, known_as in table.items() if known_as}
        paths = "|".join(re.escape(name) for name in sorted(self._in_paths, key=len, reverse=True))
        if paths:
            parts.append(
                r"(?P<home>(?<=/Users/)|(?<=/home/)|(?<=\\Users\\)|(?<=\\\\Users\\\\)|(?<=Users\\\\)|(?<=Users/)|(?<=-Users-)|(?<=-home-)|(?<=%2FUsers%2F)|(?<=%2Fhome%2F)|(?<=\\/Users\\/)|(?<=\\/home\\/))(?:"
                + paths
                + r")(?![A-Za-z0-9])"
            )
        bare = [
            n
            for n, p in (*self.users.items(), *self._names.items(), *self._hosts.items())
            if p and len(n) >= 4 and n.lower() not in common
        ]
        if bare:
            parts.append(
                r"(?<![A-Za-z0-9])(?:"
                + "|".join(re.escape(n) for n in sorted(bare, key=len, reverse=True))
                + r")(?![A-Za-z0-9])"
            )
        self._pattern = re.compile("|".join(parts)) if parts else None
        self._needles = tuple(n for n, p in (*self._in_paths.items(), *self._names.items(), *self._hosts.items()) if p)

    def _next(self, kind: str) -> str:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return f"{kind}-{self._counts[kind]}"

    def replace(self, text: str) -> str:
        """Second pass: the string with pseudonyms; the same object where there is nobody in it."""
        new = text
        if "emails" in self.switches and "@" in new:
            new = _EMAIL.sub(self._email, new)
        if "ips" in self.switches:
            if "." in new:
                new = _IP4.sub(self._ip, new)
            if ":" in new:
                new = _IP6.sub(self._ip, new)
        if "numbers" in self.switches:
            new = self._numbers(new)
        if self._pattern is not None and any(needle in new for needle in self._needles):
            new = self._pattern.sub(self._known, new)
        return text if new == text else new

    def _known(self, match: re.Match[str]) -> str:
        name = match[0]
        self.replaced += 1
        return self._in_paths.get(name) or self._names.get(name) or self._hosts.get(name) or name

    def _other(self, kind: str, value: str) -> str:
        key = (kind, value)
        if key not in self._others:
            self._others[key] = self._next(kind)
        self.replaced += 1
        return self._others[key]

    def _email(self, match: re.Match[str]) -> str:
        if _HARMLESS_EMAIL.search(match[0]):
            return match[0]
        return f"{self._other('email', match[0].lower())}@example.invalid"

    def _ip(self, match: re.Match[str]) -> str:
        try:
            address = ipaddress.ip_address(match[0])
        except ValueError:
            return match[0]
        if not address.is_global:
            return match[0]
        return self._other("ip", match[0])

    def _numbers(self, text: str) -> str:
        def checked(kind: str, good: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
            return lambda match: self._other(kind, re.sub(r"[ -]", "", match[0])) if good(match[0]) else match[0]

        text = _IBAN.sub(checked("iban", iban), text)
        text = _CARD.sub(checked("card", luhn), text)
        text = _SSN.sub(checked("ssn", lambda _value: True), text)
        return _PHONE.sub(
            checked("phone", lambda value: 8 <= sum(ch.isdigit() for ch in value) <= 15 and "555" not in value), text
        )


def luhn(value: str) -> bool:
    """A payment card's number: a known start, the right length, the Luhn checksum."""
    digits = [int(ch) for ch in value if ch.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 3:
        return False
    if digits[0] not in (2, 3, 4, 5, 6):
        return False
    total = 0
    for index, digit in enumerate(reversed(digits)):
        if index % 2:
            digit = digit * 2 - 9 if digit > 4 else digit * 2
        total += digit
    return total % 10 == 0


def iban(value: str) -> bool:
    """An account's number with the right remainder by 97 (ISO 13616)."""
    bare = value.replace(" ", "")
    if not 15 <= len(bare) <= 34:
        return False
    moved = bare[4:] + bare[:4]
    return int("".join(str(int(ch, 36)) for ch in moved)) % 97 == 1
