"""The report: every loss, repair and doubt of a conversion, counted and located.

A `Code` is a kind of thing that can happen; its severity and its English sentence belong to it.
`what` is a type's or a field's name, never content. The same values become the lines on stderr,
the JSON of `--report` and the exit code of `--fail-on`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum, IntEnum
from typing import Any

from msgspec import Struct

from dragoman.model import Span
from dragoman.wording import by_number, counted

WORDS = {
    "hidden": "housekeeping, such as compaction or warming a cache",
    # fields
    "header.extra": "further details of the session",
    "session extra": "further details of the session",
    "message.extra": "further details of messages",
    "extra": "further details of messages",
    "block.extra": "further details of messages' parts",
    "a block's extra": "further details of messages' parts",
    "event.data": "details of events",
    "event.extra": "details of events",
    "subagent.extra": "further details of a subagent",
    "cwd": "the folder that it ran in",
    "session cwd": "the folder that it ran in",
    "git branch": "the git branch",
    "session git_branch": "the git branch",
    "title": "the title",
    "session title": "the title",
    "session id": "the session's id",
    "session started": "when it began",
    "session ended": "when it ended",
    "session parent": "the session that it comes from",
    "session provider": "the model's provider",
    "session agent": "the program that ran it",
    "session agent_version": "the version of the program that ran it",
    "time": "times of messages",
    "usage": "tokens used",
    "model": "the model of each message",
    "duration": "how long calls took",
    "stop reason": "why the model stopped",
    # pictures and documents
    "image": "pictures: no place in this format",
    "document": "documents: no place in this format",
    "audio": "sound: no place in this format",
    "file": "files: no place in this format",
    "other": "neither a picture nor a PDF",
    "application/pdf": "a PDF can't be shown inside",
    "image/svg+xml": "an SVG could run programs",
    "a link to it": "the session has only a link to it",
    "only a reference to it": "the session has only its name",
    # types of parts
    "tool_call": "a call in an unusual place",
    "text": "a text in an unusual form",
    "content": "content in an unusual form",
}
"""What a sentence calls those of the `what`s that are a format's or the model's own words."""

PLACES_KEPT = 20
"""So many places are kept for each (code, what), each with its own count; the count of all is always exact."""


class Severity(IntEnum):
    """How much it matters, mildest first."""

    NOTE = 1  # worth knowing: bookkeeping that the target has no place for, a guess that was made
    REPAIR = 2  # damage in the input was mended, nothing is missing
    DOUBT = 3  # it may be wrong or incomplete
    LOSS = 4  # something of the talk isn't in the output
    ERROR = 5  # a part couldn't be read or written


class Code(Enum):
    """Everything that can be reported: (severity, sentence). `{what}` and `{n}` are filled in, and of `[line|lines]` the
    first is for one, the second for more."""

    # reading: damage
    LINE_UNREADABLE = (Severity.LOSS, "{n} unreadable [line|lines] skipped ({what})")
    LINE_NOT_OBJECT = (Severity.NOTE, "{n} [line|lines] skipped that [holds|hold] no record of a conversation ({what})")
    LINE_SPLICED = (
        Severity.LOSS,
        "{n} [line|lines] held a cut record with another glued on; the readable one was kept ({what})",
    )
    LINE_SEVERAL = (Severity.REPAIR, "{n} [line|lines] held several records; all were read")
    TAIL_CUT = (Severity.DOUBT, "the file ends in the middle of a record; it may still be being written")
    FILE_GROWING = (Severity.NOTE, "the file grew while it was read; what stood there at the start was converted")
    BAD_BYTES = (Severity.REPAIR, "{n} [line|lines] with bytes that are not UTF-8, replaced by U+FFFD")
    BYTE_ORDER_MARK = (Severity.NOTE, "{n} byte order [mark|marks] skipped")
    ENCODING = (Severity.REPAIR, "the file is in {what}, not in UTF-8; it was converted")
    DEEP_NESTING = (Severity.REPAIR, "{n} [value|values] nested too deeply, kept as text")
    LONE_SURROGATE = (Severity.REPAIR, "{n} lone [surrogate|surrogates] replaced by U+FFFD")
    NUL_BYTES = (Severity.REPAIR, "{n} [run|runs] of NUL bytes taken out")
    BAD_VALUE = (Severity.REPAIR, "{n} [value|values] of an unexpected type in {what}")
    DUPLICATE_KEY = (Severity.REPAIR, "{n} [record|records] with a key that stands twice; the last was kept ({what})")
    BIG_NUMBER = (Severity.REPAIR, "{n} [number|numbers] beyond 64 bits or not finite ({what})")
    DUPLICATE_RECORD = (Severity.NOTE, "{n} [record|records] that stood twice read once ({what})")
    UUID_REUSED = (
        Severity.NOTE,
        "{n} [record shares its|records share their] id with another of other content; both were kept ({what})",
    )
    REPLAYED = (Severity.NOTE, "{n} [record|records] of a replayed history left out; the first copy was kept")
    BROKEN_LINK = (Severity.NOTE, "{n} [link|links] to a record that isn't there ({what})")
    ID_MISMATCH = (Severity.NOTE, "the file name differs from the session id inside")
    SIDE_FILE_UNREADABLE = (Severity.DOUBT, "{n} side [file|files] could not be read ({what})")
    SIDE_FILE_MISSING = (Severity.DOUBT, "{n} side [file|files] named in the session [is|are] not there ({what})")
    FILE_SKIPPED = (Severity.NOTE, "{n} [file|files] skipped ({what})")
    FILE_LEFT_OUT = (Severity.DOUBT, "{n} [file|files] left out ({what})")
    SESSION_LEFT_OUT = (Severity.DOUBT, "{n} [session|sessions] left out (no conversation in [it|them])")
    INPUT_SKIPPED = (Severity.ERROR, "{n} [input|inputs] left out ({what})")
    PACKED_UNREADABLE = (Severity.LOSS, "{n} packed [file|files] not or not wholly unpacked ({what})")
    EMPTY = (Severity.NOTE, "no conversation in it")
    PART_OF_SESSION = (
        Severity.DOUBT,
        "a part of its session only; another is {what}: name both to bring both",
    )
    # reading: what the format says
    UNKNOWN_RECORD = (
        Severity.NOTE,
        "{n} [record|records] of a type that this version doesn't know: {what} (carried along)",
    )
    UNKNOWN_BLOCK = (
        Severity.NOTE,
        "{n} [block|blocks] of a type that this version doesn't know: {what} (carried along)",
    )
    UNKNOWN_FIELD = (Severity.NOTE, "{n} [field|fields] that this version doesn't know: {what} (carried along)")
    NEWER_VERSION = (Severity.DOUBT, "written by a newer version of the format ({what}); what is new is carried along")
    USAGE_INCOMPLETE = (
        Severity.DOUBT,
        "{n} [message|messages] whose output tokens were never final: totals are a lower bound",
    )
    AGENT_UNLINKED = (
        Severity.NOTE,
        "{n} [subagent|subagents] of which no call says that it started [it|them] ({what})",
    )
    REASONING_WITHHELD = (Severity.NOTE, "{n} reasoning [block|blocks] whose words the provider withheld")
    GUESSED = (Severity.NOTE, "guessed: {what}")
    NAMED_OTHERWISE = (Severity.NOTE, "written as {what}, though the file's name says another format")
    # filtering
    REDACTED = (Severity.NOTE, "{n} [secret|secrets] redacted ({what})")
    PSEUDONYM = (Severity.NOTE, "{n} [mention|mentions] of people or machines replaced by pseudonyms ({what})")
    DROPPED_BY_REQUEST = (Severity.NOTE, "left out, as asked: {what} ({n})")
    UNSCANNED_MEDIA = (
        Severity.DOUBT,
        "{n} [picture or document|pictures or documents] can't be searched for secrets; what the format keeps of [it|them] is as it was ({what})",
    )
    EVERYDAY_WORDS = (
        Severity.DOUBT,
        "{n} of your own words [is|are] everyday words that the formats use themselves: taken out of the conversation, but the check of the output doesn't look for [it|them]",
    )
    # writing: no place in the target
    DROPPED_REASONING = (Severity.LOSS, "{n} [piece|pieces] of the model's reasoning left out: no place in this format")
    DROPPED_SIGNATURE = (
        Severity.NOTE,
        "{n} [signature|signatures] by which a provider knows its own reasoning again left out: no place in this format",
    )
    DROPPED_MEDIA = (
        Severity.LOSS,
        "{n} [picture or document|pictures or documents] became [a note|notes] in words ({what})",
    )
    DROPPED_BLOCK = (
        Severity.LOSS,
        "{n} [part|parts] of messages left out or only named: no place in this format ({what})",
    )
    DROPPED_EVENT = (Severity.NOTE, "{n} [event|events] beside the talk left out: no place in this format ({what})")
    DROPPED_FIELD = (Severity.NOTE, "{n} [value|values] left out: no place in this format ({what})")
    DROPPED_STRUCTURED = (
        Severity.NOTE,
        "{n} [result|results] without the program's own form of [it; its|them; their] text, as the model saw it, is there",
    )
    DROPPED_MESSAGE = (Severity.LOSS, "{n} [message|messages] left out: no place in this format ({what})")
    DROPPED_BRANCH = (Severity.NOTE, "{n} [message|messages] left out that the user went back on by rewinding")
    DROPPED_RETRACTED = (
        Severity.NOTE,
        "{n} [message or part|messages or parts] left out that the agent itself withdrew",
    )
    DROPPED_SUBAGENT = (Severity.LOSS, "{n} [subagent|subagents] not written ({what})")
    DROPPED_HIDDEN_AGENT = (
        Severity.NOTE,
        "{n} [subagent|subagents] left out that only did housekeeping, such as compaction or warming a cache",
    )
    DROPPED_ERROR_FLAG = (
        Severity.NOTE,
        "{n} failed [result says|results say] so in words, since this format has no mark for it",
    )
    # writing: changed to fit
    TRUNCATED = (Severity.LOSS, "{n} [text|texts] cut to the length that this format allows ({what})")
    CONTINUED = (Severity.NOTE, "{n} [text|texts] beyond the format's limit continued in a further message")
    REORDERED = (Severity.NOTE, "{n} [block moved within its message|blocks moved within their messages] ({what})")
    MERGED = (Severity.NOTE, "{n} [message joined with its neighbour|messages joined with their neighbours]")
    RENAMED_TOOL = (Severity.NOTE, "{n} tool [name|names] mapped to what the format allows")
    RENAMED_ID = (Severity.NOTE, "{n} [id|ids] mapped to what the format allows ({what})")
    SYNTHETIC_MESSAGE = (
        Severity.NOTE,
        "{n} [message|messages] put in so that providers accept the conversation ({what})",
    )
    NAMED_SUBAGENT = (
        Severity.NOTE,
        "{n} [result now names|results now name] the session of the subagent that [it comes|they come] from",
    )
    SYNTHETIC_RESULT = (Severity.DOUBT, "{n} [call|calls] without a result [was|were] given one that says so")
    ORPHAN_RESULT = (Severity.DOUBT, "{n} [result|results] that [answers|answer] no call became text")
    BAD_ARGUMENTS = (Severity.REPAIR, "{n} [call|calls] whose arguments were no JSON object [was|were] wrapped")
    CONTROL_CHARACTERS = (Severity.NOTE, "{n} control [character|characters] taken out or replaced ({what})")
    ANSI_STRIPPED = (Severity.NOTE, "{n} [text|texts] whose terminal colours were taken out")
    EMPTY_MESSAGE = (Severity.NOTE, "{n} empty [message|messages] left out")
    PASSED_THROUGH = (
        Severity.DOUBT,
        "{n} [fault|faults] of the original kept ({what}); --repair mends [it|them]",
    )
    MENDED = (Severity.REPAIR, "{n} [fault|faults] mended ({what})")
    MISSING_GLYPHS = (Severity.DOUBT, "no font here for {what}")
    LEFT_BESIDE = (
        Severity.DOUBT,
        "{n} [file that was there before is|files that were there before are] no part of this output",
    )
    NOT_SPLIT = (Severity.NOTE, "short enough for one page: there was nothing to split")
    ASSUMED_FOLDER = (
        Severity.NOTE,
        "no folder is named in it: it is said to have run in {what}; --cwd DIR names another",
    )
    UNTAGGED = (
        Severity.NOTE,
        "the document has no structure for screen readers, since it was laid out in parts; --tagged makes it",
    )

    def __init__(self, severity: Severity, sentence: str) -> None:
        self.severity = severity
        self.sentence = sentence

    @property
    def slug(self) -> str:
        """The name in JSON: `line-unreadable`."""
        return self.name.lower().replace("_", "-")


def _said(code: Code, what: str, count: int) -> str:
    return by_number(code.sentence, count).format(n=count, what=WORDS.get(what, what)).replace(" ()", "")


class Finding(Struct, frozen=True, kw_only=True):
    """All that was reported for one (code, what). `counts` says how much of `count` each of `places` has: together it is
    less where not every place was kept, or known."""

    code: Code
    what: str
    count: int
    places: tuple[Span, ...]
    counts: tuple[int, ...]

    @property
    def message(self) -> str:
        """What happened, without the place."""
        return _said(self.code, self.what, self.count)

    @property
    def sentence(self) -> str:
        """The line for people, with the first place."""
        return f"{self.where()}: {self.message}" if self.places else self.message

    def where(self, names: Mapping[str, str] | None = None) -> str:
        """The first place, and how far what is counted goes beyond it. `names` is what to call files, if not by their paths."""
        first = self.places[0]
        name = names[first.file] if names else first.file
        where = f"{name}:{first.line}" if first.line else name
        more = len(self.places) - 1
        files = len({place.file for place in self.places})
        if sum(self.counts) < self.count:
            return f"{where} and {more} or more further places" if more else f"{where} and elsewhere"
        if not more:
            return where
        if files == more + 1:
            return f"{where} and {counted(more, 'more file')}"
        return f"{where} and {counted(more, 'more place')}" + (f" in {files} files" if files > 1 else "")


ONE_BY_ONE = frozenset({Code.FILE_LEFT_OUT, Code.SESSION_LEFT_OUT, Code.INPUT_SKIPPED, Code.LEFT_BESIDE})
"""What is told with every place, since each is something that the user may miss."""


class Report:
    """Collects what happened. Counts are exact; places are kept up to a bound, but all of what is told one by one."""

    def __init__(self) -> None:
        self._counts: dict[tuple[Code, str], int] = {}
        self._places: dict[tuple[Code, str], dict[Span, int]] = {}
        self.at: Span | None = None
        """Where the work is: the place of what is reported without one."""

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Report:
        """A report that says what `findings` say."""
        report = cls()
        for each in findings:
            report._counts[each.code, each.what] = each.count
            report._places[each.code, each.what] = dict(zip(each.places, each.counts, strict=True))
        return report

    def add(self, code: Code, span: Span | None = None, what: str = "", count: int = 1) -> None:
        """Report `count` occurrences at `span`. `what` is a type's or field's name, never content."""
        key = (code, what)
        self._counts[key] = self._counts.get(key, 0) + count
        span = span or self.at
        if span is not None:
            self._keep(key, span, count)

    def _keep(self, key: tuple[Code, str], span: Span, count: int) -> None:
        places = self._places.setdefault(key, {})
        if span in places:
            places[span] += count
        elif len(places) < PLACES_KEPT or key[0] in ONE_BY_ONE:
            places[span] = count

    def retell(self, old: Code, new: Code, span: Span | None) -> None:
        """Report `new` at `span`, in place of the milder `old` where that was said of it."""
        self.add(new, span)
        key = (old, "")
        places = self._places.get(key, {})
        nowhere = self._counts.get(key, 0) - sum(places.values())
        said = places.pop(span) if span in places else min(nowhere, 1)
        if said:
            self._counts[key] -= said
            if not self._counts[key]:
                del self._counts[key]

    def count(self, code: Code, what: str | None = None) -> int:
        """How often `code` was reported, for one `what` or for all."""
        if what is not None:
            return self._counts.get((code, what), 0)
        return sum(n for (each, _), n in self._counts.items() if each is code)

    @property
    def findings(self) -> list[Finding]:
        """Everything, worst first, in the order of first mention within a severity."""
        found = []
        for (code, what), n in self._counts.items():
            kept = self._places.get((code, what), {})
            found.append(Finding(code=code, what=what, count=n, places=tuple(kept), counts=tuple(kept.values())))
        return sorted(found, key=lambda each: -each.code.severity)

    def worst(self) -> Severity | None:
        """The gravest severity reported, or None."""
        return max((code.severity for code, _ in self._counts), default=None)

    def relabel(self, names: Mapping[str, str]) -> None:
        """Name files anew: a writer knows them by what redaction made of their names, the user doesn't."""
        for key, places in self._places.items():
            self._places[key] = {}
            for each, count in places.items():
                self._keep(key, Span(names[each.file], each.line) if each.file in names else each, count)

    def merge(self, other: Report) -> None:
        """Take over all that another report says."""
        for key, n in other._counts.items():
            self._counts[key] = self._counts.get(key, 0) + n
            for span, count in other._places.get(key, {}).items():
                self._keep(key, span, count)

    def as_json(self) -> list[dict[str, Any]]:
        """The findings as plain values for `--report`."""
        return [
            {
                "code": each.code.slug,
                "severity": each.code.severity.name.lower(),
                "what": each.what,
                "count": each.count,
                "message": each.message,
                "places": [
                    {"file": place.file, "line": place.line, "count": count}
                    for place, count in zip(each.places, each.counts, strict=True)
                ],
            }
            for each in self.findings
        ]
