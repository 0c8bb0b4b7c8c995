"""Titles, bookkeeping, notices and drift (catalogue, section 3)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from claude_code_lines import Log, events, read_log, told, write

from dragoman.io.source import Source
from dragoman.readers.claude_code.drift import Drifts, shown
from dragoman.report import Code, Report

TITLES = [
    ("custom-title", {"customTitle": "custom"}),
    ("ai-title", {"aiTitle": "ai"}),
    ("last-prompt", {"lastPrompt": "last"}),
    ("summary", {"summary": "summary", "leafUuid": "u1"}),
]


@pytest.mark.parametrize("count", range(5))
def test_the_best_title_there_is(tmp_path: Path, count: int) -> None:
    log = Log()
    log.user("<command-name>/go</command-name>")
    log.user("the first prompt")
    for kind, fields in TITLES[count:]:
        log.bare(kind, **fields)
    expected = [*(next(iter(fields.values())) for _, fields in TITLES), "the first prompt"][count]
    assert read_log(tmp_path, log).header.title == expected


def test_the_last_title_of_a_kind_wins(tmp_path: Path) -> None:
    log = Log()
    for title in ("one", "two"):
        log.bare("ai-title", aiTitle=title)
    assert read_log(tmp_path, log).header.title == "two"


def test_a_summary_of_another_session_is_no_title(tmp_path: Path) -> None:
    log = Log()
    log.bare("summary", summary="another session", leafUuid="elsewhere")
    log.user("mine")
    session = read_log(tmp_path, log)
    assert session.header.title == "mine"
    assert events(session, "summary")[0].text == "another session"


@pytest.mark.parametrize(
    "machinery",
    [
        "<local-command-stdout>x</local-command-stdout>",
        "<tick>1</tick>",
        "[Request interrupted by user]",
        "<ide_selection>x</ide_selection>",
    ],
)
def test_machinery_is_no_title(tmp_path: Path, machinery: str) -> None:
    log = Log()
    log.user(machinery)
    log.user("meta", isMeta=True)
    log.user("summary", isCompactSummary=True)
    assert read_log(tmp_path, log).header.title == ""
    log.user("<command-name>/review</command-name><command-args>it</command-args>")
    assert read_log(tmp_path, log).header.title == "/review it"


def test_a_title_is_one_short_line(tmp_path: Path) -> None:
    log = Log()
    log.user("a\n\nb " + "c" * 500)
    title = read_log(tmp_path, log).header.title
    assert title.startswith("a b c") and len(title) == 200 and title.endswith("…")


@pytest.mark.parametrize(
    ("kind", "fields", "event"),
    [
        ("file-history-snapshot", {"messageId": "m", "snapshot": {}}, "snapshot"),
        ("permission-mode", {"permissionMode": "plan"}, "state"),
        ("pr-link", {"prNumber": 7, "prUrl": "https://example.org/7"}, "link"),
        ("continued-in", {"continuedInSessionId": "s-next"}, "link"),
        ("content-replacement", {"replacements": []}, "context"),
        ("api-request-blob", {"message": {"role": "user", "content": "no turn"}}, "context"),
        ("cost-state", {"totalCostUSD": 0.5}, "state"),
        ("relocated", {"relocatedCwd": "/x"}, "state"),
    ],
)
def test_bookkeeping_is_carried_and_is_no_talk(tmp_path: Path, kind: str, fields: dict[str, Any], event: str) -> None:
    log, report = Log(), Report()
    log.bare(kind, **fields)
    session = read_log(tmp_path, log, report)
    (found,) = events(session)
    assert (found.kind, found.name) == (event, kind)
    assert found.data == fields
    assert told(session) == []
    assert report.count(Code.UNKNOWN_RECORD) == 0


def test_unknown_records_are_carried_and_counted(tmp_path: Path) -> None:
    log, report = Log(), Report()
    log.bare("brand-new", payload={"x": [1]})
    log.add("system", subtype="brand_new_subtype", content="words")
    log.add("attachment", attachment={"type": "brand_new_attachment", "x": 1})
    log.add("progress", data={"type": "brand_new_progress"})
    session = read_log(tmp_path, log, report)
    assert [(e.kind, e.name) for e in events(session)] == [
        ("unknown", "brand-new"),
        ("unknown", "brand_new_subtype"),
        ("unknown", "brand_new_attachment"),
        ("progress", "brand_new_progress"),
    ]
    assert events(session)[0].data == {"payload": {"x": [1]}}
    assert events(session)[1].text == "words"
    assert report.count(Code.UNKNOWN_RECORD) == 4


def test_system_lines_that_people_see(tmp_path: Path) -> None:
    log = Log()
    log.add(
        "system", subtype="local_command", content="<command-name>/cost</command-name><command-args></command-args>"
    )
    log.add("system", subtype="local_command", content="<local-command-stdout>$1</local-command-stdout>")
    log.add("system", subtype="away_summary", content="We did things.")
    log.add(
        "system",
        subtype="api_error",
        error={"status": 529, "error": {"error": {"message": "Overloaded"}}, "headers": {"set-cookie": "x"}},
    )
    log.add("system", subtype="stop_hook_summary", hookErrors=["bad"])
    log.add("system", content="Running PostToolUse:Edit…", toolUseID="t")
    session = read_log(tmp_path, log)
    assert told(session) == [("slash_command", "/cost"), ("command_output", "$1")]
    assert [(e.kind, e.name, e.text) for e in events(session)] == [
        ("notice", "away_summary", "We did things."),
        ("error", "api_error", "529 Overloaded"),
        ("hook", "stop_hook_summary", ""),
        ("hook", "system", "Running PostToolUse:Edit…"),
    ]


def test_attachments_are_context_and_blocking_errors_are_words(tmp_path: Path) -> None:
    log = Log()
    log.add(
        "attachment",
        attachment={"type": "skill_listing", "content": "x"},
        rendered=[{"content": "<system-reminder>x</system-reminder>"}],
    )
    log.add("attachment", attachment={"type": "hook_blocking_error", "blockingError": {"blockingError": "no"}})
    first, second = events(read_log(tmp_path, log))
    assert (first.kind, first.data["rendered"][0]["content"]) == ("context", "<system-reminder>x</system-reminder>")
    assert (second.kind, second.text) == ("hook", "no")


# drift


def drifts(folder: Path, log: Log) -> list[tuple[str, str, int, str, int]]:
    found = Drifts()
    found.look_at(Source(write(folder, log)), passed_over=lambda path: False)
    return [(each.what, each.name, each.count, each.version, each.line) for each in found.found]


def test_nothing_known_is_drift(tmp_path: Path) -> None:
    log = Log()
    log.user("a")
    log.reply("b")
    assert drifts(tmp_path, log) == []


def test_drift_tells_names_counts_and_first_places(tmp_path: Path) -> None:
    log = Log()
    log.user("a")
    log.user([{"type": "hologram", "x": 1}], novelty=1)
    log.user([{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "hologram"}]}], novelty=2)
    log.reply("b", message={"usage": {"magic_tokens": 5}, "mood": "fine"})
    log.bare("brand-new", x=1)
    assert drifts(tmp_path, log) == [
        ("block type", "hologram", 2, "2.1.170", 2),
        ("field of messages", "mood", 1, "2.1.170", 4),
        ("field of usage", "magic_tokens", 1, "2.1.170", 4),
        ("field of user lines", "novelty", 2, "2.1.170", 2),
        ("record type", "brand-new", 1, "", 5),
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("apiBlockIndex", "apiBlockIndex"),
        ("ephemeral_1h_input_tokens", "ephemeral_1h_input_tokens"),
        ("mcp__acme_internal__find_customer", "mcp__…"),
        ("/home/mira/secret.txt", "(name not shown)"),
        ("what is the password?", "(name not shown)"),
        ("mira@example.org", "(name not shown)"),
        ("a" * 41, "(name not shown)"),
        ("x1y2z3w4v5", "(name not shown)"),
        (None, "(none)"),
        (5, "(name not shown)"),
    ],
)
def test_only_words_of_a_format_are_told(name: object, told: str) -> None:
    assert shown(name) == told


def test_maps_with_free_keys_are_not_looked_into(tmp_path: Path) -> None:
    log = Log()
    log.reply({"type": "tool_use", "id": "t", "name": "mcp__acme__x", "input": {"customer": "c"}})
    log.user("a", toolUseResult={"secret_plan": 1}, mcpMeta={"acme": 1})
    log.bare("file-history-snapshot", messageId="m", snapshot={"trackedFileBackups": {"secret": {}}})
    log.bare("cost-state", modelUsage={"secret-model": {}})
    assert drifts(tmp_path, log) == []
