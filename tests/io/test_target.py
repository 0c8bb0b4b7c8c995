"""Outputs appear whole or not at all, privately, and never over what is there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from dragoman.errors import LeakError, OutputError
from dragoman.io.target import Target


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.rglob("*") if each.is_file())


def test_nothing_is_visible_before_commit(tmp_path: Path) -> None:
    target = Target(tmp_path / "out.md")
    target.main("x.md").write(b"hello")
    assert not (tmp_path / "out.md").exists()
    assert target.commit() == [tmp_path / "out.md"]
    assert (tmp_path / "out.md").read_bytes() == b"hello"
    assert names(tmp_path) == ["out.md"]


def test_output_is_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        target = Target.folder(tmp_path / "new")
        target.main("a.jsonl").write(b"x")
        target.open("a/agents/b.jsonl").write(b"x")
        target.commit()
    finally:
        os.umask(old)
    for folder in ("new", "new/a", "new/a/agents"):  # the inner ones were for everybody to look into
        assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new" / "a.jsonl").stat().st_mode) == 0o600


def test_an_existing_file_stays(tmp_path: Path) -> None:
    (tmp_path / "out.md").write_bytes(b"mine")
    target = Target(tmp_path / "out.md")
    target.main("x").write(b"other")
    with pytest.raises(OutputError, match="exists already"):
        target.commit()
    target.discard()
    assert (tmp_path / "out.md").read_bytes() == b"mine"
    assert names(tmp_path) == ["out.md"]


def test_force_replaces(tmp_path: Path) -> None:
    (tmp_path / "out.md").write_bytes(b"mine")
    target = Target(tmp_path / "out.md", force=True)
    target.main("x").write(b"other")
    target.commit()
    assert (tmp_path / "out.md").read_bytes() == b"other"


def test_one_taken_name_takes_all_back(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"mine")
    target = Target.folder(tmp_path)
    for name in ("a", "b", "c"):
        target.open(name).write(b"new")
    with pytest.raises(OutputError):
        target.commit()
    target.discard()
    assert names(tmp_path) == ["b"]
    assert (tmp_path / "b").read_bytes() == b"mine"


def test_a_failed_check_leaves_nothing(tmp_path: Path) -> None:
    target = Target.folder(tmp_path)
    target.main("a").write(b"fine")
    target.open("media/b").write(b"leak")

    def check(name: str, data: bytes) -> None:
        if b"leak" in data:
            raise LeakError(name)

    with pytest.raises(LeakError, match="media/b"):
        target.commit(check)
    target.discard()
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../x", "", "a//b", ".", "a\0b"])
def test_a_name_never_leads_out(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match="refusing"):
        Target.folder(tmp_path).open(name)


def test_two_sessions_of_one_name_get_two_files(tmp_path: Path) -> None:
    target = Target.folder(tmp_path)
    for text in (b"one", b"two"):
        target.begin()
        target.main("same.md").write(text)
    target.commit()
    assert names(tmp_path) == ["same-2.md", "same.md"]


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        Target(Path("/proc/nowhere/out.md")).main("x")


def test_no_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FAT and some network mounts have none."""

    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    target = Target(tmp_path / "a")
    target.main("a").write(b"x")
    target.commit()
    assert (tmp_path / "a").read_bytes() == b"x"
    again = Target(tmp_path / "a")
    again.main("a").write(b"y")
    with pytest.raises(OutputError, match="exists already"):
        again.commit()
    again.discard()
    assert (tmp_path / "a").read_bytes() == b"x"
    assert names(tmp_path) == ["a"]
