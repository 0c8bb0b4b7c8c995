"""Passwords whose form is that of a reference, a call or a placeholder, where their place says that they are none."""

from __future__ import annotations

import pytest

from dragoman.filters.redact.finder import Finder
from dragoman.filters.redact.own_forms import own_form, written_out

PLACES = [
    "DB_PASSWORD={v}", "DB_PASSWORD='{v}'", 'DB_PASSWORD="{v}"', "password: {v}", 'password: "{v}"', "password = '{v}'", '{"password": "{v}"}', "mysql -u root -p'{v}' db", "curl -u 'bob:{v}' https://h", "PGPASSWORD='{v}' psql",
    "sshpass -p '{v}' ssh h", "spring.datasource.password={v}",
]  # fmt: skip
ODD = ["$Giraffe{n}", "$giraffe{n}kx", "%giraffe{n}", "%Toronto{n}ab", "Wort<{n}>", "giraffe<{n}>kx", "giraffe<{n}kx", "giraffe({n})kx", "Jupiter[{n}]ab", "giraffe.jupiter{n}kx"]  # fmt: skip


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", ODD)
def test_forms_of_its_own(finder: Finder, place: str, form: str) -> None:
    if "<" in form and place.startswith("mysql"):
        return  # that flag's value may be the shell's, and ends at a sign of redirection
    for number in ("47", "7391"):
        value = form.replace("{n}", number)
        assert any(value in found.value for found in finder.scan(f"before\n{place.replace('{v}', value)}\nafter\n"))


@pytest.mark.parametrize(
    "form", ["$giraffe{n}kx", "giraffe.jupiter{n}kx", "giraffe({n})kx", "Jupiter[{n}]", "Giraffe({n})"]
)
def test_in_an_address(finder: Finder, form: str) -> None:
    value = form.replace("{n}", "7391")
    assert any(value in found.value for found in finder.scan(f"before\npostgres://b:{value}@h/d\nafter\n"))


@pytest.mark.parametrize(
    "place", ["sshpass -p '{v}' ssh h", "curl -u 'bob:{v}' https://h", "DB_PASSWORD='{v}'", '{"password": "{v}"}']
)
@pytest.mark.parametrize("value", ["Giraffe(7391)", "Jupiter[7391]"])
def test_what_is_in_quotes_isn_t_called(finder: Finder, place: str, value: str) -> None:
    assert any(value in found.value for found in finder.scan(place.replace("{v}", value)))


@pytest.mark.parametrize(
    "text", ["DB_PASSWORD='giraffe''s{n}'", "DB_PASSWORD='giraffe'\\''s{n}'", 'DB_PASSWORD="giraffe\'s{n}"']
)
def test_quotes_inside_quotes(finder: Finder, text: str) -> None:
    found = finder.scan(text.replace("{n}", "7391"))
    assert any(each.value.startswith("giraffe") and each.value.endswith("7391") for each in found)


@pytest.mark.parametrize("place", [*PLACES[:7], *PLACES[8:], "password = {v}", "password={v},", "the password is {v}"])
@pytest.mark.parametrize(
    "value",
    [
        "$VAR", "${VAR}", "%VAR%", "%(var)s", "{{ var }}", "<your-password>", "$DB_PASSWORD2", "$password12", "$user_pass", "<password12>", "$(pass show x)",
        "%s", "$1", "<PASSWORD>",
    ],
)  # fmt: skip
def test_references_stay(finder: Finder, place: str, value: str) -> None:
    assert finder.scan(f"before\n{place.replace('{v}', value)}\nafter\n") == ()


@pytest.mark.parametrize(
    "text",
    [
        'password = os.environ["X"]', "password = settings[0]", "password: settings[10]", "password = generate(32)", "password = random_string(16)", "password: Array<16>", "password = np.float64", "password=hashlib.sha256",
        "password: get_password()", "password = get_password()", "password: config.db.password", "password: settings.db.pass1", "password = process.env.PASSWORD", "password = $config12", "$password = $request42", "password: giraffe.jupiter", "password=rows[12]",
    ],
)  # fmt: skip
def test_code_stays(finder: Finder, text: str) -> None:
    assert finder.scan(f"before\n{text}\nafter\n") == ()


def test_names_that_code_has() -> None:
    for value in (
        "$base64",
        "$sha512",
        "torch.float16",
        "layer.conv12",
        "$HOST22",
        "randomBytes(48)",
        "vector<128>",
        "%item12",
        "items[48]x",
    ):
        assert not own_form(value)
    assert written_out("Giraffe(48)") and not own_form("Giraffe(48)") and not written_out("generate(48)")
