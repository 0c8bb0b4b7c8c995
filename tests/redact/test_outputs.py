"""Secrets that a command printed: nothing names them where they stand."""

from __future__ import annotations

import json

import msgspec
import pytest

from dragoman.filters.redact import RedactFilter
from dragoman.filters.redact.context.commands import prints
from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook
from dragoman.model import Header, Message, Session, Text, ToolCall, ToolResult
from dragoman.report import Report

PASSWORD = cook("Kiwi{d*4}fruit")
DRAWN = cook("{h*32}")
WORD = "correcthorsebattery"

COMMANDS = [
    "cat /run/secrets/db_password", "cat password.txt", "cat .vault_pass", "cat ~/.my_password", "cat config/master.key", "sudo cat /etc/secrets/mysql", "head -1 token.txt", "echo $DB_PASSWORD", 'echo "$DB_PASSWORD"',
    "echo ${API_TOKEN}", 'printf "%s\\n" "$DB_PASSWORD"', "printenv DB_PASSWORD", "kubectl get secret x -o jsonpath='{.data.password}' | base64 -d", "kubectl get secret x -o jsonpath={.data.password}",
    "cd infra && terraform output -raw db_password", "heroku config:get API_SECRET -a shop", "pass show db/prod", "op read op://Private/db/password", "gcloud secrets versions access latest --secret=db",
    "aws secretsmanager get-secret-value --secret-id x --query SecretString --output text", "doppler secrets get DB --plain", "security find-generic-password -s x -w",
    "vault kv get -field=password kv/db", "gh auth token", "az account get-access-token --resource x --query accessToken -o tsv", "openssl rand -hex 32", "wg genkey", "gh auth token 2>/dev/null",
    "aws ssm get-parameter --name /app/db --with-decryption --query Parameter.Value --output text", "grep PASSWORD .env | cut -d= -f2", "docker exec db printenv POSTGRES_PASSWORD", "ssh web1 'cat /run/secrets/db_password'",
    "curl -s https://h/login | jq -r .access_token", 'bash -c "cat password.txt"', 'echo "$(cat password.txt)"', "python3 -c 'import secrets; print(secrets.token_hex(16))'", "head -c 24 /dev/urandom | base64",
]  # fmt: skip
OTHERS = [
    "cat README.md", "git rev-parse HEAD", "echo $HOME", "echo $PWD", "cat src/token.py", "cat docs/password.md", "echo $DB_PASSWORD | sha256sum", "cat password.txt | wc -c", "cat password.txt > other.txt",
    "printenv HOME", "cat /run/secrets/username", "export DB_PASSWORD=$(cat password.txt)", "echo $DB_PASSWORD | docker login --password-stdin -u x", "kubectl get pods", "terraform output -raw vpc_id", "cat public.key",
    "cat ~/.pgpass", "cat /etc/passwd", "cat tests/test_password.py", "ls -l secrets/", "md5sum password.txt", "cat package.json | jq -r .version",
]  # fmt: skip


def redacted(*blocks: ToolCall | ToolResult | Text) -> Session:
    session = Session(header=Header(id="s"), entries=(Message(role="assistant", origin="reply", blocks=blocks),))
    redact, report = RedactFilter(), Report()
    redact.prepare([session], report)
    return redact.apply(session, report)


def ran(command: str, output: str, **more: object) -> str:
    """What becomes of a command's output."""
    new = redacted(
        ToolCall("t1", "Bash", json.dumps({"command": command})),
        ToolResult("t1", (Text(output),), structured={"stdout": output, "stderr": ""}),
    )
    result = new.entries[0].blocks[1]  # type: ignore[union-attr]
    assert isinstance(result, ToolResult) and isinstance(result.content[0], Text)
    assert result.structured["stdout"] == result.content[0].text
    return result.content[0].text


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_prints_that_reads_a_secret(command: str) -> None:
    assert DRAWN not in ran(command, f"{DRAWN}\n")


@pytest.mark.parametrize("command", OTHERS)
def test_what_other_commands_print_stays(command: str) -> None:
    assert prints(command) == ()
    assert ran(command, f"{DRAWN}\n") == f"{DRAWN}\n"


def test_passwords_that_people_choose() -> None:
    for value in (PASSWORD, WORD, f'"{PASSWORD}"'):
        for command in ("cat password.txt", "printenv DB_PASSWORD", "pass show db/prod"):
            assert value.strip('"') not in ran(command, value)


@pytest.mark.parametrize(
    "output",
    [
        "cat: password.txt: No such file or directory", '{"password": null}', "Usage: cat [OPTION]... [FILE]...", "", "Permission denied", "/home/dev/x/password", "null", "def password():", "password", "[REDACTED:password:1]",
        "one line of words\nanother line of words", "error: not found", "(no output)", "h:app:rw:Kiwi12", "https://h.example.com/a1",
    ],
)  # fmt: skip
def test_what_is_no_value_stays(output: str) -> None:
    assert ran("cat password.txt", output) == output


def test_each_line_belongs_to_its_command() -> None:
    commit = cook("{h*40}")
    new = ran("openssl rand -hex 16; git rev-parse HEAD", f"{DRAWN}\n{commit}\n")
    assert DRAWN not in new and commit in new


def test_files_that_are_read_and_written() -> None:
    """The line number stays, and the value goes everywhere else too."""
    path = json.dumps({"file_path": "/srv/app/secrets/db_password"})
    new = redacted(
        Text(f"it was {PASSWORD} before"),
        ToolCall("t1", "Read", path),
        ToolResult("t1", (Text(f"     1→{PASSWORD}\n"),), structured={"file": {"filePath": "x", "content": PASSWORD}}),
    )
    assert PASSWORD not in msgspec.json.encode(new).decode()
    assert new.entries[0].blocks[2].content[0].text == "     1→[REDACTED:password:1]\n"  # type: ignore[union-attr]
    wrote = redacted(ToolCall("t1", "Write", json.dumps({"file_path": "/srv/.vault_pass", "content": f"{PASSWORD}\n"})))
    assert PASSWORD not in msgspec.json.encode(wrote).decode()


def test_a_person_s_own_shell() -> None:
    entries = (
        Message(role="user", origin="shell_input", blocks=(Text("cat password.txt"),)),
        Message(role="user", origin="shell_output", blocks=(Text(PASSWORD),)),
    )
    session = Session(header=Header(id="s"), entries=entries)
    redact, report = RedactFilter(), Report()
    redact.prepare([session], report)
    assert PASSWORD not in msgspec.json.encode(redact.apply(session, report)).decode()


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("lead", ["$ ", "", "bob@web1:~/app$ "])
def test_a_shell_in_a_text(finder: Finder, command: str, lead: str) -> None:
    text = f"I ran this:\n{lead}{command}\n{DRAWN}\nand it was so."
    assert any(found.value == DRAWN for found in finder.scan(text))
    assert any(found.value == DRAWN for found in finder.scan(json.dumps({"a": text})))


@pytest.mark.parametrize(
    "text",
    [
        "cat password.txt\n./deploy2.sh\n", "echo $DB_PASSWORD\ndone\n", "$ cat password.txt\n$ ls\n", "cat /run/secrets/db_password\nmysqldump2\n", "concat token\nabc123def\n", "$ git rev-parse HEAD\n{h*40}\n",
        "echo $TOKEN | sha256sum\n{h*64}\n", "I cat password.txt\nsha1234567\n", "$ cat public.key\n{h*32}\n", "$ openssl rand -hex 32 > key\n{h*32}\n",
    ],
)  # fmt: skip
def test_lines_below_a_command_that_are_no_output_stay(finder: Finder, text: str) -> None:
    assert finder.scan(cook(text)) == ()
