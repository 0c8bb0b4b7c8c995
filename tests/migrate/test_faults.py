"""A fault at any write leaves whole files only, and the next run ends where an undisturbed one does."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from history import History, go_on, quick_disk, snapshot, tree

from dragoman.errors import DragomanError
from dragoman.migrate import Request, migrate
from dragoman.migrate.run import BATCH

__all__ = ["quick_disk"]  # a fixture for every test here

STEPS = ("open", "write", "fsync", "link", "utime", "replace", "rename", "unlink", "mkdir")


@contextmanager
def at_step(number: int, act: Callable[[], None]) -> Iterator[list[str]]:
    """`act` in place of the numbered call that changes something on the disk. Gives the calls so far."""
    seen: list[str] = []
    saved: dict[str, Any] = {name: getattr(os, name) for name in STEPS}

    def wrap(name: str) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            changes = name != "open" or bool(args[1] & (os.O_CREAT | os.O_WRONLY | os.O_RDWR))
            if changes:
                seen.append(name)
                if len(seen) == number:
                    act()
            return saved[name](*args, **more)

        return call

    try:
        for name in STEPS:
            setattr(os, name, wrap(name))
        yield seen
    finally:
        for name, function in saved.items():
            setattr(os, name, function)


def first(source: Path) -> None:
    """A history with all that makes several files: compaction, subagent."""
    history = History(1)
    history.user("one")
    history.assistant("two")
    history.compact("summary")
    history.user("three")
    history.agent("agent")
    history.write(source)
    plain = History(2)
    plain.user("plain")
    plain.write(source)


def later(source: Path) -> None:
    """The same, grown."""
    history = History(1)
    history.user("one")
    history.assistant("two")
    history.compact("summary")
    history.user("three")
    history.agent("agent")
    history.assistant("four")
    history.compact("summary again")
    history.user("five")
    history.write(source)
    plain = History(2)
    plain.user("plain")
    plain.assistant("more")
    plain.write(source)


def request(folder: Path, source: Path) -> Request:
    return Request(source=source, target=folder / "clm", jobs=1)


def prepared(folder: Path, source: Path, *, grown: bool) -> Request:
    """The state before the disturbed run: nothing yet, or a first run done and one log gone on with."""
    asked = request(folder, source)
    if not grown:
        return asked
    first(source)
    migrate(asked)
    logs = [log for log in sorted((folder / "clm").glob("*.jsonl")) if b"plain" in log.read_bytes()]
    go_on(logs[0], "said in clm")
    later(source)
    return asked


def undisturbed(tmp_path: Path, *, grown: bool) -> dict[str, bytes]:
    source = tmp_path / "calm-source"
    if not grown:
        first(source)
    asked = prepared(tmp_path / "calm", source, grown=grown)
    migrate(asked)
    return snapshot(asked.target)


def steps_of(tmp_path: Path, *, grown: bool) -> int:
    source = tmp_path / "count-source"
    if not grown:
        first(source)
    asked = prepared(tmp_path / "count", source, grown=grown)
    with at_step(-1, lambda: None) as seen:
        migrate(asked)
    return len(seen)


def check_whole(target: Path) -> None:
    for name, data in snapshot(target).items():
        assert data.startswith(b'{"type":"meta"'), name
        assert data.endswith(b"}\n"), name


@pytest.mark.parametrize(
    ("kind", "grown"), [("ENOSPC", False), ("ENOSPC", True), ("EACCES", True)], ids=["full", "full later", "refused"]
)
def test_an_error_at_any_step(kind: str, grown: bool, tmp_path: Path) -> None:
    wanted = undisturbed(tmp_path, grown=grown)
    steps = steps_of(tmp_path, grown=grown)
    assert steps > 20

    def refuse() -> None:
        raise OSError(getattr(errno, kind), os.strerror(getattr(errno, kind)))

    for number in range(1, steps + 1):
        folder = tmp_path / f"{kind}-{number}"
        source = folder / "source"
        if not grown:
            first(source)
        asked = prepared(folder, source, grown=grown)
        before = tree(source)
        held = snapshot(asked.target)
        with at_step(number, refuse):
            try:
                migrate(asked)
            except DragomanError as error:
                assert "\n" not in str(error)
        check_whole(asked.target)
        assert tree(source) == before
        assert held.keys() <= snapshot(asked.target).keys()
        migrate(asked)
        assert snapshot(asked.target) == wanted, number
        assert list((asked.target / ".dragoman" / "tmp").iterdir()) == []


@pytest.mark.parametrize("grown", [False, True], ids=["first run", "later run"])
def test_a_process_killed_at_any_step(grown: bool, tmp_path: Path) -> None:
    wanted = undisturbed(tmp_path, grown=grown)
    killed = 0
    for number in range(1, steps_of(tmp_path, grown=grown) + 1):
        folder = tmp_path / f"killed-{number}"
        source = folder / "source"
        if not grown:
            first(source)
        asked = prepared(folder, source, grown=grown)
        child = os.fork()
        if child == 0:
            try:
                with at_step(number, lambda: os.kill(os.getpid(), signal.SIGKILL)):
                    migrate(asked)
                os._exit(0)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        assert status == 0 or os.WTERMSIG(status) == signal.SIGKILL, number
        killed += status != 0
        check_whole(asked.target)
        migrate(asked)
        assert snapshot(asked.target) == wanted, number
        assert list((asked.target / ".dragoman" / "tmp").iterdir()) == []
    assert killed > 20


def test_a_run_that_failed_leaves_nothing_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk, what it had converted and not put in place took the room until the next run."""
    for number in range(1, BATCH):
        history = History(number)
        history.user("one")
        history.write(tmp_path / "source")
    asked = request(tmp_path, tmp_path / "source")
    made: list[str] = []
    write = os.write

    def full(descriptor: int, data: Any) -> int:
        made.append("")
        if len(made) > BATCH // 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(DragomanError, match="No space left"):
            migrate(asked)
    assert list((asked.target / ".dragoman" / "tmp").iterdir()) == []


def in_two_processes(folder: Path, sessions: int, code: str) -> list[str]:
    """The command that runs a script over a history of so many small sessions, whose source and target it is given."""
    for number in range(1, sessions + 1):
        history = History(number)
        history.user("one")
        history.write(folder / "source")
    (folder / "run.py").write_text(code)
    return [sys.executable, str(folder / "run.py"), str(folder / "source"), str(folder / "clm")]


def test_a_worker_that_was_killed_is_told_in_one_line(tmp_path: Path) -> None:
    """The system kills one where memory runs out; it looked like a fault of ours."""
    run_it = in_two_processes(
        tmp_path,
        2 * BATCH - 1,
        "import multiprocessing, sys; from pathlib import Path\n"
        "from dragoman.migrate import Request, migrate\n"
        "def kill(done, total, name):\n"
        "    for each in multiprocessing.active_children(): each.kill()\n"
        "if __name__ == '__main__':\n"
        "    try: migrate(Request(source=Path(sys.argv[1]), target=Path(sys.argv[2]), jobs=2), kill)\n"
        "    except Exception as error: print(type(error).__name__, error)",
    )
    run = subprocess.run(run_it, capture_output=True, text=True, timeout=60)
    assert run.stdout.startswith("OutputError a process that converts was killed")
    check_whole(tmp_path / "clm")
    migrate(request(tmp_path, tmp_path / "source"))
    assert len(snapshot(tmp_path / "clm")) == 2 * BATCH - 1


def test_workers_end_with_a_run_that_was_killed(tmp_path: Path) -> None:
    """They waited for work for ever, and each of them held 35 MB."""
    run_it = in_two_processes(
        tmp_path,
        3 * BATCH - 1,
        "import os, signal, sys, time; from pathlib import Path; from dragoman.migrate import Request, migrate\n"
        "def kill(done, total, name): time.sleep(0.5); os.kill(os.getpid(), signal.SIGKILL)\n"
        "if __name__ == '__main__':\n"
        "    os.setpgid(0, 0)\n"
        "    migrate(Request(source=Path(sys.argv[1]), target=Path(sys.argv[2]), jobs=2), kill)",
    )
    run = subprocess.Popen(run_it)
    assert run.wait(60) == -signal.SIGKILL
    for _ in range(100):
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.killpg(run.pid, signal.SIGKILL)
    raise AssertionError("a worker is still there")


def test_a_write_of_less_than_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = undisturbed(tmp_path, grown=False)
    write = os.write
    source = tmp_path / "source"
    first(source)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: write(descriptor, bytes(data[: max(1, len(data) // 2)])))
        migrate(request(tmp_path, source))
    assert snapshot(tmp_path / "clm") == wanted


def test_an_interrupt_between_sessions(tmp_path: Path) -> None:
    wanted = undisturbed(tmp_path, grown=False)
    source = tmp_path / "source"
    first(source)

    def interrupt(done: int, total: int, name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migrate(request(tmp_path, source), interrupt)
    check_whole(tmp_path / "clm")
    migrate(request(tmp_path, source))
    assert snapshot(tmp_path / "clm") == wanted


def test_a_log_written_to_in_the_very_moment_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """clm appends between our last look and our rename: its words are worth more."""
    from dragoman.migrate import storage

    history = History(1)
    history.user("one")
    history.write(tmp_path / "source")
    asked = request(tmp_path, tmp_path / "source")
    migrate(asked)
    (log,) = asked.target.glob("*.jsonl")
    history.user("two")
    history.write(tmp_path / "source")
    hash_of = storage.hash_of
    looks = []

    def look(path: Path, limit: int | None = None) -> str:
        found = hash_of(path, limit)
        if path.name.startswith("old-"):
            looks.append(path)
            if len(looks) == 1:
                go_on(path, "in the very moment")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(storage, "hash_of", look)
        migrate(asked)
    assert b"in the very moment" in log.read_bytes()
    theirs = log.read_bytes()
    migrate(asked)
    assert log.read_bytes() == theirs
    assert any(b'"two"' in data for name, data in snapshot(asked.target).items() if name != log.name)


def test_two_runs_started_together(tmp_path: Path) -> None:
    wanted = undisturbed(tmp_path, grown=False)
    source = tmp_path / "source"
    first(source)
    asked = request(tmp_path, source)
    refused: list[str] = []

    def slow(done: int, total: int, name: str) -> None:
        time.sleep(0.05)

    def run() -> None:
        try:
            migrate(asked, slow)
        except DragomanError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another migration is at work" in line for line in refused)
    assert snapshot(asked.target) == wanted


def test_a_read_only_target(tmp_path: Path) -> None:
    source = tmp_path / "source"
    first(source)
    (tmp_path / "clm").mkdir(mode=0o500)
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    with pytest.raises(DragomanError, match="Permission denied"):
        migrate(request(tmp_path, source))


def test_a_target_that_is_a_file(tmp_path: Path) -> None:
    first(tmp_path / "source")
    (tmp_path / "clm").write_text("")
    with pytest.raises(DragomanError):
        migrate(request(tmp_path, tmp_path / "source"))


def test_ctrl_c_is_kept_from_workers_from_their_first_instruction_on(tmp_path: Path) -> None:
    """While Python began in them it ended in a traceback each."""
    run_it = in_two_processes(
        tmp_path,
        2 * BATCH - 1,
        "import multiprocessing, os, subprocess, sys; from pathlib import Path\n"
        "from dragoman.migrate import Request, migrate\n"
        "from multiprocessing.util import spawnv_passfds\n"
        "import multiprocessing.util as util\n"
        "def watched(path, args, fds):\n"
        "    pid = spawnv_passfds(path, args, fds)\n"
        "    told = open(f'/proc/{pid}/status').read()\n"
        "    print('deaf' if int(told.split('SigBlk:')[1].split()[0], 16) & 2 else 'hears', b'spawn_main' in b''.join(map(os.fsencode, args)))\n"
        "    return pid\n"
        "util.spawnv_passfds = watched\n"
        "if __name__ == '__main__':\n"
        "    migrate(Request(source=Path(sys.argv[1]), target=Path(sys.argv[2]), jobs=2))\n"
        "    print(subprocess.run(['grep', 'SigBlk', '/proc/self/status'], capture_output=True, text=True).stdout.split()[1])",
    )
    run = subprocess.run(run_it, capture_output=True, text=True, timeout=60, check=True)
    *started, after = run.stdout.splitlines()
    assert [each for each in started if each.endswith("True")] == ["deaf True"] * 2
    assert int(after, 16) & 2 == 0, "afterwards it's heard again"
