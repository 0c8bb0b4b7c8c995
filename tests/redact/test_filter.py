"""The filter on whole sessions: everywhere, valid, once, checked."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from dragoman.errors import UsageError
from dragoman.filters.redact import RedactFilter, RedactOptions, redact_text
from dragoman.filters.redact.hits import Hit
from dragoman.filters.redact.recipes import cook
from dragoman.model import (
    Event,
    Header,
    Message,
    Reasoning,
    Session,
    Span,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
)
from dragoman.report import Code, Report

PASSWORD = cook("Kiwi{d*4}fruit")
OPAQUE = cook("{A*40}")


def _session(*entries: Message | Event, **header: str) -> Session:
    return Session(header=Header(id="s", **header), entries=entries)


def _said(text: str, **more: object) -> Message:
    return Message(role="user", origin="prompt", blocks=(Text(text),), span=Span("a.jsonl", 3), **more)  # type: ignore[arg-type]


def _redacted(*sessions: Session, options: RedactOptions | None = None) -> tuple[list[Session], RedactFilter]:
    redact = RedactFilter(options)
    report = Report()
    redact.prepare(sessions, report)
    return [redact.apply(session, report) for session in sessions], redact


def _bytes(session: Session) -> str:
    return msgspec.json.encode(session).decode()


def test_a_value_told_once_goes_everywhere() -> None:
    bare = f"earlier I used {OPAQUE} here"
    everywhere = _session(
        _said(bare),
        _said(f"export API_TOKEN={OPAQUE}"),
        Message(
            role="assistant", origin="reply",
            blocks=(
                Reasoning(f"so {OPAQUE}", signature="c2ln"), ToolCall("t1", "x", json.dumps({OPAQUE: [OPAQUE, {"deep": OPAQUE}]})), Unknown("new", {"k": OPAQUE}),
                ToolResult("t1", (Text(OPAQUE[:20] + "\n" + OPAQUE[20:]),), structured={"out": OPAQUE, "lines": [OPAQUE, "x"]}, feedback=OPAQUE),
            ),
            extra={"z": OPAQUE}, raw=f'{{"a":"{OPAQUE}"}}',
        ),
        Event(kind="title", text=OPAQUE, data={"d": OPAQUE}, raw=OPAQUE),
        title=f"with {OPAQUE}", cwd=f"/srv/{OPAQUE}", git_branch=f"fix/{OPAQUE}",
    )  # fmt: skip
    child = Subagent(agent_id="a", description=OPAQUE, session=_session(_said(OPAQUE)))
    whole = msgspec.structs.replace(everywhere, subagents=(child,))
    (new,), redact = _redacted(whole)
    text = _bytes(new)
    assert OPAQUE not in text and OPAQUE[:20] not in text and OPAQUE[20:] not in text
    arguments = new.entries[2].blocks[1].arguments  # type: ignore[union-attr]
    assert json.loads(arguments)
    assert new.entries[0].blocks[0].text == "earlier I used [REDACTED:token:1] here"  # type: ignore[union-attr]
    assert redact.receipt.counts()[1] == 1
    assert OPAQUE not in json.dumps(redact.receipt.as_json()) + json.dumps(redact.receipt.as_sarif())


def test_in_a_clean_session_the_entries_are_the_same_objects() -> None:
    session = _session(_said("nothing to see"), cwd="/srv/app")
    (new,), _ = _redacted(session)
    assert new.entries is session.entries
    assert new.header.extra == {"redaction": {"secrets": 0, "distinct": 0, "kinds": {}}}


def test_redacting_again_changes_nothing() -> None:
    session = _session(
        _said(f"password: {PASSWORD}\nhttps://x:{OPAQUE}@h/\nAuthorization: Bearer {OPAQUE}"), _said(f"and {PASSWORD}")
    )
    (once,), _ = _redacted(session)
    (twice,), _ = _redacted(once)
    assert twice.entries == once.entries


def test_another_session_of_the_run_tells_too() -> None:
    first, second = _session(_said(f"it was {OPAQUE}")), _session(_said(f"API_KEY={OPAQUE}"))
    new, _ = _redacted(first, second)
    assert OPAQUE not in _bytes(new[0])


def test_the_check_after_rendering_fails_closed() -> None:
    _, redact = _redacted(_session(_said(f"API_KEY={OPAQUE}")))
    assert not redact.verify("out.md", b"nothing")
    leaks = redact.verify("out.md", f"x\n\n{OPAQUE[:16]}\n".encode())
    assert leaks and leaks[0].line == 3 and OPAQUE[:16] not in repr(leaks)
    assert redact.verify(f"{OPAQUE}.md", b"")
    assert redact.verify("out.md", cook("a new ghp_{A*36}").encode())


def test_users_are_pseudonyms_in_paths_and_bare() -> None:
    session = _session(
        _said("-Users-mfinch-work and drwxr-xr-x 5 mfinch staff, mfinchley stays"), cwd="/Users/mfinch/work"
    )
    (new,), _ = _redacted(session)
    assert new.header.cwd == "/Users/user-1/work"
    assert new.entries[0].blocks[0].text == "-Users-user-1-work and drwxr-xr-x 5 user-1 staff, mfinchley stays"  # type: ignore[union-attr]
    (kept,), _ = _redacted(session, options=RedactOptions(what=("secrets",)))
    assert kept.header.cwd == "/Users/mfinch/work"


def test_common_accounts_stay() -> None:
    session = _session(_said("root is fine"), cwd="/home/root/x")
    (new,), _ = _redacted(session)
    assert new.header.cwd == "/home/root/x"


def test_more_than_secrets_by_switch() -> None:
    card, iban = "4111 1111 1111 1111"[:0] + "5500 0055 5555 5559", "DE89 3704 0044 0532 0130 00"
    session = _session(_said(f"Author: Ines Moreau <ines@northpeak.io>, ssh root@34.120.7.9, card {card}, {iban}"))
    (new,), _ = _redacted(session, options=RedactOptions(what=("all",)))
    text = _bytes(new)
    for part in ("northpeak", "34.120.7.9", "5555", "3704", "Moreau"):
        assert part not in text
    with pytest.raises(UsageError, match="doesn't know"):
        RedactFilter(RedactOptions(what=("everything",)))


def test_own_words_and_keep(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("Project Bluebird\n", "utf-8")
    (tmp_path / "keep").write_text(f"{OPAQUE}\n", "utf-8")
    session = _session(_said(f"Project Bluebird has API_KEY={OPAQUE}"))
    (new,), _ = _redacted(session, options=RedactOptions(own_text=tmp_path / "words", keep=tmp_path / "keep"))
    assert new.entries[0].blocks[0].text == f"[REDACTED:own-text:1] has API_KEY={OPAQUE}"  # type: ignore[union-attr]


def test_own_words_that_the_formats_use_too_are_not_looked_for_in_the_output(tmp_path: Path) -> None:
    """A page has a summary and a class of its own: no conversation could be shared as one."""
    (tmp_path / "words").write_text("summary\nthe\nQuincebush\n2417\n", "utf-8")
    session = _session(_said("the summary of Quincebush 2417"))
    redact, report = RedactFilter(RedactOptions(own_text=tmp_path / "words")), Report()
    redact.prepare([session], report)
    (block,) = redact.apply(session, report).entries[0].blocks  # type: ignore[union-attr]
    assert isinstance(block, Text) and set(block.text.split()) == {
        "of",
        *(f"[REDACTED:own-text:{n}]" for n in range(1, 5)),
    }
    assert report.count(Code.EVERYDAY_WORDS) == 2
    assert redact.verify("page.html", b"<details><summary>the page</summary></details>") == []
    assert [leak.rule for leak in redact.verify("page.html", b"<p>Quincebush\n2417</p>")] == ["known own-text"] * 2


def test_keyed_placeholders_are_the_same_across_runs() -> None:
    options = RedactOptions(key="mine")
    (one,), _ = _redacted(_session(_said(f"API_KEY={OPAQUE}")), options=options)
    (two,), _ = _redacted(
        _session(_said(f"x API_KEY={cook('{A*33}', 9)}"), _said(f"API_KEY={OPAQUE}")), options=options
    )
    assert one.entries[0].blocks[0] == two.entries[1].blocks[0]  # type: ignore[union-attr]


def test_drop_leaves_out_and_says_so() -> None:
    session = _session(Message(role="assistant", origin="reply", blocks=(Reasoning("hm"), Text("ok"))))
    redact, report = RedactFilter(RedactOptions(drop=("reasoning",))), Report()
    redact.prepare([session], report)
    new = redact.apply(session, report)
    assert new.entries[0].blocks == (Text("ok"),)  # type: ignore[union-attr]
    assert report.count(Code.DROPPED_BY_REQUEST) == 1


def test_one_string() -> None:
    assert redact_text(f"password: {PASSWORD}") == "password: [REDACTED:password:1]"


def test_a_scan_that_takes_too_long_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    redact = RedactFilter(RedactOptions(what=("secrets",)))
    engine = redact.replacer.finder.engine
    find = engine.find

    def slow(buffer: bytes) -> list[Hit]:
        return [Hit(0, len(buffer), "scan-timeout", "unscanned")] if b"slow one" in buffer else find(buffer)

    monkeypatch.setattr(engine, "find", slow)
    session = _session(_said("first, quite fine"), _said("the slow one"), _said("last, fine as well"))
    report = Report()
    redact.prepare([session], report)
    texts = [entry.blocks[0].text for entry in redact.apply(session, report).entries]  # type: ignore[union-attr]
    assert texts == ["first, quite fine", "[REDACTED:unscanned:1]", "last, fine as well"]
    assert redact.verify("out.md", b"the slow one")


def test_nesting_beyond_reason_is_gone_through() -> None:
    deep: object = {"API_TOKEN": OPAQUE}
    for _ in range(3000):
        deep = {"a": [deep]}
    session = _session(_said(f"API_TOKEN={OPAQUE}"), Event(kind="unknown", data=deep))
    (new,), _ = _redacted(session)
    value = new.entries[1].data  # type: ignore[union-attr]
    while "a" in value:
        value = value["a"][0]
    assert value == {"API_TOKEN": "[REDACTED:token:1]"}


def test_a_cookie_ends_with_its_line_where_the_end_is_written_out() -> None:
    """In a call's arguments the end of a line is `\\n`: what followed was taken for a cookie's value, checksums and all,
    and the check after rendering then found its beginning in every log."""
    cookie = cook("{A*32}")
    log = "took={}ms\nsha256:" + cook("{h*64}") + "\n-rw-r--r-- 1 root"
    content = f"Cookie: sessionid={cookie}; csrftoken=abc\nINFO status=200 {log.format(705)}"
    arguments = json.dumps({"content": content})
    call = Message(role="assistant", origin="reply", blocks=(ToolCall("c", "Write", arguments),))
    session = _session(call, _said(log.format(185)))
    (made,), redact = _redacted(session)
    said = _bytes(made)
    assert cookie not in said
    assert log.split("\n")[1] in said
    assert redact.verify("s.json", said.encode()) == []
