"""Laws of the neutral JSON: it is the identity, one way and the other."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from dragoman.io import native
from dragoman.model import Session, Span
from dragoman.report import Code, Report
from strategies import sessions

SPAN = Span("session.json", 1)


def back(data: bytes, report: Report | None = None) -> Session:
    return native.decode(orjson.loads(data), SPAN, report or Report())


@cache
def validator() -> Draft202012Validator:
    schema = json.loads((Path(__file__).parents[2] / "docs/schema/dragoman-1.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@settings(max_examples=40, deadline=None)
@given(sessions())
def test_session_to_native_and_back_is_the_identity(session: Session) -> None:
    report = Report()
    assert back(native.encode(session), report) == session
    assert report.findings == []


@settings(max_examples=40, deadline=None)
@given(sessions(depth=1))
def test_what_is_written_fits_the_schema(session: Session) -> None:
    validator().validate(json.loads(native.encode(session)))


def objects(value: Any) -> list[tuple[str, dict[str, Any]]]:
    """Every object of a document that a later version could give a field, with its kind."""
    found = [("document", value), ("version", value["dragoman"])]
    stack = [value]
    while stack:
        session = stack.pop()
        header = session["header"]
        found.append(("header", header))
        found += [("file", each) for each in header.get("files", [])]
        found += [("parent", header[key]) for key in ("parent",) if header.get(key)]
        for entry in session.get("entries", []):
            found.append((entry["type"], entry))
            found += [(key, entry[key]) for key in ("usage", "span") if entry.get(key)]
            for block in entry.get("blocks", []):
                found.append(("block", block))
                found += [("span", block["span"])] if block.get("span") else []
                found += [("part", each) for each in block.get("content", [])]
        for agent in session.get("subagents", []):
            found.append(("subagent", agent))
            found += [("link", each) for each in agent.get("links", [])]
            found.append(("session", agent["session"]))
            stack.append(agent["session"])
    return found


@settings(max_examples=40, deadline=None)
@given(sessions(depth=1), st.data())
def test_what_a_later_version_adds_comes_out_where_it_stood(session: Session, data: st.DataObject) -> None:
    document = json.loads(native.encode(session))
    places = objects(document)
    document["dragoman"]["minor"] = 7
    for kind, each in data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=4)):
        change = data.draw(st.sampled_from(("field", "field", "tag", "word")))
        if change == "tag" and kind in ("message", "event", "block", "part"):
            each["type"] = "hologram"
        elif change == "word" and kind == "message" and each["type"] == "message":
            each["origin"] = "dreamt"
        elif change == "word" and "error" in each:
            each["error"] = "perhaps"
        else:
            each["new/field~"] = {"deep": [1, "two"]}
    report = Report()
    read = back(json.dumps(document).encode(), report)
    assert report.count(Code.NEWER_VERSION) == 1
    assert json.loads(native.encode(read)) == document
    assert back(native.encode(read)) == read
