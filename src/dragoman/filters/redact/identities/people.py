"""People: where a transcript gives their names away, and the forms in which these stand elsewhere.

A user name is learnt from home folders and from the project names that agents make of them; a person's name from
the places where git and package files write authors. The machine that converts isn't asked: the transcript
may be somebody else's.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
import urllib.parse
from collections.abc import Iterator

from dragoman.filters.redact.identities.addresses import nobodys
from dragoman.filters.redact.identities.identity_words import after_escape, lists

# Home folders. In a Windows path a user's name may hold spaces.
_HOME = re.compile(
    r"(?:(?P<unix>(?:/|\\/)(?:Users|home)(?:/|\\/))|(?P<windows>\\{1,8}Users\\{1,8})|(?P<coded>%2F(?:Users|home)%2F))"
    r"(?P<user>(?(windows)\w[\w .@~+-]{0,63}?(?=\\)|(?!))|\w[\w.@~+-]{0,63}?(?=[/\\\"'`:;,)(\[\]}>\s|<&?#*=!]|%2F|$))"
)
_MOUNT_BEFORE = re.compile(
    r"(?:^|[^\w.~)}*-]|/(?:var|usr|export|data|Data|nfs|net|srv|rootfs|host|[a-z]|mnt/\w{1,20}|Volumes/[\w ]{1,40}|cygdrive/[a-z])"
    r"|\\[abefnrtv]|\[[0-9;]{0,12}m|%[0-9A-F]{2}|\b[A-Za-z]:)\Z"
)
_MUNGED = re.compile(r"(?:(?<![\w-])-|(?<=[A-Za-z]-)-)(?:Users|home)-(?P<user>[A-Za-z0-9_]{1,64})")
_HOME_WORDS = ("Users", "home")
_FILE = re.compile(r"\.(?:html?|php|py|md|js|ts|tsx|jsx|css|json|txt|ya?ml|vue|svelte|png|svg)$")

HOME_BEFORE = re.compile(r"(?:[/\\](?:Users|home)(?:[/\\]{1,8})|-(?:Users|home)-|%2F(?:Users|home)%2F)\Z")
"""What stands before a user's name in a path or a project's name."""

_AUTHOR_BEFORE = re.compile(
    r"(?:(?:Author|Commit|Committer|[A-Z][a-z]+(?:-[A-Za-z]+){0,3}-[Bb]y|From|Cc|Reply-To):[ \t]{0,8}|^(?:author|committer)[ \t]|[\n]author[ \t]"
    r"|user\.name[ =\"']{1,4}|GIT_(?:AUTHOR|COMMITTER)_NAME=[\"']?|\b(?:USER|LOGNAME|USERNAME|SUDO_USER)=[\"']?|\b[ug]id=\d{1,10}\("
    r"|\bsudo -u |\bsu (?:-l? ?)?|\bchown (?:-R )?|(?<![\w/])~"
    r"|[-dlbcps][-rwxsStT]{9}[.+@]?[ \t]{1,8}\d{1,6}[ \t]{1,8}(?:\S{1,32}[ \t]{1,8})?)\Z"
)
_LOGIN_AFTER = re.compile(r"@[\w.-]{1,253}(?=[:~ \]\s]|$)")

_MAIL = re.compile(r"(?:<|&lt;|\\u003c)(?P<mail>[\w.+%\[\]-]{1,64}@[\w.-]{3,190})(?:>|&gt;|\\u003e)")
_BEFORE_MAIL = re.compile(r"(?P<name>\w[\w'’.-]{0,40}(?:[ \t]{1,3}\w[\w'’.-]{0,40}){0,5})[\"']?[ \t]{0,4}\Z")
_NAME = r"(?P<name>[^\W\d_][\w'’.-]{0,40}(?:[ ][^\W\d_][\w'’.-]{0,40}){0,5})"
_TOLD = re.compile(
    r"(?:\b(?:Author|Commit|Committer|[A-Z][a-z]+(?:-[A-Za-z]+){0,3}-[Bb]y):[ \t]{1,8}"
    r"|(?:^|\n|\\n)(?:author|committer)[ \t]"
    r"|user\.name[ =\"']{1,4}|GIT_(?:AUTHOR|COMMITTER)_NAME=[\"']?"
    r"|@author[ \t]{1,4}|\bauthors?\\?[\"']?[ \t]{0,3}[:=][ \t]{0,3}(?:\[[ \t\n]{0,8})?(?:\{[ \t]{0,3}\\?[\"']?name\\?[\"']?[ \t]{0,3}[:=][ \t]{0,3})?\\?[\"'])"
    + _NAME
)
_TOLD_WORDS = ("uthor", "-by:", "-By:", "Commit", "user.name", "GIT_", "ommitter")
_LISTED = re.compile(rf"(?:^|\n|\\n)[ ]{{1,8}}\d{{1,6}}(?:\t|\\t){_NAME}(?=\n|\\n|$| <)")
_BLAMED = re.compile(rf"\([ \t]?{_NAME}[ \t]{{1,40}}\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d")
_PARTICLES = frozenset("van de der den von zu da do dos das di del della la le el al bin ibn ter ten af av du".split())


def users(text: str) -> Iterator[tuple[str, bool]]:
    """User names that home folders give away, and whether surely: a munged project name doesn't say where the name ends."""
    for match in _homes(text):
        before = text[max(0, match.start() - 48) : match.start()]
        if match["unix"] and not _MOUNT_BEFORE.search(before):
            continue
        name = match["user"].strip(" .")
        if not _FILE.search(name) and _may_be_user(name):
            yield name, True
    if "-Users-" not in text and "-home-" not in text:
        return
    for match in _MUNGED.finditer(text):
        if _may_be_user(match["user"]):
            yield match["user"], False


def _homes(text: str) -> list[re.Match[str]]:
    """Where home folders stand: their words are looked for first, since a search for words is quickest."""
    found: list[re.Match[str]] = []
    for word in _HOME_WORDS:
        place = -1
        while (place := text.find(word, place + 1)) >= 0:
            sign = text[place - 1 : place]
            before = text[max(0, place - 8) : max(0, place - 1)]
            if sign == "/":
                lead = int(before.endswith("\\"))
            elif sign == "\\":
                lead = len(before) - len(before.rstrip("\\"))
            elif sign == "F":
                lead = 2
            else:
                continue
            if (match := _HOME.match(text, max(0, place - 1 - lead))) is not None:
                found.append(match)
    found.sort(key=re.Match.start)
    apart: list[re.Match[str]] = []
    for match in found:
        if not apart or match.start() >= apart[-1].end():
            apart.append(match)
    return apart


def _may_be_user(name: str) -> bool:
    return bool(name) and not name.isdigit() and name.lower() not in lists().accounts and "REDACTED" not in name


def user_place(text: str, start: int, end: int) -> bool:
    """Whether a user's name stands where any user's name would: in a home folder, as an author, an owner, a login."""
    before = text[max(0, start - 64) : start]
    if HOME_BEFORE.search(before) or _AUTHOR_BEFORE.search(before):
        return True
    return text.startswith("@", end) and _LOGIN_AFTER.match(text, end) is not None


def people(text: str) -> Iterator[tuple[str, str]]:
    """Names of persons, each with the local part of the address that stands beside it ("" where none does)."""
    if "@" in text:
        for match in _MAIL.finditer(text):
            local = match["mail"].partition("@")[0].lower()
            if re.search(r"no-?reply|\[bot\]|^bot\b", local) or nobodys(match["mail"].lower()):
                continue  # nor does an address tell anybody that an earlier redaction put there
            before = _BEFORE_MAIL.search(text, max(0, match.start() - 100), match.start())
            if before is not None:
                start = before.start("name")
                said = before["name"]
                if after_escape(text, start + 1) and start and text[start - 1] == "\\":
                    said = said[1:]
                name = _person(said)
                if name:
                    yield name, local
    if any(word in text for word in _TOLD_WORDS):
        for match in _TOLD.finditer(text):
            if not _program(text, match.end()) and (name := _person(match["name"], ahead=True)):
                yield name, ""
    if "(" in text and ":" in text:
        for match in _BLAMED.finditer(text):  # git blame
            if name := _person(match["name"], ahead=True):
                yield name, ""
    if "\t" in text or "\\t" in text:
        for match in _LISTED.finditer(text):  # git shortlog
            if not _program(text, match.end()) and (name := _person(match["name"], ahead=True)):
                yield name, ""


def author_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole name of an author where a user's name is a part of it (`Author: Anna Kowalska` and the user anna): what is
    left of it would tell who that is. Else the same place."""
    if text[end : end + 1] != " " and text[max(0, start - 1) : start] != " ":
        return start, end  # in a path, nearly always
    low = max(0, start - _AUTHOR_REACH)
    near = text[low : end + _AUTHOR_REACH]
    for match in _TOLD.finditer(near):
        name = _person(match["name"], ahead=True)
        first = low + match.start("name")
        if name and first <= start and end <= first + len(name):
            return first, first + len(name)
    for match in _MAIL.finditer(near, end - low):
        before = _BEFORE_MAIL.search(near, max(0, match.start() - 100), match.start())
        name = _person(before["name"]) if before is not None else ""
        if before is not None and name and (place := before["name"].rfind(name)) >= 0:
            first = low + before.start("name") + place
            if first <= start and end <= first + len(name):
                return first, first + len(name)
        break
    return start, end


_AUTHOR_REACH = 160

_PROGRAM = re.compile(r"\[bot\]|\s{0,4}<[^>]{0,64}(?:no-?reply|\[bot\])@(?!users\.)")


def _program(text: str, place: int) -> bool:
    """Whether what follows an author's name says that it is a program's."""
    return _PROGRAM.match(text, place) is not None


def _person(said: str, *, ahead: bool = False) -> str:
    """The person's name that the words end with ("by Anna Kowalska"), or begin with (`ahead`); "" where that is none."""
    kept: list[str] = []
    words = said.split()
    for word in words if ahead else reversed(words):
        if not (_name_word(word) or (kept and word.lower() in _PARTICLES)):
            break
        kept.append(word)
    while kept and kept[-1] in _PARTICLES:
        kept.pop()
    if not ahead:
        kept.reverse()
    if kept:
        kept[-1] = kept[-1].rstrip(".'’-")
    if len(kept) < 2 or len(kept) > 5:
        return kept[0] if len(kept) == 1 and len(kept[0]) >= 2 and kept[0][0] >= "\u2e80" else ""
    low = {re.sub(r"\W", "", word.lower()) for word in kept}
    if low & lists().not_people or re.fullmatch(r"person-\w+", kept[0]):
        return ""
    return " ".join(kept)


def _name_word(word: str) -> bool:
    return (word[0].isupper() or word[0] >= "\u2e80") and not any(ch.isdigit() or ch == "_" for ch in word)


def person_forms(name: str) -> set[str]:
    """How a person's full name may stand elsewhere: with its accents or without."""
    if name.isascii():
        return _spellings(name)
    apart = unicodedata.normalize("NFD", name)
    plain = "".join(ch for ch in apart if not unicodedata.combining(ch))
    return _spellings(name) | _spellings(plain) | {apart, unicodedata.normalize("NFC", name)}


def _spellings(name: str) -> set[str]:
    """A name in order or turned, joined as logins and file names are."""
    words = name.split(" ")
    forms = {name, name.upper(), name.lower(), name.title()}
    if len(words) > 1:
        first, last = words[0], " ".join(words[1:])
        forms |= {
            f"{last}, {first}",
            f"{last.upper()}, {first}",
            f"{words[-1]}, {' '.join(words[:-1])}",
            f"{last.upper()} {first}",
            f"{first} {last.upper()}",
        }
        for joint in (".", "_", "-", ""):
            forms |= {joint.join(words), joint.join(words).lower()}
        if len(words) > 2:  # without the names in the middle
            forms |= {f"{words[0]} {words[-1]}"}
        forms |= {name.replace(" ", "\n"), name.replace(" ", "  "), name.replace(" ", "+"), name.replace(" ", "\\n")}
    return {each for form in forms for each in coded(form)}


def person_parts(name: str, local: str) -> set[str]:
    """Those words of a name that the address beside it confirms: `<a.kowalska@…>` says that Kowalska is a name."""
    return {
        word
        for word in name.split(" ")
        if len(word) >= 4 and word.lower() not in lists().common_words and word.lower() in local
    }


def user_forms(name: str, *, bare: bool) -> set[str]:
    """How a user's name may stand: as it is or as a person's, with what agents make of it in project names, in other cases
    where it stands bare."""
    forms = {name, name[:1].upper() + name[1:], re.sub(r"[^A-Za-z0-9]", "-", name)}
    if bare:
        forms |= {name.lower(), name.upper()}
    return {each for form in forms for each in coded(form)}


def coded(text: str) -> set[str]:
    """A text as JSON, HTML, URLs and Markdown write it."""
    if text.isascii() and text.isalnum():
        return {text}
    marked = re.sub(r"([\\`*_{}\[\]()#+.!~|<>-])", r"\\\1", text)
    return {
        text,
        json.dumps(text)[1:-1],
        html.escape(text),
        urllib.parse.quote(text, safe="", errors="surrogatepass"),
        marked,
        text.replace("_", "\\_"),
        text.replace(".", "\\."),
    }
