"""The redaction filter: learns every value of a run, takes each out of every string, checks what was rendered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dragoman.errors import UsageError
from dragoman.filters.protocol import Leak
from dragoman.filters.redact import known
from dragoman.filters.redact.answers import answers
from dragoman.filters.redact.catalog import VERSION, Shape, own_shapes
from dragoman.filters.redact.contents import Contents
from dragoman.filters.redact.engine import Engine, build
from dragoman.filters.redact.finder import Finder, Found
from dragoman.filters.redact.identities import KINDS, SWITCHES, Identities
from dragoman.filters.redact.judge import MARK
from dragoman.filters.redact.names import classify
from dragoman.filters.redact.outputs import outputs
from dragoman.filters.redact.receipt import Place, Receipt, tally
from dragoman.filters.redact.replace import Replacer
from dragoman.filters.redact.seams import neighbours, runs
from dragoman.filters.redact.values import Value, Values
from dragoman.filters.redact.verify import everyday, leaks
from dragoman.filters.redact.walk import EVERY, walk
from dragoman.model import Block, Event, Media, Message, Reasoning, Session, Span, Subagent, Text, ToolResult
from dragoman.report import Code, Report

_LEAKS_TOLD = 20
"""So many places where somebody is still named are told; one stops the output."""

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
        key = self.options.key.encode("utf-8")
        self.identities = Identities(self._switches, key)
        self.receipt = Receipt(key, self._switches | ({"secrets"} if self._searches else frozenset()))
        self.contents = Contents()
        self._starting = Lock()
        self._replacer: Replacer | None = None

    def begin(self) -> None:
        """Let the engine read its rules, where it will be needed, while sessions are read."""
        if self._searches:
            self._engine()

    def _engine(self) -> Engine:
        return build(self._extra, plain=self.options.plain_engine, told=self._told)

    @property
    def replacer(self) -> Replacer:
        """The engine with its memory, started when first asked for."""
        if self._replacer is None:
            with self._starting:
                if self._replacer is None:
                    self._replacer = self._made_replacer()
        return self._replacer

    def _made_replacer(self) -> Replacer:
        """It is there whole, with the user's own words, or not at all: whatever breaks this off, the next call begins anew."""
        finder = Finder(self._extra, self._engine())
        values = Values(self.options.key.encode("utf-8"), self._extra)
        self.receipt.engine = f"{finder.engine.name} {finder.engine.version}"
        self.receipt.rules = finder.engine.rule_count
        self.receipt.rules_version = VERSION
        self._known_values(values)
        return Replacer(finder, values, self._keep)

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
        if self.options.own_text is not None and (words := sum(map(everyday, self.replacer.values))):
            report.add(Code.EVERYDAY_WORDS, None, "", words)
        self.contents.forget()  # what was settled before knows nothing of what is learnt now
        learner = _Learner(self)
        for session in sessions:
            walk(session, learner)
            learner.flush()
            if "secrets" in self._switches:
                self.replacer.learn_neighbours(neighbours(session))
                self.replacer.learn_outputs(outputs(session))
                self.replacer.learn_outputs(answers(session))
        self.identities.freeze()
        self.receipt.scanned_strings += learner.strings
        if self._searches:
            self.replacer.freeze()
            self.receipt.scanned_bytes = self.replacer.finder.bytes_scanned
        if "numbers" not in self._switches and not self.short_keys:
            self.contents.settle(self._changing)

    @property
    def short_keys(self) -> Container[str]:
        """Keys of few letters that may hold something."""
        return EVERY if self._searches and self.replacer.minds_short else self.identities.short_keys

    def _changing(self, texts: set[str]) -> set[str]:
        """Those of the strings of which something is known."""
        found = self.replacer.changing(texts) if self._searches else set()
        return found | self.identities.naming(texts) if self.identities.active else found

    def apply(self, session: Session, report: Report) -> Session:
        """The session without what was asked to go."""
        session = self._dropped(session, report)
        rewriter = _Rewriter(self, report)
        if "secrets" in self._switches:
            session = self._without_pieces(session, rewriter)
        new = walk(session, rewriter) if self._switches or self._searches else session
        self.receipt.add(rewriter.places)
        new = rewriter.retitled(session, new)
        media = _count_media(new)
        if media:
            self.receipt.media += media
            report.add(Code.UNSCANNED_MEDIA, None, "media", media)
        if self._searches or self.identities.active:
            told = self._told_by(rewriter.places)
            new = replace(new, header=replace(new.header, extra={**new.header.extra, "redaction": told}))
        return new

    def _told_by(self, places: Counter[Place]) -> dict[str, Any]:
        """What a page says of its session's redaction."""
        told: dict[str, Any] = {}
        if self._searches:
            found = tally(places, "secret")
            told = {"secrets": found.total, "distinct": found.distinct, "kinds": dict(sorted(found.kinds.items()))}
        who = tally(places, "identity")
        if who.total or not self._searches:
            told["identities"] = {KINDS[kind][0]: who.distinct_kinds[kind] for kind in KINDS if who.kinds[kind]}
            told["mentions"] = who.total
        return told

    def forget(self) -> None:
        """Drop what is remembered of strings; values, people and machines stay known."""
        self.contents.forget()
        if self._replacer is not None:
            self._replacer.forget()

    def verify(self, file_name: str, data: bytes) -> list[Leak]:
        """What still stands in rendered output. Anything returned stops it.

        A file's name is searched for secrets alone: it is made of what was replaced already, or the user chose it.
        """
        found: list[Leak] = []
        if self._searches:
            found += leaks(file_name, data, self.replacer.values.freeze(), self.replacer.finder, self._keep)
        if self.identities.active:
            found += [
                Leak(file=file_name, rule=f"known {KINDS[kind][0]}", line=data.count(b"\n", 0, place) + 1)
                for place, kind in islice(self.identities.remains(data), _LEAKS_TOLD)
            ]
        return found

    def _without_pieces(self, session: Session, rewriter: _Rewriter) -> Session:
        """The session without the pieces of secrets that are known by their place alone."""
        entries = list(session.entries)
        for texts, places in runs(session):
            for number, (text, found, value) in self.replacer.pieces(texts).items():
                place = places[number]
                entry = entries[place.entry]
                assert isinstance(entry, Message)
                blocks = list(entry.blocks)
                block = blocks[place.block]
                if isinstance(block, ToolResult):
                    content = list(block.content)
                    content[place.part] = Text(text)
                    blocks[place.block] = replace(block, content=tuple(content))
                else:
                    assert isinstance(block, Text | Reasoning)
                    blocks[place.block] = replace(block, text=text)
                entries[place.entry] = replace(entry, blocks=tuple(blocks), raw=None)
                rewriter.entry(entry.span, entry.uuid)
                rewriter.piece(found, value)
        agents = tuple(
            agent
            if (new := self._without_pieces(agent.session, rewriter)) is agent.session
            else replace(agent, session=new)
            for agent in session.subagents
        )
        if all(a is b for a, b in zip((*entries, *agents), (*session.entries, *session.subagents), strict=True)):
            return session
        return replace(session, entries=tuple(entries), subagents=agents)

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
        self._said: list[str] = []
        self.short_keys: Container[str] = frozenset()
        self.strings = 0

    def text(self, value: str, field: str, random: bool) -> str:
        self.strings += 1
        self._said.append(value)
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

    def number(self, value: int, field: str) -> int | str:
        return value

    def lines(self, values: list[str]) -> None:
        self._lines.append(values)

    def entry(self, span: Span | None, uuid: str) -> None:
        pass

    def passes_by(self, entry: Message | Event) -> bool:
        self._said = self._owner.contents.begin(entry)
        return False

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
    """Second pass: placeholders and pseudonyms in, places counted."""

    def __init__(self, owner: RedactFilter, report: Report) -> None:
        self._owner = owner
        self._report = report
        self._replacer = owner.replacer if owner._searches else None
        self._told_fields = self._replacer.told_fields if self._replacer is not None else {}
        self._who = owner.identities if owner.identities.active else None
        self.short_keys = owner.short_keys
        self.places: Counter[Place] = Counter()
        self._span: Span | None = None
        self._uuid = ""
        self._plain: dict[str, str | None] = {}
        self._random: dict[str, str | None] = {}
        self._secret: set[str] = set()
        self._named: dict[str, Counter[tuple[str, int, str]]] = {}
        self._labels: dict[str, str] = {}

    def text(self, value: str, field: str, random: bool) -> str:
        if self._told_fields and (field, value) in self._told_fields:
            return self._new(value, field, random)
        memory = self._random if random else self._plain
        known_as = memory.get(value, value)
        if known_as is value:
            new = self._new(value, field, random)
            memory[value] = None if new is value else new
            return new
        if known_as is None:
            return value
        self._note(value, field, random)
        return known_as

    def number(self, value: int, field: str) -> int | str:
        if self._who is None or "numbers" not in self._who.switches:
            return value
        digits = str(value)
        new = self.text(digits, field, True)
        return value if new is digits else new

    def _new(self, value: str, field: str, random: bool) -> str:
        new = value
        if self._replacer is not None:
            new = self._replacer.replace(value, exempt=random, field=field)
            if new is not value:
                self._secret.add(value)
        if self._who is not None:
            mentions = self._who.mentions(new)
            if mentions:
                new = self._who.rewrite(new, mentions)
                fingerprint = self._owner.receipt.fingerprint
                self._named[value] = Counter((m.kind, m.end - m.start, fingerprint(m.value)) for m in mentions)
        if new == value:
            return value
        self._note(value, field, random)
        return new

    def _note(self, value: str, field: str, random: bool) -> None:
        file, line = (self._span.file, self._span.line) if self._span else ("", 0)
        if field == "file" and value == file:
            return  # an entry's own place: no word of the transcript
        # Names of files and of fields come from the transcript, too.
        file, label, uuid = self._label(file), self._label(field), self._label(self._uuid)
        if value in self._secret:
            assert self._replacer is not None
            own: tuple[Found, ...] = self._replacer.of_field(field, value)
            for start, end, found, rule in self._replacer.spans(value, exempt=random, also=own):
                rule = rule if rule != "known-value" else min(found.rules)
                self._report.add(Code.REDACTED, self._span, found.kind)
                self.places[
                    Place(
                        file, line, uuid, label, rule, found.kind, end - start,
                        self._owner.receipt.fingerprint(found.text),
                    )
                ] += 1  # fmt: skip
        for (kind, length, fingerprint), count in self._named.get(value, {}).items():
            self._report.add(Code.PSEUDONYM, self._span, KINDS[kind][0], count)
            self.places[Place(file, line, uuid, label, f"identity-{kind}", kind, length, fingerprint, "identity")] += (
                count
            )

    def piece(self, found: Found, value: Value) -> None:
        """Count a piece of a secret that was taken out by its place."""
        file, line = (self._label(self._span.file), self._span.line) if self._span else ("", 0)
        fingerprint = self._owner.receipt.fingerprint(value.text)
        self._report.add(Code.REDACTED, self._span, value.kind)
        self.places[
            Place(
                file,
                line,
                self._label(self._uuid),
                "text",
                found.rule,
                value.kind,
                found.end - found.start,
                fingerprint,
            )
        ] += 1

    def _label(self, text: str) -> str:
        """A name for the receipt, without what mustn't stand there."""
        known = self._labels.get(text)
        if known is None:
            known = self._replacer.replace(text) if self._replacer is not None else text
            if self._who is not None:
                known = self._who.replace(known)
            self._labels[text] = known
        return known

    def retitled(self, old: Session, new: Session) -> Session:
        """The session with a title that a reader cut from a longer text cut anew from what became of that text.

        Where the cut went through a number or a name, the part that is left has no form that could be found.
        """
        title = old.header.title
        if not title.endswith("…") or len(title) < 20:
            return new
        stem = title[:-1]
        for text, known_as in self._plain.items():
            if known_as is not None and text != title and " ".join(text[: 4 * len(title)].split()).startswith(stem):
                cut = " ".join(known_as[: 4 * len(title)].split())[: len(stem)].rstrip()
                mark = cut.rfind(MARK)
                cut = cut if mark < 0 or "]" in cut[mark:] else cut[:mark].rstrip()
                return replace(new, header=replace(new.header, title=f"{cut}…"))
        return new

    def lines(self, values: list[str]) -> None:
        pass

    def entry(self, span: Span | None, uuid: str) -> None:
        self._span, self._uuid = span, uuid

    def passes_by(self, entry: Message | Event) -> bool:
        return self._owner.contents.unchanged(entry)
