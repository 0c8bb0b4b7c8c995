"""The drawn timeline: agents as lanes, calls as marks, errors, compactions, idle time, tokens. Plain SVG.

Time runs from left to right; stretches in which nothing happened are folded to a narrow band, which says how long
it was. Thousands of
marks become at most one a pixel. Every mark is a link to its place in the page.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from itertools import pairwise
from math import ceil, floor
from unicodedata import east_asian_width

from markupsafe import Markup, escape
from msgspec import Struct

from dragoman.model import Message, Session
from dragoman.render import text
from dragoman.render.turns import AgentRun, Answer, Call, Divider, Document, Note, Prompt, Step, Turn

WIDTH, LEFT, RIGHT = 1000, 110, 12
"""The drawing's own units; a page scales it."""

LANE, TOKENS, AXIS, NAMES = 22, 46, 18, 18
LETTER = 6.4
"""About how wide a letter is: small ones are narrower, capitals wider."""

LANES = 12
"""Lanes drawn; further agents share the last one."""

IDLE = 300.0
"""Seconds without any event that are drawn as idle, at least."""


DAY = 86_400.0
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, DAY, 2 * DAY)
"""Seconds from one label of the axis to the next."""


class Mark(Struct, frozen=True, gc=False):
    """Something at a time. `kind`: prompt, call, error, cut, or span (an agent's first and last sign of life)."""

    at: float
    kind: str
    anchor: str  # with the page where it is another one, ready for a link
    title: str


class Lane(Struct, gc=False):
    """An agent's marks."""

    name: str
    anchor: str
    marks: list[Mark]


def lanes(document: Document, page_of: dict[int, str]) -> list[Lane]:
    """The main conversation and each of its agents, in the order in which they began."""
    collected = _Collector(page_of)
    main = Lane("main", "", [])
    for position, turn in enumerate(document.turns):
        collected.page = page_of.get(position, "")
        collected.turn(turn, main)
    for run in document.loose:
        collected.run(run)
    begun = [lane for lane in collected.agents.values() if lane.marks]
    begun.sort(key=lambda lane: lane.marks[0].at)
    return [main, *begun]


class _Collector:
    """Walks a document. `page` is the file that the current turn stands in, where that isn't this one."""

    def __init__(self, page_of: dict[int, str]) -> None:
        self.page = ""
        self.agents: dict[int, Lane] = {}

    def turn(self, turn: Turn, lane: Lane) -> None:
        if isinstance(turn, Prompt):
            self.mark(lane, turn.time, "prompt", turn.anchor, turn.title)
        elif isinstance(turn, Answer):
            for item in turn.items:
                if isinstance(item, Step):
                    self.step(item, lane)
                else:
                    self.note(item, lane)
        elif isinstance(turn, Note):
            self.note(turn, lane)
        elif isinstance(turn, Divider):
            self.mark(lane, turn.time, "cut", turn.anchor, turn.title)
        else:
            for inner in turn.turns:
                self.turn(inner, lane)

    def step(self, step: Step, lane: Lane) -> None:
        for part in step.parts:
            if isinstance(part, Call):
                bad = part.outcome not in ("ok", "missing")
                self.mark(lane, part.time, "error" if bad else "call", part.anchor, part.name)
                for run in part.runs:
                    self.run(run)

    def note(self, note: Note, lane: Lane) -> None:
        if note.alarm:
            self.mark(lane, note.time, "error", note.anchor, note.title)

    def mark(self, lane: Lane, time: datetime | None, kind: str, anchor: str, title: str) -> None:
        if time is not None:
            lane.marks.append(Mark(time.timestamp(), kind, f"{self.page}#{anchor}", title))

    def run(self, run: AgentRun) -> None:
        lane = self.agents.get(id(run.agent))
        if lane is None:
            name = run.agent.description or run.agent.kind or "agent"
            lane = self.agents[id(run.agent)] = Lane(name, f"{self.page}#{run.anchor}", [])
        for turn in run.turns:
            self.turn(turn, lane)
        for entry in run.agent.session.entries[:1] + run.agent.session.entries[-1:]:
            self.mark(lane, entry.time, "span", run.anchor, "")
        lane.marks.sort(key=lambda mark: mark.at)
        for loose in run.loose:
            self.run(loose)


class Scale:
    """Seconds to the drawing's x, idle stretches folded."""

    def __init__(self, times: Sequence[float]) -> None:
        begin, end = times[0], times[-1]
        busy = end - begin
        idle = []
        threshold = max(IDLE, busy / 200)
        for one, other in pairwise(times):
            if other - one > threshold:
                idle.append((one, other))
        inner = WIDTH - LEFT - RIGHT
        band = min(16.0, inner * 0.3 / max(1, len(idle)))
        busy -= sum(other - one for one, other in idle)
        self.idle = idle
        self.band = band
        self.per = (inner - band * len(idle)) / busy if busy > 0 else 0.0
        self._begin = begin
        self._starts = [one for one, _ in idle]
        self._before = [0.0]
        for one, other in idle:
            self._before.append(self._before[-1] + other - one)

    def __call__(self, at: float) -> float:
        n = bisect_right(self._starts, at)
        x = LEFT + (at - self._begin - self._before[n]) * self.per + self.band * n
        if n and at < self.idle[n - 1][1]:  # within an idle stretch
            one, other = self.idle[n - 1]
            x = LEFT + (one - self._begin - self._before[n - 1]) * self.per + self.band * (n - 1)
            x += self.band * (at - one) / (other - one)
        return min(max(x, LEFT), WIDTH - RIGHT)


def contexts(session: Session) -> list[tuple[float, int]]:
    """Tokens that the main model was given at each request: (seconds, tokens)."""
    found = []
    for entry in session.entries:
        if isinstance(entry, Message) and entry.usage is not None and entry.time is not None:
            usage = entry.usage
            n = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h
            if n:
                found.append((entry.time.timestamp(), n))
    found.sort()
    return found


def draw(document: Document, zone: tzinfo, page_of: dict[int, str]) -> Markup:
    """The drawing, or nothing where fewer than two times are known."""
    rows = lanes(document, page_of)
    times = sorted({mark.at for lane in rows for mark in lane.marks})
    tokens = contexts(document.session)
    if len(times) < 2 or times[-1] - times[0] < 1:
        return Markup()
    begin, end = times[0], times[-1]
    scale = Scale(times)
    shown, extra = rows[:LANES], rows[LANES:]
    if extra:
        last = shown[-1]
        merged = sorted([mark for lane in (last, *extra) for mark in lane.marks], key=lambda mark: mark.at)
        shown[-1] = Lane(f"{len(extra) + 1} more agents", last.anchor, merged)
    bottom = AXIS + LANE * len(shown) + (TOKENS if tokens else 0) + 2
    height = bottom + (NAMES if scale.idle else 6)
    out: list[str] = []
    out.extend(_idle(scale, height, bottom))
    out.extend(_axis(scale, begin, end, zone, bottom))
    for n, lane in enumerate(shown):
        out.extend(_lane(lane, scale, AXIS + LANE * n + LANE / 2, bottom))
    if tokens:
        out.append(_tokens([each for each in tokens if begin <= each[0] <= end], scale, bottom))
    # The numbers are ours; words in it were escaped one by one.
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {height}" role="group" aria-label="Timeline of the session; the same as a list '
        f'follows" xmlns="http://www.w3.org/2000/svg">{"".join(out)}</svg>'
    )


def _local(at: float, zone: tzinfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(at, zone)
    except (OverflowError, ValueError, OSError):
        return None


def _axis(scale: Scale, begin: float, end: float, zone: tzinfo, bottom: float) -> Iterable[str]:
    """Labels at round times, each where its time is. Within idle time, which isn't to scale, there are none."""
    first, last = _local(begin, zone), _local(end, zone)
    if first is None or last is None:
        return
    several_days = first.date() != last.date()
    gap = 92 if several_days else 62
    step = _step(gap / scale.per if scale.per else end - begin)
    if several_days:  # beside a day there is no room for seconds
        step = max(step, 60.0)
    form = "%H:%M" if step >= 60 else "%H:%M:%S"
    taken = -1000.0
    starts = [begin, *(other for _, other in scale.idle)]
    stops = [*(one for one, _ in scale.idle), end]
    for start, stop in zip(starts, stops, strict=True):
        for at in _round_times(start, stop, step, zone) or [start]:
            x, shown = scale(at), _local(at, zone)
            if shown is None or x - taken < gap or x > WIDTH - RIGHT - gap / 3:
                continue
            taken = x
            label = f"{shown.day} {shown:%b} " if several_days else ""
            label += f"{shown:{form}}" if step < DAY or not several_days else ""
            yield f'<path class="axis" d="M{x:.1f} {AXIS}V{bottom:.0f}"/>'
            yield f'<text x="{x + 3:.1f}" y="12">{label.strip()}</text>'


def _step(least: float) -> float:
    """The shortest round step of so many seconds or more."""
    weeks = 7 * DAY
    while weeks < least:
        weeks *= 2
    return next((step for step in STEPS if step >= least), weeks)


def _round_times(start: float, stop: float, step: float, zone: tzinfo) -> list[float]:
    """The multiples of a step on the zone's clock, from start to stop."""
    local = _local(start, zone)
    offset = local.utcoffset() if local is not None else None
    ahead = offset.total_seconds() if offset is not None else 0.0
    first, last = ceil((start + ahead) / step), floor((stop + ahead) / step)
    return [n * step - ahead for n in range(first, last + 1)]


def _idle(scale: Scale, height: float, bottom: float) -> Iterable[str]:
    """Bands for the idle stretches, and under them how long they were, where there is room for it."""
    taken = -1000.0
    for one, other in scale.idle:
        x = scale(one)
        lasted = text.duration((other - one) * 1000)
        yield (
            f'<rect class="idle" x="{x:.1f}" y="{AXIS}" width="{scale.band:.1f}" height="{bottom - AXIS:.1f}">'
            f"<title>idle for {lasted}, not to scale</title></rect>"
        )
        words = f"idle {lasted}"
        half = len(words) * 3.4
        middle = min(x + scale.band / 2, WIDTH - half)
        if middle - half > taken:
            taken = middle + half + 8
            yield f'<text x="{middle:.1f}" y="{height - 3:.0f}" text-anchor="middle">{words}</text>'


def _lane(lane: Lane, scale: Scale, y: float, bottom: float) -> Iterable[str]:
    begins = scale(lane.marks[0].at) if lane.marks else WIDTH - RIGHT
    label = escape(_fitting(text.one_line(lane.name, 200), max(begins - 8, LEFT - 4)))
    full = escape(text.one_line(lane.name, 200))
    words = f'<text x="0" y="{y + 4:.0f}">{label}<title>{full}</title></text>'
    yield f'<a href="{lane.anchor}" tabindex="-1">{words}</a>' if lane.anchor else words
    if not lane.marks:
        return
    first, last = scale(lane.marks[0].at), scale(lane.marks[-1].at)
    yield f'<rect class="span" x="{first:.1f}" y="{y - 3:.1f}" width="{max(last - first, 2):.1f}" height="6" rx="3"/>'
    by_pixel: dict[tuple[str, int], tuple[Mark, int]] = {}
    for mark in lane.marks:
        if mark.kind == "span":
            continue
        key = (mark.kind, round(scale(mark.at) / (2 if mark.kind == "call" else 5)))
        held = by_pixel.get(key)
        by_pixel[key] = (mark, 1) if held is None else (held[0], held[1] + 1)
    order = {"call": 0, "error": 1, "cut": 2, "prompt": 3}
    for (kind, _), (mark, n) in sorted(by_pixel.items(), key=lambda item: (order[item[0][0]], item[1][0].at)):
        x = scale(mark.at)
        title = escape(text.one_line(mark.title, 90))
        if kind == "prompt":
            shape = f'<path class="p" d="M{x:.1f} {y - 8:.1f}l5 8l-5 8l-5 -8z"/>'
            title = Markup("Prompt: {}").format(title)
        elif kind == "error":
            shape = f'<path class="x" d="M{x - 5:.1f} {y + 8:.1f}h10l-5 -9z"/>'
            title = Markup("Failed: {}").format(title)
        elif kind == "cut":
            shape = f'<path class="cut" d="M{x:.1f} {AXIS}V{bottom:.0f}"/>'
        else:
            shape = f'<rect class="call" x="{x - 0.8:.1f}" y="{y - 6:.1f}" width="1.6" height="12"/>'
        if n > 1:
            title += Markup(" and {} more").format(n - 1)
        yield f'<a href="{mark.anchor}" tabindex="-1" aria-label="{title}">{shape}<title>{title}</title></a>'


def _fitting(words: str, room: float) -> str:
    """What of a name fits the room before its lane's first mark. Letters of East Asia are twice as wide."""
    if _width(words) <= room:
        return words
    n, width = 0, _width("…")
    while n < len(words) and (width := width + _width(words[n])) <= room:
        n += 1
    return words[:n].rstrip() + "…"


def _width(words: str) -> float:
    """About how wide words are drawn, in the drawing's units."""
    return LETTER * sum(2 if east_asian_width(letter) in "WF" else 1 for letter in words)


def _tokens(points: list[tuple[float, int]], scale: Scale, bottom: float) -> str:
    if not points:
        return ""
    most = max(n for _, n in points)
    room = TOKENS - 12
    by_pixel: dict[int, int] = {}
    for at, n in points:
        x = round(scale(at))
        by_pixel[x] = max(by_pixel.get(x, 0), n)
    xs = sorted(by_pixel)
    path = [f"M{xs[0]} {bottom}"]
    for x in xs:
        path.append(f"V{bottom - by_pixel[x] / most * room:.1f}")
        path.append(f"H{x + 1}")
    steps = "".join(_stepped(xs, by_pixel, most, room, bottom))
    return (
        f'<path class="tok" d="M{xs[0]} {bottom}{steps}V{bottom}z"><title>Tokens in the context, at most '
        f"{text.number(most)}</title></path>"
        f'<text x="0" y="{bottom - room / 2 - 3:.0f}">context</text>'
        f'<text x="0" y="{bottom - room / 2 + 10:.0f}">≤ {text.short_number(most)} tokens</text>'
    )


def _stepped(xs: list[int], tokens: dict[int, int], most: int, room: float, bottom: float) -> Iterable[str]:
    for n, x in enumerate(xs):
        yield f"V{bottom - tokens[x] / most * room:.1f}"
        yield f"H{xs[n + 1] if n + 1 < len(xs) else x + 2}"
