"""Words that look like secrets and are none: they stay, and so does everything else that they could poison."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from dragoman.filters.redact import RedactFilter, RedactOptions, redact_text
from dragoman.filters.redact.catalog import phrases, shapes
from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook
from dragoman.filters.redact.replace import Replacer
from dragoman.filters.redact.values import spreads
from dragoman.model import Header, Message, Session, Text
from dragoman.report import Report

PASSWORD = cook("Kiwi{d*4}fruit")


def _redacted(*texts: str, options: RedactOptions | None = None) -> list[str]:
    """What becomes of the texts of one session, which must pass the check after rendering."""
    session = Session(
        header=Header(id="s"),
        entries=tuple(Message(role="user", origin="prompt", blocks=(Text(text),)) for text in texts),
    )
    redact = RedactFilter(options)
    report = Report()
    redact.prepare([session], report)
    new = redact.apply(session, report)
    assert redact.verify("s.json", msgspec.json.encode(new.entries)) == []
    return [entry.blocks[0].text for entry in new.entries]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE t SET password = :password", "UPDATE t SET password=:password, token=:token1 WHERE id=:id", "SET pw = @password", "password = %(password)s",
        "password = $1", "password = ?1", "password = :1", "SET password = :password::text", "WITH PASSWORD :'password'", "password: :password", "token => :api_token",
        '"password": ":password"', "PASSWORD = :new_password", "password = password:",
    ],
)  # fmt: skip
def test_the_parameters_of_a_statement_are_no_values(statement: str) -> None:
    """`:password` became a known value, stood in its own placeholder, and the check refused the whole output."""
    texts = [
        statement, "(1 row)", "src/conf.yml:7:password is too weak", "postgresql://user:password@localhost/db", "credentials.dig(:db, :password)",
        "{{resolve:secretsmanager:x:SecretString:password}}", f"DB_PASSWORD={PASSWORD}",
    ]  # fmt: skip
    assert _redacted(*texts) == [*texts[:-1], "DB_PASSWORD=[REDACTED:password:1]"]


@pytest.mark.parametrize("own", ["REDACTED", "password:1", "password", ":password", "own-text", "[REDACTED"])
def test_our_own_placeholders_hold_no_known_value(tmp_path: Path, own: str) -> None:
    path = tmp_path / "words.txt"
    path.write_text(own + "\n", "utf-8")
    before = [f"DB_PASSWORD={PASSWORD}", "[REDACTED:token:1] there"]
    new = _redacted(*before, options=RedactOptions(own_text=path))
    assert PASSWORD not in new[0] and new[0].endswith("=[REDACTED:password:1]")
    assert new[1] == before[1]


def test_what_only_begins_like_a_placeholder_is_searched() -> None:
    token = cook("ghp_{A*36}")
    assert all(token not in text for text in _redacted(f"[REDACTED: {token}]", f"[REDACTED:{token}:x]"))


def test_a_list_of_codes_goes_whole() -> None:
    codes = [cook("{n*5}-{n*5}", seed) for seed in range(3)]
    new = _redacted(json.dumps({"body": f"recovery_codes: {json.dumps(codes)}"}))[0]
    assert not [code for code in codes if code in new]


_SAID = [
    "mijn wachtwoord: quesadilla.hurricane{d*4}vu", "het wachtwoord is Papillon.{d*4}qn", "userPassword: {SHA}{b*27}=", "admin:{SHA}{b*27}=", "hash: '$argon2id$v=19$m=65536,t=3,p=4${b*22}${b*43}'",
    "usa lavender{d*4}!tz como contraseña", "\"passwort\": \"Kastanie?{d*4}*gm\"", "name\tuser\tpassword\nx\tbob\tpinguin#{d*4}qx", "DB_PASSWORD | violeta{d*4}!xx", "-----BEGIN PRIVATE KEY-----\n{b*64}\n{b*64}",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{b*64}\n{b*64}\n={b*4}\n-----END PGP PRIVATE KEY BLOCK-----", "\"JWT\": \"eyJhbGciOiJIUzI1NiJ9.eyJ{A*60}.{w*43}\"", "SENTRY_AUTH_TOKEN=sntrys_eyJ{A*60}={b*43}",
]  # fmt: skip


@pytest.mark.parametrize(
    "written",
    [
        lambda call: json.dumps(call, separators=(",", ":")),
        lambda call: json.dumps(call, indent=1),
        lambda call: json.dumps([json.dumps(call), 1]),
        lambda call: json.dumps([*call.values()]),
    ],
    ids=["compact", "indented", "nested", "array"],
)
def test_no_value_runs_over_the_end_of_its_string(written: Callable[[dict[str, object]], str]) -> None:
    """The arguments of a call stand as raw JSON beside what they say: a value went on to the next name there."""
    examples = [*_SAID, *(example for rule in (*phrases(), *shapes()) for example in rule.match)]
    texts = [
        written({"command": cook(example), "dangerouslyDisableSandbox": True, "description": "run"})
        for example in examples
    ]
    finder = Finder()
    finder.scan_all(texts)
    for text in texts:
        replacer = Replacer(finder)
        replacer.learn([text])
        replacer.freeze()
        new = json.loads(replacer.replace(text))
        if isinstance(new, list):
            assert new == [new[0], True, "run"] if len(new) == 3 else new[1] == 1, text
            new = (
                json.loads(new[0])
                if len(new) == 2
                else {"command": "", "dangerouslyDisableSandbox": True, "description": "run"}
            )
        assert list(new) == ["command", "dangerouslyDisableSandbox", "description"] and new["description"] == "run", (
            text
        )


def _pem(what: str, head: str, lines: int, seed: int = 0) -> str:
    body = [
        cook(f"{head}{{b*{64 - len(head)}}}", seed),
        *(cook("{b*64}", 10 * seed + line + 1) for line in range(lines)),
    ]
    return "\n".join([f"-----BEGIN {what}-----", *body, f"-----END {what}-----", ""])


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


_KEYS = {
    what: _pem(what, head, 8, 3) for what, head in (("PRIVATE KEY", "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSk"), ("RSA PRIVATE KEY", "MIIEpAIBAAKCAQEA"), ("OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAA"), ("EC PRIVATE KEY", "MHcCAQEEI"))
}  # fmt: skip


@pytest.mark.parametrize("what", _KEYS)
@pytest.mark.parametrize("shown", ["{key}", "client-key-data: {coded}", "kind: Secret\ndata:\n  tls.key: {coded}\n"])
def test_a_key_takes_no_certificate_with_it(what: str, shown: str) -> None:
    """The base64 of `-----BEGIN ` was taken for a piece of the key, and each certificate of a kubeconfig for a copy."""
    key = _KEYS[what]
    certificates = [_pem("CERTIFICATE", "MIID", 8 + seed, 20 + seed) for seed in range(3)]
    public = [
        *(f"certificate-authority-data: {_coded(each)}" for each in certificates), *(f"client-certificate-data: {_coded('x' + each)}" for each in certificates),
        *certificates, f"kind: Secret\ndata:\n  tls.crt: {_coded(certificates[0])}\n", _pem("PUBLIC KEY", "MIIBIjANBgkqhkiG9w0BAQ", 3, 50), "if '-----BEGIN PRIVATE KEY-----' in text:",
    ]  # fmt: skip
    new = _redacted(shown.format(key=key, coded=_coded(key)), *public, _coded(f"\n{key}"), key)
    assert new[1:-2] == public
    for line in key.splitlines()[3:-1]:
        assert not [text for text in new if line in text or _coded(line)[4:-4] in text]


def test_a_token_takes_no_other_header_with_it() -> None:
    head = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
    token = cook(head + ".eyJzdWIi{A*60}.{w*43}")
    new = _redacted(f"TOKEN={token}", f"the header is {head}.", f"then {token[50:90]}")
    assert new[0].startswith("TOKEN=[REDACTED:") and new[1] == f"the header is {head}." and token[50:90] not in new[2]


@pytest.mark.parametrize(
    "line",
    [
        "arn:aws:secretsmanager:eu-west-1:{d*12}:secret:prod/app-{A*6}", "DB_SECRET_ARN=arn:aws:secretsmanager:eu-west-1:{d*12}:secret:db/password-{A*6}", "github.com/x/keyring v0.0.0-20261130100000-{h*12} h1:{b*43}=",
        "require github.com/a/token v0.0.0-20261130100000-{h*12}", "\tgithub.com/a/secret v1.2.1-0.20261130100000-{h*12} // indirect", "checksum/secret: {h*64}", "jwt (2.9.3) sha256={h*64}",
        '"Key": "logs/2026/{h*32}.gz"', "s3_key: uploads/{h*8}-{h*4}-{h*4}-{h*4}-{h*12}.png", "Key=data/{h*32}/part-0.snappy.parquet", "Cache restored from key: Linux-npm-{h*64}", "key: Linux-pip-3.13-{h*40}",
        "Sec-WebSocket-Key: {b*22}==", "sec-websocket-key: {b*22}==", "Sec-WebSocket-Accept: {b*27}=", 'ETag: "{h*40}"', 'secret "{l*10}" deleted', 'secret "{l*8}_db2" unchanged', "sort_key=billing_x#{h*8}-{h*4}-{h*4}-{h*4}-{h*12}",
        "secret rotation landed in {h*40}", "-----BEGIN RSA PRIVATE KEY----- {l*12} (redacted) -----END RSA PRIVATE KEY-----", "export JAVA_HOME=/usr/lib/jvm/temurin-21-jdk-amd64", "SSH_AUTH_SOCK=/tmp/ssh-{A*10}/agent.{d*5}",
        "existingSecret: parser{l*6}-credentials", "checksum/secrets: {h*64}", "password: \\\\u2022\\\\u2022\\\\u2022\\\\u2022",
        "password: SHA256:{b*43} bob@host (ED25519)",
    ],
)  # fmt: skip
def test_ids_checksums_and_places_stay(line: str) -> None:
    for seed in range(4):
        text = cook(line, seed)
        assert _redacted(f"{text}\nEOF\n", json.dumps({"a": text})) == [f"{text}\nEOF\n", json.dumps({"a": text})]


def test_the_public_beginning_of_a_token_stands_for_none() -> None:
    heads = sorted({rule.prefix for rule in shapes() if rule.prefix})
    texts = [
        f"{name}={head}{rest}"
        for name in ("API_KEY", "api_token")
        for head in heads
        for rest in ("...", "xxxx", "XXXXXXXX")
    ]
    finder = Finder()
    finder.scan_all(texts)
    assert [text for text in texts if finder.known(text)] == []


def test_what_goes_on_behind_the_beginning_is_a_token() -> None:
    finder = Finder()
    token = cook("sk-ant-api03-{w*93}AA")
    for text in (
        f"API_KEY={token}...",
        "API_KEY=" + cook("{A*24}..."),
        f"/password {PASSWORD}",
        f'secret "{PASSWORD}" is mine',
        f"password: {PASSWORD}...",
    ):
        assert finder.scan(text), text


@pytest.mark.parametrize("lead", ["\n", "\t", "\u00e9"])
def test_an_escape_is_not_cut_in_two(lead: str) -> None:
    """The letters of an escape are no part of a token: what is left must be JSON."""
    text = json.dumps({"b": f"x{lead}{cook('ghp_{A*36}')}"})
    shown = redact_text(text)
    assert json.loads(shown)["b"].startswith(f"x{lead}[REDACTED:")


@pytest.mark.parametrize(
    "text",
    [
        "password: **required**", "password: *required*", "| password | **required** |", "password: **required** (min. 8)", "login: root\nPassword: \nWelcome", "login: root\nPassword: \nWelcome to Ubuntu 24.04 LTS",
        "password:\n  pool5: a", "1\tpassword:\n2\t  pool5: a\n", "1\tpassword:\n2\t  required: true\n", "$cred = ConvertTo-SecureString -String $plain -AsPlainText", "$credential = Get-AutomationPSCredential -Name x",
        "the password is getURLOfItem.", "expect(login('mira', 'settings'))", "await signIn('mira', user.password)", "f(a, sig=None)", "https://h/x?sig=${SIGNATURE}", "echo done | gh secret list",
        "echo 'hello world' | kubectl apply -f -", "spin = 48213", "PIN = 13",
    ],
)  # fmt: skip
def test_what_only_stands_where_a_secret_might_stays(text: str) -> None:
    texts = [text, json.dumps({"content": text}), json.dumps([json.dumps({"content": text})])]
    assert _redacted(*texts) == texts


@pytest.mark.parametrize(
    "line",
    [
        '$cred = ConvertTo-SecureString "§" -AsPlainText -Force', "10\t$cred = ConvertTo-SecureString '§' -Force", "kubectl create secret generic x --from-literal=pw=§", "kubectl create secret generic x --from-literal='pw=§' -n y",
        "kubectl create secret generic x --from-literal=user=bob --from-literal=password=§", "password: **§**", "the password is **§** now", "set the password to **§**.",
    ],
)  # fmt: skip
def test_only_the_value_goes(line: str) -> None:
    """The cmdlet's name, the flag and the stars of Markdown stay."""
    for seed in range(4):
        text = line.replace("§", cook("ps{A*10}{d*2}", seed))
        for new, before in zip(
            _redacted(text, json.dumps({"a": text})), (line, json.dumps({"a": line}, ensure_ascii=False)), strict=True
        ):
            assert new == before.replace("§", "[REDACTED:password:1]")


def _untouched(*texts: str) -> None:
    assert _redacted(*texts) == list(texts)


@pytest.mark.parametrize(
    "text",
    [
        "     1→DB_PASSWORD=\n     2→API_URL=x", "     1→DB_PASSWORD=\n     2→REDIS_URL=redis://h", "5:DB_PASSWORD=\n6:DB_NAME=app2",
        "2→password =\n3→timeout2 = 3", "2→password:\n3→timeout2 = 3", "2→password:\n3→func (l *Loader) x",
    ],
)  # fmt: skip
def test_an_empty_value_in_numbered_lines_takes_nothing_from_the_next(text: str) -> None:
    _untouched(text)


def test_what_stands_alone_below_an_announcement_is_a_value() -> None:
    texts = [f"The password is:\n{PASSWORD}", f"2→password:\n3→{PASSWORD}", f"mail body: password is Kiwi=\n{PASSWORD}"]
    assert not [text for text in _redacted(*texts) if PASSWORD in text]


@pytest.mark.parametrize(
    "text",
    [
        "apt\tpasswd\t1:4.13\napt\tpython3\t3.11", "pip\ttoken\t2.0\npip\tsqlite3x\t2.1", "a,password,b\nc,identifier2,d", "4096\tpassword\n4096\tparser2",
        "| x | password | y |\n| z | parser2 | w |", "| package | note |\n|---|---|\n| base | none |\n| token | old |\n| parser2 | parser2 |\n",
        "package,version\nlibc,glibc2x\npassword,parser2\nsqlite3x,identifier2\n",
    ],
)  # fmt: skip
def test_a_cell_of_a_table_heads_no_column(text: str) -> None:
    _untouched(text)


@pytest.mark.parametrize(
    "text",
    [
        "user,password\nbob,{}\n", "     1→user,password\n     2→bob,{}\n", "     1\tuser\tpassword\n     2\tbob\t{}\n", "These are them, all:\nuser,password\nbob,{}\n",
        "| user | password |\n|---|---|\n| bob | {} |\n", "+----+----+\n| user | password |\n+----+----+\n| bob | {} |\n", "user | password\n-----+-----\nbob | {}\n",
        "user | password\nbob | {}\n", "$ cut -d, -f1 users.csv\nuser,password\nbob,{}\n", "┌──┬──┐\n│ user │ password │\n├──┼──┤\n│ bob │ {} │\n",
    ],
)  # fmt: skip
def test_a_column_below_its_head_is_found(text: str) -> None:
    assert PASSWORD not in _redacted(text.format(PASSWORD))[0]


@pytest.mark.parametrize(
    "texts",
    [
        ("Please keep the api key lookup where it is.", "registry.example.com/team2/app2:1.4 and registry.example.com/x, .example.com"),
        ("x" * 90 + " Please keep the api key lookup where it is.", "registry.example.com/team2/app2"),
    ],
)  # fmt: skip
def test_a_finished_sentence_is_not_joined_with_the_next_message(texts: tuple[str, ...]) -> None:
    _untouched(*texts)


@pytest.mark.parametrize("value", [".example.com", "registry.example.com", "......", "-_-.-_-!"])
def test_a_bare_domain_and_mere_signs_are_looked_for_nowhere_else(value: str) -> None:
    assert not spreads(value)


@pytest.mark.parametrize(
    "text",
    [
        r'{"text":"  password: {{ .Values.b_k.password }}\\n7d4aab6 flush"}', r'{"text":"  password: {{ .Values.b_k.password }}\n7d4aab6 flush"}',
        r'{"text": "password: see 1Password (inbox)\n"}', r'{"a":"Das Passwort f\u00fcr die DB"}', r'{"a":"Das Passwort: f\u00fcr die DB"}', r'{"a":"Das Passwort wurde ge\u00e4ndert."}',
        r'{"a":"le mot de passe \u00e9t\u00e9 2 fois"}', r'{"a":"Password \u2013 required"}', r'{"a":"password: ge\u00e4ndert"}', "Password must be &gt;5 characters",
    ],
)  # fmt: skip
def test_escapes_in_a_sentence_make_no_password(text: str) -> None:
    _untouched(text)


@pytest.mark.parametrize(
    "text",
    [r'{"a":"Das Passwort ist Stra\u00dfe%s!"}', r'{"a":"the password is %s\nnext"}', r'{"a":"password (%s)\n"}'],
)
def test_passwords_beside_escapes_are_found(text: str) -> None:
    assert PASSWORD not in _redacted(text % PASSWORD)[0]


@pytest.mark.parametrize(
    "text",
    [
        "--- PASS: TestA2 (0.00s)", "    --- PASS: TestParse/case_12", "PASS: test-suite2", "PASS: check-news2.sh", "Pass: true2", "pass: mem2reg",
        "LLVM pass: loop-vectorize2", "second pass: parser2", "second pass: parser22",
    ],
)  # fmt: skip
def test_a_pass_of_a_test_or_a_compiler_is_no_password(text: str) -> None:
    _untouched(text)


@pytest.mark.parametrize(
    "text",
    [
        "smtp:\n  pass: {}",
        "user: bob\npass: {}",
        "USER: bob\nPASS: {}",
        "user: bob pass: {}",
        'PASS: "{}"',
        "PASS={}",
        "PASS: {}!",
    ],
)
def test_a_password_called_pass_is_found(text: str) -> None:
    assert PASSWORD not in _redacted(text.format(PASSWORD))[0]


@pytest.mark.parametrize(
    "text",
    [
        "-u, --user <user:password>  Server user", "<name:pass>", "[user:password]", "{user:password}", "--basic-auth <user:password>", "curl -u [user:password] https://h",
        "mysql -u root -p\nmysqldump -u root -p app > x.sql", "mysql -u root -p\nmysql> show tables;", "mysql -u root -p\nEnter password:\nWelcome to MariaDB",
        "net use Z: \\\\srv\\share *\nnet2 use", "net use Z: \\\\srv\\share /user:bob\nnet2 use Y: /user:x", "net user bob\nlocalgroup2 x",
        "'password' => 'required|string|min:8|confirmed',", "'password' => ['required', 'min:8'],", "'password' => 'sometimes|nullable|min:12|regex:/[a-z]2/',",
        'Password = Configuration["Database:Password"]', 'options.Password = _config["Smtp:Password"];', 'password = cfg["db.password1"]',
    ],
)  # fmt: skip
def test_what_only_stands_where_a_password_would_stays(text: str) -> None:
    _untouched(text)


@pytest.mark.parametrize(
    "text",
    [
        "curl -u <admin:{}> https://h",
        "mysql -u root -p {}",
        "net user bob {} /add",
        'let passwords: string[] = ["{}"]',
        "'password' => ['{}'],",
    ],
)
def test_what_stands_there_and_is_one_is_found(text: str) -> None:
    assert PASSWORD not in _redacted(text.format(PASSWORD))[0]


def _stays(line: str) -> None:
    """Nothing is found in a line, whether it stands by itself or in JSON."""
    finder = Finder()
    for text in (f"before\n{line}\nafter\n", json.dumps({"a": line})):
        assert finder.scan(text) == (), text


@pytest.mark.parametrize(
    "line",
    [
        "--docker-password=password --docker-email=email", "mytool --password=password --database=db2", "--name db_password --vault-password-file .vault_pass", "one-time password by passing --otp=<code>",
        "mytool --password -x2",
    ],
)  # fmt: skip
def test_the_next_option_is_no_value(line: str) -> None:
    _stays(line)


@pytest.mark.parametrize(
    "line",
    [
        '<data name="Password" xml:space="preserve">', '<EditText android:id="@+id/password" android:hint="Enter pw2" />', '<xs:element name="password" type="xs:string"/>', '<input name="password" data-test="pw-input2">',
        '<input name="password" placeholder="min8">', '<input name="password" ref="dbPassword2">', '<input type="password" autocomplete="pw2-current">', '<label for="password" class="col-sm2x">',
    ],
)  # fmt: skip
def test_what_other_attributes_say_is_no_value(line: str) -> None:
    _stays(line)


@pytest.mark.parametrize(
    "line",
    ['<input name="password" data-test="pw2" value="{v}">', '<data name="Password" xml:space="preserve">{v}</data>'],
)
def test_the_attribute_value_and_the_text_of_an_element_are_one(line: str) -> None:
    assert PASSWORD not in _redacted(line.format(v=PASSWORD))[0]


@pytest.mark.parametrize(
    "line",
    [
        'fly secrets set DB_PASSWORD="$PW"', "gh secret set DEPLOY_TOKEN_V2", "gcloud secrets versions access latest --secret=db-password2", "gcloud run deploy x --set-secrets=DB_PASS=db-pass2:latest",
        "gcloud run deploy x --set-secrets=DB_HOST=db-host:1,DB_PASS=db-pass2:latest", "docker build --secret id=npm2,src=.npmrc .", "kubectl create x --secret=my-secret2",
    ],
)  # fmt: skip
def test_which_stored_secret_is_meant_is_no_secret(line: str) -> None:
    _stays(line)


@pytest.mark.parametrize(
    "line",
    [
        "fly secrets set DB_PASSWORD='{v}'",
        "fly secrets set DB_PASSWORD={v}",
        "mytool --secret={v}",
        "mytool --secret {v}",
    ],
)
def test_a_secret_that_is_given_to_a_store_is_one(line: str) -> None:
    assert PASSWORD not in _redacted(line.format(v=PASSWORD))[0]


@pytest.mark.parametrize(
    "line",
    [
        "I moved the password to .env.local2.", "I changed the password hash to argon2id", "set the password length to 12chars", "set the password policy to Strong12", "Password strength: zxcvbn3 score.",
        "the password manager is Bitwarden2", "The token name is ci-deploy-2024.", "Das Kennwort muss 8-stellig sein.", "Das Passwortfeld in LoginForm2", "Le mot de passe doit contenir 8 caractères (workerpgbh).",
        "the password is 12-digit",
    ],
)  # fmt: skip
def test_what_is_about_passwords_is_none(line: str) -> None:
    _stays(line)


@pytest.mark.parametrize(
    "line",
    ["password field: {v}", "the password reset to {v}", "in the password manager it is {v}", "das Passwort ist {v}"],
)
def test_a_password_that_a_sentence_tells_is_one(line: str) -> None:
    assert Finder().scan(line.format(v=PASSWORD))


@pytest.mark.parametrize(
    "line",
    [
        "const tokens = ['colorPrimary', 'colorBgContainer2'];", 'tokens: ["fontSizeHeading1", "colorBgBase2"]', 'secrets: ["DbPasswordV2"]', '{ name: "pin", value: "pin-input-field" }',
        '{"name":"password","value":"user.password2"}', "INSERT INTO translations (lang, key, value) VALUES ('de','login.password','Passwort2')",
    ],
)  # fmt: skip
def test_names_beside_names_are_no_values(line: str) -> None:
    _stays(line)


@pytest.mark.parametrize(
    "line",
    [
        'passwords: ["{v}"]',
        '{"name":"pin","value":"{v}"}',
        '{"name":"password","value":"password1"}',
        'tokens: ["{w}"]',
    ],
)
def test_values_beside_names_are_found(line: str) -> None:
    assert Finder().scan(line.replace("{v}", PASSWORD).replace("{w}", cook("{A*32}")))


@pytest.mark.parametrize(
    "line", ["(GnomeKeyringNetworkPasswordData *)entries->data;", "THE PASSWORD\t\t*netrw-chgup*", "\u2713 pin code 0000 rejected", "password=${QUARKUS_PW:quarkus}"]
)  # fmt: skip
def test_casts_tags_and_rejected_codes_are_no_values(line: str) -> None:
    _stays(line)


def test_a_quote_that_closed_a_prompt_opens_no_value() -> None:
    """In the JSON of a call's arguments the next line follows behind `\\n`: up to its apostrophe it was a password."""
    code = "password = getpass.getpass('worker password: ')\nI'll retry the session first"
    text = json.dumps({"old_string": code})
    assert _redacted(text) == [text]
