"""Claude Code's tools, by the names and keys that were seen from 1.0 to 2.1.3xx. All keys are optional.

The result's text (what the model saw) is what is shown; the agent's structured twin (`toolUseResult`) only
adds what the text lacks: where a diff stands in its file, how long a file is, which output was stderr.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from dragoman.render import diffs
from dragoman.render.tools import results, views
from dragoman.render.tools.fields import Fields
from dragoman.render.tools.generic import generic
from dragoman.render.tools.pieces import Maker, Pieces
from dragoman.render.tools.views import IN_BACKGROUND, View

_CONFIRMED = re.compile(
    r"\A(?:The file .{1,4096}? has been (?:updated|created)|File (?:created|written) successfully|Applied \d+ edits? to "
    r"|Todos have been modified|Updated task #|Message (?:sent|delivered)|Your questions have been answered"
    r"|User has answered your questions|User has approved|Launching skill|Updated cell|Inserted cell|Deleted cell)"
)
_PERSISTED = re.compile(r"\A<persisted-output>\n?(.*?)\n?</persisted-output>\s*\Z", re.DOTALL)
_TAGGED = re.compile(r"\s*<([a-z_]{1,40})>(.*?)</\1>\s*", re.DOTALL)
_REJECTED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "[Request interrupted by user",
    "User rejected tool use",
)
_SAID = "the user said:\n"


def remainder(pieces: Pieces, what: str) -> dict[str, Any]:
    """The base of a view that shows none of the result's text: a mere confirmation is left out and named."""
    text = pieces.result.text
    if not text:
        return pieces.base()
    result = pieces.call.result
    if result is not None and result.outcome == "rejected" and text.startswith(_REJECTED):
        said = text.partition(_SAID)[2].strip()
        if not said or said == result.feedback.strip():
            return pieces.base(left_out=("fixed words of a rejection",))
    if not pieces.result.failed and confirmed(text):
        return pieces.base(left_out=(f"confirmation of {what}",))
    return pieces.base(rest=text)


def confirmed(text: str) -> bool:
    """Whether a result says no more than that it was done."""
    return _CONFIRMED.match(text) is not None


def bash(pieces: Pieces) -> View:
    args, result = pieces.args, pieces.result
    command = args.text("command", "cmd")
    description = args.text("description")
    text = result.text
    if text.startswith("<persisted-output>"):
        persisted = _PERSISTED.match(text)
        text = persisted[1] if persisted else text
    code, text = results.exit_code(text)
    stderr = ""
    outcome = pieces.call.result
    if outcome is not None and outcome.outcome == "rejected":
        return views.Terminal(command=command, description=description, **remainder(pieces, "a command"))
    told = pieces.twin.text("stderr").strip()
    if told and told in text and not result.failed:
        head, _, tail = text.rpartition(told)
        if not tail.strip():
            text, stderr = head.rstrip("\n"), told
    background = pieces.twin.text("backgroundTaskId")
    if background:
        pieces.args.flag("run_in_background")  # which says no more
    return views.Terminal(
        command=command,
        description=description,
        stdout=text,
        stderr=stderr,
        exit_code=code,
        background=background,
        language="powershell" if pieces.name == "PowerShell" else "bash",
        **pieces.base(),
    )


def task_output(pieces: Pieces) -> View:
    """BashOutput and TaskOutput: a sequence of tagged parts."""
    shell = pieces.args.word("bash_id", "task_id", "shell_id", "agentId")
    text = pieces.result.text
    parts: dict[str, str] = {}
    at = 0
    while match := _TAGGED.match(text, at):
        if match[1] in parts:
            break
        parts[match[1]] = match[2].strip("\n")
        at = match.end()
    if at < len(text) or not parts:
        parts, remains = {}, text
    else:
        remains = ""
    stdout = parts.pop("stdout", "") or parts.pop("output", "")
    code = parts.get("exit_code", "").strip()
    exit_code = None
    if re.fullmatch(r"-?\d{1,10}", code):
        exit_code = int(code)
        del parts["exit_code"]
    stderr = parts.pop("stderr", "")
    base = pieces.base()
    base["more"] = {**base.get("more", {}), **parts}
    return views.Terminal(background=shell, stdout=stdout or remains, stderr=stderr, exit_code=exit_code, **base)


def read(pieces: Pieces) -> View:
    path = pieces.args.text("file_path", "path", "notebook_path", "filePath")
    offset = pieces.args.number("offset", "start_line")
    file = Fields(pieces.twin.object("file"))
    total = file.number("totalLines")
    unchanged = pieces.twin.text("type") == "file_unchanged"
    text = pieces.result.text
    if pieces.result.failed or not text:
        return views.FileRead(path=path, first=offset or 1, total=total, unchanged=unchanged, **pieces.base(rest=text))
    if results.is_numbered(text):
        return views.FileRead(path=path, numbered=text, first=results.ends(text)[0], total=total, **pieces.base())
    bare = results.unnumbered(text)
    if bare is None:
        return views.FileRead(path=path, plain=text, first=0, total=total, unchanged=unchanged, **pieces.base())
    first = bare.numbers[0]
    if bare.whole:
        return views.FileRead(path=path, plain=bare.text, first=first, total=total, **pieces.base(rest=bare.remark))
    numbered = "\n".join(text.split("\n")[: len(bare.numbers)])
    return views.FileRead(path=path, numbered=numbered, first=first, total=total, **pieces.base(rest=bare.remark))


def edit(pieces: Pieces) -> View:
    args = pieces.args
    path = args.text("file_path", "path", "filePath")
    old, new = args.text("old_string", "old_str", "old"), args.text("new_string", "new_str", "new")
    replace_all = args.flag("replace_all")
    hunks = () if pieces.result.failed else _patch(pieces, [new])
    shown = bool(hunks)
    if not hunks:
        hunks = diffs.between(old, new)
    base = remainder(pieces, "an edit")
    base["structured_shown"] = shown
    return views.FileEdit(path=path, hunks=hunks, replace_all=replace_all, created=not old and bool(new), **base)


def multi_edit(pieces: Pieces) -> View:
    path = pieces.args.text("file_path", "path")
    edits = pieces.args.list("edits")
    if not edits or not all(isinstance(each, dict) for each in edits):
        return generic(pieces)
    changes = [(Fields(each).text("old_string"), Fields(each).text("new_string")) for each in edits]
    hunks = () if pieces.result.failed else _patch(pieces, [new for _, new in changes])
    shown = bool(hunks)
    if not hunks:
        hunks = tuple(hunk for old, new in changes for hunk in diffs.between(old, new))
    base = remainder(pieces, "an edit")
    base["structured_shown"] = shown
    return views.FileEdit(path=path, hunks=hunks, **base)


def _patch(pieces: Pieces, written: list[str]) -> tuple[diffs.Hunk, ...]:
    """The agent's own patch, if it holds what the call says was written (it may belong to another edit)."""
    hunks = diffs.from_patch(pieces.twin.values.get("structuredPatch"))
    if not hunks:
        return ()
    after = "\n".join([line[1:] for hunk in hunks for line in hunk.lines if line[:1] != "-"])
    if all(text.rstrip("\n") in after for text in written):
        return hunks
    lines = set(after.replace("\r", "").split("\n"))
    wanted = (line for text in written for line in text.replace("\r", "").split("\n"))
    return hunks if all(line in lines for line in wanted if line.strip()) else ()


def write(pieces: Pieces) -> View:
    path = pieces.args.text("file_path", "path", "filePath")
    content = pieces.args.text("content", "contents", "text")
    created = pieces.twin.text("type") == "create"
    hunks: tuple[diffs.Hunk, ...] = ()
    if not pieces.result.failed:
        original = pieces.twin.values.get("originalFile")
        if isinstance(original, str) and original and content.count("\n") < diffs.COMPARED_LINES:
            hunks = diffs.between(original, content, start=1)
            covered = {line[1:] for hunk in hunks for line in hunk.lines}
            before = set(original.split("\n"))
            if not all(line in covered or line in before for line in content.split("\n")):
                hunks = ()
    shown = bool(hunks)
    base = remainder(pieces, "a written file")
    base["structured_shown"] = shown
    if shown:
        return views.FileEdit(path=path, hunks=hunks, **base)
    return views.FileEdit(path=path, hunks=diffs.whole(content), created=created, whole=True, **base)


def grep(pieces: Pieces) -> View:
    pattern = pieces.args.text("pattern", "query")
    where = pieces.args.text("path", "directory")
    text = pieces.result.text
    mode = pieces.twin.text("mode") or pieces.args.text("output_mode")
    found = pieces.twin.number("numFiles" if mode != "content" else "numLines", "numMatches", "numFiles")
    unit = {"content": "line", "count": "match"}.get(mode, "file")
    if pieces.result.failed:
        return views.Search(pattern=pattern, where=where, unit=unit, **pieces.base(rest=text))
    if found is None and text:
        found = 0 if text.startswith("No ") and "\n" not in text else text.rstrip("\n").count("\n") + 1
    return views.Search(pattern=pattern, where=where, hits=text, found=found, unit=unit, **pieces.base())


def listing(pieces: Pieces) -> View:
    where = pieces.args.text("path", "directory", "dir")
    if pieces.result.failed:
        return views.Search(where=where, **pieces.base(rest=pieces.result.text))
    return views.Search(where=where, hits=pieces.result.text, unit="entry", **pieces.base())


def todo_write(pieces: Pieces) -> View:
    listed = pieces.args.list("todos", "plan", "items")
    items = []
    others = False
    for each in listed:
        keys = Fields(each)
        words = keys.text("content", "step", "text", "subject", "title")
        if not words:
            return generic(pieces)
        items.append(views.Todo(words, keys.text("status")))
        others |= bool(keys.rest)
    base = remainder(pieces, "a to-do list")
    if others:
        base["left_out"] = (*base.get("left_out", ()), "other values of to-do items")
    return views.Todos(items=tuple(items), **base)


def task_create(pieces: Pieces) -> View:
    subject = pieces.args.text("subject", "title")
    if not subject:
        return generic(pieces)
    pieces.args.text("activeForm")
    number = Fields(pieces.twin.object("task")).word("id")
    words = f"#{number} {subject}" if number else subject
    return views.Todos(items=(views.Todo(words, "pending"),), **pieces.base(rest=pieces.result.text))


def task_update(pieces: Pieces) -> View:
    number = pieces.args.word("taskId", "task_id", "id")
    status = pieces.args.text("status")
    words = " ".join(each for each in (f"#{number}" if number else "", pieces.args.text("subject")) if each)
    if not words or not status:
        return generic(pieces)
    return views.Todos(items=(views.Todo(words, status),), **remainder(pieces, "a task's change"))


def ask(pieces: Pieces) -> View:
    answers = pieces.twin.object("answers") or Fields(pieces.args.values).object("answers")
    listed = pieces.args.list("questions")
    questions = []
    used = {"questions"}
    if not listed and isinstance(pieces.args.values.get("question"), str):
        listed = [pieces.args.values]
        used = {"question", "header", "options", "multiSelect"}
    for each in listed:
        keys = Fields(each)
        words = keys.text("question")
        if not words:
            return generic(pieces)
        answer = _answer(answers.get(words))
        choices = []
        for option in keys.list("options"):
            label = option if isinstance(option, str) else Fields(option).text("label")
            if not label:
                return generic(pieces)
            told = (
                ""
                if isinstance(option, str)
                else results.joined([Fields(option).text("description"), Fields(option).text("preview")])
            )
            chosen = bool(answer) and (label == answer or label in [part.strip() for part in answer.split(",")])
            choices.append(views.Choice(label, told, chosen))
        questions.append(views.Question(words, keys.text("header"), tuple(choices), answer, keys.flag("multiSelect")))
    if not questions:
        return generic(pieces)
    pieces.args.used |= used | {"answers"}
    response = pieces.twin.text("response")
    shown = any(each.answer for each in questions) or bool(response)
    text = pieces.result.text
    told_already = shown and all(each.answer in text for each in questions) and len(text) < 100_000
    if told_already and confirmed(text) and not pieces.result.failed:
        base = pieces.base(left_out=("answers in the words for the model",))
    else:
        base = remainder(pieces, "an answer") if not text.startswith("User has answered") else pieces.base(rest=text)
    base["structured_shown"] = shown
    return views.Questions(questions=tuple(questions), response=response, **base)


def _answer(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(each for each in value if isinstance(each, str))
    if value is None:
        return ""
    return orjson.dumps(value, default=str).decode()


def plan(pieces: Pieces) -> View:
    words = pieces.args.text("plan") or pieces.twin.text("plan")
    text = pieces.result.text
    if words and not pieces.result.failed and text.startswith("User has approved"):
        return views.Plan(plan=words, **pieces.base(left_out=("fixed words of an approval",), structured_shown=True))
    return views.Plan(plan=words, **remainder(pieces, "a plan"))


def web_search(pieces: Pieces) -> View:
    query = pieces.args.text("query")
    text = pieces.result.text
    if pieces.result.failed:
        return views.WebSearch(query=query, **pieces.base(rest=text))
    hits: tuple[views.Hit, ...] = ()
    opening = text.find("Links: [")
    if 0 <= opening < 5000:
        end = text.find("\n", opening)
        end = len(text) if end < 0 else end
        hits = _hits(text[opening + len("Links: ") : end])
        if hits:
            text = results.joined([text[:opening].strip(), text[end:].strip()])
            opener = f'Web search results for query: "{query}"'
            if text.startswith(opener):
                text = text[len(opener) :].lstrip()
    return views.WebSearch(query=query, hits=hits, text=text, **pieces.base())


def _hits(line: str) -> tuple[views.Hit, ...]:
    try:
        listed = orjson.loads(line)
    except ValueError:
        return ()
    hits = []
    for each in listed if isinstance(listed, list) else ():
        if not isinstance(each, dict) or set(each) - {"title", "url"}:
            return ()
        hits.append(views.Hit(Fields(each).text("title"), Fields(each).text("url")))
    return tuple(hits)


def web_fetch(pieces: Pieces) -> View:
    url, prompt = pieces.args.text("url"), pieces.args.text("prompt")
    status = pieces.twin.number("code")
    if pieces.result.failed:
        return views.WebFetch(url=url, prompt=prompt, status=status, **pieces.base(rest=pieces.result.text))
    return views.WebFetch(url=url, prompt=prompt, text=pieces.result.text, status=status, **pieces.base())


def notebook_edit(pieces: Pieces) -> View:
    args = pieces.args
    source = args.text("new_source")
    old = pieces.twin.text("old_source")
    return views.Notebook(
        path=args.text("notebook_path", "file_path"),
        cell=args.word("cell_id", "cell_number"),
        mode=args.text("edit_mode") or "replace",
        cell_type=args.text("cell_type") or pieces.twin.text("cell_type"),
        language=pieces.twin.text("language") or "python",
        source=source,
        hunks=diffs.between(old, source) if old and not pieces.result.failed else (),
        **remainder(pieces, "a notebook's edit"),
    )


def agent(pieces: Pieces) -> View:
    args, twin = pieces.args, pieces.twin
    text, tail = _without_agent_tail(pieces.result.text)
    kind, description = args.text("subagent_type", "agent_type"), args.text("description")
    prompt = args.text("prompt")
    status = twin.text("status")
    if status == IN_BACKGROUND:
        args.flag("run_in_background")  # which says no more
    base = pieces.base(
        rest=text if pieces.result.failed else "", left_out=("agent id and usage, for the model",) if tail else ()
    )
    return views.Agent(
        kind=kind,
        description=description,
        prompt=prompt,
        answer="" if pieces.result.failed else text,
        status=status,
        tokens=twin.number("totalTokens"),
        tool_uses=twin.number("totalToolUseCount"),
        **base,
    )


def _without_agent_tail(text: str) -> tuple[str, str]:
    """Take off `agentId: … <usage>…</usage>`, which is for the model."""
    if "agentId: " not in text[-2000:]:
        return text, ""
    start = text.rfind("agentId: ")
    if start > 0 and text[start - 1] != "\n":
        return text, ""
    return text[:start].rstrip(), text[start:].strip()


def skill(pieces: Pieces) -> View:
    name = pieces.args.text("skill", "command", "name")
    args = pieces.args.text("args", "arguments")
    if pieces.result.failed:
        return views.Skill(skill=name, arguments=args, **pieces.base(rest=pieces.result.text))
    text = pieces.result.text
    if text == f"Launching skill: {name}":
        return views.Skill(skill=name, arguments=args, **pieces.base(left_out=("confirmation of a skill",)))
    return views.Skill(skill=name, arguments=args, answer=text, **pieces.base())


MAKERS: dict[str, Maker] = {
    "Bash": bash,
    "PowerShell": bash,
    "BashOutput": task_output,
    "TaskOutput": task_output,
    "AgentOutputTool": task_output,
    "Read": read,
    "NotebookRead": read,
    "Edit": edit,
    "MultiEdit": multi_edit,
    "Write": write,
    "Grep": grep,
    "Glob": grep,
    "LS": listing,
    "TodoWrite": todo_write,
    "TaskCreate": task_create,
    "TaskUpdate": task_update,
    "AskUserQuestion": ask,
    "ExitPlanMode": plan,
    "exit_plan_mode": plan,
    "WebSearch": web_search,
    "web_search": web_search,
    "WebFetch": web_fetch,
    "web_fetch": web_fetch,
    "NotebookEdit": notebook_edit,
    "Task": agent,
    "Agent": agent,
    "Skill": skill,
    "SlashCommand": skill,
}
