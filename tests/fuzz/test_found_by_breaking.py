"""Faults that somebody found who set out to break it, one test each."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tarfile
import warnings
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest

import dragoman
from dragoman.cli.app import run
from dragoman.errors import Exit, InputError
from dragoman.io.json import Decoder
from dragoman.io.jsonl import recover
from dragoman.io.target import Target
from dragoman.model import Header, Message, Session, Span, Text
from dragoman.readers.claude_code.drift import unknown_in
from dragoman.render.markdown import Markdown
from dragoman.render.text import has_hidden
from dragoman.report import Code, Report
from dragoman.writers.html import prose

LINE = b'{"type":"user","uuid":"1","sessionId":"s","cwd":"/w","message":{"role":"user","content":"Go?"}}\n'


def session_file(folder: Path) -> Path:
    path = folder / "s.jsonl"
    path.write_bytes(LINE)
    return path


@pytest.mark.parametrize("name", ["native", "html", "markdown", "clm", "openai"])
def test_a_secret_in_a_field_that_should_hold_a_word(name: str, tmp_path: Path) -> None:
    """`stop_reason`, `media_type` and the tier were passed over as words of the format; a transcript chooses them."""
    secret = "Vq8kT2mZp" + "3wLx7Rr"
    told = f"DB_PASSWORD={secret}"
    usage = {"input_tokens": 1, "output_tokens": 1, "service_tier": told, "speed": told}
    image = {"type": "image", "source": {"type": "base64", "media_type": told, "data": "aGVsbG8="}}
    lines = [
        {"type": "user", "uuid": "1", "sessionId": "s", "message": {"role": "user", "content": [image, {"type": "text", "text": "Go?"}]}},
        {"type": "assistant", "uuid": "2", "sessionId": "s", "message": {"role": "assistant", "id": "m", "model": told, "stop_reason": told, "usage": usage, "content": [{"type": "text", "text": "Yes."}]}},
    ]  # fmt: skip
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    made = dragoman.convert(path, f"{tmp_path}/out/", writer=name, filters=[dragoman.redact()])
    assert all(secret.encode() not in each.read_bytes() for each in made)


def test_a_zip_that_holds_a_name_twice_loses_neither(tmp_path: Path) -> None:
    path = tmp_path / "dup.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for text in ("one", "two"):
            archive.writestr(f"{'../' if text == 'two' else ''}p/s.jsonl", LINE.replace(b"Go?", text.encode()))
    found = {block.text for session in dragoman.read_all(path, reader="claude-code") for message in session.messages for block in message.blocks if isinstance(block, Text)}  # fmt: skip
    assert found == {"one", "two"}


def test_a_damaged_lzma_zip_is_one_line(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("s.jsonl", os.urandom(4000))
    data = bytearray(buffer.getvalue())
    data[60:900] = b"\xff" * 840
    path = tmp_path / "bad.zip"
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged archive"):
        dragoman.read(path)


def test_a_clock_at_the_end_of_time_goes_on(tmp_path: Path) -> None:
    late = datetime.max.replace(tzinfo=UTC)
    messages = tuple(Message(role="user", origin="prompt", blocks=(Text(text),)) for text in "abc")
    session = Session(header=Header(id="s", format="clm", started=late), entries=messages)
    assert dragoman.write(session, "claude-code", f"{tmp_path}/out/")


def test_a_title_of_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    assert run(["convert", str(path), "-t", "markdown", "-o", str(tmp_path / "o.md"), "--title", "x\udcff"]) == Exit.OK


def test_a_style_sheet_that_is_a_fifo_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "css")
    path = session_file(tmp_path)
    assert (
        run(["convert", str(path), "-t", "html", "-o", str(tmp_path / "o"), "--css", str(tmp_path / "css")])
        == Exit.USAGE
    )


def test_an_input_is_never_an_output(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    assert run(["convert", str(path), "-t", "clm", "-o", str(path), "--force"]) == Exit.USAGE
    assert path.read_bytes() == LINE


@pytest.mark.parametrize(
    "asked",
    [
        ["session.json", "-t", "native", "-o", "./"],
        ["a", "-t", "native", "-o", "link/t.jsonl"],
        ["a", "-t", "native", "-o", "out/", "--report", "a/s.jsonl"],
        ["s.zip", "-t", "native", "-o", "s.zip"],
        ["session.json", "-t", "native", "-o", "words", "--redact-text", "words"],
        ["session.json", "-t", "native", "-o", "words", "--keep", "words"],
    ],
)
def test_an_input_is_no_output_under_any_name(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only `-o` itself was compared, and only with files named: not what a folder takes in or gives, nor option files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    session_file(tmp_path / "a")
    (tmp_path / "a" / "t.jsonl").write_bytes(LINE.replace(b'"s"', b'"t"'))
    (tmp_path / "session.json").write_bytes(b'[{"role":"user","content":"hi"}]')
    (tmp_path / "words").write_bytes(b"hello there\n")
    with zipfile.ZipFile("s.zip", "w") as archive:
        archive.writestr("s.jsonl", LINE)
    (tmp_path / "link").symlink_to("a")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert run(["convert", *asked, "--force"]) == Exit.USAGE
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_session_may_be_written_again_beside_what_it_came_from(tmp_path: Path) -> None:
    path = session_file(tmp_path)
    for _ in range(2):
        assert run(["convert", str(path), "-t", "native", "-o", f"{tmp_path}/", "--force", "-q"]) == Exit.OK
    assert path.read_bytes() == LINE


@pytest.mark.parametrize("option", ["--report", "--redact-report"])
@pytest.mark.parametrize("force", [["--force"], []])
def test_a_report_takes_no_output_s_place_in_a_folder(option: str, force: list[str], tmp_path: Path) -> None:
    path, out = session_file(tmp_path), tmp_path / "out"
    for report in (out / "s.md", out / "s.md" / "r.json"):
        asked = ["convert", str(path), "-t", "markdown", "-o", f"{out}/", option, str(report), *force]
        assert run(asked) == Exit.USAGE
        assert not out.exists()


@pytest.mark.parametrize("option", ["--redact-text", "--redact-rules", "--keep"])
def test_a_file_of_the_user_s_may_begin_with_a_byte_order_mark(
    option: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The mark became a part of the first word, which stayed in."""
    path = session_file(tmp_path)
    path.write_bytes(LINE.replace(b"Go?", b"projectzebra, PASSWORD=Tr0mbone-horse-77"))
    mine = tmp_path / "mine"
    rules = b'[[rule]]\nid = "z"\npattern = "(projectzebra)"\nmatch = ["projectzebra"]\n'
    mine.write_bytes(b"\xef\xbb\xbf" + {"--redact-rules": rules, "--keep": b"Tr0mbone-horse-77\r\n"}.get(option, b"projectzebra\r\n"))  # fmt: skip
    assert run(["convert", str(path), "-t", "markdown", "-q", option, str(mine)]) == Exit.OK
    shown = capfdbinary.readouterr().out
    if option == "--keep":
        assert b"Tr0mbone-horse-77" in shown
    else:
        assert b"projectzebra" not in shown


@pytest.mark.parametrize("command", [["scan", "--check"], ["scan"], ["stats"]])
def test_looking_says_what_it_could_not_read(
    command: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A cut line with a token in it passed `scan --check`, and a file that is no session was no reason to fail."""
    path, plain = tmp_path / "d.jsonl", tmp_path / "plain.txt"
    path.write_bytes(LINE + b'{"type":"user","uuid":"2","message":{"role":"user","content":"token"}\n')
    plain.write_bytes(b"no session\n")
    assert run([*command, str(path)]) == Exit.OK
    assert f"loss: {path}:2: 1 unreadable line skipped" in capfd.readouterr().err
    assert run([*command, str(plain), str(path)]) == Exit.FAILED
    assert f"skipped: {plain}" in capfd.readouterr().err
    path.write_bytes(LINE.replace(b"Go?", b"PASSWORD=Tr0mbone-horse-77"))
    expected = Exit.FOUND if "--check" in command else Exit.FAILED
    assert run([*command, str(plain), str(path)]) == expected


def test_a_word_of_the_format_that_is_no_word(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """An object or a list where a type should be can't be looked up: a fault of ours, and all other inputs lost."""
    for odd in ("{}", "[]", '["user"]', "null"):
        path = tmp_path / "odd.json"
        path.write_text(f'[{{"type":{odd}}}]')
        assert run(["stats", str(session_file(tmp_path)), str(path)]) == Exit.FAILED
        assert orjson.loads(capfdbinary.readouterr().out)["sessions"] == 1
        line = f'{{"type":{odd},"subtype":{odd},"data":{{"type":{odd}}},"attachment":{{"type":{odd}}}}}\n'
        path.write_text(line + "".join(line.replace(odd, f'"{kind}"', 1) for kind in ("system", "progress", "attachment")))  # fmt: skip
        assert run(["convert", "-f", "claude-code", "-t", "native", str(path)]) in {Exit.OK, Exit.FAILED}
        for record in path.read_bytes().splitlines():
            list(unknown_in(orjson.loads(record)))
        capfdbinary.readouterr()
        good = '{"type":"msg","role":"user","content":"good"}\n'
        path.write_text(good.replace('"user"', odd) + good)
        assert run(["convert", "-f", "clm", "-t", "markdown", str(path)]) == Exit.OK
        said = capfdbinary.readouterr()
        assert b"good" in said.out
        assert b"2 notes of 2 kinds" in said.err


def test_entities_do_not_hide_what_deceives_the_eye() -> None:
    """The source was made visible, and then its entities, and the percent signs of addresses, became what they name."""
    source = (
        'A &#x202e;b &rlm; c&#8203;d &#xE0041; ![x&#x202e;y](http://a/&#x202e; "t&#x202e;") [l&rlm;](http://b/ "t&#x202e;")'
        " <http://a/%E2%80%AE.com>\n\n```py&#x202e;\n&#x202e;\n```\n\n    &#x202e;\n\n|&rlm;|\n|-|\n|&rlm;|\n"
    )
    for made in (Markdown().html(source), prose.render(source)):
        assert not has_hidden(made)
        assert "A ⟦U+202E⟧b ⟦U+200F⟧ c⟦U+200B⟧d ⟦U+E0041⟧" in made


@pytest.mark.parametrize("fault", ["long name", "file and folder", "checksum", "encrypted"])
def test_one_bad_member_does_not_lose_the_archive(fault: str, tmp_path: Path) -> None:
    path = tmp_path / "some.zip"
    bad = {"long name": f"{'x' * 300}/s.jsonl", "file and folder": "a/s.jsonl/t.jsonl"}.get(fault, "b/t.jsonl")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/s.jsonl", LINE)
        archive.writestr(bad, LINE.replace(b"Go?", b"Stop"))
        archive.writestr("c/u.jsonl", LINE)
    data = path.read_bytes()
    if fault == "checksum":
        path.write_bytes(data.replace(b"Stop", b"Stup"))
    if fault == "encrypted":
        at = data.rindex(b"PK\x01\x02", 0, data.rindex(b"PK\x01\x02"))
        path.write_bytes(data[: at + 8] + b"\x01" + data[at + 9 :])
    report = Report()
    assert len(dragoman.read_all(path, report=report)) == 2
    (finding,) = [each for each in report.findings if each.code is Code.PACKED_UNREADABLE]
    assert [place.file for place in finding.places] == [f"{path}/{bad}"]
    assert run(["scan", str(path)]) == Exit.OK


def test_what_comes_before_damage_is_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = b"".join(LINE.replace(b"Go?", os.urandom(300).hex().encode()) for _ in range(1_000))
    whole = gzip.compress(lines)
    plain = tmp_path / "plain"
    plain.write_bytes(lines)
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w:gz") as archive:
        for name in ("a/s.jsonl", "b/t.jsonl"):
            member = tarfile.TarInfo(name)
            member.size = len(lines)
            archive.addfile(member, io.BytesIO(lines))
    packed = tar.getvalue()
    damaged = bytearray(whole)
    damaged[len(whole) // 2 : len(whole) // 2 + 200] = bytes(200)
    for name, data, sessions, least in (
        ("trailing.jsonl.gz", whole + b"x", 1, 1_000),
        ("damaged.jsonl.gz", bytes(damaged), 1, 400),
        ("cut.jsonl.gz", whole[: len(whole) // 2], 1, 400),
        ("cut.tar.gz", packed[: len(packed) * 3 // 4], 2, 1_400),
        ("end.tar.gz", packed[:-20], 2, 1_990),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        report = Report()
        found = dragoman.read_all(path, reader="claude-code", report=report)
        assert len(found) == sessions, name
        assert sum(len(list(each.messages)) for each in found) >= least, name
        assert report.count(Code.PACKED_UNREADABLE), name
        assert run(["stats", str(path)]) == Exit.OK
        assert f"loss: {path}" in capfd.readouterr().err


def test_a_document_of_a_wrong_type_loses_no_other(tmp_path: Path) -> None:
    one = tmp_path / "one.json"
    assert run(["convert", str(session_file(tmp_path)), "-t", "native", "-o", str(one), "-q"]) == Exit.OK
    good = one.read_bytes()
    path = tmp_path / "three.json"
    for odd in (b'{"dragoman":{"major":1,"minor":0},"header":{"id":5}}\n', b'{"dragoman":{"major":9,"minor":0}}\n'):
        path.write_bytes(good + odd + good.replace(b'"id":"s"', b'"id":"t"'))
        report = Report()
        assert [each.header.id for each in dragoman.read_all(path, report=report)] == ["s", "t"]
        (finding,) = [each for each in report.findings if each.code is Code.LINE_UNREADABLE]
        assert finding.places == (Span(str(path), good.count(b"\n") + 1),)
        path.write_bytes(odd)
        with pytest.raises(InputError):
            dragoman.read_all(path)


TEMPLATES = {
    "{{ nope.x }}": "session.html:2: the template doesn't work: 'nope' is undefined",
    "{% if %}": "session.html:2: the template doesn't work: Expected an expression",
    "{{ 1/0 }}": "session.html:2: the template doesn't work: division by zero",
    "{{ about.foo() }}": "session.html:2: the template doesn't work: ",
    '{% include "session.html" %}': "session.html:2: the template doesn't work: it includes itself",
    '{% extends "../../../etc/passwd" %}': "session.html:2: the template doesn't work: no template is called",
    '{% include "none.html" %}': "session.html:2: the template doesn't work: no template is called",
}


@pytest.mark.parametrize("text", TEMPLATES)
def test_a_template_of_the_user_s_that_does_not_work(
    text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It was a fault of ours, or a session that was nested too deeply."""
    mine = tmp_path / "mine"
    mine.mkdir()
    path = session_file(tmp_path)
    asked = ["convert", str(path), "-t", "html", "--templates", str(mine), "-o", str(tmp_path / "o.html")]
    for name in ("session.html", "entry.html"):
        (mine / name).write_text("\n" + text)
        assert run(asked) == Exit.USAGE
        said = capfd.readouterr().err
        expected = TEMPLATES[text].replace("session.html", name)
        assert said.startswith(f"dragoman: {mine}/{expected}") or (name == "entry.html" and "session.html" in text)
        assert said.count("\n") == 1
        (mine / name).unlink()
    (mine / "style.css").touch()  # a folder without any template is refused
    assert run(asked) == Exit.OK


def test_many_of_one_name_are_each_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each began to count at 1 again: an archive of one name, or sessions of one id, took the square of their number."""
    many, looks = 300, 0
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(many):
            archive.writestr("p/s.jsonl", LINE.replace(b"Go?", str(number).encode()))
    exists = Path.exists

    def counted(path: Path) -> bool:
        nonlocal looks
        looks += path.name.startswith("s")
        return exists(path)

    monkeypatch.setattr(Path, "exists", counted)
    assert len(dragoman.read_all(path, reader="claude-code")) == many
    assert looks < 3 * many

    target = Target.folder(tmp_path / "out")
    target.mains = names = Asked()
    for _ in range(many):
        target.begin()
        target.main("s.md")
    target.discard()
    assert len(names) == many
    assert names.asked < 3 * many


class Asked(dict[str, None]):
    """A dict that counts how often it was asked."""

    asked = 0

    def __contains__(self, name: object) -> bool:
        self.asked += 1
        return super().__contains__(name)


def test_many_deep_records_on_one_line_are_each_copied_once() -> None:
    """The line was put together anew for each of them."""
    deep = '{"type":"user","message":' + "[" * 300 + "]" * 300 + "}"
    report = Report()
    found = recover((deep * 50).encode() + b"\n", Span("s", 1), report)
    assert found == [found[0]] * 50
    assert report.count(Code.DEEP_NESTING) == 50
    decoder = Decoder(deep * 50)
    decoder.decode(len(deep), None, Report())
    assert decoder.text == deep * 50


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_a_file_in_utf_16_is_known_for_what_it_is(encoding: str, tmp_path: Path) -> None:
    """Its head was looked at as bytes, so only a reader that was named got to it, and only line by line."""
    path = session_file(tmp_path)
    record = orjson.loads(LINE)
    native, clm = tmp_path / "n.json", tmp_path / "c.jsonl"
    for name, made in (("native", native), ("clm", clm)):
        assert run(["convert", str(path), "-t", name, "-o", str(made), "-q"]) == Exit.OK
    told = [{"role": "user", "content": "Go?"}]
    texts = {
        "openai": [orjson.dumps(told), orjson.dumps(told, option=orjson.OPT_INDENT_2), *map(orjson.dumps, told)],
        "claude-code": [LINE, orjson.dumps([record], option=orjson.OPT_INDENT_2), orjson.dumps([record, record])],
        "native": [native.read_bytes(), orjson.dumps(orjson.loads(native.read_bytes()), option=orjson.OPT_INDENT_2)],
        "clm": [clm.read_bytes()],
    }
    odd = tmp_path / "odd.json"
    for name, several in texts.items():
        for text in several:
            odd.write_bytes(("\ufeff" * (encoding != "utf-16") + text.decode()).encode(encoding))
            report = Report()
            session = dragoman.read(odd, report=report)
            assert session.header.format == (name if name != "native" else "claude-code")
            assert [block.text for each in session.messages for block in each.blocks if isinstance(block, Text)][:1] == ["Go?"]  # fmt: skip
            assert report.count(Code.ENCODING) == 1


def test_a_date_at_the_ends_of_time_is_none(tmp_path: Path) -> None:
    (tmp_path / "history" / "-w").mkdir(parents=True)
    asked = ["migrate", "--from", str(tmp_path / "history"), "--to", str(tmp_path / "clm"), "--dry-run", "--since"]
    for date in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
        assert run([*asked, date]) == Exit.USAGE


def test_what_changes_beside_the_talk_is_carried(tmp_path: Path) -> None:
    """Taken for what merely repeats from line to line, or for a word that says what was made of it already."""
    usage = {"input_tokens": 1, "output_tokens": 1, "service_tier": {"kept": 1}, "speed": "kept-2", "added": "kept-3"}
    common = {"sessionId": "s", "timestamp": "2026-01-01T00:00:00Z", "userType": "external", "entrypoint": "cli"}
    lines = [
        {**common, "type": "user", "uuid": "1", "slug": "first", "message": {"role": "user", "content": "Go?"}},
        {**common, "type": "assistant", "uuid": "2", "slug": "kept-4", "userType": "kept-5", "entrypoint": "kept-6", "message": {"role": "assistant", "id": "m", "model": "x", "stop_reason": "end_turn", "usage": usage, "content": [{"type": "text", "text": "Yes."}]}},
        {**common, "type": "system", "subtype": "local_command", "uuid": "3", "level": "kept-7", "isMeta": False, "content": "<local-command-stdout>x</local-command-stdout>"},
        {**common, "type": "attachment", "uuid": "4", "attachment": {"type": "queued_command", "prompt": "More", "commandMode": "kept-8"}},
    ]  # fmt: skip
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    report = Report()
    (made,) = dragoman.convert(path, f"{tmp_path}/out/", writer="native", report=report)
    text = made.read_text()
    assert [number for number in range(2, 9) if f"kept-{number}" not in text] == []
    assert '"service_tier":{"kept":1}' in text
    assert report.count(Code.UNKNOWN_FIELD, "usage.added") == 1
    assert report.count(Code.BAD_VALUE, "usage.service_tier") == 1


def test_prices_that_are_a_fifo_do_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "prices")
    asked = ["stats", str(session_file(tmp_path)), "--prices"]
    assert run([*asked, str(tmp_path / "prices")]) == Exit.FAILED
    assert run([*asked, "/dev/zero"]) == Exit.FAILED


def test_a_report_never_lies_where_the_output_does(tmp_path: Path) -> None:
    path, out = session_file(tmp_path), str(tmp_path / "o.html")
    assert run(["convert", str(path), "-t", "html", "-o", out, "--report", out, "--force"]) == Exit.USAGE
    assert not Path(out).exists()


def test_a_report_that_exists_stops_before_anything_is_written(tmp_path: Path) -> None:
    path, report = session_file(tmp_path), tmp_path / "r.json"
    report.write_bytes(b"mine")
    assert (
        run(["convert", str(path), "-t", "markdown", "-o", str(tmp_path / "o.md"), "--report", str(report)])
        == Exit.FAILED
    )
    assert not (tmp_path / "o.md").exists()
    assert report.read_bytes() == b"mine"


@pytest.mark.parametrize("data", [b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"PK\x03\x04"])
def test_what_only_begins_like_something_packed(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    assert run(["convert", str(path), "-t", "markdown", "-f", "claude-code"]) in {Exit.OK, Exit.FAILED}


CLOSED = {"convert": [">&-", "standard output"], "stats": [">&-", "standard output"], "--version": [">&-", "standard output"], "scan": ["<&-", "standard input"]}  # fmt: skip


@pytest.mark.parametrize("command", CLOSED)
def test_a_stream_that_is_closed_is_one_line(command: str, tmp_path: Path) -> None:
    """Python has None in its place: that was a fault of ours, and a traceback with --version."""
    how, name = CLOSED[command]
    path = "-" if how.startswith("<") else str(session_file(tmp_path))
    words = "" if command == "--version" else f"'{path}'"
    done = subprocess.run(
        ["sh", "-c", f"exec '{sys.executable}' -m dragoman {command} {words} {how}"], stderr=subprocess.PIPE, text=True
    )
    assert done.returncode == Exit.FAILED
    assert done.stderr == f"dragoman: {name} is closed\n"


def test_what_nobody_hears_undoes_no_result(tmp_path: Path) -> None:
    """Standard error was closed, or its disk full: the page lay there whole, and the code said that it had failed."""
    path = session_file(tmp_path)
    for number, how in enumerate(("2>&-", "2>/dev/full")):
        line = f"exec '{sys.executable}' -m dragoman convert '{path}' -o '{tmp_path}/{number}.md' {how}"
        assert subprocess.run(["sh", "-c", line], stdin=subprocess.DEVNULL).returncode == Exit.OK
        assert (tmp_path / f"{number}.md").exists()


def test_the_folder_that_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`.` has no name, and what lies beside a folder is looked for by its name."""
    session_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["stats", ".", "--json"]) == Exit.OK
    assert run(["convert", ".", "-t", "markdown", "-o", "out/"]) == Exit.OK
    assert [path.suffix for path in (tmp_path / "out").iterdir()] == [".md"]


def test_a_history_with_odd_names_comes_over(tmp_path: Path) -> None:
    """A link that goes round stopped the whole migration, a folder's name that is no UTF-8 ended it with a fault."""
    for number, folder in enumerate((b"-home-m", b"-home-\xff")):
        project = tmp_path / "history" / os.fsdecode(folder)
        project.mkdir(parents=True)
        for other in (1, 2):
            (project / f"1111222{other}-3333-4444-8555-66667777888{number}.jsonl").write_bytes(LINE)
        (project / "agent-x.jsonl").symlink_to("agent-x.jsonl")
    arguments = ["migrate", "--from", str(tmp_path / "history"), "--to", str(tmp_path / "clm"), "-q"]
    assert run(arguments) == Exit.OK
    logs = {path.name: path.read_bytes() for path in (tmp_path / "clm").glob("*.jsonl")}
    assert len(logs) == 4
    assert run(arguments) == Exit.OK
    assert {path.name: path.read_bytes() for path in (tmp_path / "clm").glob("*.jsonl")} == logs
