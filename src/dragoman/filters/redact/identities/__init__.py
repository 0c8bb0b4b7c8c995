"""Who and where: people, machines and their addresses, as pseudonyms that stay the same throughout.

What is replaced is taken from the transcript itself, in two passes: `learn` takes up who is in it, `mentions` says where
they stand. A longer mention goes before a shorter one that it holds, so that no address and no host's name is cut in two.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import ahocorasick_rs

from dragoman.filters.redact.finder import inside_mark
from dragoman.filters.redact.identities import addresses, hosts, numbers, people
from dragoman.filters.redact.identities.identity_words import telling, whole
from dragoman.filters.redact.judge import MARK

SWITCHES = ("secrets", "users", "emails", "names", "hosts", "ips", "numbers")

KINDS = {
    "user": ("user", "users"),
    "person": ("name", "names"),
    "email": ("e-mail address", "e-mail addresses"),
    "host": ("host", "hosts"),
    "ip": ("IP address", "IP addresses"),
    "phone": ("phone number", "phone numbers"),
    "card": ("card number", "card numbers"),
    "iban": ("IBAN", "IBANs"),
    "ssn": ("social security number", "social security numbers"),
}
"""The kinds of identities: what one and several are called. The kind is also the pseudonym's beginning."""

_GIVEN_BY = {
    "users": ("user", "email"),
    "emails": ("email",),
    "names": ("person", "email"),
    "hosts": ("host", "email"),
    "ips": ("ip",),
    "numbers": ("phone", "card", "iban", "ssn"),
}
"""The kinds of pseudonyms that a switch may bring."""

_PSEUDONYM = re.compile(rf"(?P<kind>{'|'.join(KINDS)})-(?P<number>\d{{1,9}}|[0-9a-f]{{10}})")
_ESCAPE = re.compile(rb"[\\\\%\[]")
_FEW = 6
_AROUND = 400  # characters that decide about a mention: more than any of its rules looks at
_NEAR = 64  # the same for addresses and numbers


class Mention(NamedTuple):
    """Where somebody or something is named: characters from and to, its kind, and the value that its pseudonym goes by."""

    start: int
    end: int
    kind: str
    value: str


class _Needle(NamedTuple):
    """What a text that is searched for stands for. `bare`: wherever it is a word by itself; else only in a user's places."""

    kind: str
    value: str
    bare: bool


class Identities:
    """Learns who is in the transcript, then gives every one a pseudonym.

    With a key, a pseudonym goes by the value alone (`user-3f9c01d2ab`), so that it is the same in every run under that key.
    """

    def __init__(self, switches: Iterable[str], key: bytes = b"") -> None:
        self.switches = frozenset(switches)
        self._key = key
        self._users: dict[str, bool] = {}
        self._people: dict[str, set[str]] = {}
        self._hosts: dict[str, None] = {}
        self._domains: dict[str, None] = {}
        self._pseudonyms: dict[tuple[str, str], str] = {}
        self._numbers: dict[str, int] = defaultdict(int)
        self._taken: set[str] = set()
        self._signs = [] if key else sorted({f"{kind}-" for each in self.switches for kind in _GIVEN_BY.get(each, ())})
        self._needles: dict[str, list[_Needle]] = {}
        self._words: list[str] = []
        self._automaton: ahocorasick_rs.AhoCorasick | None = None
        self._written: dict[str, str] = {}
        self.short_keys: frozenset[str] = frozenset()

    @property
    def active(self) -> bool:
        """Whether anything beside secrets is asked for."""
        return bool(self.switches - {"secrets"})

    # first pass

    def learn_all(self, texts: list[str]) -> None:
        """First pass: take names from these strings."""
        for text in texts:
            for sign in self._signs:
                if sign in text:
                    self._taken.update(match[0] for match in _PSEUDONYM.finditer(text))
                    break
        if not self.switches & {"names", "hosts"}:
            texts = [text for text in texts if "Users" in text or "home" in text] if "users" in self.switches else []
        for text in texts:
            self.learn(text)

    def learn(self, text: str) -> None:
        """First pass: take names from one of them."""
        if "users" in self.switches:
            for name, sure in people.users(text):
                if not self._is_pseudonym(name):
                    self._users[name] = self._users.get(name, False) or sure
        if "names" in self.switches:
            for name, local in people.people(text):
                if not self._is_pseudonym(name):
                    self._people.setdefault(name, set()).add(local)
        if "hosts" in self.switches:
            for host in hosts.learnt(text):
                self._take_host(host)
            if "@" in text:
                for start, end in addresses.mails(text):
                    domain = addresses.plain_mail(text[start:end]).rpartition("@")[2]
                    if hosts.private(domain) and not addresses.example_domain(domain):
                        self._take_host(domain)

    def _take_host(self, host: str) -> None:
        if host not in self._hosts and not self._is_pseudonym(host):
            self._hosts[host] = None
            domain = hosts.domain_of(host)
            if domain:
                self._domains[domain] = None

    def _is_pseudonym(self, name: str) -> bool:
        """Whether an earlier redaction put the name there. It stays, and its number isn't given again."""
        return _PSEUDONYM.fullmatch(name.partition("@")[0]) is not None

    def freeze(self) -> None:
        """End of the first pass: prepare the search. Numbers are given in the second, in the order of what is written."""
        needles: dict[str, list[_Needle]] = defaultdict(list)

        def search(forms: Iterable[str], needle: _Needle) -> None:
            # One of a sort for each form: of two that look the same, the first is meant. So a match costs the same however many.
            for form in forms:
                if not any(each.kind == needle.kind and each.bare == needle.bare for each in needles[form]):
                    needles[form].append(needle)

        # A munged path can't tell a user's name from what follows: another place that names the user does.
        sure = sorted(re.sub(r"[^A-Za-z0-9]", "-", name) for name, known in self._users.items() if known)
        names = [name for name, known in self._users.items() if known or not _begins(sure, name)]
        for name in names:
            bare = telling(name)
            search(people.user_forms(name, bare=bare), _Needle("user", name, bare))
        for name, locals_ in self._people.items():
            search(people.person_forms(name), _Needle("person", name, True))
            for local in sorted(locals_):
                for part in people.person_parts(name, local):
                    if not any(each.kind == "person" for each in needles.get(part, ())):
                        search(people.coded(part), _Needle("person", name, True))
        for host in self._hosts:
            search({host, host.upper(), host.title(), host.capitalize()}, _Needle("host", host, True))
        for domain in self._domains:
            search({domain, domain.upper(), domain.title(), domain.capitalize()}, _Needle("domain", domain, True))
        self._needles = {form: found for form, found in needles.items() if len(form) >= 2}
        self._words = list(self._needles)
        self._automaton = ahocorasick_rs.AhoCorasick(self._words) if self._words else None
        self.short_keys = frozenset(word for word in self._words if len(word) <= 5)

    def _pseudonym(self, kind: str, value: str) -> str:
        known = self._pseudonyms.get((kind, value))
        if known is None:
            known = f"{kind}-{self._token(kind, value)}"
            if kind == "email":
                known += "@example.invalid"
            self._pseudonyms[kind, value] = known
        return known

    def _token(self, kind: str, value: str) -> str:
        if self._key:
            said = f"{kind}\0{value}".encode("utf-8", "surrogatepass")
            return hmac.new(self._key, said, hashlib.sha256).hexdigest()[:10]
        while True:
            self._numbers[kind] += 1
            if f"{kind}-{self._numbers[kind]}" not in self._taken:
                return str(self._numbers[kind])

    # second pass

    def replace(self, text: str) -> str:
        """Second pass: the string with pseudonyms; the same object where there is nobody in it."""
        return self.rewrite(text, self.mentions(text))

    def rewrite(self, text: str, mentions: list[Mention]) -> str:
        """The string with a pseudonym for each of its mentions."""
        if not mentions:
            return text
        out: list[str] = []
        place = 0
        for start, end, kind, value in mentions:
            if kind not in ("user", "person", "host"):
                self._written[text[start:end]] = kind  # the others are searched for by their forms
            out += (text[place:start], self._pseudonym(kind, value))
            place = end
        out.append(text[place:])
        return "".join(out)

    def naming(self, texts: set[str]) -> set[str]:
        """Those of the strings in which somebody may be named."""
        if self.switches & {"emails", "hosts", "ips", "numbers"} or len(self._words) > _FEW:
            return {text for text in texts if self.mentions(text)}
        return {text for word in self._words for text in texts if word in text}

    def mentions(self, text: str) -> list[Mention]:
        """Who and what is named in the string, in order and apart."""
        found: list[Mention] = []
        if self._automaton is not None and (len(self._words) > _FEW or any(word in text for word in self._words)):
            found += self._known(text)
        switches = self.switches
        if ("emails" in switches or "hosts" in switches) and ("@" in text or "%40" in text):
            found += self._mails(text)
        if "hosts" in switches and "." in text:
            found += [Mention(low, high, "host", text[low:high].lower()) for low, high in hosts.inner(text)]
        found += self._ips_and_numbers(text)
        return _apart(found, text) if found else found

    def _ips_and_numbers(self, text: str) -> Iterator[Mention]:
        if "ips" in self.switches:
            for low, high in addresses.ips(text):
                yield Mention(low, high, "ip", text[low:high].lower())
        if "numbers" in self.switches:
            for low, high, kind in numbers.numbers(text):
                yield Mention(low, high, kind, numbers.bare(text[low:high]))

    def _known(self, text: str) -> Iterator[Mention]:
        """Mentions of those who were learnt."""
        assert self._automaton is not None
        reached = 0  # a host's whole name is judged once, however often others stand in it
        for index, start, end in self._automaton.find_matches_as_indexes(text, overlapping=True):
            for mention in self._judged(text, index, start, end, reached):
                if mention.kind == "host":
                    reached = mention.end
                yield mention

    def _judged(self, text: str, index: int, start: int, end: int, reached: int = 0) -> Iterator[Mention]:
        """Who is meant by the word of that index, from start to end. `reached`: where the last host that was found ends."""
        for kind, value, bare in self._needles[self._words[index]]:
            if kind in ("host", "domain"):
                mention = self._host(text, start, end, kind, value) if end > reached else None
                if mention is not None:
                    reached = mention.end
                    yield mention
            elif whole(text, start, end):
                mail = _mail_around(text, start, end)
                if mail is not None:
                    # An address goes whole: what is left of it would tell the name.
                    yield Mention(*mail, "email", addresses.plain_mail(text[mail[0] : mail[1]]))
                elif bare or people.user_place(text, start, end):
                    if kind == "user" and "names" not in self.switches:
                        start, end = people.author_around(text, start, end)
                    yield Mention(start, end, kind, value)

    def _host(self, text: str, start: int, end: int, kind: str, value: str) -> Mention | None:
        low, high = hosts.token(text, start, end)
        name = text[low:high].lower()
        if kind == "domain":
            fits = name == value or name.endswith(f".{value}")
            return Mention(low, high, "host", name) if fits and hosts.private(name) else None
        if name == value:
            return Mention(low, high, "host", value)
        if not whole(text, start, end):
            return None
        before, after = text[start - 1 : start] if start > low else "", text[end : end + 1] if end < high else ""
        if (before == "." or after == ".") and hosts.known_end(name) and hosts.private(name):
            return Mention(low, high, "host", name)  # another host that has this one's name in its own
        if "." in value and before in (".", "-"):
            return None
        return Mention(start, end, "host", value)

    def _mails(self, text: str, first: int = 0, last: int = sys.maxsize) -> Iterator[Mention]:
        """Addresses of mail whose sign stands between first and last."""
        for start, end in addresses.mails(text, first, last):
            mail = addresses.plain_mail(text[start:end])
            domain = mail.rpartition("@")[2]
            if ("emails" in self.switches and not addresses.nobodys(mail)) or (
                "hosts" in self.switches and hosts.private(domain) and not addresses.example_domain(domain)
            ):
                yield Mention(start, end, "email", mail)

    # the check

    def remains(self, data: bytes) -> Iterator[tuple[int, str]]:
        """Who is still named in rendered output: byte places and kinds."""
        forms = [*self._words, *self._written]
        kinds = list(self._written.values())
        if not forms:
            return
        ours = _ours(data)
        automaton = ahocorasick_rs.BytesAhoCorasick([form.encode("utf-8", "surrogatepass") for form in forms])
        reached = 0
        for index, start, end in automaton.find_matches_as_indexes(data, overlapping=True):
            while ours and ours[-1][1] <= start:
                ours.pop()
            if start < reached or (ours and ours[-1][0] <= start) or data[end : end + 1].isalnum():
                continue
            if start and data[start - 1 : start].isalnum() and not _ESCAPE.search(data, max(0, start - 16), start):
                continue
            low = max(0, start - _AROUND)
            text = data[low : end + _AROUND].decode("utf-8", "replace")
            first = len(data[low:start].decode("utf-8", "replace"))
            last = first + len(data[start:end].decode("utf-8", "replace"))
            # Whoever is named elsewhere in the stretch has a match there: each costs the same, however many stand together.
            found: Iterable[Mention]
            if index < len(self._words):
                found = self._judged(text, index, first, last)
            else:
                found = self._written_at(text, kinds[index - len(self._words)], first, last)
            named = next((each.kind for each in found if each.start < last and each.end > first), "")
            if named:
                yield start, named
                reached = end

    def _written_at(self, text: str, kind: str, start: int, end: int) -> Iterator[Mention]:
        """What was replaced elsewhere and stands here, from start to end, once more: an address, a number."""
        if kind == "email":
            found = self._mails(text, start, end)
        else:
            low = max(0, start - _NEAR)
            near = self._ips_and_numbers(text[low : end + _NEAR])
            found = (each._replace(start=each.start + low, end=each.end + low) for each in near)
        return (each for each in found if each[2:] in self._pseudonyms)


_STYLE_OR_SCRIPT = re.compile(rb"(?s)<(style|script)\b(?![^>]*\btype=)[^>]*>.*?</\1>")


def _ours(data: bytes) -> list[tuple[int, int]]:
    """The stretches of a page, last first, that hold no word of a conversation: its styles and scripts.

    In a page every `<` of a conversation is escaped, so none of it can pass for one of these.
    """
    if data[:15].lower() != b"<!doctype html>":
        return []
    return [match.span() for match in _STYLE_OR_SCRIPT.finditer(data)][::-1]


def _mail_around(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The address of mail that start to end is a part of, where it is somebody's."""
    for sign in ("@", "%40"):
        for place in (text.find(sign, end, end + 64), text.rfind(sign, max(0, start - 190), start)):
            mail = addresses.mail_at(text, place, place + len(sign)) if place >= 0 else None
            if mail is not None and mail[0] <= start and end <= mail[1]:
                return None if addresses.nobodys(addresses.plain_mail(text[mail[0] : mail[1]])) else mail
    return None


def _begins(names: list[str], first: str) -> bool:
    """Whether one of the sorted names is `first`, or begins with it and a hyphen."""
    for sought in (first, f"{first}-"):
        place = bisect_left(names, sought)
        if place < len(names) and (names[place] == first or names[place].startswith(f"{first}-")):
            return True
    return False


def _apart(found: list[Mention], text: str) -> list[Mention]:
    """Mentions in order; of those that overlap the longest. A placeholder of a secret holds none."""
    found.sort(key=lambda each: (each.start, -each.end))
    out: list[Mention] = []
    marked = MARK in text
    for each in found:
        if marked and inside_mark(text, each.start, each.end):
            continue
        if out and each.start < out[-1].end:
            if each.end - each.start > out[-1].end - out[-1].start:
                out[-1] = each
            continue
        out.append(each)
    return out
