"""clm's tools and those of Codex-like agents, whose names don't clash with Claude Code's."""

from __future__ import annotations

from typing import Any

import orjson

from dragoman.render.tools import claude_code, results, views
from dragoman.render.tools.generic import generic
from dragoman.render.tools.pieces import Maker, Pieces
from dragoman.render.tools.views import View


def shell(pieces: Pieces) -> View:
    """The command is a string or a list of words; the result may be JSON with the output and its exit code."""
    listed = pieces.args.list("command", "cmd")
    if listed:
        words = [each for each in listed if isinstance(each, str)]
        if len(words) != len(listed):
            return generic(pieces)
        wrapped = len(words) == 3 and words[0].rpartition("/")[2] in ("bash", "sh", "zsh") and words[1] in ("-c", "-lc")
        command = words[2] if wrapped else " ".join(words)
    else:
        command = pieces.args.text("command", "cmd", "input")
    code, text = results.exit_code(pieces.result.text)
    extra: dict[str, Any] = {}
    if text.startswith('{"output":'):
        try:
            told = orjson.loads(text)
        except ValueError:
            told = None
        if isinstance(told, dict) and isinstance(told.get("output"), str):
            text = told.pop("output")
            meta = told.get("metadata")
            if isinstance(meta, dict) and type(meta.get("exit_code")) is int:
                code = meta["exit_code"]
            extra = told
    description = pieces.args.text("description", "justification")
    base = pieces.base()
    base["more"] = {**base.get("more", {}), **extra}
    return views.Terminal(command=command, description=description, stdout=text, exit_code=code, **base)


MAKERS: dict[str, Maker] = {
    "shell_exec": shell,
    "shell": shell,
    "exec_command": shell,
    "local_shell": shell,
    "run_command": shell,
    "run_shell_command": shell,
    "read_file": claude_code.read,
    "write_file": claude_code.write,
    "edit_file": claude_code.edit,
    "list_dir": claude_code.listing,
    "list_directory": claude_code.listing,
    "update_plan": claude_code.todo_write,
}
