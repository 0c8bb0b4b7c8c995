"""The library in five names, as README shows it."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

import dragoman
from dragoman import registry
from dragoman.cli.formats import formats
from dragoman.errors import UsageError
from dragoman.filters.redact import RedactOptions

SESSION = Path(__file__).resolve().parents[2] / "fixtures" / "claude-code" / "2.1.300" / "subagents"


def test_read_and_write(tmp_path: Path) -> None:
    session = dragoman.read(SESSION)
    report = dragoman.Report()
    made = dragoman.write(session, "markdown", tmp_path / "out.md", report=report, images="none")
    assert made == [tmp_path / "out.md"]
    assert session.header.title in made[0].read_text("utf-8")


def test_write_to_a_stream() -> None:
    out = io.BytesIO()
    assert dragoman.write(dragoman.read(SESSION), "openai", out) == []
    assert out.getvalue().startswith(b"[{")


def test_read_wants_one_session(tmp_path: Path) -> None:
    assert len(dragoman.read_all(SESSION)) == 1
    with pytest.raises(dragoman.DragomanError, match="no such file"):
        dragoman.read(tmp_path / "none")
    (tmp_path / "two.jsonl").write_bytes(b'{"messages":[{"role":"user","content":"a"}]}\n' * 2)
    with pytest.raises(dragoman.DragomanError, match="2 sessions"):
        dragoman.read(tmp_path / "two.jsonl", reader="openai")


def test_convert_from_file_to_file(tmp_path: Path) -> None:
    made = dragoman.convert(SESSION, tmp_path / "out.md", filters=[dragoman.redact()])
    assert made[0].stat().st_size > 1000


@pytest.mark.parametrize("name", registry.BUILT_IN["writers"])
def test_every_format_writes_the_shipped_session(name: str, tmp_path: Path) -> None:
    assert all(path.stat().st_size for path in dragoman.write(dragoman.read(SESSION), name, f"{tmp_path}/out/"))


ROUTES = {
    "clm": {
        "jinja2",
        "markdown_it",
        "pygments",
        "weasyprint",
        "pikepdf",
        "kingfisher_sdk",
        "rich",
        "tarfile",
    },
    "openai": {"jinja2", "markdown_it", "pygments", "weasyprint", "pikepdf", "kingfisher_sdk", "rich", "openai"},
    "markdown": {"pygments", "weasyprint", "pikepdf", "kingfisher_sdk", "rich"},
}


@pytest.mark.parametrize("name", ROUTES)
def test_a_route_imports_only_what_it_needs(name: str) -> None:
    program = (
        "import sys; from dragoman.cli.app import run;"
        f"code = run(['convert', {str(SESSION)!r}, '-t', {name!r}, '--no-redact', '-q']);"
        "print(code, *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    code, *modules = done.stderr.split()
    assert code == "0"
    assert not ROUTES[name] & set(modules)


def test_the_report_names_files_as_the_user_knows_them(tmp_path: Path) -> None:
    """Redaction renames the files in the conversation; a place that nobody can open is none."""
    folder = tmp_path / "home" / "mirabel"
    folder.mkdir(parents=True)
    thinking = '[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Yes."}]'
    (folder / "s.jsonl").write_text(
        '{"type":"user","cwd":"/home/mirabel","sessionId":"s","uuid":"1","message":{"role":"user","content":"Go?"}}\n'
        '{"type":"assistant","cwd":"/home/mirabel","sessionId":"s","uuid":"2","message":{"role":"assistant","id":"m","content":'
        + thinking
        + "}}\n"
    )
    report = dragoman.Report()
    out = io.BytesIO()
    dragoman.write(dragoman.read(folder / "s.jsonl"), "openai", out, report=report, filters=[dragoman.redact()])
    (lost,) = (each for each in report.findings if each.code.name == "DROPPED_REASONING")
    assert [place.file for place in lost.places] == [str(folder / "s.jsonl")]
    assert b"mirabel" not in out.getvalue()


def test_the_library_s_names_are_listed_and_statistics_are_one_of_them() -> None:
    """`dir(dragoman)` showed `redact` alone, and `dragoman.stats` wasn't there until something had imported it."""
    program = (
        "import dragoman; assert {'read', 'write', 'convert', 'redact', 'Report', 'stats'} <= set(dir(dragoman)); "
        "print(dragoman.stats.of(dragoman.read(__import__('sys').argv[1])).main.prompts)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(SESSION)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("6\n", "")


def test_an_option_that_redaction_has_not_is_one_line() -> None:
    with pytest.raises(UsageError, match=r"^redact\(\) has no option waht; there are: what, own_text, [a-z_, ]+$"):
        dragoman.redact(waht=("secrets",))
    for name in RedactOptions.__struct_fields__:
        assert f"`{name}`" in (dragoman.redact.__doc__ or "")


@pytest.mark.parametrize(("name", "meant"), [("md", "markdown"), ("PDF", "pdf"), ("claude_code", "claude-code")])
def test_a_format_s_other_name_leads_to_it(name: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean {meant}\\?"):
        registry.writer(name)
    with pytest.raises(UsageError, match=f"no format is called '{name}'; did you mean {meant}\\? There are: "):
        formats(name)


def test_a_format_that_is_none_of_ours_is_no_misspelling() -> None:
    """`nope` was taken for openai."""
    for name, meant in (("nope", ""), ("opnai", "openai"), ("cml", "clm"), ("docx", "")):
        with pytest.raises(UsageError) as told:
            formats(name)
        assert (f"did you mean {meant}?" in str(told.value)) if meant else ("did you mean" not in str(told.value))
