"""Hypothesis strategies for neutral conversations, shared by all laws.

`sessions()` makes whole trees: every kind of block, entry and origin, branches, statuses, subagents
inside subagents, unknown things, `extra`s, and the odd Unicode that transcripts hold. Every piece of
free text holds a word of its own (see `marked`), so that a law can look for it in an output.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

from hypothesis import strategies as st

from dragoman.model import (
    AgentLink,
    Block,
    Entry,
    Event,
    Header,
    Media,
    Message,
    Origin,
    Outcome,
    Parent,
    Reasoning,
    Session,
    SourceFile,
    Span,
    Status,
    Subagent,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)

ODD = (
    "",
    "plain words",
    "```\nfence\n```",
    "~~~~\n````",
    "<script>alert(1)</script>",
    "</details></summary>",
    "\x1b[31mred\x1b[0m",
    "a\x00b",
    "tab\tbell\x07",
    "line\r\nline\rline",
    "\u2028\u2029",
    "\u202eright to left\u202c",
    "\u200d\u200b\ufeff",
    "e\u0301 é ß 漢字 ✨ 👩‍👩‍👧",
    "\ufffd",
    "| a | b |\n|---|---|",
    "# heading\n\n- [ ] todo",
    "{{ 7*7 }} {% raw %}",
    "![x](javascript:alert(1))",
    "---\nfront: matter\n---",
    "--- a/f\n+++ b/f\n@@ -1 +1 @@",
    "</style>]]>-->",
    "\\u0041 \\ \" '",
)

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)

TOOLS = (
    "Bash",
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "Grep",
    "Glob",
    "TodoWrite",
    "Task",
    "Agent",
    "WebSearch",
    "WebFetch",
    "AskUserQuestion",
    "ExitPlanMode",
    "shell",
    "mcp__server__tool",
    "mcp__" + "long_" * 20,
    'Task" >\n<parameter name="description',
    "",
    "名前",
)

texts = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.text("ab \n`*_<>&", max_size=60),
)
"""Any valid Unicode: no lone surrogates, as the model promises."""

words = st.integers(0, 10**9).map(lambda n: f"w{n:x}w")
"""Words that are found again by a plain search: letters and digits only."""

marked = st.builds(lambda word, text: f"{word} {text}", words, texts)
"""Text that isn't empty and begins with such a word."""

identifiers = st.one_of(
    st.from_regex(r"(toolu|call|msg)_[A-Za-z0-9]{4,30}", fullmatch=True),
    st.uuids().map(str),
    st.text(st.characters(codec="utf-8"), max_size=60),
)

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e300, 1e300) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)

times = st.one_of(
    st.datetimes(datetime(2024, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),
    st.datetimes(
        datetime(2024, 1, 1),
        datetime(2027, 1, 1),
        timezones=st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes))),
    ),
)
maybe_times = st.none() | times
spans = st.builds(
    Span, file=st.sampled_from(("a.jsonl", "b/agent-1.jsonl", "ünï cödé.jsonl")), line=st.integers(1, 9999)
)
maybe_spans = st.none() | spans
extras = st.one_of(st.just({}), json_objects)
counts = st.one_of(st.integers(0, 2000), st.integers(0, 10**12))

_line: dict[str, st.SearchStrategy[Any]] = {
    "uuid": st.just("") | identifiers,
    "span": maybe_spans,
    "time": maybe_times,
    "status": st.sampled_from((None, None, None, *get_args(Status))),
    "extra": extras,
}

text_blocks = st.builds(Text, text=st.one_of(marked, texts), **_line)
reasoning_blocks = st.one_of(
    st.builds(Reasoning, text=marked, signature=st.sampled_from(("", "c2lnbmF0dXJl")), **_line),
    st.builds(Reasoning, withheld=st.just(True), signature=st.sampled_from(("", "c2lnbmF0dXJl")), **_line),
)
pngs = words.map(lambda word: base64.b64encode(PNG + word.encode()).decode())
media_blocks = st.one_of(
    st.builds(Media, media_type=st.just("image/png"), data=pngs, name=texts, **_line),
    st.builds(Media, media_type=st.just("image/jpeg"), url=words.map("https://example.org/{}.jpg".format), **_line),
    st.builds(Media, media_type=st.sampled_from(("image/png", "application/pdf", "")), name=marked, **_line),
    st.builds(Media, media_type=st.sampled_from(("application/pdf", "audio/wav", "video/mp4")), data=pngs, **_line),
    st.builds(Media, media_type=texts, data=texts, url=texts, name=texts, **_line),
)
unknown_blocks = st.builds(
    Unknown,
    kind=st.sampled_from(("hologram", "container_upload")) | texts,
    value=st.builds(lambda says, more: {"says": says, "more": more}, marked, json_values),
    **_line,
)
arguments = st.one_of(
    st.builds(lambda word, text: f'{{"command": "{word}", "n": {len(text)}}}', words, texts),
    st.sampled_from(
        (
            "{}",
            "",
            "null",
            "[1, 2]",
            '"text"',
            '{"a": 1, "a": 2}',
            '{"cut": "of',
            '{"file_path": "/tmp/a.py", "old_string": "a\\n", "new_string": "b\\n"}',
            '{"file_path": "/tmp/a.py", "content": "x"}',
            '{"todos": [{"content": "one", "status": "completed", "activeForm": "One"}]}',
            '{"questions": [{"question": "Which?", "options": [{"label": "A"}]}]}',
            '{"todos": "no list", "file_path": 7}',
        )
    ),
    texts,
)
result_parts = st.one_of(text_blocks, text_blocks, media_blocks, unknown_blocks)


def tool_calls(ids: st.SearchStrategy[str] = identifiers) -> st.SearchStrategy[ToolCall]:
    """Calls, now and then by a server tool or under a name that no format allows."""
    names = st.one_of(st.sampled_from(TOOLS), st.text(st.characters(codec="utf-8"), max_size=80))
    return st.builds(
        ToolCall, id=ids, name=names, arguments=arguments, server=st.sampled_from((False, False, True)), **_line
    )


def tool_results(ids: st.SearchStrategy[str] = identifiers) -> st.SearchStrategy[ToolResult]:
    """Results with every outcome, and content from nothing to several parts."""
    return st.builds(
        ToolResult,
        call_id=ids,
        content=st.lists(result_parts, max_size=3).map(tuple),
        structured=st.one_of(st.none(), json_values),
        error=st.sampled_from(("yes", "no", "unsaid")),
        outcome=st.sampled_from(get_args(Outcome)),
        feedback=st.one_of(st.just(""), marked),
        duration_ms=st.none() | st.integers(0, 10**7),
        tool_name=st.sampled_from(TOOLS),
        **_line,
    )


usages = st.builds(
    Usage,
    input=counts,
    output=counts,
    cache_read=counts,
    cache_write_5m=counts,
    cache_write_1h=counts,
    reasoning=counts,
    tier=st.sampled_from(("", "standard", "batch", "priority")),
    speed=st.sampled_from(("", "standard", "fast")),
    region=st.sampled_from(("", "global", "us")),
    web_searches=st.integers(0, 5),
    web_fetches=st.integers(0, 5),
    iterations=st.lists(json_objects, max_size=2).map(tuple),
    cost_usd=st.none() | st.floats(0, 100),
    complete=st.booleans(),
)
MODELS = ("claude-opus-4-5-20251101", "claude-sonnet-4-5", "gpt-5", "made-up-model", "<synthetic>", "")

_message: dict[str, st.SearchStrategy[Any]] = {
    "uuid": st.just("") | identifiers,
    "parent_id": st.just("") | identifiers,
    "time": maybe_times,
    "about": st.just("") | identifiers,
    "branch": st.sampled_from(("", "", "", "b1")),
    "status": st.sampled_from(("live", "live", "live", "retracted", "superseded")),
    "span": maybe_spans,
    "extra": extras,
    "raw": st.none() | texts,
}
_BY_ROLE: dict[str, tuple[Origin, ...]] = {
    "system": ("instructions",),
    "assistant": ("reply", "reply", "reply", "synthetic", "synthetic_error"),
    "tool": ("result",),
    "user": tuple(
        each
        for each in get_args(Origin)
        if each not in ("instructions", "reply", "synthetic", "synthetic_error", "result")
    ),
}


@st.composite
def messages(draw: st.DrawFn, ids: st.SearchStrategy[str] = identifiers) -> Message:
    """One message of any role, with the blocks that its role may have."""
    role = draw(st.sampled_from(("user", "user", "assistant", "assistant", "tool", "system")))
    blocks: st.SearchStrategy[Block]
    match role:
        case "assistant":
            blocks = st.one_of(
                text_blocks, reasoning_blocks, tool_calls(ids), unknown_blocks, media_blocks, tool_results(ids)
            )
        case "tool":
            blocks = st.one_of(tool_results(ids), tool_results(ids), text_blocks)
        case "system":
            blocks = text_blocks
        case _:
            blocks = st.one_of(text_blocks, text_blocks, media_blocks, unknown_blocks)
    of_reply: dict[str, Any] = {}
    if role == "assistant":
        of_reply = {
            "id": draw(st.just("") | identifiers),
            "request_id": draw(st.just("") | identifiers),
            "model": draw(st.sampled_from(MODELS)),
            "usage": draw(st.none() | usages),
            "stop_reason": draw(st.sampled_from(("", "end_turn", "tool_use", "max_tokens"))),
        }
    return Message(
        role=role,
        origin=draw(st.sampled_from(_BY_ROLE[role])),
        blocks=tuple(draw(st.lists(blocks, max_size=4))),
        **of_reply,
        **{name: draw(strategy) for name, strategy in _message.items()},
    )


EVENT_KINDS = (
    "compaction",
    "microcompaction",
    "title",
    "command",
    "hook",
    "notice",
    "error",
    "snapshot",
    "queue",
    "progress",
    "context",
    "state",
    "link",
    "summary",
    "unknown",
    "of-a-plugin",
)
events = st.builds(
    Event,
    kind=st.sampled_from(EVENT_KINDS),
    name=texts,
    text=st.just("") | marked,
    uuid=st.just("") | identifiers,
    parent_id=st.just("") | identifiers,
    branch=st.sampled_from(("", "", "b1")),
    refs=st.lists(identifiers, max_size=2).map(tuple),
    data=json_values,
    time=maybe_times,
    span=maybe_spans,
    raw=st.none() | texts,
    extra=extras,
)
headers = st.builds(
    Header,
    id=st.uuids().map(str) | texts,
    format=st.sampled_from(("claude-code", "clm", "openai", "")),
    title=texts,
    started=maybe_times,
    ended=maybe_times,
    cwd=st.sampled_from(("", "/home/dev/demo", "C:\\Users\\dev")),
    git_branch=st.sampled_from(("", "main", "a/b")),
    models=st.lists(st.sampled_from(MODELS[:-1]), max_size=2, unique=True).map(tuple),
    provider=st.sampled_from(("", "anthropic")),
    agent=st.sampled_from(("", "claude-code", "clm")),
    agent_version=st.sampled_from(("", "2.1.97")),
    parent=st.none()
    | st.builds(
        Parent, session_id=identifiers, kind=st.sampled_from(("resumed", "forked", "spawned")), entry_uuid=identifiers
    ),
    files=st.lists(st.builds(SourceFile, path=texts, bytes=counts, lines=counts), max_size=2).map(tuple),
    usage_complete=st.booleans(),
    extra=extras,
)


@st.composite
def sessions(draw: st.DrawFn, depth: int = 2, max_entries: int = 8) -> Session:
    """A whole session, with subagents down to `depth`.

    Ids are drawn from a small pool, so that results meet their calls, and sometimes don't.
    """
    pool = draw(st.lists(identifiers, min_size=1, max_size=4))
    ids = st.sampled_from(pool)
    entries: list[Entry] = draw(st.lists(st.one_of(messages(ids), messages(ids), events), max_size=max_entries))
    subagents: list[Subagent] = []
    if depth > 0:
        subagents = [
            Subagent(
                agent_id=draw(st.from_regex(r"[a-f0-9]{6,10}", fullmatch=True) | texts),
                kind=draw(st.sampled_from(("", "Explore", "general-purpose", "fork"))),
                description=draw(texts),
                hidden=draw(st.sampled_from((False, False, True))),
                group=draw(st.sampled_from(("", "wf_1"))),
                links=tuple(
                    AgentLink(call_id=draw(ids), evidence="result", first_entry=draw(st.integers(0, 3)))
                    for _ in range(draw(st.integers(0, 2)))
                ),
                session=draw(sessions(depth=depth - 1, max_entries=3)),
                extra=draw(extras),
            )
            for _ in range(draw(st.sampled_from((0, 0, 1, 2))))
        ]
    return Session(header=draw(headers), entries=tuple(entries), subagents=tuple(subagents))
