"""The receipt: complete, countable, the same where it should be, and never a value."""

from __future__ import annotations

import json
import re

from dragoman.filters.redact import RedactFilter, RedactOptions, scan_sessions
from dragoman.filters.redact.recipes import cook
from dragoman.model import Header, Message, Session, SourceFile, Span, Subagent, Text
from dragoman.render.redaction import redaction
from dragoman.report import Report

OPAQUE = cook("{A*40}")


def _session(*texts: str, title: str = "", file: str = "a.jsonl", **more: object) -> Session:
    entries = tuple(
        Message(role="user", origin="prompt", blocks=(Text(text),), uuid=f"u{n}", span=Span(file, n))
        for n, text in enumerate(texts, 1)
    )
    header = Header(id="s", title=title, files=(SourceFile(path=file),))
    return Session(header=header, entries=entries, **more)  # type: ignore[arg-type]


def _redacted(session: Session, **options: object) -> tuple[Session, RedactFilter]:
    redact = RedactFilter(RedactOptions(plain_engine=True, **options))  # type: ignore[arg-type]
    redact.prepare([session], Report())
    return redact.apply(session, Report()), redact


def test_identities_are_told_apart_from_secrets() -> None:
    session = _session(f"/home/mirka/x API_TOKEN={OPAQUE} {OPAQUE} and mirka@acme-labs.io, mirka")
    new, redact = _redacted(session)
    assert redact.receipt.sentence() == (
        "redacted 2 secrets (1 distinct) of 1 kind; 2 identities (1 user, 1 e-mail address), named in 3 places"
    )
    told = redact.receipt.as_json()
    assert (told["redacted"], told["distinct"], told["kinds"]) == (2, 1, {"token": 2})
    assert told["identities"] == {
        "replaced": 3, "distinct": 2,
        "kinds": {"email": {"replaced": 1, "distinct": 1}, "user": {"replaced": 2, "distinct": 1}},
    }  # fmt: skip
    assert {place["sort"] for place in told["places"]} == {"secret", "identity"}
    assert redaction(new.header.extra["redaction"]) == (
        "Redacted: 2 secrets, 1 of them different (token ×2). Replaced by pseudonyms: 2 identities (e-mail address, user), named in 3 places."
    )
    said = json.dumps([told, redact.receipt.as_sarif("1")])
    assert OPAQUE not in said and "mirka" not in said


def test_nothing_found_is_said_of_what_was_looked_for() -> None:
    _, both = _redacted(_session("q"))
    assert both.receipt.sentence() == "no secrets found"
    new, hosts = _redacted(_session("q"), what=("hosts",))
    assert hosts.receipt.sentence() == "nothing to redact found"
    assert (
        redaction(new.header.extra["redaction"])
        == "Searched for people and machines before it was written: none found."
    )
    _, users = _redacted(_session("/home/mirka/q"))
    assert users.receipt.sentence() == "no secrets found; redacted 1 identity (1 user), named in 1 place"


def test_scan_finds_what_conversion_replaces() -> None:
    session = _session("ann@acme-labs.io at db7.corp.lan")
    for what in ("emails", "hosts", "all"):
        converted = _redacted(session, what=(what,))[1].receipt
        scanned = scan_sessions([session], RedactOptions(what=(what,), plain_engine=True))
        assert scanned.counts("identity") == converted.counts("identity")
        assert scanned.places and [each[:7] for each in scanned.places] == [each[:7] for each in converted.places]


def test_every_find_has_a_place() -> None:
    """What stands in a title has no line: it is at its file, and an agent's description at the agent's."""
    agent = Subagent(agent_id="a", description=OPAQUE, session=_session("q", title=OPAQUE, file="agent.jsonl"))
    session = _session(f"API_TOKEN={OPAQUE}", title=f"with {OPAQUE}", file="main.jsonl", subagents=(agent,))
    places = _redacted(session)[1].receipt.places
    assert [(each.file, each.line, each.field) for each in places] == [
        ("agent.jsonl", 0, "description"), ("agent.jsonl", 0, "title"), ("main.jsonl", 0, "title"), ("main.jsonl", 1, "text")
    ]  # fmt: skip


def test_the_name_of_a_field_gives_nothing_away() -> None:
    session = _session(f"API_TOKEN={OPAQUE}")
    entry = Message(role="user", origin="prompt", extra={OPAQUE: OPAQUE, "mirka": "mirka"}, span=Span("a", 1))
    receipt = _redacted(Session(header=session.header, entries=(*session.entries, entry)))[1].receipt
    assert OPAQUE not in json.dumps(receipt.as_json()) and "mirka" not in json.dumps(receipt.as_json())


def test_fingerprints_are_the_same_under_a_key() -> None:
    session = _session(f"API_TOKEN={OPAQUE} /home/mirka/")
    first, second = (_redacted(session, key="mine")[1].receipt for _ in range(2))
    assert first.as_json() == second.as_json() and first.as_json()["fingerprints_keyed"]
    one, two = (_redacted(session)[1].receipt for _ in range(2))
    assert {each.fingerprint for each in one.places}.isdisjoint(each.fingerprint for each in two.places)


def test_a_find_can_be_followed_from_run_to_run() -> None:
    """Without a key SARIF's partial fingerprints go by the place; a random one would make every find a new one."""
    session = _session(f"API_TOKEN={OPAQUE} /home/mirka/")

    def prints(key: str) -> list[dict[str, str]]:
        log = _redacted(session, key=key)[1].receipt.as_sarif("1")
        return [result["partialFingerprints"] for result in log["runs"][0]["results"]]

    assert prints("") == prints("") and all(set(each) == {"dragomanPlace/v1"} for each in prints(""))
    assert prints("k") == prints("k") and all(
        set(each) == {"dragomanPlace/v1", "dragomanValue/v1"} for each in prints("k")
    )


def test_sarif_says_what_its_schema_asks() -> None:
    """By SARIF 2.1.0 (OASIS): URIs are URIs, lines begin at 1, a result's rule is one of the driver's."""
    log = _redacted(_session(f"API_TOKEN={OPAQUE} mirka", title=OPAQUE, file="/home/mirka/a b.jsonl"))[
        1
    ].receipt.as_sarif("1.2")
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    assert log["version"] == "2.1.0" and set(driver) == {"name", "version", "rules"}
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] and rule["defaultConfiguration"]["level"] in ("error", "warning")
    assert {result["level"] for result in run["results"]} == {"error", "warning"}
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] and result["message"]["text"]
        physical = result["locations"][0]["physicalLocation"]
        assert physical["artifactLocation"]["uri"] == "file:///home/user-1/a%20b.jsonl"
        assert "region" not in physical or physical["region"]["startLine"] >= 1
        assert result["occurrenceCount"] >= 1 and all(
            re.fullmatch("[0-9a-f]+", each) for each in result["partialFingerprints"].values()
        )
    assert run["properties"]["engine"] and run["properties"]["scanned"]["strings"]


def test_scanning_counts_all_that_was_scanned() -> None:
    receipt = scan_sessions(
        [_session("one one"), _session("two two")], RedactOptions(what=("secrets",), plain_engine=True)
    )
    assert receipt.scanned_strings > 2 * len(("title",)) + 1
    alone = scan_sessions([_session("two two")], RedactOptions(what=("secrets",), plain_engine=True))
    assert receipt.scanned_strings == 2 * alone.scanned_strings
