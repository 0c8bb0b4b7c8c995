"""Telegrams: a line each, `FROM > words STOP`. A made-up format, read and written by a plugin."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from dragoman.io.source import Source
from dragoman.io.target import Target
from dragoman.model import Event, Header, Message, Session, Span, Text, Unknown
from dragoman.report import Code, Report


class ReaderOptions(Struct, frozen=True):
    """`operator`: whose telegrams are the model's."""

    operator: str = "OFFICE"


class TelegraphReader:
    name = "telegraph"
    description = "telegrams, a line each"
    suffixes = (".telegram",)
    options = ReaderOptions

    def sniff(self, head: bytes, name: str) -> float:
        return 1.0 if head.rstrip().endswith(b" STOP") else 0.0

    def read(self, source: Source, options: ReaderOptions, report: Report) -> Iterator[Session]:
        entries: list[Message] = []
        for number, line in enumerate(source.read().decode().splitlines(), 1):
            sender, arrow, words = line.removesuffix(" STOP").partition(" > ")
            span = Span(source.name, number)
            if not arrow:
                report.add(Code.LINE_UNREADABLE, span, "no telegram")
                continue
            ours = sender == options.operator
            entries.append(
                Message(
                    role="assistant" if ours else "user",
                    origin="reply" if ours else "prompt",
                    blocks=(Text(words), Unknown(kind="stamp", value={"sender": sender})),
                    span=span,
                )
            )
        yield Session(header=Header(id=source.path.stem, format="telegraph"), entries=tuple(entries))


class WriterOptions(Struct, frozen=True):
    shout: bool = False


class TelegraphWriter:
    name = "telegraph"
    description = "telegrams, a line each"
    suffix = ".telegram"
    media_type = "text/plain"
    binary = False
    several = False
    options = WriterOptions

    def unavailable(self) -> str:
        return ""

    def file_name(self, session: Session, options: WriterOptions) -> str:
        return "telegrams.telegram"

    def write(self, session: Session, target: Target, options: WriterOptions, report: Report) -> None:
        stream = target.main(self.file_name(session, options))
        for entry in session.entries:
            if isinstance(entry, Event):
                report.add(Code.DROPPED_EVENT, entry.span, entry.kind)
                continue
            for block in entry.blocks:
                if isinstance(block, Text):
                    words = " ".join(block.text.split())
                    line = f"{'OFFICE' if entry.role == 'assistant' else 'GUEST'} > {words} STOP\n"
                    stream.write((line.upper() if options.shout else line).encode())
                else:
                    report.add(Code.DROPPED_BLOCK, entry.span, type(block).__name__)


reader = TelegraphReader()
writer = TelegraphWriter()
