"""The drawn timeline: its labels stand where their times are."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import pairwise

import pytest

from dragoman.model import Header, Message, Session, Subagent, Text
from dragoman.render import reading, text
from dragoman.render.timeline import WIDTH, draw

START = datetime(2026, 10, 10, 4, 14, 31, tzinfo=UTC)


def drawn(seconds: list[float], zone: tzinfo = UTC) -> str:
    entries = tuple(
        Message(role="user", origin="prompt", blocks=(Text(text="so"),), time=START + timedelta(seconds=each))
        for each in seconds
    )
    return str(draw(reading.read(Session(header=Header(id="s"), entries=entries)), zone, {}))


def labels(svg: str) -> list[tuple[float, str]]:
    return [(float(x), words) for x, words in re.findall(r'<text x="([\d.]+)" y="12">([^<]*)</text>', svg)]


def prompts(svg: str) -> list[float]:
    return [float(x) for x in re.findall(r'<path class="p" d="M([\d.]+)', svg)]


@pytest.mark.parametrize("lasts", [7, 40, 570, 3000, 40_000, 400_000])
def test_equal_steps_are_equal(lasts: int) -> None:
    """Labels stood at even places and told the minute before: 57, 113 and 57 units for a minute each."""
    found = labels(drawn([lasts * n / 250 for n in range(251)]))
    assert 3 <= len(found) <= 16
    steps = [other - one for (one, _), (other, _) in pairwise(found)]
    assert max(steps) - min(steps) <= 0.21
    assert len({words for _, words in found}) == len(found)


def test_a_label_stands_where_its_time_is() -> None:
    """A prompt at 04:16:00 is under the label 04:16."""
    svg = drawn([0, 89, *range(100, 570, 20)])
    places = {words: x - 3 for x, words in labels(svg)}
    assert places["04:16"] == pytest.approx(prompts(svg)[1], abs=0.2)


def test_labels_are_round_on_the_clock_of_the_zone() -> None:
    svg = drawn([n * 60 for n in range(300)], timezone(timedelta(hours=5, minutes=45)))
    assert all(words.endswith((":00", ":30")) for _, words in labels(svg))


def test_idle_time_says_that_it_is_folded_and_has_no_label_within() -> None:
    svg = drawn([*range(0, 600, 30), *range(20_000, 20_600, 30)])
    (x, width) = re.search(r'<rect class="idle" x="([\d.]+)" y="\d+" width="([\d.]+)"', svg).groups()  # type: ignore[union-attr]
    assert f">idle {text.duration((20_000 - 570) * 1000)}</text>" in svg and "not to scale" in svg
    assert not [words for at, words in labels(svg) if float(x) < at - 3 < float(x) + float(width)]
    told = [words for _, words in labels(svg)]
    assert "04:16" in told and "09:50" in told, "both stretches have labels"


def test_many_idle_stretches_stay_within_the_drawing() -> None:
    """Some of a stretch's time is too short for a round time: then it says when it began."""
    svg = drawn([each for n in range(40) for each in (n * 90_000, n * 90_000 + 5)])
    found = [x for x, _ in labels(svg)]
    assert found == sorted(found) and found[-1] < WIDTH
    assert len(re.findall(r'class="idle"', svg)) == 39
    assert labels(svg)[0][1] == "10 Oct 04:14"


def lane_names(begins: float, name: str) -> tuple[str, str]:
    """What stands before the lane of an agent that begins at a second of a hundred, and its tooltip."""
    at = [
        Message(role="user", origin="prompt", blocks=(Text(text="so"),), time=START + timedelta(seconds=each))
        for each in (0, 100, begins, begins + 1)
    ]
    own = Session(header=Header(id="a"), entries=tuple(at[2:]))
    agent = Subagent(agent_id="a", description=name, session=own)
    session = Session(header=Header(id="s"), entries=tuple(at[:2]), subagents=(agent,))
    svg = str(draw(reading.read(session), UTC, {}))
    found = re.search(r'<text x="0" y="\d+">([^<]*)<title>([^<]*)</title></text></a>', svg)
    assert found is not None
    return found[1], found[2]


def test_a_lane_s_name_uses_the_room_before_its_first_mark() -> None:
    """Names were cut at 17 letters, where the rest of the lane was empty."""
    name = "Check all stations of the western coast"
    assert lane_names(60, name) == (name, name)
    assert lane_names(0, name) == ("Check all stati…", name)
    assert lane_names(0, "検査する" * 4) == ("検査する検査す…", "検査する" * 4)
