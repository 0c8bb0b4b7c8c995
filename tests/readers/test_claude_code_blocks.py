"""Content blocks of every kind, broken ones too (catalogue, section 4)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import SID, Log, call, read, read_log, text, write

from dragoman.model import Block, Media, Reasoning, Text, ToolCall, ToolResult, Unknown
from dragoman.report import Code, Report

PNG = "iVBORw0KGgoAAAANSUhEUg=="


def block(folder: Path, written: Any, report: Report | None = None) -> Block:
    log = Log()
    log.reply(written)
    (message,) = read_log(folder, log, report).messages
    (found,) = message.blocks
    return found


def result(folder: Path, content: Any, **more: Any) -> ToolResult:
    log = Log()
    log.reply(call("toolu_1"))
    log.result("toolu_1", content, **more)
    found = list(read_log(folder, log).messages)[-1].blocks[0]
    assert isinstance(found, ToolResult)
    return found


def test_thinking_withheld_and_told(tmp_path: Path) -> None:
    report = Report()
    assert block(tmp_path, {"type": "thinking", "thinking": "", "signature": "s"}, report) == Reasoning(
        "", signature="s", withheld=True
    )
    assert report.count(Code.REASONING_WITHHELD) == 1
    assert block(tmp_path, {"type": "thinking", "thinking": "hm", "signature": "s"}) == Reasoning("hm", signature="s")
    found = block(tmp_path, {"type": "redacted_thinking", "data": "Zg=="})
    assert isinstance(found, Reasoning) and found.withheld and found.signature == "Zg=="


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({"a": [1, "é"]}, '{"a":[1,"é"]}'),
        ('{"a": 1}', '{"a": 1}'),
        ("not json", "not json"),
        ({"__unparsedToolInput": '{"a": '}, '{"a": '),
        (None, "{}"),
        ([1], "[1]"),
    ],
)
def test_a_call_s_input(tmp_path: Path, given: Any, arguments: str) -> None:
    found = block(
        tmp_path, {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": given, "caller": {"type": "direct"}}
    )
    assert found == ToolCall("toolu_1", "Bash", arguments)


@pytest.mark.parametrize("name", ['Task" >\n<parameter name="description', "mcp__x__y", "", "../../x"])
def test_a_tool_s_name_is_kept_however_it_is_made(tmp_path: Path, name: str) -> None:
    found = block(tmp_path, call("toolu_1", name))
    assert isinstance(found, ToolCall) and found.name == name


@pytest.mark.parametrize(("id", "name"), [(5, "x"), (None, None), ({}, []), ("call_x", "x")])
def test_calls_with_wrong_types(tmp_path: Path, id: Any, name: Any) -> None:
    found = block(tmp_path, {"type": "tool_use", "id": id, "name": name, "input": {}})
    assert isinstance(found, ToolCall)
    assert found.id == {5: "5", "call_x": "call_x"}.get(id if isinstance(id, int | str) else "", "")


def test_tools_at_the_provider_have_their_result_beside_them(tmp_path: Path) -> None:
    log = Log()
    log.reply(
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": [
                {"type": "web_search_result", "title": "T", "url": "https://example.org", "encrypted_content": "x"}
            ],
        },
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srvtoolu_2",
            "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
        },
        {
            "type": "advisor_tool_result",
            "tool_use_id": "srvtoolu_3",
            "content": {"type": "advisor_result", "text": "Looks fine."},
        },
        {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "look", "server_name": "s", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": [text("seen")]},
        {
            "type": "code_execution_tool_result",
            "tool_use_id": "x",
            "content": {"type": "code_execution_result", "stdout": "42", "stderr": "hm", "return_code": 0},
        },
    )
    (message,) = read_log(tmp_path, log).messages
    blocks = message.blocks
    assert isinstance(blocks[0], ToolCall) and blocks[0].server
    shown = [
        [part.text for part in each.content if isinstance(part, Text)]
        for each in blocks
        if isinstance(each, ToolResult)
    ]
    assert shown == [["T\nhttps://example.org"], ["max_uses_exceeded"], ["Looks fine."], ["seen"], ["42", "hm"]]
    assert [each.tool_name for each in blocks if isinstance(each, ToolResult)] == ["web_search", "", "", "look", ""]
    failed = blocks[2]
    assert isinstance(failed, ToolResult) and (failed.error, failed.outcome) == ("yes", "failed")


@pytest.mark.parametrize("kind", ["fallback", "container_upload", "tool_use_summary"])
def test_rare_blocks_are_carried_quietly(tmp_path: Path, kind: str) -> None:
    report = Report()
    found = block(tmp_path, {"type": kind, "x": 1}, report)
    assert isinstance(found, Unknown) and (found.kind, found.value) == (kind, {"type": kind, "x": 1})
    assert report.count(Code.UNKNOWN_BLOCK) == 0


def test_unknown_blocks_are_carried_and_counted(tmp_path: Path) -> None:
    report = Report()
    assert block(tmp_path, {"type": "hologram", "x": 1}, report) == Unknown(
        kind="hologram", value={"type": "hologram", "x": 1}
    )
    assert report.count(Code.UNKNOWN_BLOCK, "hologram") == 1


def test_unknown_fields_of_known_blocks(tmp_path: Path) -> None:
    report = Report()
    found = block(tmp_path, {**text("a"), "citations": [{"url": "u"}], "novelty": 1}, report)
    assert found == Text("a", extra={"citations": [{"url": "u"}], "novelty": 1})
    assert report.count(Code.UNKNOWN_FIELD, "text.novelty") == 1


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"type": "base64", "media_type": "image/png", "data": PNG}, Media("image/png", data=PNG)),
        (
            {"type": "base64", "media_type": "image/jpeg", "data": PNG},
            Media("image/png", data=PNG, extra={"declared": "image/jpeg"}),
        ),
        ({"type": "url", "url": "https://example.org/a.png"}, Media("image/*", url="https://example.org/a.png")),
        ({"type": "file", "file_id": "file_1"}, Media("image/*", name="file_1", extra={"file_id": "file_1"})),
    ],
)
def test_pictures(tmp_path: Path, source: dict[str, Any], expected: Media) -> None:
    assert block(tmp_path, {"type": "image", "source": source}) == expected


def test_documents(tmp_path: Path) -> None:
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
    assert block(tmp_path, {"type": "document", "source": pdf, "title": "T"}) == Media(
        "application/pdf", data="JVBERi0=", name="T"
    )
    plain = {"type": "text", "media_type": "text/plain", "data": "words"}
    assert block(tmp_path, {"type": "document", "source": plain}) == Text("words", extra={"document": "text"})


@pytest.mark.parametrize(
    "written",
    [
        {"type": "image"},
        {"type": "image", "source": "x"},
        {"type": "text"},
        {"type": "text", "text": 5},
        {"type": "thinking", "thinking": {}},
    ],
)
def test_blocks_that_lack_what_makes_them(tmp_path: Path, written: dict[str, Any]) -> None:
    report = Report()
    found = block(tmp_path, written, report)
    assert isinstance(found, Unknown) and found.value == written
    assert report.count(Code.BAD_VALUE) == 1


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        (None, ()),
        ("", (Text(""),)),
        (5, (Unknown(kind="content", value=5),)),
        (True, (Unknown(kind="content", value=True),)),
        ({"type": "text", "text": "a"}, (Text("a"),)),
        ([], ()),
        ([None, "bare", 7], (Text("bare"), Unknown(kind="content", value=7))),
        ([{"text": "no type"}], (Text("no type"),)),
        ([{"type": 5, "x": 1}], (Unknown(kind="", value={"type": 5, "x": 1}),)),
    ],
)
def test_content_of_every_json_type(tmp_path: Path, content: Any, blocks: tuple[Block, ...]) -> None:
    log = Log()
    log.user(content)
    (message,) = read_log(tmp_path, log).messages
    assert message.blocks == blocks


def test_what_results_hold(tmp_path: Path) -> None:
    found = result(
        tmp_path,
        [
            text("words"),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
            {"type": "tool_reference", "tool_name": "WebFetch"},
            {"type": "search_result", "title": "T", "source": "https://example.org", "content": [text("body")]},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "inside", "mimeType": "text/plain"}},
            {"type": "resource_link", "uri": "https://example.org/x", "name": "x", "mimeType": "text/html"},
            {"type": "image", "data": PNG, "mimeType": "image/png"},
            {"type": "thinking", "thinking": "odd"},
        ],
    )
    kinds = [type(each) for each in found.content]
    assert kinds == [Text, Media, Text, Text, Text, Media, Media, Unknown]
    assert [each.text for each in found.content if isinstance(each, Text)] == [
        "words",
        "WebFetch",
        "T\nhttps://example.org\n\nbody",
        "inside",
    ]


@pytest.mark.parametrize("content", [None, "", [], [None]])
def test_empty_results(tmp_path: Path, content: Any) -> None:
    found = result(tmp_path, content)
    assert found.outcome == "ok"
    assert found.content in ((), (Text(""),))


@pytest.mark.parametrize("structured", ["Error: no", [text("a")], {"any": {"keys": 1}}, 5, None])
def test_structured_twins_of_any_type(tmp_path: Path, structured: Any) -> None:
    assert result(tmp_path, "x", toolUseResult=structured).structured == structured


# results too large for a line

BIG = "<persisted-output>\nOutput too large (88KB). Full output saved to: {}\n\nPreview (first 2KB):\nline 1\n...\n</persisted-output>"


def persisted(folder: Path, path: str, *, structured: bool = True, report: Report | None = None) -> str:
    log = Log()
    log.reply(call("toolu_1"))
    log.result("toolu_1", BIG.format(path), **({"toolUseResult": {"persistedOutputPath": path}} if structured else {}))
    message = list(read(write(folder, log), report).messages)[-1]
    found = message.blocks[0]
    assert isinstance(found, ToolResult) and isinstance(found.content[0], Text)
    return found.content[0].text


@pytest.mark.parametrize("structured", [True, False])
@pytest.mark.parametrize(
    "path", ["/home/mira/.claude/projects/x/tool-results/b1.txt", "C:\\Users\\Mira\\tool-results\\b1.txt"]
)
def test_persisted_results_are_read_back(tmp_path: Path, path: str, structured: bool) -> None:
    folder = tmp_path / SID / "tool-results"
    folder.mkdir(parents=True)
    (folder / "b1.txt").write_bytes(b"line 1\nline 2\n\xff")
    assert persisted(tmp_path, path, structured=structured) == "line 1\nline 2\n�"


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/hostname", "..", "", "link.txt", "gone.txt"])
def test_a_path_in_a_transcript_is_never_opened(tmp_path: Path, name: str) -> None:
    folder = tmp_path / SID / "tool-results"
    folder.mkdir(parents=True)
    (tmp_path / SID / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / SID / "secret.txt")
    report = Report()
    shown = persisted(tmp_path, name, report=report)
    assert shown.startswith("<persisted-output>")
    assert report.count(Code.SIDE_FILE_MISSING) == 1
