"""Machines: what is a host's name, and where a transcript gives one away.

A host's name is one that ends in, or has in its middle, what only inner networks use (`.internal`, `.corp` …); one that stands
where hosts stand (URLs, logins, copies, prompts, `Host:` headers, settings); and every name below a domain that was met so.
Those that everybody knows (rules/identities.toml) stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.filters.redact.identities.identity_words import after_escape, lists, telling

_OF_NAMES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_INNER = re.compile(
    r"\.(?:internal|intranet|intra|corp|lan|local|localdomain|localnet|home\.arpa|home|private|priv|vpn|k8s|consul|cluster)(?![\w-])",
    re.IGNORECASE,
)
_INNER_LABELS = frozenset(
    "internal intranet intra corp lan local localdomain localnet private priv vpn k8s consul cluster home".split()
)
_INNER_ENDS = frozenset(
    "internal intranet intra corp lan local localdomain localnet private priv vpn consul home".split()
)
_SURE_ENDS = frozenset("corp lan intranet localdomain".split())
_REVERSED = frozenset(
    "com org net io edu gov java javax jdk sun kotlin android androidx dev self this cls google".split()
)
_DOMAINS = frozenset(
    "com org net io dev co app ai cloud tech info biz eu edu gov mil int site online xyz systems network solutions digital software "
    "agency services group company tools work works studio design media store shop live life world zone team today space host "
    "ac ad ae af ag al am ao ar as at au aw az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cd cf cg ch ci ck cl cm cn cr cu "
    "cv cy cz de dj dk dm dz ec ee eg es et fi fj fk fm fo fr ga gb gd ge gg gh gi gl gm gn gr gt gu gw gy hk hn hr ht hu id ie il im "
    "in iq ir is it je jm jo jp ke kg kh ki km kn kr kw ky kz la lb lc li lk lr lt lu lv ly ma mc me mg mk mm mn mo mr mt mu mv mw mx my "
    "mz na nc ne nf ng ni nl no np nr nu nz om pa pe pg ph pk pr pt pw qa re ro ru rw sa sb sc sd se sg si sk sl sm sn sr ss st su sv sx "
    "sy sz tc td tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw".split()
)
"""Ends of names that are domains and hardly ever the end of a file's name or an expression."""

_REGION = re.compile(r"[a-z]{2}-[a-z]{4,10}-\d")
_ATTRIBUTES = frozenset(
    "host space store work works today team group zone media live life world services tools network id is in it so to at me no do by be as".split()
)
"""Domains that are an attribute's name as well: `request.host` is an expression."""

_SCHEMES = (
    "https?|wss?|ssh|git|ftps?|sftp|postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|kafka|ldaps?|tcp|udp|tls|rsync|smb|nfs|grpcs?|"
    "mqtts?|nats|clickhouse|mssql|sqlserver|oracle|memcached|imaps?|smtps?|vnc|rdp|svn|hdfs|docker|consul|vault|elasticsearch"
)
_URL = re.compile(
    rf"(?i)(?<![a-z])(?:{_SCHEMES})(?:\+[a-z0-9+]{{1,20}})?(?::|%3A)(?://|%2F%2F|\\/\\/)(?:[^\s/@\"'<>\\]{{1,200}}@)?(?P<host>[a-z0-9][a-z0-9.-]{{0,252}})"
)
_LOGIN = re.compile(
    r"(?<![\w.%+-])[A-Za-z_][\w.-]{0,31}@(?P<host>[A-Za-z0-9][A-Za-z0-9.-]{1,252})(?=:[/~\w.]|[: ][~/][^\s]{0,120} ?[$#%>](?:\s|$)|\s[^\s\]]{1,80}\][$#%]|\s\S{1,60}\s[%$#]\s)"
)
_COMMANDS = ("ssh", "scp", "sftp", "rsync", "mosh", "autossh", "ssh-copy-id", "ssh-keyscan", "ping", "ping6", "telnet", "nslookup", "dig", "traceroute", "mtr", "nc", "host")  # fmt: skip
_WORDS_AFTER = re.compile(r"[ \t]+([^\n\\|;&<>`\"]{1,400})")
_WITH_VALUE = re.compile(r"-[A-Za-z0-9]{0,8}[BbcDEeFIiLlmOopQRSWwt]\Z")
_NAMED = re.compile(
    r"(?i)(?<![a-z])(?P<name>(?:[a-z0-9]{1,24}_){0,4}host(?:_?name)?|server(?:_?name)?|fqdn|node_?name|computer_?name|endpoint|proxyjump|x-forwarded-host|advertised_listeners|bootstrap[._-]servers)"
    r"\\?[\"']?[ \t]{0,4}(?:[:=][ \t]{0,4}|[ \t]{1,8}(?=\S{1,253}(?:\s|;|$)))\\?[\"']?(?P<host>[a-z0-9][a-z0-9.-]{2,252})(?![\w(\[])"
)
_FLAG = re.compile(
    r"(?:--?(?:host|hostname|server|addr|address|remote)[ =]|\b(?:psql|mysql|mariadb|redis-cli|mongo|mongosh|pg_dump|pg_restore|mysqldump|createdb)\b[^\n|;&]{0,200}?\s-h ?)"
    r"[\"']?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]{2,252})"
)
_SAID = re.compile(
    r"(?:\$ hostname(?: -f)?(?:\n|\\n)|\bLinux (?=[\w.-]{3,250} \d+\.\d+\.)|\bDarwin (?=[\w.-]{3,250} \d+\.\d+\.)|(?:^|\n)(?=\S{3,250} (?:ssh-(?:ed25519|rsa)|ecdsa-sha2)))"
    r"(?P<host>[A-Za-z0-9][A-Za-z0-9.-]{2,252})"
)


def token(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole name that start to end is a part of: letters, digits, dots and hyphens around it."""
    before = text[max(0, start - 253) : start]
    low = start - len(before) + len(before.rstrip(_OF_NAMES))
    if low < start and low and text[low - 1] == "\\" and after_escape(text, low + 1):
        low += 1  # `\n`
    elif low + 1 < start and low and text[low - 1] == "%":
        low += 2  # `%2F`
    after = text[end : end + 253]
    high = end + len(after) - len(after.lstrip(_OF_NAMES))
    while low < start and text[low] in ".-":
        low += 1
    while high > end and text[high - 1] in ".-":
        high -= 1
    return low, high


def public(host: str) -> bool:
    """Whether everybody knows the host (in lower case): it, or a domain that it stands below, is in the list."""
    known = lists()
    if host in known.public_hosts:
        return True
    for each in _above(host):
        if each in known.platforms:
            # What stands below a platform's domain is its customer's name, or one of its own services.
            below = host[: -len(each) - 1].split(".")
            return all(label in known.platform_services or _REGION.fullmatch(label) for label in below)
        if each in known.public_hosts:
            return True
    return False


def _above(host: str) -> Iterator[str]:
    place = host.find(".")
    while place >= 0:
        yield host[place + 1 :]
        place = host.find(".", place + 1)


def private(host: str) -> bool:
    """Whether what stands in a host's place is a machine's own name: sound, not an address, not everybody's."""
    if len(host) < 4 or len(host) > 253 or public(host) or re.fullmatch(r"host-\w+", host):
        return False
    labels = host.split(".")
    if not all(_LABEL.fullmatch(label) for label in labels) or labels[-1].isdigit():
        return False
    return telling(host) if len(labels) == 1 else not labels[-1].isdigit()


def domain_of(host: str) -> str:
    """The domain that a host's owner registered; "" where there is none of its own (an inner network, a platform)."""
    labels = host.split(".")
    if len(labels) < 2 or labels[-1] not in _DOMAINS or any(each in lists().platforms for each in _above(host)):
        return ""
    size = (
        3
        if len(labels) > 2
        and len(labels[-1]) == 2
        and labels[-2] in ("co", "com", "org", "net", "ac", "gov", "edu", "or", "ne")
        else 2
    )
    found = ".".join(labels[-size:])
    return "" if public(found) or found in lists().platforms else found


def known_end(host: str) -> bool:
    """Whether a name ends as hosts' names do."""
    last = host.rsplit(".", 1)[-1]
    return last in _DOMAINS or last in _INNER_LABELS or host.endswith(".home.arpa")


def inner(text: str) -> Iterator[tuple[int, int]]:
    """Where names of inner networks stand, whatever is around them."""
    reached = 0
    for match in _INNER.finditer(text):
        if match.start() < reached:
            continue
        low, reached = token(text, match.start(), match.end())
        if _is_inner(text, low, reached):
            yield low, reached


def _is_inner(text: str, low: int, high: int) -> bool:
    host = text[low:high].lower()
    labels = host.split(".")
    before, after = text[low - 1 : low], text[high : high + 1]
    if after in ("(", "[", "_") or (
        before in (".", "$", "@", "_", "\\") and not after_escape(text, low) and before != "@"
    ):
        return False
    if not private(host) or labels[0] in _REVERSED or labels[0] == "env":
        return False
    if host.endswith(".home.arpa") or labels[-1] in _SURE_ENDS:
        return True
    named_port = after == ":" and text[high + 1 : high + 2].isdigit()
    if labels[-1] in _INNER_ENDS:
        # `threading.local` and `lib2.vpn` are expressions, `nas-2.local` is a machine.
        return (
            any("-" in label for label in labels[:-1])
            or named_port
            or (before != "" and before in "@/")
            or _PLACE_BEFORE.search(text, max(0, low - 24), low) is not None
            or (len(labels) > 2 and text[low:high] == host and not _in_code(text, low, high))
        )
    # db7.internal.acme.io: an inner label before a domain
    return (
        labels[-1] in _DOMAINS
        and len(labels) > 2
        and any(label in _INNER_LABELS for label in labels[1:-1])
        and text[low:high] == host
    )


_PLACE_BEFORE = re.compile(r"\b(?i:on|at|to|via|reach|host|server|machine|node|box)[ \t]{1,3}[`\"']?\Z")
_CODE_BEFORE = re.compile(
    r"(?:\b(?:import|await|return|del|yield|raise|new|package|using)[ \t]{1,8}|[ \t][-+|:]?={1,3}[ \t]{1,8})\Z"
)
_CODE_AFTER = re.compile(r"[(\[]|[ \t]{1,8}(?:import\b|[-+|:]?=)")


def _in_code(text: str, low: int, high: int) -> bool:
    """Whether a name with dots is a module or a member: imported, assigned, called."""
    return _CODE_BEFORE.search(text, max(0, low - 24), low) is not None or _CODE_AFTER.match(text, high) is not None


def learnt(text: str) -> Iterator[str]:
    """Hosts that their surroundings give away, in lower case."""
    for found in _in_places(text):
        host = found.lower().rstrip(".-")
        if private(host):
            yield host
    for low, high in inner(text):
        yield text[low:high].lower()


def _in_places(text: str) -> Iterator[str]:
    if "://" in text or ":\\/\\/" in text or "%3A%2F%2F" in text:
        for match in _URL.finditer(text):
            yield match["host"]
    if "@" in text:
        for match in _LOGIN.finditer(text):
            yield match["host"]
    for command in _COMMANDS:
        place = text.find(f"{command} ")
        while place >= 0:
            if not place or text[place - 1] in "\n;&|`(\"'/$ \t" or after_escape(text, place):
                words = _WORDS_AFTER.match(text, place + len(command))
                if words is not None:
                    yield from _of_command(command, words[1], text[max(0, place - 14) : place])
            place = text.find(f"{command} ", place + len(command))
    low = text.lower()
    if (
        "host" in low
        or "server" in low
        or "endpoint" in low
        or "fqdn" in low
        or "node" in low
        or "computer" in low
        or "proxyjump" in low
    ):
        for match in _NAMED.finditer(text):
            host = match["host"].lower().rstrip(".-")
            if "." in host:
                expression = host.count(".") == 1 and host.rsplit(".", 1)[1] in _ATTRIBUTES
                fits = known_end(host) and host == match["host"].rstrip(".-") and not expression
            else:
                fits = any(ch.isdigit() or ch == "-" for ch in host) and host[0].isalpha()
            if fits:
                yield host
    if "-h" in text or "--" in text or "-a" in text:
        for match in _FLAG.finditer(text):
            host = match["host"].lower()
            if "." in host or any(ch.isdigit() or ch == "-" for ch in host):
                yield host
    if "hostname" in low or "linux " in low or "darwin " in low or "ssh-" in low or "ecdsa" in low:
        for match in _SAID.finditer(text):
            yield match["host"]


def _of_command(command: str, rest: str, before: str) -> Iterator[str]:
    """The hosts among a command's words."""
    copies = command in ("scp", "rsync", "sftp")
    # `ssh thunder` names a machine, "use ssh to connect" doesn't.
    typed = before.endswith(("$ ", "# ", "% ", '"', "&& ", "; ", "| ")) or before == ""
    skip = False
    for word in rest.split()[:40]:
        if skip:
            skip = False
            continue
        if word.startswith("-"):
            skip = not copies and _WITH_VALUE.match(word) is not None
            if word == "-J":
                skip = False
            continue
        word = word.strip("'\"()[],")
        at, colon = word.rpartition("@")[2], False
        if ":" in at:
            at, _, tail = at.partition(":")
            colon = not tail.startswith("//")
        if copies and not colon:
            continue
        sure = "@" in word or "." in at or colon or any(ch.isdigit() or ch == "-" for ch in at)
        fits = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{1,252}", at) is not None
        if fits and (sure or typed) and ("." not in at or known_end(at.lower()) or "@" in word):
            yield at
        if not copies:
            return
