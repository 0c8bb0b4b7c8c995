"""Values one level below their names, or beside them."""

from __future__ import annotations

import json

import msgspec
import pytest

from dragoman.filters.redact import RedactFilter
from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook
from dragoman.model import Event, Header, Message, Session, ToolCall
from dragoman.report import Report

PASSWORD = cook("Kiwi{d*4}fruit")
OPAQUE = cook("{A*32}")


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


PASSWORDS = [
    'variable "db_password" {\n  type    = string\n  default = "§"\n}', 'db_password = {\n  value = "§"\n}', '{"db_password":{"sensitive":true,"type":"string","value":"§"}}', '{"value":"§","name":"DB_PASSWORD"}',
    '{"name":"DB_PASSWORD","value":"§"}', '{"password":["§"]}', '{"passwords": {"bob": "§"}}', 'passwords:\n  - §\n  - x', 'passwords:\n  bob: §', 'password:\n  value: §', 'password: !!str "§"', "password: !!str §",
    '<property name="hibernate.connection.password">§</property>', '<property name="javax.persistence.jdbc.password" value="§"/>', '<entry key="password">§</entry>', "<key>DbPassword</key>\n<string>§</string>",
    '<setting name="Password" serializeAs="String">\n  <value>§</value>\n</setting>', '<th>Password</th>\n  <td>§</td>', 'passwords = ["§", "x"]', '"outputs": {\n  "db_password": {\n    "value": "§",\n    "type": "string"\n  }\n}',
    "passwords: [§2]".replace("§2", '"§"'), 'environment = [{ name = "DB_PASSWORD", value = "§" }]', "{'value': '§', 'type': 'text', 'key': 'DB_PASSWORD'}",
]  # fmt: skip
TOKENS = [
    '{"apiKeys":["§"]}', '"unseal_keys_b64": [\n    "x",\n    "§"\n  ]', "api_keys:\n  - §\n", "api_keys:\n- §\n", "tokens:\n  prod: §\n  name: x", '{"tokens":{"access":"§","type":"x"}}', '{"value":"§","name":"SECRET_KEY"}',
    '{"Name":"/a/token","Type":"SecureString","Value":"§","Version":1}', '{"ARN":"x","Name":"/a/token","Type":"SecureString","Value":"§"}', '<string name="api_key">§</string>', '<entry key="secret">§</entry>',
    "<key>ApiToken</key>\n\t<string>§</string>", '<setting name="ClientSecret"><value>§</value></setting>', 'variable "api_token" {\n  default = "§" # x\n}', 'secrets = {\n  stripe = "§"\n}', "tokens: { prod: §, x: y }",
    '<string name="api_key"><![CDATA[§]]></string>',
]  # fmt: skip
STAYS = [
    'variable "db_password" {\n  type        = string\n  description = "the12password"\n  sensitive   = true\n}', '"password": {"type": "string", "minLength": 8, "format": "password2"}', 'tokens = ["<s>", "##ing", "hello"]',
    '<string name="password">Passwort</string>', '<string name="enter_password">Enter your password</string>', "tokens:\n  id: {h*32}\n", '{"token": {"id": "{h*32}", "sha256": "{h*64}"}}', '{"keys": ["name", "user_id2", "created_at"]}',
    'password:\n  required: true\n  message: must12match\n', '{"name": "password", "value": "${DB_PASSWORD}"}', '{"value": "production", "name": "API_TOKEN"}', "passwords: [Validators.required, min(8)]", 'api_keys:\n  - ${API_KEY}\n',
    'def token(self):\n    return self.abc123def\n', "<th>Token</th><th>Expires</th>", '"secrets": {"inherit": "true"}', "for token in tokens:\n    process(token2)\n", 'token:\n    description: abc\n', "with secret:\n  x: y12345",
    '"token": {\n "access_token_url": "https://h.example.com/x1"}', 'keys: ["{h*40}"]', '{"token": {"commit_sha": "{h*40}"}}', '<input name="password" type="password" value="">', '<key>ApiToken</key>\n<true/>',
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"), [*((text, PASSWORD) for text in PASSWORDS), *((text, OPAQUE) for text in (*TOKENS, *PASSWORDS))]
)
def test_what_stands_below_a_name(finder: Finder, text: str, value: str) -> None:
    filled = f"before\n{text.replace('§', value)}\nafter\n"
    for shown in (filled, json.dumps({"a": filled}), json.dumps({"a": json.dumps({"b": filled})})):
        assert any(found.value == value for found in finder.scan(shown)), shown


@pytest.mark.parametrize("text", STAYS)
def test_what_is_no_secret_below_a_name_stays(finder: Finder, text: str) -> None:
    filled = f"before\n{cook(text)}\nafter\n"
    assert finder.scan(filled) == ()


@pytest.mark.parametrize(
    "data",
    [
        {"db_password": {"sensitive": True, "value": "§"}}, {"passwords": ["§"]}, {"password": ["§"]}, {"passwords": {"bob": "§"}}, {"value": "§", "name": "DB_PASSWORD"}, {"Name": "/a/password", "Type": "SecureString", "Value": "§"},
        {"outputs": [{"key": "DB_PASSWORD", "value": "§"}]}, {"password": {"current": "§"}}, {"credentials": {"password": {"plaintext": "§"}}},
    ],
)  # fmt: skip
def test_what_stands_below_a_name_in_what_tools_say(data: dict[str, object]) -> None:
    for value in (PASSWORD, "correcthorse"):
        filled = json.loads(json.dumps(data, ensure_ascii=False).replace("§", value))
        for entry in (
            Event(kind="unknown", data=filled),
            Message(role="assistant", origin="reply", blocks=(ToolCall("t", "x", json.dumps(filled)),)),
        ):
            session = Session(header=Header(id="s"), entries=(entry,))
            redact, report = RedactFilter(), Report()
            redact.prepare([session], report)
            assert value not in msgspec.json.encode(redact.apply(session, report)).decode()
