"""Whatever the input, a conversion ends with an exit code that is documented and no fault of ours."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.cli.app import run
from dragoman.errors import Exit

ROOT = Path(__file__).resolve().parents[2]

FORMATS = ["clm", "openai", "markdown", "native", "html"]
EXPECTED = {Exit.OK, Exit.FAILED, Exit.USAGE}


def seeds() -> list[Path]:
    """Small fixtures of every input format."""
    found = [*ROOT.glob("fixtures/**/*.jsonl"), *ROOT.glob("fixtures/**/*.json")]
    return sorted(path for path in found if path.stat().st_size < 60_000)


def convert(path: Path, format_name: str, capfd: pytest.CaptureFixture[str]) -> None:
    code = run(["convert", str(path), "-t", format_name, "-o", str(path.parent / "out") + "/", "--force"])
    said = capfd.readouterr().err
    assert code in EXPECTED, f"exit {code}: {said}"
    assert "Traceback" not in said


@pytest.mark.parametrize("format_name", FORMATS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_mutated_session(
    format_name: str, data: st.DataObject, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seed = data.draw(st.sampled_from(seeds()), label="seed").read_bytes()
    damage = data.draw(st.sampled_from(["cut", "splice", "noise", "lines", "values"]), label="damage")
    at = data.draw(st.integers(0, max(0, len(seed) - 1)), label="at")
    if damage == "cut":
        mutated = seed[:at]
    elif damage == "splice":
        mutated = seed[:at] + seed[at // 2 :]
    elif damage == "noise":
        mutated = seed[:at] + data.draw(st.binary(max_size=40)) + seed[at + 3 :]
    elif damage == "lines":
        lines = seed.split(b"\n")
        random.Random(at).shuffle(lines)
        mutated = b"\n".join(lines + lines[: at % 5])
    else:
        old, new = data.draw(
            st.sampled_from(
                [
                    (b'"', b"[]"),
                    (b":", b":null,"),
                    (b"{", b"[{"),
                    (b'":"', b'":[1,"'),
                    (b"text", b"type"),
                    (b'"user"', b"7"),
                ]
            )
        )
        mutated = seed.replace(old, new, 1 + at % 4)
    path = tmp_path / "11112222-3333-4444-8555-666677778888.jsonl"
    path.write_bytes(mutated)
    convert(path, format_name, capfd)


@pytest.mark.parametrize("format_name", FORMATS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(noise=st.binary(max_size=400))
def test_noise(format_name: str, noise: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "noise"
    path.write_bytes(noise)
    convert(path, format_name, capfd)
    for reader in ("claude-code", "clm", "openai", "native"):
        code = run(
            ["convert", str(path), "-f", reader, "-t", format_name, "-o", str(tmp_path / "out") + "/", "--force"]
        )
        assert code in EXPECTED, capfd.readouterr().err


HOSTILE = {
    "deep": b'{"type":"user","message":{"role":"user","content":' + b"[" * 60_000 + b"]" * 60_000 + b"}}\n",
    "long-line": b'{"type":"user","message":{"role":"user","content":"' + b"a" * 3_000_000 + b'"}}\n',
    "many-braces": b'{"type":' * 40_000 + b"\n",
    "nul": b"\0" * 500_000 + b"\n",
    "number": b'{"type":"user","message":{"role":"user","content":' + b"9" * 100_000 + b"}}\n",
    "quotes": b'"' * 200_000 + b"\n",
    "backslashes": b'{"a":"' + b"\\" * 200_001 + b"\n",
    "empty-lines": b"\n" * 500_000,
}


@pytest.mark.parametrize("format_name", ["markdown", "clm"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_bytes(kind: str, format_name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(HOSTILE[kind])
    for reader in ("claude-code", "clm", "openai", "native"):
        code = run(
            ["convert", str(path), "-f", reader, "-t", format_name, "-o", str(tmp_path / "out") + "/", "--force"]
        )
        said = capfd.readouterr().err
        assert code in EXPECTED, f"{reader}: {said}"


def test_an_input_that_is_no_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    import os

    os.mkfifo(tmp_path / "fifo.jsonl")
    (tmp_path / "dir.jsonl").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    for name in ("fifo.jsonl", "dir.jsonl", "loop", "none", "~nobody-of-that-name/x.jsonl"):
        code = run(["convert", name if name.startswith("~") else str(tmp_path / name), "-t", "markdown"])
        assert code in {Exit.FAILED, Exit.USAGE}, name
        assert capfd.readouterr().err.count("\n") == 1, name


def test_a_file_name_cannot_steer_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    name = "\x1b[31mred\x07\n.jsonl"
    with contextlib.suppress(OSError):
        (tmp_path / name).write_bytes(b"not a session")
    run(["convert", str(tmp_path / name), "-t", "markdown"])
    said = capfd.readouterr().err
    assert "\x1b" not in said and "\x07" not in said
