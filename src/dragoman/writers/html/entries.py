"""The conversation as HTML, turn by turn: prompts as the spine, answers as prose, the rest folded.

Each turn is made when it is asked for, so that a page is never in memory as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from msgspec.structs import replace

from dragoman.model import Media, Message, Reasoning, Text, Unknown
from dragoman.render import figures as worded
from dragoman.render import text, tools
from dragoman.render.tools import views
from dragoman.render.turns import AgentRun, Answer, Branch, Call, Divider, Note, Part, Prompt, Step, Turn
from dragoman.report import Code, Report
from dragoman.stats import Stats
from dragoman.writers.html.ui import Stamp, Ui

if TYPE_CHECKING:
    from jinja2 import Environment

SPEAKERS = {
    "prompt": "Prompt",
    "queued_prompt": "Prompt",
    "unsent_prompt": "Prompt",
    "task": "Task",
    "slash_command": "Command",
    "shell_input": "Shell",
    "memory_note": "Note",
    "plan": "Plan",
}
TAGS = {
    "queued_prompt": "typed while the agent worked",
    "unsent_prompt": "never sent",
    "plan": "accepted plan",
    "memory_note": "memory note",
}

_TAG = re.compile(r"</?[a-z][a-z-]{0,40}>")
"""The tags that the machinery's words are wrapped in: no news in a summary."""

CODE_VIEWS = ("terminal", "file_read", "file_edit", "search", "notebook", "generic", "web_fetch")
"""Views whose summary speaks of a command, a path or a pattern."""

OPEN_VIEWS = ("questions", "plan", "message")
"""Views that are talk with a person: never folded."""


class Entries:
    """Makes the entries of one page.

    `tools` numbers the tools and `agents` the subagents in the order in which they appear: the page's own names
    for them, since a transcript's can hold anything.
    """

    def __init__(
        self,
        environment: Environment,
        ui: Ui,
        tool_numbers: dict[str, int],
        agent_numbers: dict[int, int],
        figures: Stats,
        *,
        lazy: bool,
    ) -> None:
        self.ui = ui
        self.lazy = lazy
        entry: Any = environment.get_template("entry.html").make_module({"ui": ui})
        self._entry = entry
        self._block: Any = environment.get_template("block.html").make_module({"ui": ui})
        self._folded: Any = entry.fold
        self.tools = tool_numbers
        self.agents = agent_numbers
        self._figures = figures
        self._depth = 0
        self._level = 2  # of the headings that prompts are

    def _fold(
        self,
        kind: str,
        anchor: str,
        name: str,
        detail: str,
        stamp: Stamp | None,
        body: Markup,
        *,
        classes: str = "",
        told: str = "",
        bad: bool = False,
        tool: int | None = None,
        agent: int | None = None,
        lazy: bool = False,
        opened: bool = False,
        code: bool = False,
    ) -> str:
        """A folded entry. `kind` is one of the page's filters, `classes` further ones for its looks."""
        marks = f'class="e fold {kind}{classes}{" err" if bad else ""}" id="{anchor}" data-k="{kind}"'
        if tool is not None:
            marks += f' data-t="{tool}"'
        if agent is not None:
            marks += f' data-a="{agent}"'
        made: Markup = self._folded(
            Markup(anchor),
            Markup(marks),
            Markup(" open") if opened else Markup(),
            name,
            code,
            detail,
            bad,
            told,
            stamp.short if stamp else "#",
            stamp is not None and stamp.again,
            lazy and self.lazy and not opened,
            body,
        )
        return made

    def sections(self, turns: Iterable[Turn], report: Report) -> Iterator[Markup]:
        """The sections of a page's turns. A prompt and what follows it until the next one are a section."""
        self.ui.report = report
        yield from self._sections(turns)

    def _sections(self, turns: Iterable[Turn]) -> Iterator[Markup]:
        held: list[Turn] = []
        for turn in turns:
            if held and isinstance(turn, Prompt | Divider):
                yield self._section(held)
                held = []
            if isinstance(turn, Divider):
                yield self._entry.divider(turn.anchor, turn.title, self.ui.stamp(turn.time))
            else:
                held.append(turn)
        if held:
            yield self._section(held)

    def _section(self, turns: list[Turn]) -> Markup:
        made = "".join([self._turn(turn) for turn in turns])
        tall = f" z{height(turns)}" if self.lazy and not self._depth else ""
        return Markup(f'<section class="turn{tall}">{made}</section>\n')

    def loose(self, runs: Iterable[AgentRun], report: Report) -> Markup:
        """Agents that link to no call, at the end."""
        self.ui.report = report
        made = [self._agent_fold(run) for run in runs]
        return Markup(
            f'<section class="turn"><h2 class="side">Agents not linked to a call</h2>{"".join(made)}</section>\n'
        )

    @contextmanager
    def _within(self) -> Iterator[None]:
        """Turns within a turn: their prompts are headings where an answer's would be, and theirs are below them."""
        before = self._level, self.ui.level
        self._level = self.ui.level
        self._depth += 1
        yield
        self._depth -= 1
        self._level, self.ui.level = before

    def _turn(self, turn: Turn) -> str:
        if isinstance(turn, Prompt):
            return self._prompt(turn)
        if isinstance(turn, Answer):
            return self._answer(turn)
        if isinstance(turn, Note):
            return self._note(turn)
        if isinstance(turn, Divider):
            return str(self._entry.divider(turn.anchor, turn.title, self.ui.stamp(turn.time)))
        return self._branch(turn)

    def _prompt(self, prompt: Prompt) -> str:
        origin = prompt.message.origin
        who = SPEAKERS.get(origin, "Prompt")
        tags = [TAGS[origin]] if origin in TAGS else []
        self.ui.listings.at(prompt.anchor, f"{who} {prompt.number}")
        self.ui.report.at = prompt.message.span
        self.ui.level = self._level + 1
        body = Markup().join(self._said(part, origin) for part in prompt.parts)
        return str(self._entry.prompt(prompt, min(self._level, 6), who, tags, self.ui.stamp(prompt.time), body))

    def _said(self, part: Part, origin: str) -> Markup:
        """A part of a prompt. What people type keeps its line ends; it is Markdown only where it is made to be."""
        ui = self.ui
        if isinstance(part, Text):
            if origin == "shell_input":
                return ui.plain(part.text, "shell")
            if origin in ("plan", "task"):
                return Markup('<div class="prose" dir="auto">{}</div>').format(ui.prose(part.text))
            return Markup('<div class="prose said" dir="auto">{}</div>').format(ui.prose(part.text))
        if isinstance(part, Media):
            return ui.media(part)
        if isinstance(part, Unknown):
            return Markup('<p class="label">Unknown block: {}</p>{}').format(
                text.one_line(part.kind), ui.json(part.value)
            )
        if isinstance(part, Reasoning):
            return ui.prose(part.text)
        return Markup(self._call(part))

    def _answer(self, answer: Answer) -> str:
        made: list[str] = []
        withheld = sum(
            1
            for item in answer.items
            if isinstance(item, Step)
            for block in item.message.blocks
            if isinstance(block, Reasoning) and block.withheld and not block.text
        )
        who: str | None = text.one_line(answer.model, 60) or "Answer"
        tags = [f"thinking withheld ×{withheld}" if withheld > 1 else "thinking withheld"] if withheld else []
        for item in answer.items:
            if isinstance(item, Note):
                made.append(self._note(item))
                continue
            first = True
            for number, part in enumerate(item.parts):
                anchor = item.anchor if first and not isinstance(part, Call) else f"{item.anchor}-p{number}"
                self.ui.report.at = item.message.span
                if isinstance(part, Text | Media):
                    self.ui.listings.at(anchor, "an answer")
                    body = self.ui.prose(part.text) if isinstance(part, Text) else self.ui.media(part)
                    made.append(self._entry.answer(anchor, who, tags, self.ui.stamp(item.time), body))
                    who, tags = None, []
                else:
                    made.append(self._part(part, anchor, item.message))
                if anchor == item.anchor:
                    first = False
        if answer.left_out:
            made.append(
                Markup('<p class="label left">{}</p>').format(text.count(answer.left_out, "tool call") + " left out")
            )
        return "".join(made)

    def _part(self, part: Part, anchor: str, message: Message) -> str:
        if isinstance(part, Call):
            return self._call(part)
        self.ui.listings.at(anchor, "a block")
        stamp = self.ui.stamp(message.time)
        if isinstance(part, Reasoning):
            first = text.unmarked(part.text, 110)
            body = Markup('<div class="prose" dir="auto">{}</div>').format(self.ui.prose(part.text))
            return self._fold("thinking", anchor, "Thinking", first, stamp, body, lazy=True)
        if isinstance(part, Unknown):
            body = self.ui.json(part.value)
            name = f"Unknown block: {text.one_line(part.kind, 60)}"
            return self._fold("note", anchor, name, "", stamp, body, lazy=True)
        return str(self._said(part, "prompt"))

    def _call(self, call: Call) -> str:
        view = tools.view(call)
        line = worded.line(self._figures, call, view)
        self._tell(call, view)
        self.ui.report.at = call.message.span
        anchor = call.anchor
        number = self.tools.setdefault(call.name, len(self.tools))
        bad = line.tone in ("failed", "rejected", "interrupted")
        stamp = self.ui.stamp(call.time)
        tag = str(type(view).__struct_config__.tag)
        self.ui.listings.at(anchor, f"{line.name} {line.detail}"[:80])
        extra = bool(view.rest or view.more or view.media or view.reminders or view.unknown)
        extra = extra or bool(view.feedback and not (isinstance(view, views.Questions) and view.answers_are_all))
        told = " · ".join(line.facts)
        form = getattr(self._block, tag)
        if call.runs:
            if isinstance(view, views.MessageToHuman) and view.text.strip() in call.tasks:
                view = replace(view, text="")  # it stands at the head of the agent's turns
            is_agent = isinstance(view, views.Agent)
            own = self._block.agent(view, extra, line.detail, True) if is_agent else form(view, extra, line.detail)
            return self._fold(
                "tool",
                anchor,
                line.name,
                line.detail,
                stamp,
                Markup().join([own, *(self._run(run, line if len(call.runs) == 1 else None) for run in call.runs)]),
                classes=" agent",
                told=told,
                bad=bad,
                tool=number,
                agent=self.agent_number(call.runs[0]),
            )
        return self._fold(
            "tool",
            anchor,
            line.name,
            line.detail,
            stamp,
            form(view, extra, line.detail),
            told=told,
            bad=bad,
            tool=number,
            lazy=True,
            classes=" talk" if tag in OPEN_VIEWS else "",
            opened=tag in OPEN_VIEWS,
            code=tag in CODE_VIEWS,
        )

    def _tell(self, call: Call, view: views.View) -> None:
        """Report what the view leaves out."""
        if not view.left_out and (call.result is None or call.result.structured is None or view.structured_shown):
            return
        block = call.result or call.call
        span = (block.span if block is not None else None) or call.message.span
        for what in view.left_out:
            self.ui.report.add(Code.DROPPED_FIELD, span, what)
        if call.result is not None and call.result.structured is not None and not view.structured_shown:
            self.ui.report.add(Code.DROPPED_STRUCTURED, span)

    def agent_number(self, run: AgentRun) -> int:
        """The page's own number of a run's agent."""
        return self.agents.setdefault(id(run.agent), len(self.agents))

    def _run(self, run: AgentRun, line: tools.Summary | None = None) -> Markup:
        """What an agent did. `line`: the call's, just above, where the agent is its only one and its figures are there."""
        agent = run.agent
        name = text.one_line(agent.description or agent.kind or "Agent", 80)
        part = f"part {run.part} of {run.parts}" if run.parts > 1 else ""
        title = ", ".join(filter(None, (f"Agent: {name}", part)))
        if not run.turns and not run.loose:
            return Markup('<p class="label">{}</p>').format(title)
        if line is None:
            told = [title, *worded.of_runs(self._figures, (run,))]
        else:
            told = list(filter(None, [part.capitalize() if line.names(agent) else title]))
        with self._within():
            inner = [str(section) for section in self._sections(run.turns)]
            inner.extend(self._agent_fold(loose) for loose in run.loose)
        made: Markup = self._entry.run(
            run.anchor,
            title,
            told,
            Markup("".join(inner)),
        )
        return made

    def _agent_fold(self, run: AgentRun) -> str:
        agent = run.agent
        name, description = text.one_line(agent.kind, 60) or "Agent", text.one_line(agent.description)
        stamp = self.ui.stamp(next((entry.time for entry in agent.session.entries if entry.time), None))
        return self._fold(
            "tool",
            f"{run.anchor}-fold",
            name,
            description,
            stamp,
            self._run(run, tools.Summary(name, f"{name} {description}", (), "ok")),
            classes=" agent",
            told=" · ".join(worded.of_runs(self._figures, (run,))),
            agent=self.agent_number(run),
        )

    def _note(self, note: Note) -> str:
        stamp = self.ui.stamp(note.time)
        self.ui.listings.at(note.anchor, note.title[:80])
        pieces: list[Markup] = []
        for part in note.parts:
            if isinstance(part, Text) and note.form != "prose":
                pieces.append(self._form(part.text, note.form))
            elif isinstance(part, Text):
                pieces.append(Markup('<div class="prose" dir="auto">{}</div>').format(self.ui.prose(part.text)))
            elif isinstance(part, Call):
                pieces.append(Markup(self._call(part)))
            else:
                pieces.append(self._said(part, "prompt"))
        if note.text:
            pieces.append(self._form(note.text, note.form))
        if not pieces or (note.kind == "interrupt" and _bare_interrupt(note)):
            return str(self._entry.line(note.anchor, "note", note.alarm, note.title, stamp))
        gist = ""
        words = next((part.text for part in note.parts if isinstance(part, Text)), note.text)
        if note.form != "json" and note.folded:
            gist = text.unmarked(_TAG.sub("", words[:400]), 100)
        has_calls = any(isinstance(part, Call) for part in note.parts)
        return self._fold(
            "note",
            note.anchor,
            note.title,
            gist,
            stamp,
            Markup().join(pieces),
            classes=" withdrawn" if note.kind == "withdrawn" else "",
            bad=note.alarm,
            lazy=note.folded and not has_calls,
            opened=not note.folded,
        )

    def _form(self, source: str, form: str) -> Markup:
        if form == "terminal":
            return self.ui.terminal(source)
        if form == "json":
            return self.ui.plain(source, "json")
        return Markup('<div class="prose" dir="auto">{}</div>').format(self.ui.prose(source))

    def _branch(self, branch: Branch) -> str:
        with self._within():
            inner = Markup().join(self._sections(branch.turns))
        return str(self._entry.branch(branch.anchor, branch.messages, inner))


def height(turns: Iterable[Turn]) -> int:
    """About how tall a section is, as a power of two of lines: for the browser, which lays it out when it is near."""
    lines = 0
    for turn in turns:
        parts = [turn] if not isinstance(turn, Answer) else turn.items
        for item in parts:
            if isinstance(item, Prompt | Step):
                for part in item.parts:
                    lines += 2 + len(part.text) // 75 if isinstance(part, Text) else 1
            else:
                lines += 1
    return max(lines, 4).bit_length()


def _bare_interrupt(note: Note) -> bool:
    """Whether the note says no more than its title does."""
    return all(isinstance(part, Text) and part.text.strip().startswith("[Request interrupted") for part in note.parts)
