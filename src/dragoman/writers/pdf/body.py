"""The session's turns as blocks, one after the other, and the bookmarks that they give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import tzinfo
from html import escape
from itertools import chain, zip_longest

from dragoman.model import Media, Reasoning, Span, Subagent, Text, Unknown
from dragoman.render import figures as worded
from dragoman.render import text
from dragoman.render.tools import Summary, view
from dragoman.render.turns import (
    AgentRun,
    Answer,
    Branch,
    Call,
    Divider,
    Document,
    Note,
    Part,
    Prompt,
    Step,
    Turn,
)
from dragoman.stats import Stats
from dragoman.writers.pdf import tools, wrap
from dragoman.writers.pdf.blocks import DEEPEST, Block, Setter, height
from dragoman.writers.pdf.join import Bookmark
from dragoman.writers.pdf.shorten import OUTPUT, QUIET, THOUGHT, WHOLE

RUNNING = 56
"""Cells of a prompt's title in the running header."""

CAPTION = 8.0
"""Lines of a text that stays with the picture after it."""

BOOKMARK = 100
"""Characters of a bookmark's title at most."""

OF_PROMPT = {
    "queued_prompt": "typed while the agent was working",
    "unsent_prompt": "not sent",
    "task": "task",
    "slash_command": "command",
    "shell_input": "shell",
    "memory_note": "note to memory",
    "plan": "plan",
}


class Body:
    """Makes the blocks of a document. `bookmarks` grows while they are made."""

    def __init__(self, document: Document, figures: Stats, setter: Setter, tz: tzinfo) -> None:
        self.document = document
        self.figures = figures
        self.setter = setter
        self.tz = tz
        self.bookmarks: list[Bookmark] = []
        self.running = ""
        self._model = ""

    def blocks(self) -> Iterator[Block]:
        """Every block, in reading order."""
        yield from self._turns(self.document.turns, 0, 0)
        if self.document.loose:
            yield self._block('<h2 class="part" id="agents">Agents that no call names</h2>', 3.0, 0, turn=True)
            self.bookmarks.append(Bookmark(0, "Agents that no call names", "agents"))
            for run in self.document.loose:
                yield from self._run(run, 1, 1)

    def _block(self, html: str, lines: float, depth: int, *, turn: bool = False, kind: str = "b") -> Block:
        depth = min(depth, DEEPEST)
        classes = f"{kind} d{depth}" if depth else kind
        return Block(f'<div class="{classes}">{html}</div>', lines, turn, self.running)

    def _each(self, pieces: Iterable[tuple[str, float]], depth: int, kind: str = "b") -> Iterator[Block]:
        for html, lines in pieces:
            yield self._block(html, lines, depth, kind=kind)

    # turns

    def _turns(self, turns: Iterable[Turn], depth: int, level: int) -> Iterator[Block]:
        """`depth`: how far to indent. `level`: of the bookmarks of agents met on the way."""
        for turn in turns:
            match turn:
                case Prompt():
                    yield from self._prompt(turn, depth)
                case Answer():
                    yield from self._answer(turn, depth, level)
                case Note():
                    yield from self._note(turn, depth, level)
                case Divider():
                    yield self._block(self._rule(turn), 2.5, depth, kind="b rule")
                    if not depth:
                        self.bookmarks.append(Bookmark(0, text.one_line(turn.title, BOOKMARK), turn.anchor))
                case Branch():
                    yield from self._branch(turn, depth, level)

    def _prompt(self, prompt: Prompt, depth: int) -> Iterator[Block]:
        told = OF_PROMPT.get(prompt.message.origin, "")
        clock = text.clock(prompt.time, self.tz)[:5]
        if depth:
            words = " · ".join(each for each in (told or "prompt", clock) if each)
            yield self._block(f'<p class="label" id="{prompt.anchor}">{escape(words.capitalize())}</p>', 1.5, depth)
            yield from self._said(prompt, depth, "b task")
            return
        self.running = f"{prompt.number} · {wrap.head(text.one_line(prompt.title, 70), RUNNING)}"
        self.bookmarks.append(Bookmark(0, f"{prompt.number}. {text.one_line(prompt.title, BOOKMARK)}", prompt.anchor))
        day = text.day(prompt.time, self.tz)
        stamp = f"<small>{day}<br/>{clock}</small>" if clock else ""
        note = f'<p class="label">{escape(told.capitalize())}</p>' if told else ""
        head = f'<h2 id="{prompt.anchor}"><b>{prompt.number}</b>{stamp}</h2>'
        opening = f' first" data-running="{escape(self.running, quote=True)}">{head}{note}'
        blocks = self._said(prompt, 0, "b prompt")
        first = next(blocks, Block('<div class="b prompt"><p>…</p></div>', 1.0))
        if not first.html.startswith('<div class="b prompt'):  # what nobody has a word for looks otherwise
            blocks = chain([first], blocks)
            first = Block('<div class="b prompt head"></div>', 0.0)
        yield Block(first.html.replace('">', opening, 1), first.lines + 4.0, True, self.running)
        yield from blocks

    def _said(self, prompt: Prompt, depth: int, kind: str) -> Iterator[Block]:
        """A prompt's parts, whole; what was typed for a shell is code. A picture stays with the words beside it."""
        for part, after in zip_longest(prompt.parts, prompt.parts[1:]):
            together = _is_caption(part) if isinstance(after, Media) else after is not None and isinstance(part, Media)
            looks = f"{kind} head" if together else kind
            if prompt.message.origin == "shell_input" and isinstance(part, Text):
                yield from self._each(self.setter.source(part.text, depth, WHOLE, language="bash"), depth, looks)
            else:
                yield from self._parts([part], prompt.message.span, depth, 0, looks)

    def _answer(self, answer: Answer, depth: int, level: int) -> Iterator[Block]:
        model = answer.model
        if model and model != self._model and not depth:
            if self._model:
                yield self._block(tools.label(f"Answered by {text.one_line(model, 60)}"), 1.2, depth)
            self._model = model
        for item in answer.items:
            if isinstance(item, Step):
                yield from self._parts(item.parts, item.message.span, depth, level, "b say")
            else:
                yield from self._note(item, depth, level)
        if answer.left_out:
            yield self._block(tools.label(f"{text.count(answer.left_out, 'tool call')} not shown"), 1.2, depth)

    def _parts(self, parts: Iterable[Part], span: Span | None, depth: int, level: int, kind: str) -> Iterator[Block]:
        setter = self.setter
        for part in parts:
            setter.report.at = span
            match part:
                case Text():
                    yield from self._each(setter.prose(part.text, depth), depth, kind)
                case Reasoning():
                    yield self._block(tools.label("Thinking"), 1.1, depth, kind="b t")
                    yield from self._each(setter.shortened(part.text, depth, THOUGHT), depth, "b t thought")
                case Call():
                    yield from self._call(part, depth, level)
                case Media():
                    html, lines = tools.medium(setter, part)
                    yield self._block(html, lines, depth, kind=kind)
                case Unknown():
                    yield from self._each(tools.unknown(setter, part, depth), depth, "b t")

    def _call(self, call: Call, depth: int, level: int) -> Iterator[Block]:
        first = True
        shown = view(call)
        line = worded.line(self.figures, call, shown)
        for html, lines in tools.call(self.setter, call, shown, line, depth):
            yield self._block(html, lines, depth, kind="b t head" if first else "b t")
            first = False
        for run in call.runs:
            yield from self._run(run, depth + 1, level + 1, line if len(call.runs) == 1 else None)
        yield from self._each(tools.answer(self.setter, call, shown, depth), depth, "b t")

    def _run(self, run: AgentRun, depth: int, level: int, line: Summary | None = None) -> Iterator[Block]:
        """What an agent did. `line`: the call's, just above, where the agent is its only one and its figures are there."""
        agent = run.agent
        name = _name(agent)
        told = [f"part {run.part} of {run.parts}"] if run.parts > 1 else []
        header = agent.session.header
        if line is None:
            told.extend(worded.of_runs(self.figures, (run,)))
        if header.models:
            told.append(text.one_line(header.models[0], 60))
        shown = "Agent" if line is not None and line.names(agent) else name
        facts = f' <span class="facts">· {escape(" · ".join(told))}</span>' if told else ""
        yield self._block(
            f'<p class="agent" id="{run.anchor}"><b>{escape(shown)}</b>{facts}</p>', 2.0, depth, kind="b head"
        )
        title = text.one_line(f"{name} ({run.part} of {run.parts})" if run.parts > 1 else name, BOOKMARK)
        self.bookmarks.append(Bookmark(level, title, run.anchor))
        yield from self._turns(run.turns, depth, level)
        for each in run.loose:
            yield from self._run(each, depth + 1, level + 1)

    def _note(self, note: Note, depth: int, level: int) -> Iterator[Block]:
        alarm = " failed" if note.alarm else ""
        yield self._block(
            f'<p class="note{alarm}" id="{note.anchor}">{escape(text.visible(note.title))}</p>',
            1.3,
            depth,
            kind="b t head",
        )
        if note.text:
            if note.form == "json":
                yield from self._each(self.setter.source(note.text, depth, QUIET, language="json"), depth, "b t")
            else:
                yield from self._each(self.setter.terminal(note.text, depth, QUIET, "out faint"), depth, "b t")
        for part in note.parts:
            if note.folded and isinstance(part, Text):
                yield from self._each(self.setter.terminal(part.text, depth, QUIET, "out faint"), depth, "b t")
            elif note.form == "terminal" and isinstance(part, Text):
                yield from self._each(self.setter.terminal(part.text, depth, OUTPUT), depth, "b t")
            else:
                yield from self._parts([part], note.entry.span, depth, level, "b t told")

    def _rule(self, divider: Divider) -> str:
        clock = text.clock(divider.time, self.tz)[:5]
        told = " · ".join(each for each in (divider.title, clock) if each)
        return f'<p class="divider" id="{divider.anchor}">{escape(text.visible(told))}</p>'

    def _branch(self, branch: Branch, depth: int, level: int) -> Iterator[Block]:
        words = f"Abandoned branch: {text.count(branch.messages, 'message')}, left by going back to an earlier prompt"
        yield self._block(f'<p class="note" id="{branch.anchor}">{words}</p>', 1.3, depth, kind="b t head")
        yield from self._turns(branch.turns, depth + 1, level)


def _is_caption(part: Part) -> bool:
    """Whether it is so short that it stays on one page with the picture after it: words, or another picture."""
    return isinstance(part, Media) or (isinstance(part, Text) and height(part.text) <= CAPTION)


def _name(agent: Subagent) -> str:
    kind, told = text.one_line(agent.kind, 60), text.one_line(agent.description, 140)
    return f"{kind}: {told}" if kind and told else kind or told or f"Agent {text.one_line(agent.agent_id, 40)}"
