"""Laws over histories that grow, shrink, fork, are compacted, and are gone on with in clm between runs."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path

from history import History, go_on, quick_disk, snapshot, tree
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from clm_loader import find_loader, find_shared
from dragoman.migrate import Request, migrate, verify

MAY_BECOME = {
    "changed": {"new", "grown", "continued", "kept", "unchanged"},
    "grown": {"grown", "kept", "unchanged"},
    "continued": {"continued", "unchanged"},
    "new": {"new", "empty"},
}
"""A dry run reads nothing: what grew may have been rewritten, or hold no more words than before."""


def _words(text: str) -> set[str]:
    return set(re.findall(r"word\d+x", text))


__all__ = ["quick_disk"]  # a fixture for every test here


class Moving(RuleBasedStateMachine):
    """One Claude Code folder, one clm folder, and everything that can happen to both between runs."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.source = self.folder / "claude"
        self.target = self.folder / "clm"
        self.histories: list[History] = []
        self.moved: set[str] = set()  # words that were in the source at a run
        self.gone: set[str] = set()  # words that somebody did away with: by a rewind, or by clm itself
        self.theirs: dict[str, bytes] = {}  # logs that the user went on with
        self.count = 0

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def _word(self) -> str:
        self.count += 1
        return f"word{self.count}x"

    def _request(self) -> Request:
        return Request(source=self.source, target=self.target, jobs=1)

    @initialize()
    def begin(self) -> None:
        self.new_session()

    @rule()
    def new_session(self) -> None:
        if len(self.histories) < 3:
            history = History(len(self.histories) + 1)
            history.user(self._word())
            self.histories.append(history)

    @rule(which=st.integers(0, 2), turns=st.integers(1, 3))
    def grow(self, which: int, turns: int) -> None:
        history = self.histories[which % len(self.histories)]
        for _ in range(turns):
            history.user(self._word())
            history.assistant(self._word())
            call = history.call(command=self._word())
            history.result(call, self._word())

    @rule(which=st.integers(0, 2))
    def leave_a_call_open(self, which: int) -> None:
        self.histories[which % len(self.histories)].call(command=self._word())

    @rule(which=st.integers(0, 2))
    def spawn(self, which: int) -> None:
        self.histories[which % len(self.histories)].agent(self._word())

    @rule(which=st.integers(0, 2))
    def compact(self, which: int) -> None:
        self.histories[which % len(self.histories)].compact(self._word())

    @rule(which=st.integers(0, 2))
    def rewind(self, which: int) -> None:
        """Somebody goes back to before their last prompt, and takes another way."""
        history = self.histories[which % len(self.histories)]
        prompts = [line["uuid"] for line in history.lines if isinstance(line.get("message", {}).get("content"), str)]
        if not prompts:
            return
        history.rewind(prompts[-1])
        at = next(n for n, line in enumerate(history.lines) if line.get("uuid") == prompts[-1])
        self.gone |= _words(json.dumps(history.lines[at:]))
        history.user(self._word())
        history.assistant(self._word())

    @rule(which=st.integers(0, 2), keep=st.integers(1, 6), end=st.booleans())
    def shrink(self, which: int, keep: int, end: bool) -> None:
        history = self.histories[which % len(self.histories)]
        history.lines = history.lines[-keep:] if end else history.lines[:keep]

    @rule(which=st.integers(0, 9))
    def go_on_in_clm(self, which: int) -> None:
        logs = sorted(self.target.glob("*.jsonl"))
        if logs:
            log = logs[which % len(logs)]
            go_on(log, self._word())
            self.theirs[log.name] = log.read_bytes()

    @rule(which=st.integers(0, 9))
    def clm_rewrites(self, which: int) -> None:
        logs = sorted(self.target.glob("*.jsonl"))
        if logs:
            log = logs[which % len(logs)]
            self.gone |= _words(log.read_text())
            lines = log.read_bytes().split(b"\n")
            log.write_bytes(lines[0] + b'\n{"role":"user","content":"rewritten","type":"msg"}\n')
            self.theirs[log.name] = log.read_bytes()

    @rule()
    def lose_the_manifest(self) -> None:
        (self.target / ".dragoman" / "manifest.json").unlink(missing_ok=True)

    @rule()
    def run(self) -> None:
        for history in self.histories:
            history.write(self.source)
        source = tree(self.source)
        held = snapshot(self.target)
        foretold = self._foretold()
        summary = migrate(self._request())
        for line in summary.lines:
            assert line.state in MAY_BECOME.get(foretold[line.uuid], {foretold[line.uuid]}), line
        assert summary.count("failed") == 0
        assert tree(self.source) == source
        after = snapshot(self.target)
        assert held.keys() <= after.keys()
        again = migrate(self._request())
        assert {line.state for line in again.lines} <= {"unchanged", "empty"}
        assert snapshot(self.target) == after
        assert list((self.target / ".dragoman" / "tmp").iterdir()) == []
        self._check_words(after)
        if not self.theirs:
            assert [v.problems for v in verify(self._request()) if v.problems] == []

    def _foretold(self) -> dict[str, str]:
        before = tree(self.target)
        lines = migrate(replace(self._request(), dry_run=True)).lines
        assert tree(self.target) == before
        return {line.uuid: line.state for line in lines}

    def _check_words(self, after: dict[str, bytes]) -> None:
        """Every prompt that was ever in the source at a run is still in some log, but for what somebody did away with."""
        everything = _words(b"\n".join(after.values()).decode())
        for history in self.histories:
            for line in history.lines:
                if line["type"] == "user" and isinstance(line["message"]["content"], str):
                    self.moved |= _words(line["message"]["content"])
        assert self.moved - self.gone <= everything

    @invariant()
    def theirs_is_never_touched(self) -> None:
        for name, data in self.theirs.items():
            assert (self.target / name).read_bytes() == data

    @invariant()
    def every_log_is_whole(self) -> None:
        shared = find_shared()
        for log in self.target.glob("*.jsonl"):
            data = log.read_bytes()
            assert data.endswith(b"\n")
            if log.name not in self.theirs and shared is not None:
                assert find_loader(shared).faults(log) == []


Moving.TestCase.settings = settings(
    max_examples=25, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
)
TestHistories = Moving.TestCase
