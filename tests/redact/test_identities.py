"""People, machines and their addresses: who is found, what takes their place, and what stays."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from dragoman import registry
from dragoman.conversion import write
from dragoman.errors import LeakError
from dragoman.filters.redact import RedactFilter, RedactOptions, redact_text
from dragoman.filters.redact.identities import Identities
from dragoman.filters.redact.identities.identity_words import telling
from dragoman.filters.redact.identities.numbers import iban, luhn
from dragoman.model import Header, Message, Reasoning, Session, SourceFile, Span, Text, ToolCall, ToolResult
from dragoman.report import Report

CARD = "5500 0055 " + "5555 5559"
IBAN = "DE89 3704 0044 " + "0532 0130 00"


def _session(*texts: str, cwd: str = "", title: str = "") -> Session:
    entries = tuple(
        Message(role="user", origin="prompt", blocks=(Text(text),), uuid=f"u{n}", span=Span("a.jsonl", n))
        for n, text in enumerate(texts, 1)
    )
    return Session(header=Header(id="s", cwd=cwd, title=title, files=(SourceFile(path="a.jsonl"),)), entries=entries)


def _redacted(session: Session, what: str) -> tuple[Session, RedactFilter]:
    redact = RedactFilter(RedactOptions(what=tuple(what.split(","))))
    redact.prepare([session], Report())
    return redact.apply(session, Report()), redact


def _texts(session: Session) -> list[str]:
    return [block.text for entry in session.messages for block in entry.blocks if isinstance(block, Text)]


def _told(what: str, *texts: str, cwd: str = "") -> list[str]:
    return _texts(_redacted(_session(*texts, cwd=cwd), what)[0])


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("ask mirka; Mirka did it, MIRKA too", "ask user-1; user-1 did it, user-1 too"),
        ("mirkas mirkamail amirka", "mirkas mirkamail amirka"),
        ("mail mirka.kowalska@acme-labs.io now", "mail email-1@example.invalid now"),
        ("mailto:mirka@acme-labs.io", "mailto:email-1@example.invalid"),
        ("x%20mirka%40acme-labs.io", "x%20email-1@example.invalid"),
        ("14+mirka@users.noreply.github.com", "email-1@example.invalid"),
        ("kowalska@acme-labs.io git@github.com", "kowalska@acme-labs.io git@github.com"),
        ("ssh mirka@db7.acme-labs.io uptime", "ssh user-1@db7.acme-labs.io uptime"),
        ("scp x mirka@db7.acme-labs.io:/tmp", "scp x user-1@db7.acme-labs.io:/tmp"),
        ("https://mirka@git.acme-labs.io/x", "https://user-1@git.acme-labs.io/x"),
        (r"printf 'a\nmirka\tb'", r"printf 'a\nuser-1\tb'"),
        ("%2Fhome%2Fmirka%2Fx -home-mirka-shop", "%2Fhome%2Fuser-1%2Fx -home-user-1-shop"),
        ("由mirka提交", "由user-1提交"),
    ],
)
def test_a_user_is_a_word_and_an_address_goes_whole_or_not_at_all(text: str, after: str) -> None:
    assert _told("users", text, cwd="/home/mirka/shop") == [after]


@pytest.mark.parametrize(
    ("home", "text", "after"),
    [
        ("/home/bo/x", "bo said; robot", "bo said; robot"),
        ("/home/bo/x", "-rw-r--r-- 1 bo staff 12 a", "-rw-r--r-- 1 user-1 staff 12 a"),
        ("/home/bo/x", "Author: bo <bo@acme-labs.io>", "Author: user-1 <email-1@example.invalid>"),
        ("/home/bo/x", "bo@laptop:~$ ls", "user-1@laptop:~$ ls"),
        ("/Users/mark/x", "mark my words, USER=mark", "mark my words, USER=user-1"),
        ("/home/ubuntu/x", "/home/ubuntu ubuntu", "/home/ubuntu ubuntu"),
        ("/home/userid/x", "get_local_roles_for_userid(userid)", "get_local_roles_for_userid(userid)"),
        ("", r"C:\Users\Myself\x MyUserName", r"C:\Users\Myself\x MyUserName"),
        ("", "/Users/MyUserName/x user1 at /home/user1", "/Users/MyUserName/x user1 at /home/user1"),
        ("C:\\Users\\Mirka Kowal\\x", "by Mirka Kowal", "by user-1"),
        ("", "GET https://a.example/home/gallery gallery", "GET https://a.example/home/gallery gallery"),
        ("", "run --home-directory directory", "run --home-directory directory"),
        ("", "C--Users-mirka-shop mirka", "C--Users-user-1-shop user-1"),
        ("/home/mirka-ann/x", "-home-mirka-ann-shop mirka", "-home-user-1-shop mirka"),
    ],
)
def test_short_and_common_names_go_in_their_places_only(home: str, text: str, after: str) -> None:
    assert _told("users", text, cwd=home) == [after]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("Author: Mirka Kowal <mirka.kowal@acme-labs.io>", "Author: user-1 <email-1@example.invalid>"),
        ("Author: Anna-Mirka Kowal", "Author: user-1"),
        ("Signed-off-by: Anna Mirka van Kowal wrote", "Signed-off-by: user-1 wrote"),
        ("a\ncommitter Mirka Kowal <x@acme-labs.io>", "a\ncommitter user-1 <x@acme-labs.io>"),
        ("git config user.name 'Mirka Kowal'", "git config user.name 'user-1'"),
        (
            "by Mirka Kowal <x@acme-labs.io>, Ann Lee <y@acme-labs.io>",
            "by user-1 <x@acme-labs.io>, Ann Lee <y@acme-labs.io>",
        ),
        ("Ann Lee <y@acme-labs.io>, Mirka Kowal <x@acme-labs.io>", "Ann Lee <y@acme-labs.io>, user-1 <x@acme-labs.io>"),
        ("Mirka Kowal said so", "user-1 Kowal said so"),
        ("Author: Ann Lee, not mirka", "Author: Ann Lee, not user-1"),
    ],
)
def test_an_author_whose_name_holds_the_users_goes_whole(text: str, after: str) -> None:
    """`Author: user-1 Kowal` told who it was."""
    assert _told("users", text, cwd="/home/mirka/shop") == [after]


def test_a_short_name_is_a_persons_in_an_authors_place() -> None:
    told = "Author: Bo Chen <c@acme-labs.io>, Bo said"
    assert _told("users", told, cwd="/home/bo/x") == ["Author: user-1 <c@acme-labs.io>, Bo said"]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("see db7.internal.acmecorp.io", "see host-1"),
        ("http://jenkins.corp.acmecorp.net:8080/x", "http://host-1:8080/x"),
        ("jenkins.corp.acmecorp.net then api.acmecorp.net", "host-1 then host-2"),
        ("https://git.acmecorp.net/x then api.acmecorp.net.", "https://host-1/x then host-2."),
        ("ssh root@buildbox7; buildbox7 is up; buildbox7.log", "ssh root@host-1; host-1 is up; host-1.log"),
        ("ssh root@buildbox7 and buildbox7.acmecorp.net, buildbox77", "ssh root@host-1 and host-2, buildbox77"),
        ("ann@metalbox:~/x$ ls; on metalbox", "ann@host-1:~/x$ ls; on host-1"),
        ("Host: shop.acmecorp.de\nServer: nginx", "Host: host-1\nServer: nginx"),
        ("server: https://k8s.acmecorp.io:6443", "server: https://host-1:6443"),
        ("DB_HOST=pg-2.acmecorp.net PG-2.acmecorp.net", "DB_HOST=host-1 host-1"),
        ("ssh db1.acme-labs.io; Acme-labs.io stays up", "ssh host-1; host-2 stays up"),
        ("on db7.internal, URL=db7.prod.internal, db8.internal:8080", "on host-1, URL=host-2, host-3:8080"),
        ("nas-2.local printer.lan a.b.home.arpa", "host-1 host-2 host-3"),
        ("https%3A%2F%2Fdb7.corp.lan%2F", "https%3A%2F%2Fhost-1%2F"),
        ("https://acme.atlassian.net https://acme.s3.amazonaws.com", "https://host-1 https://host-2"),
        ("write to ann@acmecorp.io", "write to email-1@example.invalid"),
        ("ann@gmail.com", "ann@gmail.com"),
        (
            "https://github.com/a https://docs.python.org/3 http://localhost:80 http://example.com pypi.org",
            "https://github.com/a https://docs.python.org/3 http://localhost:80 http://example.com pypi.org",
        ),
        (
            "tag:yaml.org,2002:str https://w3c.github.io/aria https://attrs.readthedocs.io",
            "tag:yaml.org,2002:str https://w3c.github.io/aria https://attrs.readthedocs.io",
        ),
        ("$ ssh classname", "$ ssh classname"),
        (
            "threading.local() self.local.x com.sun.internal.io .env.local host = request.host",
            "threading.local() self.local.x com.sun.internal.io .env.local host = request.host",
        ),
    ],
)
def test_hosts_go_whole(text: str, after: str) -> None:
    assert _told("hosts", text) == [after]


@pytest.mark.parametrize(
    "text",
    ["import pypdfium2.internal as x", "from foo2.internal import bar", "a1.private = 3", "x = self1.local", "lib2.vpn", "x = a.b2.local", "a.b2.local()"],
)  # fmt: skip
def test_modules_and_members_are_no_hosts(text: str) -> None:
    assert _told("all", text) == [text]


@pytest.mark.parametrize(
    "told",
    [
        "Author: Mirka Kowalska <mirka@acme-labs.io>",
        "Co-Authored-By: Mirka Kowalska <mk@acme-labs.io>",
        "Signed-off-by: Mirka Kowalska <mk@acme-labs.io>",
        "thanks to Mirka Kowalska <mk@acme-labs.io>",
        "a1b2c3 (Mirka Kowalska 2026-01-02 10:00:00 +0100 7) x = 1",
        "    12\tMirka Kowalska\n     3\tdependabot[bot]",
        "git config user.name 'Mirka Kowalska'",
        '"author": "Mirka Kowalska"',
        "Author: Mirka Kowalska wrote this",
    ],
)
def test_a_name_told_once_goes_everywhere(told: str) -> None:
    elsewhere = "Mirka Kowalska, MIRKA KOWALSKA, mirka.kowalska, Kowalska, Mirka"
    first, second = _told("names", told, elsewhere)
    assert "Mirka Kowalska" not in first and second == "person-1, person-1, person-1, person-1"


def test_a_name_goes_with_its_accents_or_without() -> None:
    told = _told("names", "Author: Zoë Brown <x@acme-labs.io>", "Zoe Brown, ZOE BROWN, ZOË BROWN, zoe.brown")
    assert told[1] == "person-1, person-1, person-1, person-1"


def test_a_part_of_a_name_goes_where_the_address_confirms_it() -> None:
    told = "Author: Mirka van Kowal <m.kowal@acme-labs.io>"
    assert _told("names", told, "Kowal and Mirka")[1] == "person-1 and Mirka"


@pytest.mark.parametrize(
    "text",
    [
        "Co-Authored-By: Claude <noreply@anthropic.com>",
        "Author: dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>",
        "GitHub Actions <actions@github.com>",
        "Author: The Shop Team <team@acme-labs.io>",
    ],
)
def test_programs_and_teams_are_nobody(text: str) -> None:
    assert _told("names", text) == [text]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a@b-labs.io, email=c@d-labs.io", "email-1@example.invalid, email=email-2@example.invalid"),
        ("x@2x.png react@18.2.0 noreply@a-labs.io git@github.com", "x@2x.png react@18.2.0 noreply@a-labs.io git@github.com"),
        ("\\nzoe@b-labs.io", "\\nemail-1@example.invalid"),
        ("ip 10.1.2.3, 34.120.7.9:80 34.120.7.9.", "ip ip-1, ip-2:80 ip-2."),
        ("mail ann\u200ba@b-labs.io", "mail email-1@example.invalid"),
        ('"::ffff:" + address, ::ffff:10.1.2.3', '"::ffff:" + address, ip-1'),
        ("Python 3.12.1.0, in 1.7.0.2, version 1.2.3.4; IP 5.9.12.14", "Python 3.12.1.0, in 1.7.0.2, version 1.2.3.4; IP ip-1"),
        ("127.0.0.1 0.0.0.0 255.255.255.0 8.8.8.8 v1.2.3.4 ==1.2.3.4 1.2.3.4.5", "127.0.0.1 0.0.0.0 255.255.255.0 8.8.8.8 v1.2.3.4 ==1.2.3.4 1.2.3.4.5"),
        ("[2a00:1450:4001::5]:80 std::fmt a::b ::1 12:30:45", "[ip-1]:80 std::fmt a::b ::1 12:30:45"),
        (f"card {CARD}. again {CARD.replace(' ', '')}", "card card-1. again card-1"),
        (f"card {CARD[:-1]}8 4111111111111112", f"card {CARD[:-1]}8 4111111111111112"),
        (f"to {IBAN} AND {IBAN.replace(' ', '')}.", "to iban-1 AND iban-1."),
        (f"to {IBAN.lower()} AND {IBAN}", "to iban-1 AND iban-1"),
        (f"to {IBAN[:-1]}1", f"to {IBAN[:-1]}1"),
        ("219-09-9999 000-12-3456 219-00-9999", "ssn-1 000-12-3456 219-00-9999"),
        ("+49 30 1234567, (415) 555-2671 or 415-555-2671", "phone-1, phone-2 or phone-2"),
        ("Phone: 030 1234567\n+20240101 is a line of a diff", "Phone: phone-1\n+20240101 is a line of a diff"),
    ],
)  # fmt: skip
def test_addresses_and_numbers(text: str, after: str) -> None:
    assert _told("emails,ips,numbers", text) == [after]


def test_checksums() -> None:
    assert luhn(CARD) and not luhn(CARD[:-1] + "8") and not luhn("1" * 16)
    assert iban(IBAN) and not iban(IBAN[:-1] + "1") and not iban(IBAN + "0")


EVERYBODY = (
    f"-home-mirka-x, mirka, Author: Ines Moreau <ines@northpeak-labs.io>, ssh db7.corp.lan, 34.120.7.9, {CARD}, {IBAN}, "
    "+49 30 1234567, 219-09-9999"
)
PARTS = ("mirka", "Moreau", "northpeak", "db7", "120.7", "0055", "3704", "123456", "219-09")


@pytest.mark.parametrize("writer", ["native", "clm", "claude-code", "openai", "markdown", "html"])
def test_every_writer_writes_pseudonyms(writer: str, tmp_path: Path) -> None:
    """A number in JSON is no string, and a short key was never looked at: both went through once."""
    arguments = json.dumps({"card": int(CARD.replace(" ", "")), "mirka": 1, "said": EVERYBODY})
    reply = Message(
        role="assistant", origin="reply", model="m",
        blocks=(Reasoning(EVERYBODY), ToolCall("t1", "Bash", arguments)), span=Span("a.jsonl", 2),
    )  # fmt: skip
    result = Message(
        role="user", origin="tool_result", span=Span("a.jsonl", 3),
        blocks=(ToolResult("t1", (Text(EVERYBODY),), structured={"mirka": int(CARD.replace(" ", ""))}),),
    )  # fmt: skip
    first = _session(EVERYBODY, cwd="/home/mirka/x")
    session = msgspec.structs.replace(first, entries=(*first.entries, reply, result))
    out = tmp_path / f"out{registry.writer(writer).suffix}"
    write(session, writer, out, filters=[RedactFilter(RedactOptions(what=("all",)))])
    written = out.read_text("utf-8")
    assert [part for part in PARTS if part in written] == []
    assert all(
        kind in written for kind in ("user-1", "person-1", "host-1", "ip-1", "card-1", "iban-1", "phone-1", "ssn-1")
    )


def test_redacting_again_changes_nothing() -> None:
    team = "Cadson Demak <info@cadson-labs.io>"  # its address is a role's before, and nobody's afterwards
    once, _ = _redacted(_session(EVERYBODY, team, "/home/zoltan/x", cwd="/home/mirka/x"), "all")
    twice, _ = _redacted(once, "all")
    assert twice.entries == once.entries


def test_a_pseudonym_that_is_there_already_is_nobody_elses() -> None:
    assert _told("users", "/home/user-1/x", "/home/mirka/x") == ["/home/user-1/x", "/home/user-2/x"]


def test_a_pseudonym_that_stands_bare_is_nobody_elses_too() -> None:
    assert _told("hosts", "host-1 is a word", "ssh db7.corp.lan") == ["host-1 is a word", "ssh host-2"]


def test_numbers_are_given_in_the_order_of_what_is_written() -> None:
    """Machines that are known by a longer name alone once took numbers that nobody saw."""
    told = _told(
        "hosts", "ssh root@buildbox7.acmecorp.net; ping buildbox7.acmecorp.net", "db7.corp.lan buildbox7.acmecorp.net"
    )
    assert told == ["ssh root@host-1; ping host-1", "host-2 host-1"]
    assert _told("users", "-home-mirka-x", "/home/zoltan/x", "zoltan mirka")[2] == "user-2 user-1"


def test_under_a_key_pseudonyms_are_the_same_across_sessions() -> None:
    made = []
    for home in ("/home/mirka/x", "/home/zoltan/x and /home/mirka/x"):
        who = Identities(["users"], b"mine")
        who.learn(home)
        who.freeze()
        made.append(who.replace("mirka"))
    assert made[0] == made[1] != "mirka"


def test_a_title_cut_in_the_middle_of_a_number_is_cut_anew() -> None:
    said = f"please transfer the money to {IBAN} today"
    new, _ = _redacted(_session(said, title=said[:40] + "…"), "numbers")
    assert new.header.title == "please transfer the money to iban-1 toda…"


@pytest.mark.parametrize(
    "left",
    ["\\nmirka", "<b>mirka</b>", "a &lt;mirka&gt;", "MIRKA", "x\nmirka\n", '"mirka": 1', "mirka@acme-labs.io", "bo@laptop:~$ "],
)  # fmt: skip
def test_the_check_finds_who_was_to_go(left: str) -> None:
    _, redact = _redacted(_session("/home/mirka/x /home/bo/y"), "users")
    assert not redact.verify("out.md", b"admirka mirkas bo\n")
    leaks = redact.verify("out.md", f"one\n{left} two".encode())
    assert leaks and leaks[0].line >= 2 and "mirka" not in repr(leaks)


def test_the_check_stops_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    redact = RedactFilter(RedactOptions(what=("all",)))
    monkeypatch.setattr(
        redact, "apply", lambda session, report: (RedactFilter.apply(redact, session, report), session)[1]
    )
    with pytest.raises(LeakError):
        write(_session(EVERYBODY, cwd="/home/mirka/x"), "markdown", tmp_path / "out.md", filters=[redact])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("writer", ["native", "clm", "claude-code", "openai", "markdown", "html"])
def test_no_word_of_our_own_formats_is_taken_for_a_user(writer: str, tmp_path: Path) -> None:
    """A user called `viewport` would else stop every page: its word stands in the page, whoever talks."""
    reply = Message(
        role="assistant", origin="reply", model="m", span=Span("a.jsonl", 2),
        blocks=(Reasoning("q"), Text("q"), ToolCall("t1", "Bash", '{"command":"q"}')),
    )  # fmt: skip
    result = Message(
        role="user", origin="tool_result", blocks=(ToolResult("t1", (Text("q"),), outcome="error"),), span=Span("a.jsonl", 3)
    )  # fmt: skip
    first = _session("q", cwd="/q")  # else the folder that the tests run in is written
    session = msgspec.structs.replace(first, entries=(*first.entries, reply, result))
    out = tmp_path / f"out{registry.writer(writer).suffix}"
    write(session, writer, out)
    data = out.read_bytes()
    said = re.sub("'sha256-[^']*'", "", data.decode())  # of the page's scripts: no words
    words = {word for word in "".join(c if c.isalpha() else " " for c in said).split() if telling(word)}
    redact = RedactFilter(RedactOptions(what=("users",)))
    redact.prepare([_session(*(f"/home/{word}/x" for word in words))], Report())
    found = sorted({data.decode().splitlines()[leak.line - 1][:200] for leak in redact.verify(out.name, data)})
    assert not found


def test_one_string() -> None:
    assert redact_text("/home/mirka/x by mirka") == "/home/user-1/x by user-1"


def test_a_title_cut_through_a_name_is_cut_anew() -> None:
    """The reader's title ends within the name: what is left of it has no form that could be found."""
    name = "koval" + "enko"
    words = f"In /home/{name}/tides the table is off. " + "Look at it closely. " * 7
    text = f"{words}{name} said so, and then {name} went away"
    title = text[: text.index(f"{name} said") + 5]
    session = Session(
        header=Header(id="s", cwd=f"/home/{name}/tides", title=f"{title}…"),
        entries=(Message(role="user", origin="prompt", blocks=(Text(text),)),),
    )
    redact = RedactFilter()
    redact.prepare([session], Report())
    made = redact.apply(session, Report()).header.title
    assert "koval" not in made
    assert made.endswith("…") and not made.endswith("……")
    assert made.startswith("In /home/user-1/tides")
