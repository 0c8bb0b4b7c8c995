"""Judgements on values: placeholder, reference, random, chosen by a person.

All take the bare value (no quotes) and are pure, so their answers are remembered.
"""

from __future__ import annotations

import itertools
import re
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from dragoman.filters.redact.catalog import shapes
from dragoman.filters.redact.names import Sort, classify, cut, words
from dragoman.filters.redact.own_forms import own_form

Stance: TypeAlias = Literal["quoted", "env", "bare", "flag", "yaml", "prose", "field", "call", "compare"]
"""How a value stands beside its name: a literal, NAME=value, code, --flag value, key: value, a sentence …"""

MARK = "[REDACTED:"

_VALIDATION = r"(?:required(?:_\w{2,20})?|nullable|sometimes|bail|present|filled|string|confirmed|current_password|prohibited|(?:min|max|size|between|same|different|exclude_if):[\w,.-]{1,40})"
_VALIDATED = re.compile(rf"{_VALIDATION}(?:\|(?:{_VALIDATION}|[a-z_]{{2,20}}(?::[^|\s]{{1,80}})?))*+")
"""Rules of validation: `required|string|min:8`."""
_MASK = re.compile(r"(?:[*•●xX.#_\-=?…\s]|\\{1,8}u20(?:22|26)|\\{1,8}u25[cC][fF])++")
_REFERENCE = re.compile(
    r"""
      [$%@&!~]?\$?\{                          # ${NAME}, {name}, #{x}
    | \$\(?[A-Za-z_]                          # $NAME, $(command)
    | \$[0-9?@*]
    | %[A-Za-z_]+%$                           # %NAME%
    | %\(?[a-z]                               # %s, %(name)s
    | <[A-Za-z!%/$]                           # <your-key>
    | \[[A-Za-z _-]+\]$ | \[REDACTED
    | \#\{ | \\\( | !vault | !Ref | !Sub | !secret | !ENV
    | (?:op|vault|env|secret|ssm|gcp-?secret|aws-?sm|azure-?kv|keychain|keyring|file|ref\+[a-z]+|projects|arn|kms|sops|https?|git|ssh|s3|gs)(?::|/)(?!.*:[^/@\s]+@)
    | (?:~|\.{1,2})?/(?:[\w.-]+/)*[\w.-]+$    # a path
    | [A-Za-z]:\\
    | @[A-Za-z_]+@?$
    | ::?[A-Za-z_]+[0-9]{0,2}(?:$|[,;)\]]|::|\|\|)   # :name of SQL, a symbol of Ruby
    | :["'][A-Za-z_]+["']?$                     # :'name' of psql
    | [?@:][0-9]{1,3}(?:$|[,;)])                # ?1, @1, :1
    | @[a-z]{1,2}[0-9]{1,3}$                    # @p1
    | \.\.\.$ | …$
    """,
    re.VERBOSE,
)
_CODE = re.compile(
    r"""
      [A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+(?:[(\[].*)?$   # a.b.c, a.b(
    | [A-Za-z_$][\w$.]*[(\[]                                               # call( or index[
    | (?:await|new|lambda|function|async|not|typeof|return|yield)\b
    | \(\)? | \[
    """,
    re.VERBOSE,
)
_WORDS_AND_NUMBER = re.compile(r"[A-Za-z]{3,}[.][A-Za-z]{3,}(?P<number>[0-9]{2,6})[a-z]{0,3}[!?*#]?")
_WIDTHS = frozenset(("16", "32", "64", "128", "224", "256", "384", "512", "1024", "2048", "4096"))
_CALL_ENDS = re.compile(r"[)\]}]{1,4}[;,:]?\\{1,8}[nr]")
"""Behind a quote that closed: `getpass('password: ')`, and the next line up to its apostrophe."""
_TYPES = re.compile(
    r"(?i)(?:&?'?(?:static )?)?(?:str|string|text|bytes|bytea|char|varchar|nvarchar|int|integer|bool|boolean|float|double|any|unknown|never|object|dict|list|optional|none|null|nil|undefined|void|true|false|number"
    r"|uuid|date|datetime|array|record|map|secretstr|self|this)\??(?:[\[<(|].*)?;?,?"
)
_UUID = re.compile(r"\{?[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\}?")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{16,}")
_TOKEN = re.compile(r"[A-Za-z0-9+/=_.~%:@!^*&$#?|,-]+")
_NUMBER = re.compile(r"[-+]?[0-9][0-9_,.:]*(?:[a-zA-Z]{1,3})?")
_HOST = re.compile(
    r"\.?(?:[a-z][a-z-]*\.)+(?:com|org|net|io|dev|local|internal|example|invalid|test|co|app|ai|gov|edu)(?::\d+)?"
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?")
_VERSION = re.compile(r"[vV^~<>=]*\d+(?:\.\d+)+(?:[-+.][\w.]+)?(?:(?<=\d{14})-[0-9a-f]{12})?")  # at last one of Go
_HASHED = re.compile(r"(?i)(?:sha(?:1|224|256|384|512)|md5|h1|blake2b|crc32)[-:][A-Za-z0-9+/=_-]+")
_STANDARD = re.compile(
    r"(?i)(?:sha|md|base|utf|rfc|pbkdf|hmac|aes|rsa|des|rot|oauth|saml|http|https|tls|ssl|ipv|cve|iso|pkcs|ed|ntlmv|smbv|snmpv|imap|pop|ldap|python|py|php|java|ecma|win|bcrypt|argon|scrypt)[-_]?\d{1,5}(?:[-_.]\w{1,8})*"
)
_NO_PASSWORD = re.compile(
    r"\d{1,4}-?(?:[a-z]+-)?(?:stellig\w{0,2}|digits?|chars?|characters?|bits?|bytes?|letters?|words?|days?|minutes?|hours?)|\.[a-z]{2,}(?:[._-][a-z]+)*\d?|(?:[A-Za-z]|\\{1,8}u[0-9a-fA-F]{4})++"
)
"""What a sentence says of one, `12-digit`; the names of hidden files; a word whose accents are escapes."""
_A_NAME = re.compile(r"[A-Za-z]+(?:[._-][A-Za-z]+)*[0-9]?")
_PATHLIKE = re.compile(r"(?:[\w.@-]+/){2,}[\w.@-]*")
_OBJECT = re.compile(r"(?:[\w.@=-]+/)+[\w.@=-]*\.[a-z][a-z0-9]{1,7}")  # the key of a stored object
_CACHED = re.compile(r"(?:[A-Za-z0-9_.]{1,24}-){1,8}[0-9a-f]{40}(?:[0-9a-f]{24})?")  # of a cache
_MASKED = re.compile(r"(?:[A-Za-z0-9]{1,10}[-_.:]){1,4}(?:[xX]{4,}|[xX]{3,}[-_.:][xXyY]{3,})")  # a prefix and a mask
_RESOURCE = re.compile(r"[a-z]+(?:-[a-z]+)*[0-9]{0,2}-(?:credentials?|creds|secrets?|tokens?|keys?)")  # of Kubernetes
_KNOWN_EXAMPLE = re.compile(r"(?:EXAMPLE|example)(?:KEY|key)?$")
_RUN = re.compile(r"(.)\1{5,}")
_RISING = ("0123456789", "1234567890", "abcdefghijklmnopqrstuvwxyz", "deadbeef" * 4, "qwertyuiopasdfghjklzxcvbnm")
_ID = re.compile(
    r"(?:toolu|msg|req|call|chatcmpl|resp|run|asst|thread|cus|prod|price|evt|sub|pi|ch|in|prc|file|batch|item|cs|seti|pm|acct|txn|gen|srvtoolu|fc|rs|step|session|sess|org|proj)_[A-Za-z0-9_]{8,}"
)
_TYPE_NAME = re.compile(
    r"_?(?:[A-Z][a-z]+|[A-Z]{2,}(?=[A-Z][a-z]))+[A-Z][a-z]+|[a-z]+(?:_[a-z]+)+\d?"
    r"|\w*(?:Key|Token|Type|Error|Stop|Suite|Line|Item|Data|Provider|Manager|Service|Config|Options|Password|Secret|Credentials?|Field|Info|Class|Base|String|Value|None|Handler|Factory|Exception|Model|Schema|Request|Response|Client|Auth|Id|Name)s?"
)
_IDENTIFIER_WORDS = frozenset(
    "pass pwd key keys auth cred creds hash user session value input data text str sha md5 aes utf hashed new old self this args opts options params req res ctx env get set".split()
)
_CMDLET = re.compile(r"(?:[A-Z][a-z]+){1,2}-(?:[A-Z][a-z]+|[A-Z]{2,4}(?![a-z])){2,6}")  # of PowerShell
_WORDY = re.compile(r"[a-z]{3,}")
_DJANGO = re.compile(r"[a-z0-9!@#$%^&*(\-_=+)]{50}")


def _django(value: str) -> bool:
    """It has the form of Django's get_random_secret_key: fifty of fifty characters, fourteen of them signs.

    So it may begin as a reference does (`%f`, `$a`), and have a single digit or none.
    """
    return len(value) == 50 and _DJANGO.fullmatch(value) is not None and len({c for c in value if not c.isalnum()}) >= 5


@cache
def _heads() -> tuple[str, ...]:
    return tuple(rule.prefix.rstrip(".") for rule in shapes() if rule.prefix)


def begun(value: str, more: int) -> bool:
    """Whether it is the public beginning of a token, with fewer than so many more characters."""
    return any(value.startswith(head) and len(value) < len(head) + more for head in _heads())


@lru_cache(maxsize=65536)
def placeholder(value: str) -> bool:
    """It stands in for a secret: `<your-key>`, `xxxx`, `${TOKEN}`, `changeme`, or a redaction already."""
    if _django(value) or own_form(value):
        return False
    if MARK in value or "[REDACTED" in value or "REDACTED" in value[:12]:
        return True
    if (
        not value
        or _VALIDATED.fullmatch(value)
        or _MASK.fullmatch(value)
        or _MASKED.fullmatch(value)
        or _REFERENCE.match(value)
    ):
        return True
    if "..." in value or "…" in value or "****" in value or "••" in value or ("<" in value and ">" in value):
        return True
    low = value.lower()
    if low.endswith("xxxx") and begun(value.rstrip("xX"), 3):
        return True
    if low in words().common_passwords:
        return False
    if _KNOWN_EXAMPLE.search(value) and len(value) >= 16:
        return True
    if "${" in value or "{{" in value or "$(" in value or ("%s" in value and len(value) < 24):
        return True
    if len(set(low)) <= 3 and len(low) >= 6 and not low.isdigit():
        return True
    if len(value) >= 16:
        run = max((len(m[0]) for m in _RUN.finditer(low)), default=0)
        if run * 2 >= len(value):
            return True
    stripped = re.sub(r"[^a-z0-9]", "", low)
    if len(stripped) >= 8 and any(stripped in rising * 3 for rising in _RISING) and not stripped.isdigit():
        return True
    parts = cut(value)
    letters = [part for part in parts if not part.isdigit()]
    if letters and all(part in words().placeholder_words for part in letters):
        digits = sum(len(part) for part in parts if part.isdigit())
        named = value.lstrip(":@$%?#&").rstrip(":?")  # signs that stand before and behind a name
        symbols = sum(not ch.isalnum() and ch not in "-_ ." for ch in named)
        return (digits == 0 and symbols == 0) or "your" in letters or "example" in letters or "change" in letters
    return ("your" in letters or "yours" in letters) and len(letters) > 1 and not random(value)


def domain(value: str) -> bool:
    """It is the name of a host, and nothing else."""
    return _HOST.fullmatch(value) is not None


@lru_cache(maxsize=65536)
def reference(value: str) -> bool:
    """It is code or a pointer that yields a secret, not one: a call, a member, a type, a path."""
    if _django(value) or own_form(value):
        return False
    if _REFERENCE.match(value) or _TYPES.fullmatch(value):
        return True
    return _CODE.match(value) is not None and not _dotted_words(value)


def _dotted_words(value: str) -> bool:
    """Two words and a number as people put passwords together (`giraffe.toronto48`), not a member (`np.float64`)."""
    match = _WORDS_AND_NUMBER.fullmatch(value)
    return match is not None and match["number"] not in _WIDTHS and not any(map(identifier, value.split(".")))


@lru_cache(maxsize=65536)
def random(value: str) -> bool:
    """It looks drawn by a machine: long, with the kinds of its characters in quick change."""
    if _django(value):
        return True
    core = re.sub(r"[^A-Za-z0-9]", "", value)
    if len(core) < 12:
        return False
    classes = ["d" if ch.isdigit() else "u" if ch.isupper() else "l" for ch in core]
    changes = sum(a != b for a, b in itertools.pairwise(classes))
    ratio = changes / (len(core) - 1)
    kinds = len(set(classes))
    if kinds == 1:
        return len(core) >= 20 and _consonants(core)
    if _HEX.fullmatch(core) and len(core) >= 16:
        return ratio >= 0.2
    if "d" not in classes:
        return ratio >= 0.32 and len(core) >= 16
    return ratio >= (0.26 if kinds == 3 else 0.22) and changes >= 4


def _consonants(core: str) -> bool:
    low = core.lower()
    if not low.isalpha():
        return False
    vowels = sum(ch in "aeiouy" for ch in low)
    return vowels / len(low) < 0.26 or bool(re.search(r"[bcdfghjklmnpqrstvwxz]{6}", low))


@lru_cache(maxsize=65536)
def chosen(value: str, least: int = 5) -> bool:
    """It looks like a password that a person chose: short, no spaces, letters with digits or marks."""
    if not least <= len(value) <= 128 or " " in value:
        return False
    if value.lower() in words().common_passwords:
        return True
    digit = any(ch.isdigit() for ch in value)
    letter = any(ch.isalpha() for ch in value)
    mark = any(not ch.isalnum() and ch not in "-_.,:/" for ch in value)
    if _NUMBER.fullmatch(value) or _DATE.fullmatch(value) or _VERSION.fullmatch(value):
        return False
    if _HASHED.fullmatch(value):
        return False
    return letter and (digit or mark)


def _scrambled(value: str) -> bool:
    """Letters alone, whose capitals stand as in no name: `PasswfErGPmpG`, not `getURLOfItem`."""
    if not (10 <= len(value) <= 64 and value.isascii() and value.isalpha()):
        return False
    parts = cut(value)
    return len(parts) >= 5 and sum(len(part) <= 2 for part in parts) >= 3


@lru_cache(maxsize=65536)
def plain_word(value: str) -> bool:
    """Letters, with no digit and no mark inside: a word, or an identifier."""
    return value.replace("_", "").replace("-", "").isalpha()


@lru_cache(maxsize=65536)
def identifier(value: str) -> bool:
    """It could be a variable's name in code, e.g. `hashedPassword`, `new_token2`."""
    if not re.fullmatch(r"[A-Za-z_$][\w$]*", value):
        return False
    if random(value):
        return False
    low = value.lower()
    if any(
        word in low
        for word in (
            "passw",
            "token",
            "secret",
            "cookie",
            "bearer",
            "credential",
            "default",
            "config",
            "base64",
            "oauth",
        )
    ):
        return True
    return not _IDENTIFIER_WORDS.isdisjoint(cut(value)) or (low.endswith(("pass", "pwd")) and value.isalpha())


@lru_cache(maxsize=65536)
def is_secret(sort: Sort, value: str, stance: Stance) -> bool:
    """Whether `value` is a secret, given what its name says and how it stands there."""
    value = value.strip()
    if len(value) < 3 or placeholder(value) or _CALL_ENDS.match(value):
        return False
    if own_form(value):
        return sort in ("password", "secret") or (sort == "key" and stance in ("quoted", "field"))
    if sort == "password" and _scrambled(value):
        return True
    if _django(value) and stance != "bare":
        return sort in ("secret", "token", "key", "password")
    if stance in ("bare", "yaml", "flag") and reference(value):
        return False
    if stance in ("bare", "yaml", "prose", "compare", "call") and not random(value) and _TYPE_NAME.fullmatch(value):
        return False
    if stance == "prose" and (
        "(" in value
        or "[" in value
        or "{" in value
        or ("=" in value and value.count(".") > 0)
        or "?" in value[:1]
        or reference(value)
    ):
        return False
    if stance in ("quoted", "env", "field", "call", "compare") and _REFERENCE.match(value):
        return False
    if _HASHED.fullmatch(value) or _ID.fullmatch(value) or _CMDLET.fullmatch(value):
        return False
    if value.startswith(("http://", "https://", "/", "./", "../", "~/", "arn:", "data:")) or _PATHLIKE.fullmatch(value):
        if sort == "weak-key" and _OBJECT.fullmatch(value):
            return False
        return len(value) >= 40 and random(value) and not value.startswith(("http", "arn:", "data:", ".", "~"))
    if _DATE.fullmatch(value) or _VERSION.fullmatch(value) or domain(value):
        return False
    if sort == "password":
        return _password(value, stance)
    if sort in ("cookie", "auth"):
        return (
            len(value) >= 16
            and random(value)
            and not _UUID.fullmatch(value)
            and not re.match(r"(?i)aws4-|hmac-", value)
            and not _HEX.fullmatch(value)
        )
    if sort == "url" or sort == "auth":
        return False
    return _machine(sort, value, stance)


def _password(value: str, stance: Stance) -> bool:
    if _NUMBER.fullmatch(value):
        if stance in ("env", "quoted", "field", "flag"):
            return value.isdigit() and 4 <= len(value) <= 20
        return stance == "yaml" and value.isdigit() and len(value) >= 6
    if " " in value:
        # A passphrase may have spaces, but so has every message about passwords.
        return stance in ("quoted", "field") and _phrase(value)
    if stance in ("bare", "yaml", "prose") and identifier(value):
        return False
    if stance in ("field", "call", "compare") and _names_one(value):
        return False
    if stance == "bare":
        return chosen(value, 6) and (any(ch.isdigit() for ch in value) or any(ch in "!@#$%^&*" for ch in value))
    if stance == "prose":
        value = value.rstrip(".,;:!?")
        if _STANDARD.fullmatch(value) or _NO_PASSWORD.fullmatch(value):
            return False
        if plain_word(value):
            return (
                value.lower() in words().common_passwords
                or ("-" in value and value.count("-") >= 3)
                or (len(value) >= 16 and random(value))
            )
        return chosen(value, 5) and (
            _dotted_words(value) or not re.fullmatch(r"[\w'’]+[,.:;][\w'’]*|[A-Za-z]+[/'’][A-Za-z/'’]+", value)
        )
    if chosen(value, 4):
        return True
    if stance == "env":
        return len(value) >= 6 and not identifier(value)
    if stance in ("quoted", "field", "flag", "call", "yaml", "compare"):
        if value.lower() in words().common_passwords:
            return True
        if plain_word(value):
            if stance == "compare":
                return False
            inner = any(ch.isupper() for ch in value[1:]) and any(ch.islower() for ch in value)
            if identifier(value):
                return False
            parts = re.split(r"[-_]", value)
            if len(parts) >= 4 and "_" not in value and len(value) >= 16:
                return True
            if len(parts) >= 3 and stance != "yaml":
                return len(value) >= 14 and "_" not in value
            return (
                len(value) >= (8 if stance in ("field", "flag") else 10)
                and len(parts) == 1
                and (value.islower() or inner)
                and (stance != "yaml" or len(value) >= 12)
            )
        return len(value) >= 8
    return False


def _names_one(value: str) -> bool:
    """It is itself what a password is called: `user.password2`, `Passwort2`."""
    return (
        _A_NAME.fullmatch(value) is not None
        and value.lower() not in words().common_passwords
        and classify(value) is not None
    )


def _phrase(value: str) -> bool:
    parts = value.split()
    return (
        4 <= len(parts) <= 8
        and all(part.isalpha() and part.islower() and len(part) >= 3 for part in parts)
        and not any(
            part in words().placeholder_words
            or part
            in ("the", "must", "have", "enter", "please", "should", "match", "least", "characters", "contain", "your")
            for part in parts
        )
    )


def _machine(sort: Sort, value: str, stance: Stance) -> bool:
    if " " in value:
        # Mnemonics: twelve or more plain words.
        parts = value.split()
        return (
            sort in ("secret", "credential")
            and len(parts) in (12, 15, 18, 21, 24)
            and all(part.isalpha() and part.islower() for part in parts)
        )
    if not _TOKEN.fullmatch(value):
        marked = (
            len(value) >= 20 and sum(ch.isdigit() for ch in value) >= 2 and sum(not ch.isalnum() for ch in value) >= 3
        )
        return (
            stance in ("quoted", "env", "field")
            and sort in ("secret", "token", "key")
            and chosen(value, 8)
            and (random(value) or marked)
        )
    if stance in ("bare", "yaml", "prose") and _RESOURCE.fullmatch(value):
        return False
    if _UUID.fullmatch(value):
        return sort in ("secret", "token", "key")
    if _NUMBER.fullmatch(value):
        return False
    if sort == "weak-key":
        if _OBJECT.fullmatch(value) or _CACHED.fullmatch(value):
            return False
        if stance in ("env", "quoted", "field", "yaml", "flag"):
            if _HEX.fullmatch(value):
                return stance == "env" and len(value) in (32, 40, 48, 64, 66)
            return len(value) >= 20 and random(value) and ":" not in value
        return False
    if random(value) and len(value) >= (16 if stance in ("bare", "prose", "yaml") else 12):
        return True
    if stance in ("bare", "compare"):
        return False
    if stance == "prose":
        return len(value) >= 12 and chosen(value) and not identifier(value) and sum(ch.isdigit() for ch in value) >= 2
    if stance == "env":
        return (
            len(value) >= 6 and (chosen(value) or len(value) >= 12) and not identifier(value) and not plain_word(value)
        )
    return (
        len(value) >= 8
        and chosen(value)
        and not identifier(value)
        and bool(re.search(r"\d", value))
        and not _slug(value)
    )


def _slug(value: str) -> bool:
    """A name put together of words, e.g. `api-server-v2`, `user_12`."""
    pieces = re.split(r"[-_.:/]", value)
    return len(pieces) > 1 and all(re.fullmatch(r"[A-Za-z]+\d{0,3}|\d{1,4}|v?\d+", piece) for piece in pieces if piece)
