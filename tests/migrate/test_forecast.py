"""A dry run says what the run does, or that it can't know; it converts nothing and writes nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from history import History, go_on, quick_disk, tree

from dragoman.migrate import Request, migrate, workers

__all__ = ["quick_disk"]  # a fixture for every test here


class Scene:
    """A compacted session with an agent, moved once; what a test does to it; and what is said and done then."""

    def __init__(self, folder: Path) -> None:
        self.source, self.target = folder / "claude", folder / "clm"
        self.history = History(1)
        self.history.user("one")
        self.history.assistant("two")
        self.history.compact("summary")
        self.history.user("three")
        self.history.agent("searching")
        self.path = self.history.write(self.source)
        self.request = Request(source=self.source, target=self.target, jobs=1)
        migrate(self.request)

    def log(self, words: str) -> Path:
        return next(each for each in self.target.glob("*.jsonl") if words in each.read_text().split("\n")[1])

    @property
    def main(self) -> Path:
        return self.log("since its last compaction")

    def grow(self) -> None:
        self.history.user("newer")
        self.history.write(self.source)

    def grow_agent(self) -> None:
        (lines,) = self.history.agents.values()
        lines.append({**lines[-1], "uuid": "0" * 8, "message": {"role": "user", "content": "more"}, "type": "user"})
        self.history.write(self.source)


def nothing(scene: Scene) -> None:
    pass


def grown(scene: Scene) -> None:
    scene.grow()


def gone_on_with(scene: Scene) -> None:
    go_on(scene.main, "in clm")


def both(scene: Scene) -> None:
    scene.grow()
    go_on(scene.main, "in clm")


def both_twice(scene: Scene) -> None:
    both(scene)
    migrate(scene.request)
    scene.grow()


def of_the_same_size(scene: Scene) -> None:
    scene.grow()
    scene.main.write_bytes(scene.main.read_bytes().replace(b'"three"', b'"eerht"'))


def only_touched(scene: Scene) -> None:
    scene.grow()
    os.utime(scene.main)


def deleted(scene: Scene) -> None:
    for log in scene.target.glob("*.jsonl"):
        log.unlink()


def deleted_in_part(scene: Scene) -> None:
    scene.main.unlink()


def deleted_and_grown(scene: Scene) -> None:
    deleted(scene)
    scene.grow()


def agent_grown(scene: Scene) -> None:
    scene.grow_agent()


def agent_gone_on_with(scene: Scene) -> None:
    go_on(scene.log("searching task"), "in clm")
    scene.grow_agent()


def agent_gone_on_with_and_session_grown(scene: Scene) -> None:
    go_on(scene.log("searching task"), "in clm")
    scene.grow()


def before_gone_on_with(scene: Scene) -> None:
    go_on(scene.log("up to its last compaction"), "in clm")
    scene.grow()


ACTS: list[Callable[[Scene], None]] = [
    nothing,
    grown,
    gone_on_with,
    both,
    both_twice,
    of_the_same_size,
    only_touched,
    deleted,
    deleted_in_part,
    deleted_and_grown,
    agent_grown,
    agent_gone_on_with,
    agent_gone_on_with_and_session_grown,
    before_gone_on_with,
]


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_a_dry_run_says_what_the_run_does(
    act: Callable[[Scene], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said `grown` of all that had changed: of logs that are never touched, and of logs that are not there."""
    scene = Scene(tmp_path)
    act(scene)
    before = tree(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(workers, "move", None)  # nothing is converted
        (said,) = migrate(Request(source=scene.source, target=scene.target, dry_run=True)).lines
    assert tree(tmp_path) == before
    (done,) = migrate(scene.request).lines
    assert said.state == done.state


def shortened(scene: Scene) -> None:
    lines = scene.path.read_bytes().splitlines(keepends=True)
    scene.path.write_bytes(b"".join(lines[:-1]))


def source_touched(scene: Scene) -> None:
    os.utime(scene.path, (1, 1))


def manifest_lost(scene: Scene) -> None:
    (scene.target / ".dragoman" / "manifest.json").unlink()


def manifest_lost_and_main(scene: Scene) -> None:
    scene.main.unlink()
    manifest_lost(scene)


def all_lost_but_the_agent(scene: Scene) -> None:
    scene.log("up to its last compaction").unlink()
    manifest_lost_and_main(scene)


def agent_file_lost(scene: Scene) -> None:
    next(scene.source.rglob("agent-*.jsonl")).unlink()


@pytest.mark.parametrize(
    "act",
    [shortened, source_touched, manifest_lost, manifest_lost_and_main, all_lost_but_the_agent, agent_file_lost],
    ids=lambda act: act.__name__,
)
def test_a_dry_run_says_where_only_reading_tells(act: Callable[[Scene], None], tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    act(scene)
    (said,) = migrate(Request(source=scene.source, target=scene.target, dry_run=True)).lines
    assert said.state == "changed"


def test_other_options_are_no_growth(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    (said,) = migrate(Request(source=scene.source, target=scene.target, full=True, dry_run=True)).lines
    assert said.state == "changed"


def test_a_session_that_held_nothing_yet_is_new(tmp_path: Path) -> None:
    """A file with only bookkeeping in it, to which a conversation came: there was no log that could have grown."""
    history = History(1)
    history.lines = [{"type": "mode", "mode": "normal", "sessionId": history.uuid}]
    history.write(tmp_path / "claude")
    asked = Request(source=tmp_path / "claude", target=tmp_path / "clm", jobs=1)
    migrate(asked)
    history.user("hello")
    history.write(tmp_path / "claude")
    (said,) = migrate(Request(source=asked.source, target=asked.target, dry_run=True)).lines
    (done,) = migrate(asked).lines
    assert said.state == done.state == "new"
