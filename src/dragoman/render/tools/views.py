"""The forms that a tool's call and result can take on a page. All text in them is untrusted.

Each form has, beside its own fields, what every call may have (`Base`). A writer shows: the form's fields,
then `media`, `unknown`, `feedback`, and (folded or small) `more`, `rest` and `reminders`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from dragoman.model import Media, Unknown
from dragoman.render.diffs import Hunk
from dragoman.render.tools import results


class Base(Struct, frozen=True, kw_only=True):
    """What every view may have.

    `more`: arguments (and facts of the result) without a form of their own. `rest`: result text without one;
    `rest_is_error` where it tells of a failure. `feedback`: a person's words. `reminders`: text that the
    harness tacked on for the model. `left_out`: names of what isn't shown, for the report.
    `structured_shown`: the agent's own twin of the result is in the view.
    """

    more: dict[str, Any] = field(default_factory=dict)
    rest: str = ""
    rest_is_error: bool = False
    feedback: str = ""
    reminders: tuple[str, ...] = ()
    media: tuple[Media, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    left_out: tuple[str, ...] = ()
    structured_shown: bool = False


class Terminal(Base, frozen=True, kw_only=True, tag="terminal"):
    """A command in a shell. Outputs may hold ANSI escapes (see `ansi`). `exit_code` None: not known (mostly 0)."""

    command: str = ""
    description: str = ""
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    background: str = ""  # the id of a shell or task that went on in the background
    language: str = "bash"


class FileRead(Base, frozen=True, kw_only=True, tag="file_read"):
    """Lines of a file. `first` is the number of the first line, 0 where it isn't known.

    `text` is what stands in the file. It is worked out when asked for where the tool put numbers before the
    lines: `numbered` is that form, for a page that shows it as it is; `plain` the one that had none. The numbers
    jump where the tool, or who shortened its output, left lines out.
    """

    path: str = ""
    plain: str = ""
    numbered: str = ""
    first: int = 1
    total: int | None = None  # lines of the whole file
    unchanged: bool = False

    @property
    def text(self) -> str:
        return self.listing()[0]

    def listing(self) -> tuple[str, Sequence[int]]:
        """What stands in the file, and the numbers of its lines; none where they aren't known."""
        if not self.numbered:
            return self.plain, range(self.first, self.first + self.lines) if self.first else ()
        bare = results.unnumbered(self.numbered)
        return (bare.text, bare.numbers) if bare is not None else (self.numbered, ())

    @property
    def last(self) -> int:
        """The number of the last line."""
        return results.ends(self.numbered)[1] if self.numbered else self.first + self.lines - 1

    @property
    def lines(self) -> int:
        """How many lines there are."""
        shown = self.numbered or self.plain
        return shown.count("\n") + 1 if shown else 0


class FileEdit(Base, frozen=True, kw_only=True, tag="file_edit"):
    """A change of a file. A written file is one hunk that puts all of its lines in (`created`)."""

    path: str = ""
    hunks: tuple[Hunk, ...] = ()
    created: bool = False
    whole: bool = False  # the hunks are the whole new text: nothing is known of what stood there
    replace_all: bool = False


class Search(Base, frozen=True, kw_only=True, tag="search"):
    """A search in files. `hits` are lines of output as the tool gave them: paths, or `path:line:text`."""

    pattern: str = ""
    where: str = ""
    hits: str = ""
    found: int | None = None  # files or matches, as `unit` says
    unit: str = "file"


class Todo(Struct, frozen=True, gc=False):
    """A task. `status` is the tool's word: pending, in_progress, completed …"""

    text: str
    status: str = ""


class Todos(Base, frozen=True, kw_only=True, tag="todos"):
    """A to-do list as it stands after the call."""

    items: tuple[Todo, ...] = ()


class Choice(Struct, frozen=True, gc=False):
    """An option of a question."""

    label: str
    description: str = ""
    chosen: bool = False


class Question(Struct, frozen=True, gc=False):
    """A question to a person. `answer` is what the person said: labels, or own words, or nothing."""

    question: str
    header: str = ""
    choices: tuple[Choice, ...] = ()
    answer: str = ""
    several: bool = False


class Questions(Base, frozen=True, kw_only=True, tag="questions"):
    """Questions to a person, with the answers. `response`: words beside the questions."""

    questions: tuple[Question, ...] = ()
    response: str = ""

    @property
    def answers_are_all(self) -> bool:
        """Whether the person's words are no more than the answers, which stand with their questions."""
        told = {choice.label for question in self.questions for choice in question.choices if choice.chosen}
        told.update(question.answer for question in self.questions)
        return self.feedback in told or all(part in told for part in self.feedback.split(", "))


class Plan(Base, frozen=True, kw_only=True, tag="plan"):
    """A plan laid before a person, in Markdown. The result's outcome says whether it was accepted."""

    plan: str = ""


class Hit(Struct, frozen=True, gc=False):
    """A page found."""

    title: str
    url: str = ""
    note: str = ""


class WebSearch(Base, frozen=True, kw_only=True, tag="web_search"):
    """A web search. `text` is what was said about the hits, in Markdown."""

    query: str = ""
    hits: tuple[Hit, ...] = ()
    text: str = ""


class WebFetch(Base, frozen=True, kw_only=True, tag="web_fetch"):
    """A fetched page. `text` is what the tool made of it, in Markdown."""

    url: str = ""
    prompt: str = ""
    text: str = ""
    status: int | None = None


class Notebook(Base, frozen=True, kw_only=True, tag="notebook"):
    """A change of a notebook's cell."""

    path: str = ""
    cell: str = ""
    mode: str = ""  # replace, insert, delete
    cell_type: str = ""
    language: str = ""
    source: str = ""
    hunks: tuple[Hunk, ...] = ()  # where the old source is known


IN_BACKGROUND = "async_launched"
"""The status of an agent that was only started."""


class Agent(Base, frozen=True, kw_only=True, tag="agent"):
    """A subagent's task and what it came back with, both in Markdown. Its turns are in the call's `runs`."""

    kind: str = ""
    description: str = ""
    prompt: str = ""
    answer: str = ""
    status: str = ""  # completed, IN_BACKGROUND …
    tokens: int | None = None
    tool_uses: int | None = None


class Skill(Base, frozen=True, kw_only=True, tag="skill"):
    """A skill or a slash command that the agent used."""

    skill: str = ""
    arguments: str = ""
    answer: str = ""


class MessageToHuman(Base, frozen=True, kw_only=True, tag="message"):
    """Words that the agent addressed to a person (or, `to`, to another agent) through a tool, in Markdown."""

    text: str = ""
    to: str = ""


class Generic(Base, frozen=True, kw_only=True, tag="generic"):
    """Any other call: an MCP tool (`server` is its server), an unknown tool, a damaged call.

    `arguments` are parsed where they were a JSON object, else `raw` is their text as it stood. `text` is the
    result's text; `structured` the agent's own twin of it where that says more than the text.
    """

    server: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    raw: str = ""
    text: str = ""
    text_form: Literal["plain", "json"] = "plain"
    structured: Any = None


View: TypeAlias = (
    Terminal
    | FileRead
    | FileEdit
    | Search
    | Todos
    | Questions
    | Plan
    | WebSearch
    | WebFetch
    | Notebook
    | Agent
    | Skill
    | MessageToHuman
    | Generic
)
