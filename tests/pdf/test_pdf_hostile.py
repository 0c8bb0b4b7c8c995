"""Nothing in a transcript reads a file of the machine, asks a host, leads elsewhere, or stops the layout."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

import pypdf
import pytest

from dragoman import conversion
from dragoman.model import Event, Header, Media, Message, Reasoning, Session, Text, ToolCall, ToolResult, Unknown
from dragoman.report import Code, Report
from dragoman.writers.pdf.fetcher import Refused, decode, make_fetcher
from dragoman.writers.pdf.text import extract

CANARY = "canary-of-this-machine"


def payloads(file: Path) -> list[str]:
    url = file.as_uri()
    return [
        f'<img src="{url}">',
        f"![picture]({url})",
        f'<link rel=attachment href="{url}"><link rel=stylesheet href="{url}">',
        f'<style>@import url("{url}"); @font-face {{ font-family: x; src: url("{url}") }}</style>',
        f'<object data="{url}"></object><embed src="{url}"><iframe src="{url}"></iframe>',
        f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{url}"/><use href="{url}#x"/></svg>',
        f'"><base href="{url}"><a href="{url}">x</a>',
        f'<a rel=attachment href="{url}">x</a>',
        f"[file]({url}) [script](javascript:alert(1)) [ours](dragoman:go/p1) [data](data:text/html,x)",
        "<!--", "]]>", "</pre></div></body></html>", "&lt;b&gt; &amp;amp; &#x3c;", "{{ 7*7 }} {% raw %}",
        "\x1b]8;;file:///etc/passwd\x07link\x1b]8;;\x07 \x1b[31mred", "\u202egnp.exe\u2066 \u200b zero", "\x00\x07\x0c\ufffe\uffff",
        "p { string-set: doc 'x' } \\0022 '; } * { color: red } /*",
    ]  # fmt: skip


def hostile(word: str) -> Session:
    """A session with a text in every field that reaches the page."""
    call = ToolCall("c1", word, json.dumps({word: word, "path": word, "deep": {word: [word]}}))
    known = ToolCall("c2", "Write", json.dumps({"file_path": word, "content": word}))
    shell = ToolCall("c3", "Bash", json.dumps({"command": word, "description": word}))
    return Session(
        header=Header(id=word, title=word, cwd=word, git_branch=word, models=(word,), agent=word, agent_version=word,
                      extra={"redaction": {"secrets": 1, "kinds": {word: 1}}}),
        entries=(
            Message(role="user", origin="prompt", blocks=(Text(word), Media("image/png", word, name=word), Media(word, "QUJD", name=word))),
            Message(role="assistant", origin="reply", model=word, blocks=(Reasoning(word), Text(f"{word}\n\n    {word}\n\n```{word}\n{word}\n```"), call, known, shell, Unknown(word, {word: word}))),
            Message(role="tool", origin="result", blocks=(
                ToolResult("c1", (Text(word), Media("image/svg+xml", base64.b64encode(word.encode()).decode())), tool_name=word, feedback=word, outcome="failed"),
                ToolResult("c2", (Text(word),)), ToolResult("c3", (Text(word),), structured={"stdout": word, "stderr": word}))),
            Event(kind="notice", text=word, name=word),
            Event(kind=word, text=word, name=word, data={word: word}),
            Event(kind="compaction", text=word),
        ),
    )  # fmt: skip


def test_no_field_of_a_transcript_reads_a_file_or_leads_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "secret.txt"
    file.write_text(CANARY)
    words = payloads(file)
    session = hostile(words[0])
    more = [entry for word in words[1:] for entry in hostile(word).entries]
    whole = Session(header=session.header, entries=(*session.entries, *more))
    out = tmp_path / "out.pdf"
    report = Report()
    conversion.write(whole, "pdf", out, report=report)
    assert not any("file:" in finding.sentence for finding in report.findings)
    data = out.read_bytes()
    pdf = pypdf.PdfReader(out)
    assert CANARY not in extract(data)
    assert not pdf.attachments
    for page in pdf.pages:
        for each in page.get("/Annots", []):
            each = each.get_object()
            assert each["/Subtype"] == "/Link"
            if "/A" in each:
                assert each["/A"]["/URI"].startswith(("http://", "https://", "mailto:"))
    objects = io.BytesIO(data)
    assert b"file:///" not in b"".join(
        stream.get_object().get_data()
        for page in pypdf.PdfReader(objects).pages
        for stream in [page["/Contents"]]
        if hasattr(stream.get_object(), "get_data")
    )


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "http://127.0.0.1/", "https://example.org/x.png", "ftp://example.org/", "/etc/passwd", "FILE:///etc/passwd", "data", "data:text/plain"],
)  # fmt: skip
def test_the_fetcher_serves_nothing_but_data(url: str) -> None:
    with pytest.raises(Refused):
        decode(url)
    with pytest.raises(ValueError):
        make_fetcher().fetch(url)


def test_the_fetcher_serves_data() -> None:
    assert decode("data:text/css;charset=utf-8,a%20b") == ("text/css", b"a b")
    assert decode("DATA:;base64,QUJD") == ("text/plain", b"ABC")
    assert make_fetcher().fetch("data:image/png;base64,QUJD").read() == b"ABC"
    with pytest.raises(Refused):
        decode("data:;base64,QUJ")


def test_a_picture_that_is_a_program_is_not_run(tmp_path: Path) -> None:
    svg = base64.b64encode(b'<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>').decode()
    session = Session(
        header=Header(id="x"),
        entries=(Message(role="user", origin="prompt", blocks=(Text("look"), Media("image/svg+xml", svg))),),
    )
    report = Report()
    conversion.write(session, "pdf", tmp_path / "x.pdf", report=report)
    assert report.count(Code.DROPPED_MEDIA) == 1


def test_an_empty_session_is_a_document(tmp_path: Path) -> None:
    conversion.write(Session(header=Header()), "pdf", tmp_path / "x.pdf")
    assert len(pypdf.PdfReader(tmp_path / "x.pdf").pages) == 1  # the cover
