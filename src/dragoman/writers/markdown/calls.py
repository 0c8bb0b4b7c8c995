"""Tool calls in Markdown: a line that tells most of it, edits and lists open, results folded."""

from __future__ import annotations

from typing import Any

import orjson

from dragoman.model import Span, Text, Unknown
from dragoman.render import ansi, text, tools
from dragoman.render import figures as worded
from dragoman.render.diffs import Hunk
from dragoman.render.tools import views
from dragoman.render.turns import Answer, Call, Step
from dragoman.report import PLACES_KEPT, Code, Report
from dragoman.stats import Stats
from dragoman.writers.markdown import inline
from dragoman.writers.markdown.inline import clean, code, details, fence, phrase, quoted
from dragoman.writers.markdown.pictures import Pictures
from dragoman.writers.markdown.prose import prose

OPEN_LINES = 40
"""Longer diffs and lists are folded."""

SHORT, SHORT_LINES = 400, 5
"""Texts up to so many characters and lines aren't worth a fold."""

_MARKS = {"ok": "▸", "missing": "▹"}
_LANGUAGES = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "ts": "typescript", "tsx": "tsx",
    "jsx": "jsx", "rs": "rust", "go": "go", "rb": "ruby", "sh": "bash", "bash": "bash", "zsh": "bash", "c": "c",
    "h": "c", "cpp": "cpp", "cc": "cpp", "hpp": "cpp", "java": "java", "kt": "kotlin", "swift": "swift", "cs": "csharp",
    "php": "php", "html": "html", "css": "css", "scss": "scss", "json": "json", "jsonl": "json", "yaml": "yaml",
    "yml": "yaml", "toml": "toml", "md": "markdown", "sql": "sql", "xml": "xml", "vue": "vue", "lua": "lua", "ex": "elixir",
    "hs": "haskell", "scala": "scala", "tf": "hcl", "ini": "ini", "ps1": "powershell", "r": "r", "jl": "julia",
}  # fmt: skip

_KNOWN = frozenset((*_LANGUAGES.values(), "text", ""))
"""Words that may stand behind a fence without a look at them."""


class Calls:
    """Writes calls of one document."""

    def __init__(self, pictures: Pictures, report: Report, level: int) -> None:
        self.pictures = pictures
        self.report = report
        self.level = level
        self.held: dict[tuple[Code, str], list[Span | None]] = {}
        self.span: Span | None = None

    def markdown(self, call: Call, figures: Stats | None = None) -> str:
        """A call without the agents that it spawned; ends with a line feed. `figures`: to tell what they took."""
        shown = tools.view(call)
        talk = isinstance(shown, (views.Questions, views.MessageToHuman))  # which are shown open, below
        line = tools.summary(call, shown) if figures is None else worded.line(figures, call, shown)
        out = [self.head(line, bare=talk)]
        if line.name.endswith("…"):
            out.append(f"Tool {code(call.name)}\n")
        if line.detail.endswith("…") and (whole := _whole(shown)):
            out.append(fence(self.plain(whole), "text"))
        self.span = span = _span(call)
        self.body(shown, out, call)
        self.rest(shown, out, span)
        for what in shown.left_out:
            self.tally(Code.DROPPED_FIELD, what, span)
        if call.result is not None and call.result.structured is not None and not shown.structured_shown:
            self.tally(Code.DROPPED_STRUCTURED, "", span)
        return "\n".join(out)

    def tally(self, code: Code, what: str, span: Span | None) -> None:
        """Hold back what is to be reported: there may be one for each of many calls."""
        held = self.held.setdefault((code, what), [])
        held.append(span)

    def tell(self) -> None:
        """Report what was held back."""
        for (kind, what), spans in self.held.items():
            for span in spans[:PLACES_KEPT]:
                self.report.add(kind, span, what)
            if len(spans) > PLACES_KEPT:
                self.report.add(kind, None, what, len(spans) - PLACES_KEPT)
        self.held.clear()

    def head(self, line: tools.Summary, *, bare: bool = False) -> str:
        mark = _MARKS.get(line.tone, "✗")
        detail = f" {code(line.detail)}" if line.detail and not bare else ""
        facts = "".join(f" · {phrase(fact)}" for fact in line.facts)
        return f"{mark} **{phrase(line.name)}**{detail}{facts}\n"

    def plain(self, words: str) -> str:
        """Output: without colours, everything visible."""
        if ansi.has_escapes(words):
            self.tally(Code.ANSI_STRIPPED, "", self.span)
            words = ansi.strip(words)
        return text.visible(words)

    def folded(self, title: str, words: str, language: str = "") -> str:
        """A text in a fold that says how long it is; a short one open."""
        lines = words.count("\n") + (not words.endswith("\n"))
        if lines <= SHORT_LINES and len(words) <= SHORT:
            return fence(words, language)
        told = f"{title} · {text.count(lines, 'line')}"
        if "```" in words or language not in _KNOWN:
            return details(told, fence(words, language))
        end = "" if words.endswith("\n") else "\n"  # in one go, since each step would copy the text
        return f"<details>\n<summary>{told}</summary>\n\n```{language}\n{words}{end}```\n\n</details>\n"

    def prose(self, words: str) -> str:
        safe = prose(clean(words).strip("\n"), self.level)
        return safe + "\n"

    def body(self, shown: views.View, out: list[str], call: Call) -> None:
        match shown:
            case views.Terminal():
                self.terminal(shown, out)
            case views.FileRead():
                if shown.lines:
                    out.append(self.folded("Content", self.plain(shown.numbered or shown.plain), _language(shown.path)))
            case views.FileEdit():
                self.edit(shown, out)
            case views.Search():
                if shown.hits.strip():
                    out.append(self.folded("Found", self.plain(shown.hits), "text"))
            case views.Todos():
                out.append("".join(_todo(item) for item in shown.items) or "(an empty list)\n")
            case views.Questions():
                out.append("\n".join(self.question(each) for each in shown.questions))
                if shown.response:
                    out.append(quoted(self.prose(shown.response)))
            case views.Plan():
                if shown.plan.strip():
                    out.append(quoted(self.prose(shown.plan)))
            case views.WebSearch():
                self.web_search(shown, out)
            case views.WebFetch():
                if shown.prompt.strip():
                    out.append(f"Asked: {phrase(shown.prompt)}\n")
                if shown.text.strip():
                    out.append(details("Answer", self.prose(shown.text)))
            case views.Notebook():
                if shown.hunks:
                    out.append(_folded_diff(self.diff(shown.hunks)))
                elif shown.source:
                    out.append(self.folded("Cell", self.plain(shown.source), shown.language))
            case views.Agent():
                if shown.prompt.strip() and not call.runs:
                    out.append(details("Task", self.prose(shown.prompt)))
                if shown.answer.strip() and not _is_said(call, shown.answer):
                    out.append(details("Answer", self.prose(shown.answer)))
            case views.Skill():
                if shown.answer.strip():
                    out.append(details("Result", self.prose(shown.answer)))
            case views.MessageToHuman():
                out.append(quoted(self.prose(shown.text)))
            case views.Generic():
                self.generic(shown, out)

    def terminal(self, shown: views.Terminal, out: list[str]) -> None:
        if shown.description.strip():
            out[0] = f"{out[0][:-1]} — {phrase(shown.description)}\n"
        if "\n" in shown.command.strip() or len(shown.command) > 110:
            out.append(fence(self.plain(shown.command), shown.language))
        if shown.stdout and not shown.stdout.isspace():
            out.append(self.folded("Output", self.plain(shown.stdout), "text"))
        if shown.stderr and not shown.stderr.isspace():
            out.append(self.folded("Errors", self.plain(shown.stderr), "text"))

    def edit(self, shown: views.FileEdit, out: list[str]) -> None:
        if shown.replace_all:
            out[0] = f"{out[0][:-1]} · everywhere\n"
        if not shown.hunks:
            return
        if shown.whole:
            words = self.plain("\n".join(line[1:] for hunk in shown.hunks for line in hunk.lines))
            out.append(self.folded("Written", words, _language(shown.path)))
            return
        out.append(_folded_diff(self.diff(shown.hunks)))

    def diff(self, hunks: tuple[Hunk, ...]) -> str:
        lines: list[str] = []
        for hunk in hunks:
            lines.append(hunk.heading)
            lines.extend(hunk.lines)
        return self.plain("\n".join(lines))

    def question(self, asked: views.Question) -> str:
        head = f"{inline.opening(asked.header)}: " if asked.header else ""
        lines = [f"> {head}**{phrase(asked.question)}**", ">"]
        own = asked.answer
        for choice in asked.choices:
            told = f" — {phrase(choice.description)}" if choice.description else ""
            lines.append(f"> - [{'x' if choice.chosen else ' '}] {phrase(choice.label)}{told}")
            if choice.chosen:
                own = ""
        if own:
            lines.extend([">", f"> Answer: {phrase(own)}"])
        elif asked.answer and not all(
            part.strip() in {c.label for c in asked.choices} for part in asked.answer.split(",")
        ):
            lines.extend([">", f"> Answer: {phrase(asked.answer)}"])
        return "\n".join(lines) + "\n"

    def web_search(self, shown: views.WebSearch, out: list[str]) -> None:
        body = "".join(_hit(hit) for hit in shown.hits)
        if shown.text.strip():
            body = f"{body}\n{self.prose(shown.text)}" if body else self.prose(shown.text)
        if body:
            out.append(details("Results", body))

    def generic(self, shown: views.Generic, out: list[str]) -> None:
        if shown.arguments:
            out.append(details("Arguments", self.json(shown.arguments)))
        if shown.raw:
            out.append(self.folded("Arguments as they stood", self.plain(shown.raw), "text"))
        if shown.text.strip():
            out.append(self.folded("Result", self.plain(shown.text), "json" if shown.text_form == "json" else "text"))
        if shown.structured is not None:
            out.append(details("Result", self.json(shown.structured)))

    def rest(self, shown: views.View, out: list[str], span: Span | None) -> None:
        """What any call may have beside its own form."""
        out.extend(self.pictures.markdown(media, span) for media in shown.media)
        out.extend(self.unknown(unknown) for unknown in shown.unknown)
        if shown.feedback.strip() and not (isinstance(shown, views.Questions) and shown.answers_are_all):
            out.append("The user said:\n")
            out.append(quoted(self.prose(shown.feedback)))
        if shown.rest.strip():
            words = self.plain(shown.rest.strip("\n"))
            out.append(self.folded("Error" if shown.rest_is_error else "Result", words, "text"))
        if shown.more:
            short = _short(shown.more)
            out.append(f"With {short}\n" if short else details("More arguments", self.json(shown.more)))
        if shown.reminders:
            self.reminders(self.plain("\n\n".join(shown.reminders)), out)

    def reminders(self, words: str, out: list[str]) -> None:
        """What the harness tacked on: within the last fold where there is one, since hardly anybody reads it."""
        end = "\n</details>\n"
        if out[-1].startswith("<details>") and out[-1].endswith(end):
            out[-1] = f"{out[-1][: -len(end)]}\nAdded for the model:\n\n{fence(words, 'text')}{end}"
        else:
            lines = words.count("\n") + 1
            out.append(details(f"Added for the model · {text.count(lines, 'line')}", fence(words, "text")))

    def json(self, value: Any) -> str:
        """Tidy JSON; long strings of several lines are shown as they read."""
        return fence(self.plain(_pretty(value)), "json")

    def unknown(self, block: Unknown) -> str:
        """A block of a kind that nobody knows, folded."""
        kind = inline.html(block.kind) or "no kind"
        return details(f"Block of an unknown kind: {kind}", self.json(block.value))


def _whole(shown: views.View) -> str:
    """What the line of a call tells in part, where it isn't shown below anyway."""
    match shown:
        case views.FileRead() | views.FileEdit():
            return shown.path
        case views.Search():
            return "\n".join(each for each in (shown.pattern, shown.where) if each)
        case views.WebSearch():
            return shown.query
        case views.WebFetch():
            return shown.url
        case views.Notebook():
            return f"{shown.path} {shown.cell}".strip()
        case views.Agent():
            return f"{shown.kind}: {shown.description}"
        case views.Skill():
            return f"{shown.skill} {shown.arguments}".strip()
        case _:
            return ""


def _is_said(call: Call, answer: str) -> bool:
    """Whether the agent's answer is the last thing in its own turns, which are shown below the call."""
    for run in call.runs:
        last = run.turns[-1] if run.turns else None
        if isinstance(last, Answer) and last.items and isinstance(last.items[-1], Step):
            parts = last.items[-1].parts
            if parts and isinstance(parts[-1], Text) and parts[-1].text.strip() == answer.strip():
                return True
    return False


def _span(call: Call) -> Span | None:
    block = call.call or call.result
    return (block.span if block is not None else None) or call.message.span


def _pretty(value: Any) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode()
    except (TypeError, ValueError):
        return repr(value)


def _short(more: dict[str, Any]) -> str:
    """A few plain values on one line; nothing where they aren't few or plain."""
    if len(more) > 6:
        return ""
    told = []
    for key, value in more.items():
        if isinstance(value, str) and len(value) < 60 and "\n" not in value:
            told.append(f"{phrase(key)} {code(value)}" if value.strip() else f"{phrase(key)} empty")
        elif isinstance(value, (bool, int, float)) or value is None:
            told.append(f"{phrase(key)} {code(orjson.dumps(value).decode())}")
        else:
            return ""
    return ", ".join(told)


def _language(path: str) -> str:
    suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
    return _LANGUAGES.get(suffix, "text")


def _folded_diff(diff: str) -> str:
    lines = diff.count("\n") + 1
    made = fence(diff, "diff")
    return details(f"Changes · {text.count(lines, 'line')}", made) if lines > OPEN_LINES else made


def _todo(item: views.Todo) -> str:
    done = item.status in ("completed", "done")
    running = item.status in ("in_progress", "in progress", "active")
    words = phrase(item.text)
    told = "" if item.status in ("completed", "done", "pending", "in_progress", "") else f" ({phrase(item.status)})"
    return f"- [{'x' if done else ' '}] {f'**{words}**' if running else words}{told}\n"


def _hit(hit: views.Hit) -> str:
    title = inline.opening(hit.title) or "untitled"
    url = hit.url
    if url.lower().startswith(("https://", "http://")) and not any(c in url for c in "<>()\\`\"' \t\n"):
        return f"- [{title}]({clean(url)})\n"
    return f"- {title} {code(url)}\n"
