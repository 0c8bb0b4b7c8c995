"""Sources are opened carefully: regular files only, archives without a way out."""

from __future__ import annotations

import gzip
import io
import os
import random
import tarfile
import zipfile
from pathlib import Path

import pytest

from dragoman.errors import InputError
from dragoman.io.source import Source, open_source


def test_a_fifo_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        Source(tmp_path / "pipe").read()


def test_names_are_valid_unicode_whatever_the_disk_has(tmp_path: Path) -> None:
    """Each reader had to see to it, and three didn't: their sessions couldn't be written as JSON."""
    folder = Source(tmp_path / os.fsdecode(b"caf\xe9"))
    assert folder.name == f"{tmp_path}/caf\N{REPLACEMENT CHARACTER}"
    folder.path.mkdir()
    inside = folder.path / os.fsdecode(b"s\xff.jsonl")
    assert folder.label(inside) == f"{folder.name}/s\N{REPLACEMENT CHARACTER}.jsonl"
    assert Source(inside, "-").label(inside.with_name(os.fsdecode(b"\xfe"))) == "\N{REPLACEMENT CHARACTER}"
    assert Source(inside, "-").label(Path(os.fsdecode(b"/elsewhere/\xfe"))) == "\N{REPLACEMENT CHARACTER}"
    with open_source(folder.path) as source:
        assert source.name == folder.name


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"), open_source(tmp_path / "none"):
        pass


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_an_archive_reads_as_a_folder_and_nothing_leaves_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    members = {"p/s.jsonl": b"{}\n", "../escaped": b"no", "/absolute": b"no"}
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, data)
    else:
        with tarfile.open(path, "w:gz" if kind.endswith("gz") else "w") as tar:
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
            link = tarfile.TarInfo("p/link.jsonl")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(link)
    with open_source(path) as source:
        assert source.is_folder
        found = {
            str(each.relative_to(source.path)): each.read_bytes() for each in source.path.rglob("*") if each.is_file()
        }
        assert found == {"p/s.jsonl": b"{}\n", "escaped": b"no", "absolute": b"no"}
        assert source.label(source.path / "p" / "s.jsonl") == f"{path}/p/s.jsonl"
        unpacked = source.path
    assert not unpacked.exists()
    assert not (tmp_path / "escaped").exists()


def test_a_damaged_archive_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("s.jsonl", b"x" * 5000)
    data = bytearray(path.read_bytes())
    data[40:60] = b"\xff" * 20
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged archive"), open_source(path):
        pass


def test_labels_are_what_the_user_wrote(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    source = Source(tmp_path / "s.jsonl", "here/s.jsonl")
    assert source.label(tmp_path / "s.jsonl") == "here/s.jsonl"
    assert source.label(tmp_path / "s" / "subagents" / "agent-1.jsonl") == "here/s/subagents/agent-1.jsonl"


def test_a_compressed_session_reads_as_itself(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a":1}\n'))
    with open_source(path) as source:
        assert source.read() == b'{"a":1}\n'
        assert source.path.name == "s.jsonl"
    lines = bytes(random.Random(1).choices(b"ab\n", k=300_000))
    path.write_bytes(gzip.compress(lines)[:-30])
    with open_source(path) as source:
        assert source.read() == lines[: len(source.read())] != b""


def test_a_member_whose_name_holds_a_colon_is_read(tmp_path: Path) -> None:
    """Times stand in names; a drive's letter leads nowhere and is left out."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("2026-01-01T12:30.jsonl", "{}")
        archive.writestr("c:\\logs\\w.jsonl", "{}")
    with open_source(path) as source:
        assert sorted(each.relative_to(source.path).as_posix() for each in source.path.rglob("*.jsonl")) == [
            "2026-01-01T12:30.jsonl",
            "logs/w.jsonl",
        ]
