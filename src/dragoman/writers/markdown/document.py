"""The document: front matter, contents, turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from functools import cached_property
from math import floor, log10

from dragoman import stats
from dragoman.model import Media, Message, Reasoning, Session, Text, Unknown
from dragoman.render import figures as worded
from dragoman.render import text, tools
from dragoman.render.turns import AgentRun, Answer, Branch, Call, Divider, Document, Note, Part, Prompt, Step, Turn
from dragoman.report import Report
from dragoman.writers.markdown import inline
from dragoman.writers.markdown.calls import Calls
from dragoman.writers.markdown.inline import clean, details, fence, phrase
from dragoman.writers.markdown.pictures import Pictures
from dragoman.writers.markdown.prose import prose

OPEN_OUTPUT = 20
"""Lines of a command's output that are shown open."""

_KINDS = {
    "queued_prompt": "sent while the agent was working",
    "unsent_prompt": "not sent yet when the session ends",
    "slash_command": "command",
    "shell_input": "shell",
    "memory_note": "to remember",
    "plan": "an accepted plan",
}


class Page:
    """Writes one document."""

    def __init__(self, document: Document, pictures: Pictures, zone: tzinfo, report: Report) -> None:
        self.document = document
        self.pictures = pictures
        self.zone = zone
        self.report = report
        self.day = ""
        self._calls: dict[int, Calls] = {}

    def sections(self, turns: Sequence[Turn]) -> Iterator[str]:
        """Some of the turns, a piece each."""
        for turn in turns:
            yield self.turn(turn, 0)
        self.tell()

    def ending(self) -> str:
        """What stands after all turns."""
        if not self.document.loose:
            return ""
        made = "\n".join(self.run(run, 0) for run in self.document.loose)
        self.tell()
        return f"\n## Agents without a call\n\n{made}"

    def tell(self) -> None:
        for calls in self._calls.values():
            calls.tell()

    @cached_property
    def figures(self) -> stats.Stats:
        """Tokens, cost and time. Worked out late: the second half of a document may do without."""
        return stats.of(self.document.session)

    # the head

    def opening(self) -> str:
        session = self.document.session
        header = session.header
        title = self.title()
        facts: list[tuple[str, str]] = [("title", title)]
        for key, value in (
            ("session", header.id), ("format", header.format), ("agent", f"{header.agent} {header.agent_version}".strip()),
            ("provider", header.provider), ("project", header.cwd), ("branch", header.git_branch),
        ):  # fmt: skip
            if value:
                facts.append((key, value))
        lines = ["---", *(f"{key}: {inline.yaml(value)}" for key, value in facts)]
        if header.models:
            lines.append(f"models: [{', '.join(inline.yaml(model) for model in header.models)}]")
        for key, time in zip(("started", "ended"), worded.span(header, self.figures), strict=True):
            if shown := text.iso(time, self.zone):
                lines.append(f"{key}: {shown}")
        if header.parent is not None:
            lines.append(f"{inline.yaml(header.parent.kind or 'parent')}-from: {inline.yaml(header.parent.session_id)}")
        lines.extend(f"{key}: {value}" for key, value in _totals(session, self.figures))
        lines.extend(["---", "", f"# {phrase(title)}", ""])
        lines.append(f"*{' · '.join(self.summary(session))}*")
        prompts = self.document.prompts
        if len(prompts) > 1:
            lines.append("")
            lines.extend(f"{prompt.number}. [{phrase(prompt.title)}](#prompt-{prompt.number})" for prompt in prompts)
        return "\n".join(lines) + "\n"

    def title(self) -> str:
        header = self.document.session.header
        if header.title.strip():
            words = clean(header.title)
            return text.unmarked(words, len(words))
        prompts = self.document.prompts
        return prompts[0].title if prompts else f"Session {header.id}".strip()

    def summary(self, session: Session) -> list[str]:
        header = session.header
        facts = [phrase(each) for each in (header.agent or header.format, *header.models) if each]
        started, ended = (text.moment(each, self.zone) for each in worded.span(header, self.figures))
        if started:
            facts.append(f"{started} – {ended}" if ended and ended != started else started)
        total = self.figures.total
        facts.extend(worded.typed(self.figures.main))
        if total.tool_calls:
            facts.append(text.count(total.tool_calls, "tool call"))
        facts.extend(
            (
                worded.elapsed(header, self.figures),
                worded.at_work(self.figures),
                worded.tokens(total),
                worded.cost(total),
            )
        )
        return [each for each in facts if each]

    # turns

    def turn(self, turn: Turn, depth: int) -> str:
        match turn:
            case Prompt():
                return self.prompt(turn, depth)
            case Answer():
                return self.answer(turn, depth)
            case Note():
                return "\n" + self.note(turn, depth)
            case Divider():
                when = self.time(turn.time)
                return f"\n---\n\n*{phrase(turn.title)}{f' · {when}' if when else ''}*\n"
            case Branch():
                inside = "".join(self.turn(each, depth + 1) for each in turn.turns)
                return "\n" + details(f"Abandoned branch · {text.count(turn.messages, 'message')}", inside.lstrip("\n"))

    def prompt(self, prompt: Prompt, depth: int) -> str:
        origin = prompt.message.origin
        if depth == 0:
            self.day = ""  # each prompt tells its day
        name = "Task" if origin == "task" else "Prompt"
        number = f" {prompt.number}" if depth == 0 else ""
        facts = [each for each in (self.time(prompt.time), _KINDS.get(origin, "")) if each]
        out = [f"\n{_heading(depth, 0)} {name}{number}\n"]
        if facts:
            out.append(f"*{' · '.join(facts)}*\n")
        if origin == "shell_input":
            words = "\n".join(part.text for part in prompt.parts if isinstance(part, Text))
            out.append(fence(clean(words), "bash"))
            rest: tuple[Part, ...] = tuple(part for part in prompt.parts if not isinstance(part, Text))
        else:
            rest = prompt.parts
        out.extend(self.parts(rest, depth, prompt.message, hard=True))
        return "\n".join(out)

    def answer(self, answer: Answer, depth: int) -> str:
        facts = [each for each in (phrase(answer.model), self.time(answer.time)) if each]
        out = [f"\n{_heading(depth, 1)} Answer\n"]
        if facts:
            out.append(f"*{' · '.join(facts)}*\n")
        for item in answer.items:
            if isinstance(item, Note):
                out.append(self.note(item, depth))
            else:
                self.step(item, depth, out)
        if answer.left_out:
            out.append(f"*{text.count(answer.left_out, 'tool call')} left out*\n")
        return "\n".join(out)

    def step(self, step: Step, depth: int, out: list[str]) -> None:
        out.extend(self.parts(step.parts, depth, step.message))

    def parts(self, parts: tuple[Part, ...], depth: int, message: Message, *, hard: bool = False) -> list[str]:
        out: list[str] = []
        level = _level(depth, 2)
        for part in parts:
            if isinstance(part, Text):
                out.append(self.prose(part.text, level, hard=hard))
            elif isinstance(part, Call):
                out.append(self.call(part, depth))
            elif isinstance(part, Reasoning):
                out.append(details("Thinking", self.prose(part.text, level)))
            elif isinstance(part, Media):
                out.append(self.pictures.markdown(part, message.span))
            elif isinstance(part, Unknown):
                out.append(self.calls(depth).unknown(part))
        return out

    def prose(self, words: str, level: int, *, hard: bool = False) -> str:
        return prose(clean(words).strip("\n"), level, hard=hard) + "\n"

    def call(self, call: Call, depth: int) -> str:
        if not call.runs:
            return self.calls(depth).markdown(call)
        made = self.calls(depth).markdown(call, self.figures)
        line = tools.summary(call) if len(call.runs) == 1 else None
        return "\n".join([made, *(self.run(run, depth, line) for run in call.runs)])

    def calls(self, depth: int) -> Calls:
        """The writer of calls at a depth, which decides how far down their headings go."""
        level = _level(depth, 2)
        if level not in self._calls:
            self._calls[level] = Calls(self.pictures, self.report, level)
        return self._calls[level]

    def run(self, run: AgentRun, depth: int, line: tools.Summary | None = None) -> str:
        """What an agent did. `line`: the call's, just above, where the agent is its only one and its figures are there."""
        agent = run.agent
        told = [each for each in (inline.html(agent.kind) or "Agent", inline.html(agent.description)) if each]
        facts = [] if line is not None and line.names(agent) else [": ".join(told)]
        if run.parts > 1:
            facts.append(f"part {run.part} of {run.parts}")
        if not run.turns and not run.loose:
            return f"▸ Agent {phrase(agent.kind or agent.agent_id)}: nothing more here\n"
        facts.append(text.count(sum(1 for _ in agent.session.messages), "message"))
        if line is None:
            facts.extend(worded.of_runs(self.figures, (run,)))
        held = self.day
        inside = "".join(self.turn(each, depth + 1) for each in run.turns)
        inside += "".join("\n" + self.run(each, depth + 1) for each in run.loose)
        self.day = held
        return details(f"Agent · {' · '.join(facts)}", inside.lstrip("\n"))

    def note(self, note: Note, depth: int) -> str:
        level = _level(depth, 2)
        when = self.time(note.time)
        title = inline.opening(note.title)
        sign = "⚠ " if note.alarm else ""
        head = f"> {sign}{title}{f' · {when}' if when else ''}\n"
        body: list[str] = []
        if note.form == "prose":
            if note.text.strip():
                body.append(self.prose(note.text, level))
            message = note.entry if isinstance(note.entry, Message) else Message(role="user", origin="injected")
            body.extend(self.parts(note.parts, depth, message))
        else:
            words = note.text or "\n".join(part.text for part in note.parts if isinstance(part, Text))
            rest = tuple(part for part in note.parts if not isinstance(part, Text))
            if words.strip():
                body.append(fence(clean(words.strip("\n")), "json" if note.form == "json" else "text"))
            if rest and isinstance(note.entry, Message):
                body.extend(self.parts(rest, depth, note.entry))
        if not body:
            return head
        made = "\n".join(body)
        if note.folded or (note.form != "prose" and made.count("\n") > OPEN_OUTPUT):
            return details(f"{sign}{inline.html(note.title)}", made)
        return f"{head}\n{made}"

    def time(self, when: datetime | None) -> str:
        """The time of day, with the day at each prompt and where it is another than the last one told."""
        day = text.day(when, self.zone)
        if not day or when is None:
            return ""
        if day == self.day:
            return text.clock(when, self.zone)
        self.day = day
        return f"{day} {text.clock(when, self.zone)}"


def _level(depth: int, below: int) -> int:
    """How deep a heading stands: prompts of the session 2, answers 3, within agents further down."""
    return min(6, 2 + 2 * depth + below)


def _heading(depth: int, below: int) -> str:
    return "#" * _level(depth, below)


def _totals(session: Session, figures: stats.Stats) -> Iterator[tuple[str, str]]:
    """Figures for the front matter, subagents included."""
    total = figures.total
    if wall_ms := worded.conversation(figures).wall_ms:
        yield "wall-seconds", str(round(wall_ms / 1000))
    if total.active_ms:
        yield "active-seconds", str(round(total.active_ms / 1000))
    yield "prompts", str(figures.main.prompts)
    if figures.main.commands:
        yield "commands", str(figures.main.commands)
    if total.tool_calls:
        yield "tool-calls", str(total.tool_calls)
    if total.tool_errors:
        yield "tool-errors", str(total.tool_errors)
    if agents := worded.agents(session):
        yield "subagents", str(agents)
    if total.tokens.total:
        yield "tokens-in", str(total.tokens.prompt)
        yield "tokens-out", str(total.tokens.output)
        if not total.complete:
            yield "tokens-complete", "false"
        if total.cost_usd is not None:
            yield "cost-usd", _decimal(total.cost_usd)
            if not total.complete:
                yield "cost-complete", "false"


def _decimal(amount: float) -> str:
    """`0.31`, `0.0042`, `0.0000071`: at least two decimals, and two digits of what is less than a cent."""
    return f"{amount:.2f}" if not 0 < amount < 0.01 else f"{amount:.{1 - floor(log10(amount))}f}"
