"""Secrets that no single pattern takes: several in one phrase, rows of SQL, and what stands before its name."""

from __future__ import annotations

import pytest

from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.recipes import cook

FIRST, SECOND = cook("Kiwi{d*4}fruit"), cook("Lemon{d*4}tree")
LONG, LONGER = cook("{A*40}", 1), cook("{A*48}", 2)


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


def found(finder: Finder, text: str) -> list[str]:
    """What is found in the text, in the order in which it stands there."""
    return [each.value for each in finder.scan(f"before\n{text}\nafter\n")]


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO users (name, password) VALUES ('bob', '{a}'), ('eve', '{b}');",
        'insert into "users" ("id", "password", "city") values\n  (1, \'{a}\', \'Rome\'),\n  (2, \'{b}\', NULL);',
        "INSERT INTO users (created, password_plain) VALUES (now(), '{a}'), (date_add(now(), 1), N'{b}')",
        "chpasswd <<EOF\nbob:{a}\neve:{b}\nEOF",
        "chpasswd:\n  list: |\n    root:{a}\n    bob:{b}",
        "snmpwalk -v3 -u bob -a SHA -A {a} -x AES -X '{b}' h",
        "qpdf --encrypt {a} {b} 256 -- a.pdf b.pdf",
        "(echo {a}; echo {b}) | smbpasswd -s -a bob",
    ],
)
def test_passwords_beside_each_other_are_found(finder: Finder, text: str) -> None:
    assert found(finder, text.replace("{a}", FIRST).replace("{b}", SECOND)) == [FIRST, SECOND]


def test_cookies_beside_each_other_are_found(finder: Finder) -> None:
    text = f"requests.get(url, cookies={{'session': '{LONG}', 'lang': 'en', 'remember': '{LONGER}'}})"
    assert found(finder, text) == [LONG, LONGER]


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO users (name, password) VALUES (?, ?)",
        "INSERT INTO users (name, password) VALUES ('{a}', :password)",
        "INSERT INTO users (name, city) VALUES ('bob', '{a}')",
        "INSERT INTO users (name, password) SELECT name, password FROM old",
        "INSERT INTO users (name, password) VALUES ('bob', '<password>')",
    ],
)
def test_what_stands_below_other_columns_stays(finder: Finder, text: str) -> None:
    assert found(finder, text.replace("{a}", FIRST)) == []


@pytest.mark.parametrize(
    "name", ["password: {v}", "the password is {v}", "curl -u 'bob:{v}' https://h", "postgres://b:{v}@h/d"]
)
def test_two_words_and_a_number_are_a_password_and_a_member_is_not(finder: Finder, name: str) -> None:
    assert found(finder, name.replace("{v}", "giraffe." + "toronto48")) == ["giraffe." + "toronto48"]
    for member in ("config.value2", "hashlib.sha256", "numpy.float64", "self.password12"):
        assert found(finder, name.replace("{v}", member)) == []


@pytest.mark.parametrize(
    "text",
    [
        "I always use {v} as my password", "set it to {v} (that's the password)", "It's {v}, the admin password", "nimm {v} als Passwort", "utilise {v} comme mot de passe",
        "usa {v} como contraseña", '"{v}" // password', "x: {v}  # the db password",
    ],
)  # fmt: skip
def test_a_password_before_what_calls_it_one_is_found(finder: Finder, text: str) -> None:
    assert found(finder, text.replace("{v}", FIRST)) == [FIRST]
    for other in ("sha256", "base64", "$PASS", "required"):
        assert found(finder, text.replace("{v}", other)) == []


@pytest.mark.parametrize(
    "text",
    [
        "check(user1234)  # password",
        'x = "abc12345"  # password length in bits',
        "base64, the password goes in",
        r"a change.\nWhat is the password?",
    ],
)
def test_code_and_words_before_such_a_word_stay(finder: Finder, text: str) -> None:
    assert found(finder, text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("mysql -uroot -p{v}", "bx&" + "schnitzel!7237"),
        ("mytool --password {v}", "rm&" + "mariposa!1063"),
        ("jarsigner -storepass {v}", "fx&" + "pinguin!4046"),
        ("ldapsearch -x -w '{v}'", "ta&" + "lavender!3967"),
        ("psk={v}", "%violeta" + "7346cp"),
        ('psk="{v}"', "%hurricane" + "433tp"),
        ("The secret is {v}", "%lavender" + "8871he"),
        ("define( 'AUTH_KEY', '{v}' );", "hurricane." + "toronto8593vg"),
        ("gpg --passphrase '{v}' -c x", "insect hedgehog " + "rocket abandon"),
        ("java -Dapi.key={v} -jar x.jar", cook("{A*24}")),
    ],
)
def test_signs_of_the_shell_and_of_code_are_part_of_a_value(finder: Finder, text: str, value: str) -> None:
    assert value in found(finder, text.replace("{v}", value))


@pytest.mark.parametrize(
    "text",
    ["mytool --password $PW&sleep 3", "mysql -uroot -p & wait", "java -Dpublic.key=file2 x", "secret: np.float64"],
)
def test_commands_behind_an_ampersand_stay(finder: Finder, text: str) -> None:
    assert found(finder, text) == []
