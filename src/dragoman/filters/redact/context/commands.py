"""What a command line prints: commands whose whole output is a secret, and files that hold nothing else.

`cat /run/secrets/db_password`, `printenv DB_PASSWORD`, `openssl rand -hex 32`: what comes back has no name beside it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dragoman.filters.redact.judge import is_secret, random
from dragoman.filters.redact.names import Name, classify

_LONGEST = 1000  # characters of a command
_MOST_LINES = 3
_LINE = 600

_PASSWORD = Name("password", "password")
_TOKEN = Name("password", "token")
_SECRET = Name("password", "secret")
_MADE = Name("secret", "secret")
"""Drawn anew by the command: what isn't random isn't it. What a store gives out may be a password, whatever it is called."""

_EXTENSIONS = re.compile(r"(?i)\.(?:txt|secret|token|pass|passwd|password|pwd|pw)$")
_CODE = re.compile(r"\.(?!key$|pem$)[A-Za-z][A-Za-z0-9]{0,9}$")
_FILE_WORD = re.compile(r"(?i)[-_.]?file$")
_SECRETS_FOLDER = re.compile(r"(?:^|/)\.?secrets/")
_NO_SECRET = re.compile(
    r"(?i)(?:pgpass|s?htpasswd|passwd|g?shadow|readme|license|namespace|user|user_?name|login|host|hostname|url|uri|port|name|database|db|version|id|email|region|index|.*[-_](?:user|username|host|url|id|name|port))"
)

_TOKENS = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\|\||&&|[;\n|&]|[^'\"\\;\n|&]+|.", re.DOTALL)
_REDIRECTED = re.compile(r"[0-9]?>&[0-9-]|2>>?[ ]?[^\s;|&]+")
_TO_FILE = re.compile(r"(?:^|[^-=0-9<])>{1,2}[ ]?(?!/dev/(?:stdout|tty))[\w./~$\"'{-]")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_SILENT = re.compile(
    r"(?:cd|pushd|popd|export|source|\.|set|unset|sleep|mkdir|chmod|umask|eval|true|:|git checkout|module load|nvm use)(?:\s|$)"
    r"|(?:[A-Za-z_]\w*=\S*\s*)+$|[A-Za-z_]\w*=\$?[(\"'`]"
)
_PASSES_ON = re.compile(
    r"(?:base64\s+(?:-d|-D|--decode|-w\s*0|-i)|base64$|openssl\s+base64|openssl\s+enc\s+-base64|tr\s|cut\s|awk\s|sed\s|head(?:\s|$)|tail(?:\s|$)|cat(?:\s+-\w+)?$|tee\s|xargs(?:\s+(?:echo|printf.*))?$|jq\s+(?:-\w+\s+)*|grep\s|egrep\s|rev$|fold\s|xxd\s+-(?:r|p)|od\s)"
)
_ECHO = re.compile(
    r"(?:echo|printf|print|Write-(?:Output|Host))\s+(?:-\w+\s+)*(?:[\"']?%s(?:\\n)?[\"']?\s+)?[\"']?(?:\$\{?(?:env:)?|%|\$Env:)(?P<name>[A-Za-z_]\w*)[}%]?[\"']?$"
)
_INNER = re.compile(
    r"(?:echo|printf)\s+(?:-\w+\s+)*(?:[\"']?%s(?:\\n)?[\"']?\s+)?\"?(?:\$\((?P<a>[^()]+)\)|`(?P<b>[^`]+)`)\"?$"
)
_SHELL = re.compile(r"(?:ba|z|da|k)?sh\s+-\w*c\s+(?P<q>[\"'])(?P<inner>.+)(?P=q)$", re.DOTALL)
_LEAD = re.compile(r"(?:(?:sudo|command|exec|time|env|nohup)\s+(?:-\w+\s+)*|[A-Za-z_]\w*=[^\s'\"$(`]*\s+)+")
_REMOTE = re.compile(
    r"(?:docker|podman|nerdctl|kubectl|oc|lxc|docker[ -]compose|fly|heroku|ssh|vagrant)\s.{0,300}?\s[\"']?(?=(?:cat|printenv|echo|head|tail)\s)"
)
_SHOWN = re.compile(
    r"(?:cat|head|tail|less|more|bat|batcat|type|gc|Get-Content|nl|strings)\s+(?:-{1,2}[\w-]+(?:[= ]\d+)?\s+)*(?P<file>[^\s|<>$(]+)$"
)
_NAMED = re.compile(
    r"""(?:printenv|heroku\s+config:get|dokku\s+config:get(?:\s+[\w-]+(?=\s))?|netlify\s+env:get|(?:terraform|tofu|terragrunt)\s+output|pulumi\s+(?:config\s+get|stack\s+output)
      |aws\s+configure\s+get|git\s+config|(?:npm|yarn|pnpm)\s+config\s+get|fly\s+secrets\s+get|eas\s+env:get|convex\s+env\s+get|npx\s+convex\s+env\s+get|sops\s.*--extract|jq|yq|grep|egrep|rg|defaults\s+read)
      \s(?P<rest>.+)""",
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"[A-Za-z_][\w.:-]*")
_STORES = re.compile(
    r"""(?P<password>(?:go)?pass\s+(?:show\s+)?(?:-[\w-]+\s+)*[\w.@-]+/[\w./@-]+$|pass\s+show\s|op\s+read\s|op\s+item\s+get\s.*(?:--fields?|--otp|--reveal)|bw\s+get\s+(?:password|totp|notes)\s|lpass\s+show\s.*(?:--password|-p\b)
      |security\s+find-(?:generic|internet)-password\s.*-\w*w|secret-tool\s+lookup\s|keyring\s+get\s|rbw\s+get\s|keepassxc-cli\s+show\s.*-a\s+[Pp]assword)
    |(?P<secret>gcloud\s+(?:beta\s+)?secrets\s+versions\s+access\s|aws\s.*secretsmanager\s+get-secret-value\s(?=.*--query)(?=.*--output\s*=?\s*text)
      |aws\s.*ssm\s+get-parameters?\s(?=.*--with-decryption)(?=.*--query)(?=.*--output\s*=?\s*text)|doppler\s+secrets\s+get\s.*--plain|vault\s+(?:kv\s+get|read)\s.*-{1,2}field
      |az\s+keyvault\s+secret\s+show\s(?=.*--query)(?=.*(?:-o|--output)[ =]?tsv)|az\s+storage\s+account\s+keys\s+list\s(?=.*--query)(?=.*(?:-o|--output)[ =]?tsv)|infisical\s+secrets\s+get\s.*--plain
      |(?:kubectl|oc)\s.*get\s+secrets?\s.*(?:jsonpath|go-template|custom-columns)|chamber\s+read\s.*-q|phase\s+secrets\s+get\s|akeyless\s+get-secret-value\s|conjur\s+variable\s+get\s|berglas\s+access\s|credstash\s+get\s|summon\s)
    |(?P<token>gh\s+auth\s+token|glab\s+auth\s+token|az\s.*get-access-token\s(?=.*--query)(?=.*(?:-o|--output)[ =]?tsv)|gcloud\s+auth\s+(?:application-default\s+)?print-(?:access|identity)-token|aws\s+ecr(?:-public)?\s+get-login-password|heroku\s+auth:token
      |vault\s+print\s+token|fly(?:ctl)?\s+auth\s+token|oc\s+whoami\s+(?:-t|--show-token)|kubectl\s.*create\s+token\s|huggingface-cli\s+token|aws\s+rds\s+generate-db-auth-token\s|cf\s+oauth-token|doctl\s+auth\s+token)
    |(?P<made>wg\s+gen(?:key|psk)|openssl\s+rand\s|pwgen\s|pwgen$|apg\s|gpg\s+--gen-random|(?:bin/|bundle\s+exec\s+)?rails\s+secret|(?:bin/)?rake\s+secret|php\s+artisan\s+key:generate\s.*--show|mix\s+phx\.gen\.secret|age-keygen
      |(?:python3?|node|ruby|deno\s+eval|bun)\s+-\w+\s+.*(?:secrets\.token_|Fernet\.generate_key|randomBytes|SecureRandom|get_random_secret_key)|.*/dev/u?random\b)""",
    re.VERBOSE | re.DOTALL,
)


def of_file(path: str) -> Name | None:
    """What a file holds that has one secret and nothing else, by its place; None where it is any other file."""
    path = path.strip("\"'").replace("\\", "/")
    if not path or len(path) > 400 or "*" in path:
        return None
    base = path.rsplit("/", 1)[-1].lstrip(".")
    stem = _FILE_WORD.sub("", _EXTENSIONS.sub("", base))
    if _CODE.search(stem) is not None or _NO_SECRET.fullmatch(stem):
        return None
    name = classify(stem)
    if name is not None and name.sort in ("url", "cookie"):
        return None
    if name is None and _EXTENSIONS.search(base) is not None and classify(base.removesuffix(".txt")) is not None:
        name = classify(base.removesuffix(".txt"))
    if name is None and _SECRETS_FOLDER.search(path) is not None:
        return _SECRET
    return name


@lru_cache(maxsize=4096)
def prints(command: str) -> tuple[Name | None, ...]:
    """For each part of a command line that prints something, in order: the secret that it prints, or None."""
    if len(command) > _LONGEST:
        return ()
    printed = [
        _of_pipeline(stages)
        for stages in _pipelines(_REDIRECTED.sub("", command))
        if _SILENT.match(stages[0]) is None and not any(_TO_FILE.search(_QUOTED.sub("x", stage)) for stage in stages)
    ]
    return tuple(printed) if any(printed) else ()


def _pipelines(command: str) -> list[list[str]]:
    pipelines: list[list[str]] = []
    stages: list[str] = []
    stage: list[str] = []
    for match in (*_TOKENS.finditer(command), None):
        token = match[0] if match is not None else ";"
        if token == "\\\n":
            stage.append(" ")
        elif token in ("|", ";", "\n", "&", "&&", "||"):
            text = "".join(stage).strip()
            stage = []
            if text:
                stages.append(text)
            if token != "|" and stages:
                pipelines.append(stages)
                stages = []
        else:
            stage.append(token)
    return pipelines


def _of_pipeline(stages: list[str]) -> Name | None:
    first, *following = stages
    if following and following[-1].startswith(("jq ", "yq ")):
        return _of_command(following[-1])
    if not all(_PASSES_ON.match(stage) for stage in following):
        return None
    if first.startswith(("grep ", "egrep ", "rg ")) and not following and " -o" not in first:
        return None  # NAME=value, which the name tells
    return _of_command(first)


def _of_command(command: str) -> Name | None:
    """The secret that a simple command prints."""
    lead = _LEAD.match(command)
    if lead is not None:
        command = command[lead.end() :]
    if (shell := _SHELL.search(command)) is not None:
        inner = prints(shell["inner"])
        return inner[-1] if inner else None
    if (inner_command := _INNER.match(command)) is not None:
        inner = prints(inner_command["a"] or inner_command["b"])
        return inner[-1] if inner else None
    remote = _REMOTE.match(command)
    if remote is not None:
        command = command[remote.end() :].rstrip("\"'")
    if (echo := _ECHO.match(command)) is not None:
        return None if echo["name"].upper() in ("PWD", "OLDPWD") else classify(echo["name"])
    if (store := _STORES.match(command)) is not None:
        return {"password": _PASSWORD, "secret": _SECRET, "token": _TOKEN, "made": _MADE}[store.lastgroup or "secret"]
    if (shown := _SHOWN.match(command)) is not None:
        return of_file(shown["file"])
    if (named := _NAMED.match(command)) is not None:
        for argument in named["rest"].split():
            if argument.startswith("-"):
                continue
            for word in _WORD.findall(argument.strip("\"'"))[-1:]:
                name = classify(word.rstrip("."))
                if name is not None and name.sort not in ("weak-key", "url", "cookie"):
                    return name
    return None


def lines_of(text: str) -> list[tuple[int, int]]:
    """The lines of a short output without their line numbers; nothing where it is long."""
    if len(text) > _LINE * _MOST_LINES:
        return []
    lines = [match.span("line") for match in _NUMBERED_LINE.finditer(text)]
    return lines if len(lines) <= _MOST_LINES else []


_NUMBERED_LINE = re.compile(r"(?m)^[ \t]*(?:\d{1,6}(?:→|\t))?[ \t]*(?P<line>\S(?:[^\n]*\S)?)[ \t\r]*$")


def secrets_in(text: str, names: tuple[Name | None, ...]) -> list[tuple[int, int, Name]]:
    """Which lines of an output are secrets that a command prints: characters from, to, and the name."""
    lines = lines_of(text)
    if len(names) == len(lines):
        pairs = list(zip(lines, names, strict=True))
    elif len(names) == 1:
        pairs = [(line, names[0]) for line in lines]
    else:
        return []
    found = []
    for (start, end), name in pairs:
        if name is None:
            continue
        low, high = (start + 1, end - 1) if text[start] in "\"'" and text[end - 1] == text[start] else (start, end)
        if is_value(text[low:high], name):
            found.append((low, high, name))
    return found


def is_value(value: str, name: Name) -> bool:
    """Whether a whole line is the value that the name announces."""
    if len(value) < 4 or len(value) > _LINE or value[-1] in ":,;{([" or value.startswith(("#", "//", "<", "{", "[")):
        return False
    if "://" in value or value.count(":") > 1:
        return False  # parts of it have rules of their own
    if name is _MADE and not random(value) and len(value) > 16:
        return False
    return is_secret(name.sort, value, "field")
