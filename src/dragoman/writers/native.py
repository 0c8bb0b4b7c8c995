"""Writes the neutral conversation as its own JSON. Nothing is lost on the way."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from dragoman.io.names import stem
from dragoman.io.native import encode, encode_parts
from dragoman.io.target import Target
from dragoman.model import Session
from dragoman.report import Report


class NativeOptions(Struct, frozen=True):
    """What can be asked of the native writer."""

    pretty: Annotated[bool, Meta(description="Indent; otherwise a session is one line.")] = False


class NativeWriter:
    """The neutral JSON, one session a line or indented."""

    name = "native"
    description = "dragoman's neutral conversation as JSON: everything that was read, one session a line"
    suffix = ".json"
    media_type = "application/json"
    binary = False
    several = True
    options = NativeOptions

    def unavailable(self) -> str:
        return ""

    def file_name(self, session: Session, options: NativeOptions) -> str:
        return f"{stem(session)}.json"

    def write(self, session: Session, target: Target, options: NativeOptions, report: Report) -> None:
        stream = target.main(self.file_name(session, options))
        if options.pretty:
            stream.write(msgspec.json.format(encode(session), indent=2))
        else:
            stream.writelines(encode_parts(session))
        stream.write(b"\n")


writer = NativeWriter()
