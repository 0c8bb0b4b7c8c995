"""Versions of the neutral JSON: its schema is current, a later minor is carried, a later major refused."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from dragoman import model
from dragoman.errors import DragomanError, InputError
from dragoman.io import native
from dragoman.io.source import Source
from dragoman.io.target import Target
from dragoman.model import Event, Message, Session, Text, ToolResult, Unknown
from dragoman.readers.native import reader
from dragoman.readers.protocol import NoOptions
from dragoman.report import Code, Report
from dragoman.writers.native import NativeOptions, writer

ROOT = Path(__file__).resolve().parents[2]
LATER = Path(__file__).with_name("later_version.json")


def read(path: Path, report: Report | None = None) -> list[Session]:
    return list(reader.read(Source(path, path.name), NoOptions(), report or Report()))


def test_the_schema_in_the_docs_is_the_library_s() -> None:
    shipped = ROOT / "docs" / "schema" / f"dragoman-{model.MAJOR}.json"
    made = json.dumps(native.schema(), indent=2, ensure_ascii=False) + "\n"
    assert shipped.read_text(encoding="utf-8") == made, (
        f"{shipped} is out of date; write json.dumps(dragoman.io.native.schema(), indent=2, ensure_ascii=False) there"
    )


def test_a_later_minor_version_is_read_and_comes_out_as_it_was(tmp_path: Path) -> None:
    """A made-up 1.9: new blocks, records, fields, words, at every level."""
    report = Report()
    (session,) = read(LATER, report)
    prompt, dream, reply, odd, result = session.entries
    assert isinstance(prompt, Message) and isinstance(prompt.blocks[0], Text)
    assert prompt.blocks[0].text == "Where is the lighthouse?"
    assert prompt.origin == "injected"  # "spoken" is a word of 1.9
    assert isinstance(dream, Event) and (dream.kind, dream.name) == ("unknown", "dream")
    assert dream.data["depth"] == 3
    assert isinstance(reply, Message) and reply.usage is not None and reply.usage.output == 5
    hologram = reply.blocks[1]
    assert isinstance(hologram, Unknown) and hologram.kind == "hologram" and hologram.value["polygons"] == 12
    assert isinstance(odd, Event) and odd.name == "message"  # its role is none of ours
    assert isinstance(result, Message)
    (answer,) = result.blocks
    assert isinstance(answer, ToolResult) and answer.outcome == "ok" and isinstance(answer.content[0], Unknown)
    assert report.count(Code.NEWER_VERSION, "1.9") == 1
    assert report.count(Code.UNKNOWN_BLOCK) == 2
    assert report.count(Code.UNKNOWN_RECORD) == 2
    assert report.count(Code.UNKNOWN_FIELD, "Usage.energy_joules") == 1
    assert report.count(Code.UNKNOWN_FIELD, "Subagent.mood") == 1
    written = write(tmp_path, session)
    assert json.loads(written) == json.loads(LATER.read_text(encoding="utf-8"))


def test_what_a_filter_took_away_does_not_come_back(tmp_path: Path) -> None:
    (session,) = read(LATER)
    reply = session.entries[2]
    assert isinstance(reply, Message)
    changed = Session(header=session.header, entries=(msgspec.structs.replace(reply, usage=None),))
    assert b"energy_joules" not in write(tmp_path, changed)


def write(tmp_path: Path, *sessions: Session, pretty: bool = False) -> bytes:
    target = Target(tmp_path / "out.json", force=True)
    report = Report()
    for session in sessions:
        writer.write(session, target, NativeOptions(pretty=pretty), report)
    target.commit()
    assert report.findings == []
    return (tmp_path / "out.json").read_bytes()


def test_an_older_minor_version_lacks_fields_and_reads(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text('{"dragoman": {"major": 1, "minor": 0}, "header": {}}')
    assert read(path) == [Session(header=model.Header())]


@pytest.mark.parametrize("version", ['{"major": 2, "minor": 0}', '{"major": 0, "minor": 3}'])
def test_another_major_version_is_refused_in_one_line(tmp_path: Path, version: str) -> None:
    path = tmp_path / "new.json"
    path.write_text(f'{{"dragoman": {version}, "header": {{}}, "talk": []}}')
    with pytest.raises(InputError, match=r"^new\.json:1: this is version \d\.\d of the neutral form; .* reads 1\.x$"):
        read(path)


@pytest.mark.parametrize("pretty", [False, True])
def test_one_session_or_several_in_a_file(tmp_path: Path, pretty: bool) -> None:
    first = Session(
        header=model.Header(id="one"), entries=(Message(role="user", origin="prompt", blocks=(Text("a"),)),)
    )
    second = Session(header=model.Header(id="two"))
    data = write(tmp_path, first, second, pretty=pretty)
    assert read(tmp_path / "out.json") == [first, second]
    assert data.count(b"\n") == (2 if not pretty else data.count(b"\n"))
    assert write(tmp_path, first, pretty=pretty).endswith(b"}\n")
    assert read(tmp_path / "out.json") == [first]


def test_a_folder_gets_a_file_a_session_and_no_name_from_the_transcript(tmp_path: Path) -> None:
    target = Target.folder(tmp_path / "out")
    for identifier in ("5f0c", "../../etc/passwd", ".hidden"):
        target.begin()
        writer.write(Session(header=model.Header(id=identifier)), target, NativeOptions(), Report())
    target.commit()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "5f0c.json",
        "session-2.json",
        "session.json",
    ]


SOUND = '{"dragoman":{"major":1,"minor":0},"header":{"id":"x"},"entries":[%s]}'
ENTRY = '{"type":"message","role":"user","origin":"prompt","blocks":[{"type":"text","text":"%s"}]}'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[1, 2]", "no neutral conversation"),
        ("12", "no neutral conversation"),
        ("no json", "not JSON"),
        (SOUND[:-20], "not JSON"),
        ("{" * 3, "not JSON"),
        ("[" * 100_000, "no neutral conversation"),
        ('{"header":{}}', 'has no "dragoman" version'),
        ('{"dragoman":{"major":"1"},"header":{}}', "its version can't be read"),
        ('{"dragoman":{"major":1,"minor":0}}', "missing required field `header`"),
        ('{"dragoman":{"major":1,"minor":0},"header":7}', r"at `\$.header`"),
        (SOUND % "7", r"at `\$.entries"),
        (SOUND % "null", r"at `\$.entries"),
        (SOUND % '{"type":"message","role":"user","origin":"invented"}', "Invalid enum value"),
        (SOUND % '{"type":"message","role":"user","origin":"prompt","blocks":"x"}', "blocks"),
        (SOUND % '{"type":"message","role":"user","origin":"prompt","blocks":[{"text":"untagged"}]}', "type"),
        (SOUND % '{"type":"message","role":"user","origin":"prompt","time":"yesterday"}', "time"),
        (SOUND % '{"type":"message","role":"user","origin":"prompt","extra":[]}', "extra"),
        (
            SOUND % ('{"type":"message","role":"assistant","origin":"reply","usage":{"input":' + "9" * 400 + "}}"),
            "input",
        ),
    ],
)
def test_damage_is_one_line_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(DragomanError, match=says) as caught:
        read(path)
    assert str(caught.value).startswith("bad.json:1: ")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_repairs_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    entry = ENTRY.replace('"blocks"', '"time":"2026-01-02T03:04:05","extra":{"n":NaN,"big":%s},"blocks"' % ("9" * 30))
    path.write_bytes(b"\xef\xbb\xbf" + (SOUND % (entry % r"lone \ud800 here")).encode().replace(b"here", b"h\xffre"))
    report = Report()
    (session,) = read(path, report)
    (message,) = session.messages
    assert message.blocks == (Text("lone \ufffd h\ufffdre"),)
    assert message.time is not None and message.time.tzinfo is not None
    for code in (Code.LONE_SURROGATE, Code.BAD_BYTES, Code.BIG_NUMBER, Code.BAD_VALUE):
        assert report.count(code), code
    assert write(tmp_path, session)


def test_a_bad_line_among_good_ones_is_reported_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "several.jsonl"
    good = SOUND % (ENTRY % "hello")
    path.write_text(f"{good[:-30]}\n\n{good}\n" + good)
    report = Report()
    assert len(read(path, report)) == 2
    assert report.count(Code.LINE_UNREADABLE) == 1


def test_subagents_inside_subagents_are_no_matter_of_depth(tmp_path: Path) -> None:
    session = Session(header=model.Header(id="leaf"))
    for level in range(40):
        session = Session(
            header=model.Header(id=str(level)), subagents=(model.Subagent(agent_id=str(level), session=session),)
        )
    write(tmp_path, session)
    assert read(tmp_path / "out.json") == [session]


def test_a_very_deep_value_is_written_without_a_traceback(tmp_path: Path) -> None:
    value: list[object] = []
    for _ in range(900):
        value = [value]
    session = Session(header=model.Header(id="deep", extra={"deep": value}))
    write(tmp_path, session)
    report = Report()
    (back,) = read(tmp_path / "out.json", report)
    assert back.header.id == "deep" and report.count(Code.DEEP_NESTING) == 1


def test_sniffing() -> None:
    assert reader.sniff(b'  {\n "dragoman" : {"major"', "x") == 1.0
    assert reader.sniff(b'\xef\xbb\xbf{"dragoman":{', "x") == 1.0
    assert reader.sniff(b'{"type":"user","message":{"content":"dragoman"}}', "x.json") == 0.0


def test_a_carried_key_of_a_stranger_is_only_data(tmp_path: Path) -> None:
    """A document that says `dragoman:carried` itself is neither obeyed nor bent."""
    path = tmp_path / "in.json"
    entry = '{"type":"event","kind":"notice","extra":{"dragoman:carried":{"/kind":"title","x":1,"":2,"/a/b":3}}}'
    path.write_text(SOUND % entry)
    (session,) = read(path)
    assert isinstance(session.entries[0], Event) and session.entries[0].kind == "notice"
    assert json.loads(write(tmp_path, session)) == json.loads(SOUND % entry)
    # and one that a reader let in unseen may bend its own entry only, and can't break the writer
    hostile = Event(kind="notice", extra={native.CARRIED: {"/kind": "title", "x": 1, "": 2, "/a/b": 3, "/": 4}})
    assert write(tmp_path, Session(header=model.Header(), entries=(hostile,)))


def test_every_example_comes_back_from_native_as_it_was(shared: Path) -> None:
    """Real structures, unknown records, damage and all: what a reader made is what native gives back."""
    from dragoman import registry

    claude_code, clm = registry.reader("claude-code"), registry.reader("clm")
    sources = [
        *((claude_code, path) for path in sorted((shared / "examples" / "projects").iterdir())),
        *((claude_code, path) for path in sorted((shared / "corpus").glob("*/projects/*"))),
        *((clm, path) for path in sorted((shared / "examples" / "clm").iterdir())),
    ]
    compared = 0
    for component, path in sources:
        for session in component.read(Source(path), component.options(), Report()):
            data = native.encode(session)
            report = Report()
            again = native.decode(msgspec.json.decode(data), model.Span("x", 1), report)
            assert again == session, path
            assert native.encode(again) == data
            assert report.findings == [], path
            compared += 1
    assert compared > 60
