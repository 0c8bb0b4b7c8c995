"""A command's arguments: what typer refuses of them is told in one line, like every other error."""

from __future__ import annotations

import typer
from typer.core import TyperCommand

from dragoman.cli.inputs import is_there
from dragoman.errors import UsageError

AFTER_DASHES = "dragoman.after_dashes"
"""Where a context says how many words stand after `--`."""

Refused: type[Exception] = typer.BadParameter.__mro__[1]
"""What typer raises where it doesn't understand a command line (older versions of it have the class from elsewhere)."""


class Command(TyperCommand):
    """A command that takes no word, no option and no empty value in silence or in a box of five lines."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        cut = args.index("--") if "--" in args else len(args)
        ctx.meta[AFTER_DASHES] = len(args) - cut - 1 if cut < len(args) else 0
        self._refuse_dashes(args[:cut])
        left = super().parse_args(ctx, args)
        if left:
            raise UsageError(f"{left[0]}: a word too many; {_help(ctx)} says what the command takes")
        for param in self.params:
            given = ctx.get_parameter_source(param.name or "")
            if ctx.params.get(param.name or "") == "" and given is not None and given.name == "COMMANDLINE":
                raise UsageError(f"{param.opts[0]} needs a value")
        return left

    def _refuse_dashes(self, args: list[str]) -> None:
        """Raise UsageError for an input that is taken for an option: projects' folders begin with a dash."""
        if not any(param.nargs == -1 for param in self.params):
            return
        options = {
            name: getattr(param, "is_flag", False)
            for param in self.params
            for name in (*param.opts, *param.secondary_opts)
            if name.startswith("-")
        }
        before = ""
        for word in args:
            is_value = before.startswith("-") and "=" not in before and not options.get(before, False)
            is_option = word.partition("=")[0] in options or word == "--help"
            before = word
            if not word.startswith("-") or len(word) < 3 or is_value or is_option:
                continue
            if is_there(word):
                raise UsageError(
                    f"{word}: it begins like an option; put `--` before it: `dragoman {self.name} -- {word}`"
                )
            if word[:2] not in options and word[1] != "-":
                raise UsageError(
                    f"no option {word}; `dragoman {self.name} --help` lists them (an input that begins so comes after `--`)"
                )


def refusal(error: Exception) -> str:
    """What typer refused, in one line; nothing where it has printed the help."""
    kind = type(error).__name__
    ctx, param = getattr(error, "ctx", None), getattr(error, "param", None)
    option = getattr(error, "option_name", "")
    said = " ".join(str(getattr(error, "message", error)).split())
    if kind == "NoArgsIsHelpError":
        return ""
    if kind == "MissingParameter" and param is not None:
        return f"no {(param.metavar or param.name).strip('.')} given; {_help(ctx)} says what it can be"
    if kind == "NoSuchOption":
        return f"no option {option}; {_help(ctx)} lists them"
    if kind == "BadOptionUsage":
        return f"{option} {'takes no value' if 'not take' in said else 'needs a value'}"
    if kind == "BadParameter" and param is not None and getattr(param.type, "min", None) is not None:
        return f"{param.opts[0]} is a whole number of {param.type.min} or more"
    return f"{said.rstrip('.')}; {_help(ctx)} says what can be given"


def _help(ctx: typer.Context | None) -> str:
    return f"`{ctx.command_path if ctx is not None else 'dragoman'} --help`"
