"""The redaction filter: learns every value of a run, takes each out of every string, checks what was rendered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from dragoman.errors import UsageError
from dragoman.filters.protocol import Leak
from dragoman.filters.redact import known
from dragoman.filters.redact.catalog import VERSION, Shape, own_shapes
from dragoman.filters.redact.finder import Finder, Found
from dragoman.filters.redact.identities import SWITCHES, Identities
from dragoman.filters.redact.names import classify
from dragoman.filters.redact.receipt import Place, Receipt
from dragoman.filters.redact.replace import Replacer
from dragoman.filters.redact.values import Values
from dragoman.filters.redact.verify import leaks
from dragoman.filters.redact.walk import walk
from dragoman.model import Block, Event, Media, Message, Reasoning, Session, Span, Subagent, Text, ToolResult
from dragoman.report import Code, Report

DROPPABLE = ("tool-results", "reasoning", "images", "events", "subagents")


class RedactOptions(Struct, frozen=True, kw_only=True):
    """What to redact.

    `what` is of secrets, users, emails, names, hosts, ips, numbers, all. `own_text` is a file of words to
    take out, `own_rules` one of rules (as rules/shapes.toml), `keep` one of values to leave.
    `known` takes values from the environment and the usual files, `known_from` from these files.
    `drop` leaves out tool-results, reasoning, images, events, subagents. `key` makes placeholders
    and fingerprints the same across runs. `plain_engine` uses Python's `re` in Kingfisher's place.
    """

    what: tuple[str, ...] = ("secrets", "users")
    own_text: Path | None = None
    own_rules: Path | None = None
    keep: Path | None = None
    known: bool = False
    known_from: tuple[Path, ...] = ()
    drop: tuple[str, ...] = ()
    key: str = ""
    plain_engine: bool = False


def switches(what: Iterable[str]) -> frozenset[str]:
    """The switches that `--redact` names. UsageError for a word that is none."""
    asked = {word.strip() for word in what if word.strip()}
    unknown = asked - {*SWITCHES, "all"}
    if unknown:
        raise UsageError(f"--redact doesn't know {', '.join(sorted(unknown))}; it knows {', '.join(SWITCHES)} and all")
    return frozenset(SWITCHES) if "all" in asked else frozenset(asked)


class RedactFilter:
    """The filter. `told` hears a word where something takes long, for stderr."""

    name = "redact"

    def __init__(self, options: RedactOptions | None = None, told: Callable[[str], None] | None = None) -> None:
        self.options = options if options is not None else RedactOptions()
        self._switches = switches(self.options.what)
        for word in self.options.drop:
            if word not in DROPPABLE:
                raise UsageError(f"--drop doesn't know {word}; it knows {', '.join(DROPPABLE)}")
        given = self.options.own_text or self.options.known or self.options.known_from
        self._searches = "secrets" in self._switches or bool(given)
        self._told = told
        self._extra: tuple[Shape, ...] = own_shapes(self.options.own_rules) if self.options.own_rules else ()
        self._keep = frozenset(known.words_of(self.options.keep)) if self.options.keep else frozenset()
        self.identities = Identities(self._switches)
        self.receipt = Receipt(self.options.key.encode("utf-8"))
        self._replacer: Replacer | None = None

    @property
    def replacer(self) -> Replacer:
        """The engine with its memory, started when first asked for."""
        if self._replacer is None:
            finder = Finder(self._extra, plain=self.options.plain_engine, told=self._told)
            values = Values(self.options.key.encode("utf-8"), self._extra)
            self._replacer = Replacer(finder, values, self._keep)
            self.receipt.engine = f"{finder.engine.name} {finder.engine.version}"
            self.receipt.rules = getattr(finder.engine, "rule_count", 0)
            self.receipt.rules_version = VERSION
            self._known_values(values)
        return self._replacer

    def _known_values(self, values: Values) -> None:
        options = self.options
        given: list[tuple[str, str]] = []
        if options.known:
            given += [*known.of_environment(), *known.of_home()]
        for path in options.known_from:
            given += known.of_file(path)
        for kind, text in given:
            if text not in self._keep:
                values.add_value(text, kind, "known").everywhere = True
        if options.own_text is not None:
            for text in known.words_of(options.own_text):
                values.add_value(text, "own-text", "own-text").everywhere = True

    def prepare(self, sessions: Iterable[Session], report: Report) -> None:
        """Learn every value and every identity of all sessions of the run."""
        if not self._switches and not self._searches:
            return
        learner = _Learner(self)
        for session in sessions:
            walk(session, learner)
            learner.flush()
        self.identities.freeze()
        self.receipt.scanned_strings = learner.strings
        if self._searches:
            self.replacer.freeze()
            self.receipt.scanned_bytes = self.replacer.finder.bytes_scanned

    def apply(self, session: Session, report: Report) -> Session:
        """The session without what was asked to go."""
        session = self._dropped(session, report)
        before = len(self.receipt.places_kept)
        new = walk(session, _Rewriter(self, report)) if self._switches or self._searches else session
        media = _count_media(new)
        if media:
            self.receipt.media += media
            report.add(Code.UNSCANNED_MEDIA, None, "media", media)
        if self._searches:
            total, distinct, kinds = self.receipt.counts(since=before)
            told = {"secrets": total, "distinct": distinct, "kinds": dict(sorted(kinds.items()))}
            new = replace(new, header=replace(new.header, extra={**new.header.extra, "redaction": told}))
        return new

    def verify(self, file_name: str, data: bytes) -> list[Leak]:
        """What still stands in rendered output. Anything returned stops it."""
        if not self._searches:
            return []
        replacer = self.replacer
        return leaks(file_name, data, replacer.values.freeze(), replacer.finder, self._keep)

    def _dropped(self, session: Session, report: Report) -> Session:
        drop = self.options.drop
        if not drop:
            return session
        entries: list[Message | Event] = []
        counts = dict.fromkeys(drop, 0)
        for entry in session.entries:
            if isinstance(entry, Event):
                if "events" in drop:
                    counts["events"] += 1
                else:
                    entries.append(entry)
                continue
            blocks: list[Block] = []
            for block in entry.blocks:
                if "reasoning" in drop and isinstance(block, Reasoning):
                    counts["reasoning"] += 1
                elif "images" in drop and isinstance(block, Media):
                    counts["images"] += 1
                    blocks.append(Text("[picture left out]"))
                elif isinstance(block, ToolResult):
                    if "tool-results" in drop:
                        counts["tool-results"] += 1
                        block = replace(block, content=(Text("[result left out]"),), structured=None, feedback="")
                    elif "images" in drop and any(isinstance(part, Media) for part in block.content):
                        counts["images"] += sum(isinstance(part, Media) for part in block.content)
                        block = replace(
                            block,
                            content=tuple(
                                Text("[picture left out]") if isinstance(part, Media) else part
                                for part in block.content
                            ),
                            structured=None,
                        )
                    blocks.append(block)
                else:
                    blocks.append(block)
            changed = len(blocks) != len(entry.blocks) or any(
                a is not b for a, b in zip(blocks, entry.blocks, strict=True)
            )
            entries.append(replace(entry, blocks=tuple(blocks), raw=None) if changed else entry)
        agents: tuple[Subagent, ...] = ()
        if "subagents" in drop:
            counts["subagents"] = len(session.subagents)
        else:
            agents = tuple(replace(agent, session=self._dropped(agent.session, report)) for agent in session.subagents)
        for word, count in counts.items():
            if count:
                report.add(Code.DROPPED_BY_REQUEST, None, word, count)
        return replace(session, entries=tuple(entries), subagents=agents)


def _count_media(session: Session) -> int:
    count = 0
    for entry in session.entries:
        if isinstance(entry, Message):
            for block in entry.blocks:
                if isinstance(block, Media):
                    count += 1
                elif isinstance(block, ToolResult):
                    count += sum(isinstance(part, Media) for part in block.content)
    return count + sum(_count_media(agent.session) for agent in session.subagents)


class _Learner:
    """First pass: everything is taken up, nothing is changed."""

    def __init__(self, owner: RedactFilter) -> None:
        self._owner = owner
        self._texts: list[str] = []
        self._random: list[str] = []
        self._fields: list[tuple[str, str]] = []
        self._lines: list[list[str]] = []
        self._seen: set[str] = set()
        self._secret_fields: dict[str, bool] = {}
        self.strings = 0

    def text(self, value: str, field: str, random: bool) -> str:
        self.strings += 1
        if field and not random:
            secret = self._secret_fields.get(field)
            if secret is None:
                secret = self._secret_fields[field] = classify(field) is not None
            if secret and 4 <= len(value) < 5000:
                self._fields.append((field, value))
        if value in self._seen or len(value) < 4:
            return value
        self._seen.add(value)
        (self._random if random else self._texts).append(value)
        return value

    def lines(self, values: list[str]) -> None:
        self._lines.append(values)

    def entry(self, span: Span | None, uuid: str) -> None:
        pass

    def flush(self) -> None:
        owner = self._owner
        if "secrets" in owner._switches:
            replacer = owner.replacer
            replacer.learn(self._texts)
            replacer.learn(self._random, exempt=True)
            replacer.learn_lines(self._lines)
            replacer.learn_fields(self._fields)
        elif owner._searches:
            owner.replacer.remember(self._texts)
            owner.replacer.remember(self._random)
        if owner.identities.active:
            owner.identities.learn_all(self._texts)
            owner.identities.learn_all(self._random)
        self._texts, self._random, self._fields, self._lines = [], [], [], []
        self._seen = set()


class _Rewriter:
    """Second pass: placeholders and pseudonyms in, receipt written."""

    def __init__(self, owner: RedactFilter, report: Report) -> None:
        self._owner = owner
        self._report = report
        self._replacer = owner.replacer if owner._searches else None
        self._who = owner.identities if owner.identities.active else None
        self._span: Span | None = None
        self._uuid = ""
        self._plain: dict[str, str | None] = {}
        self._random: dict[str, str | None] = {}
        self._noted: set[str] = set()

    def text(self, value: str, field: str, random: bool) -> str:
        if field and self._replacer is not None and self._replacer.of_field(field, value):
            return self._new(value, field, random)
        memory = self._random if random else self._plain
        known_as = memory.get(value, value)
        if known_as is value:
            new = self._new(value, field, random)
            memory[value] = None if new is value else new
            return new
        if known_as is None:
            return value
        if value in self._noted:
            self._note(value, field, random)
        return known_as

    def _new(self, value: str, field: str, random: bool) -> str:
        new = value
        if self._replacer is not None:
            new = self._replacer.replace(value, exempt=random, field=field)
            if new is not value:
                self._noted.add(value)
                self._note(value, field, random)
        if self._who is not None:
            new = self._who.replace(new)
        return value if new == value else new

    def _note(self, value: str, field: str, random: bool) -> None:
        assert self._replacer is not None
        own: tuple[Found, ...] = self._replacer.of_field(field, value)
        spans = self._replacer.spans(value, exempt=random, also=own)
        file = self._span.file if self._span else ""
        line = self._span.line if self._span else 0
        if self._who is not None:
            file = self._who.replace(file)
        receipt = self._owner.receipt
        for start, end, found, rule in spans:
            rule = rule if rule != "known-value" else min(found.rules)
            self._report.add(Code.REDACTED, self._span, found.kind)
            receipt.add(
                Place(file, line, self._uuid, field, rule, found.kind, end - start, receipt.fingerprint(found.text))
            )

    def lines(self, values: list[str]) -> None:
        pass

    def entry(self, span: Span | None, uuid: str) -> None:
        self._span, self._uuid = span, uuid
