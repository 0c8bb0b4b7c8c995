"""A whole run: plan, convert in as many processes as help, put in place one by one, keep the receipt."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

from msgspec import Struct, field

from dragoman.errors import OutputError
from dragoman.migrate.forecast import Forecast
from dragoman.migrate.identity import Ids
from dragoman.migrate.manifest import Intent, Manifest, Moved, Part
from dragoman.migrate.moving import Outcome, Staged, Task, counts
from dragoman.migrate.placing import Change, Log, Placed, Placing, told_by
from dragoman.migrate.plan import Step, plan
from dragoman.migrate.request import Request
from dragoman.migrate.storage import Storage, names_in, stamp
from dragoman.migrate.workers import work
from dragoman.report import Report

BATCH = 16
BATCH_BYTES = 8 << 20
"""So many sessions, or bytes of logs, are put in place together."""

Progress = Callable[[int, int, str], None]
"""Called with the number of sessions done, of all to do, and the title or UUID of the last."""


class Line(Struct, kw_only=True):
    """A session in the summary. `bytes` is the size of its source; `changes` counts its outputs by what became of them.

    `messages`, `calls` and `results` are those that lie in `log`, as we made it; the session may have other logs.
    """

    uuid: str
    title: str
    project: str
    state: str
    bytes: int = 0
    log: str = ""
    changes: dict[str, int] = field(default_factory=dict)
    messages: int = 0
    calls: int = 0
    results: int = 0
    reason: str = ""


class Summary(Struct, kw_only=True):
    """What a run did, or would do (`dry_run`). `state` of a line: new, grown, continued, kept, unchanged, empty, failed;
    in a dry run `changed`, where only reading would tell."""

    lines: list[Line]
    report: Report
    manifest: Path
    dry_run: bool = False

    def count(self, state: str) -> int:
        return sum(line.state == state for line in self.lines)


def migrate(request: Request, progress: Progress | None = None) -> Summary:
    """Bring over what is new. Raises DragomanError in one line where the run as a whole can't go on.

    What was put in place before an interruption stays, whole, and the next run goes on from there.
    """
    storage = Storage(request.target)
    if request.dry_run:
        manifest = Manifest(storage)
        strays = Ids(names_in(storage.target), manifest).strays()
        forecast = Forecast(request, manifest, storage, strays)
        lines = []
        for step in plan(request, manifest, storage):
            lines.append(line := _planned(step, manifest))
            line.state = forecast.state(step)
        return Summary(lines=lines, report=Report(), manifest=manifest.path, dry_run=True)
    request.root  # noqa: B018 - complains before anything is made
    with storage.locked():
        try:
            return _Run(request, storage, progress).run()
        except BrokenProcessPool:
            raise OutputError(
                "a process that converts was killed (out of memory?); what is in place is whole, and the next run "
                "goes on from there; --jobs 1 takes the least memory"
            ) from None
        except OSError as error:
            raise OutputError(
                f"{error.filename or storage.target}: {error.strerror or error}; what is in place is whole, "
                "and the next run goes on from there"
            ) from None


def _planned(step: Step, manifest: Manifest) -> Line:
    moved = manifest.sessions.get(step.uuid)
    parts = (moved.outputs.get("main") or next(iter(moved.outputs.values()), [])) if moved else []
    log = parts[-1].id if parts else ""
    state = {"new": "new", "changed": "grown", "unchanged": "unchanged"}[step.why]
    if moved is not None and step.why == "unchanged" and moved.state == "empty":
        state = "empty"
    return Line(
        uuid=step.uuid,
        title=step.found.title,
        project=step.found.project,
        state=state,
        bytes=sum(size for _, size, _ in step.files),
        log=log,
    )


class _Run:
    def __init__(self, request: Request, storage: Storage, progress: Progress | None) -> None:
        self._request = request
        self._storage = storage
        self._progress = progress
        self._manifest = Manifest(storage)
        self._ids = Ids(names_in(storage.target), self._manifest)
        self._strays = self._ids.strays()
        self._report = Report()
        self._lines: dict[str, Line] = {}

    def run(self) -> Summary:
        steps = plan(self._request, self._manifest, self._storage)
        todo = []
        for step in steps:
            line = _planned(step, self._manifest)
            self._lines[step.uuid] = line
            if step.why != "unchanged":
                todo.append(step)
        done = 0
        try:
            # Closed before the folder is another run's: no worker writes there any more.
            with contextlib.closing(work(todo, self._task, self._request.jobs)) as outcomes:
                for batch in _batches(outcomes):
                    self._take(batch)
                    for step, _ in batch:
                        done += 1
                        if self._progress is not None:
                            self._progress(done, len(todo), self._lines[step.uuid].title or step.uuid)
        finally:
            if done:
                with contextlib.suppress(OSError):
                    self._storage.sync()
                self._manifest.close()
        if done or not self._manifest.path.exists():
            self._manifest.save(self._request.source)
        return Summary(lines=list(self._lines.values()), report=self._report, manifest=self._manifest.path)

    def _task(self, step: Step) -> Task:
        moved = self._manifest.sessions.get(step.uuid)
        ids = {key: parts[0].id for key, parts in moved.outputs.items() if parts} if moved else {}
        return Task(
            uuid=step.uuid,
            path=str(step.found.path),
            files=step.files,
            ids=ids,
            strays=self._strays,
            before=tuple(moved.source) if moved else (),
            temporaries=str(self._storage.temporaries),
            request=self._request,
        )

    def _take(self, batch: list[tuple[Step, Outcome]]) -> None:
        """Put the outputs of some sessions in place and write it down, after one word for all of what is about to be."""
        decided: list[tuple[Step, Outcome, list[tuple[Staged, Placed]]]] = []
        intents: list[Intent] = []
        for step, outcome in batch:
            if outcome.error:
                self._failed(step, outcome.error)
                continue
            placements = self._decide(step, outcome, self._manifest.sessions.get(step.uuid))
            decided.append((step, outcome, placements))
            intents += (
                Intent(uuid=step.uuid, output=staged.output, part=placed.parts[-1])
                for staged, placed in placements
                if placed.as_staged or placed.data is not None
            )
        if intents:
            self._manifest.intend(intents)
        for step, outcome, placements in decided:
            self._put(step, outcome, placements)

    def _failed(self, step: Step, reason: str) -> None:
        line = self._lines[step.uuid]
        line.state, line.reason = "failed", reason
        before = self._manifest.sessions.get(step.uuid)
        self._manifest.done(
            Moved(
                uuid=step.uuid,
                project=line.project,
                title=line.title,
                state="failed",
                reason=reason,
                generation=before.generation if before else 0,
                outputs=before.outputs if before else {},
                source=before.source if before else [],
            )
        )

    def _put(self, step: Step, outcome: Outcome, placements: list[tuple[Staged, Placed]]) -> None:
        """Put one session's outputs in place and write it down."""
        line = self._lines[step.uuid]
        before = self._manifest.sessions.get(step.uuid)
        if outcome.report is not None:
            self._report.merge(outcome.report)
        outputs, changes, whole = self._place(step, outcome, placements, before)
        earlier = before.source if before else []
        main = outputs.get("main") or next(iter(outputs.values()), [])  # agents alone have none
        messages = sum(staged.messages for staged in outcome.staged)
        results = sum(staged.results for staged in outcome.staged)
        line.title = outcome.title or line.title
        line.project = outcome.project or line.project
        line.log = main[-1].id if main else ""
        line.changes = {str(change): count for change, count in changes.items()}
        line.state = told_by(changes) if outcome.staged else "empty"
        if main:
            line.messages, line.calls = self._figures(main[-1])
            line.results = line.calls
        self._manifest.done(
            Moved(
                uuid=step.uuid,
                project=line.project,
                title=line.title,
                state="moved" if outcome.staged else "empty",
                source=list(outcome.source) if whole else earlier,
                neighbours=step.neighbours,
                choices=self._request.choices,
                generation=_generation(outcome, before),
                outputs=outputs,
                messages=messages,
                calls=results,
                results=results,
                losses=outcome.losses,
            )
        )

    def _figures(self, part: Part) -> tuple[int, int]:
        """The messages of a log, with our note of a continuation, and its calls."""
        if part.calls is not None:
            return part.lines + bool(part.note), part.calls
        return counts(self._storage.log(part.id).read_bytes()[: part.bytes])

    def _decide(self, step: Step, outcome: Outcome, before: Moved | None) -> list[tuple[Staged, Placed]]:
        known = before.outputs if before else {}
        same = before is not None and [(s.path, s.sha256) for s in before.source] == [
            (s.path, s.sha256) for s in outcome.source
        ]
        placing = Placing(
            self._storage,
            self._manifest.intents,
            lambda output, created, part: self._ids.new(step.uuid, output, created, part),
            outcome.title,
            generation=_generation(outcome, before),
            same_source=same,
        )

        decisions = []
        for staged in outcome.staged:
            parts = known.get(staged.output, [])
            placed = placing.quick(staged, parts)
            if placed is None:
                log = Log.parse(Path(staged.temporary).read_bytes())
                assert log is not None
                own = staged.id if not parts else parts[-1].id
                everything = partial(_family_lines, outcome.staged, staged.output)
                placed = placing.decide(staged.output, log, own, staged.created, parts, everything)
            decisions.append((staged, placed))
        return decisions

    def _place(
        self, step: Step, outcome: Outcome, placements: list[tuple[Staged, Placed]], before: Moved | None
    ) -> tuple[dict[str, list[Part]], Counter[Change], bool]:
        """The outputs as they lie there now, what became of them, and whether nobody came in between."""
        outputs = dict(before.outputs) if before else {}
        changes: Counter[Change] = Counter()
        whole = True
        modified = step.files[0][2]
        for staged, placed in placements:
            temporary = Path(staged.temporary)
            change = placed.change
            if placed.data is not None:
                temporary.unlink()
                temporary = self._storage.temporary(placed.data)
                os.utime(temporary, ns=(modified, modified))
            if placed.data is not None or placed.as_staged:
                part = placed.parts[-1]
                final = self._storage.log(part.id)
                done = (
                    self._storage.put_over(temporary, final, placed.replaces)
                    if placed.replaces
                    else self._storage.put_new(temporary, final)
                )
                if not done:  # somebody wrote there in this very moment: theirs stays, the next run looks again
                    temporary.unlink(missing_ok=True)
                    outputs[staged.output] = before.outputs.get(staged.output, []) if before else []
                    changes["unchanged"] += 1
                    whole = False
                    continue
                status = stamp(final)
                part.mtime_ns = status[1] if status else 0
            else:
                temporary.unlink()
            outputs[staged.output] = placed.parts
            changes[change] += 1
        return outputs, changes, whole


def _batches(done: Iterator[tuple[Step, Outcome]]) -> Iterator[list[tuple[Step, Outcome]]]:
    """What is put in place together: the journal is written to the disk once for all of them."""
    batch: list[tuple[Step, Outcome]] = []
    ids: set[str] = set()
    size = 0
    for step, outcome in done:
        own = {staged.id for staged in outcome.staged}
        if batch and ids & own:  # its place depends on what is put there before
            yield batch
            batch, ids, size = [], set(), 0
        batch.append((step, outcome))
        ids |= own
        size += sum(staged.bytes for staged in outcome.staged)
        if len(batch) >= BATCH or size >= BATCH_BYTES:
            yield batch
            batch, ids, size = [], set(), 0
    if batch:
        yield batch


def _generation(outcome: Outcome, before: Moved | None) -> int:
    if before is None:
        return 0
    return before.generation + (not outcome.only_grew)


def _family_lines(staged: tuple[Staged, ...], output: str) -> list[bytes]:
    """The lines among which what an output's old log said must be: `before` and `main` may have shared it anew."""
    lead, _, last = output.rpartition("/")
    family = {output}
    if last in ("main", "before"):
        family = {f"{lead}/{each}" if lead else each for each in ("before", "main")}
    lines: list[bytes] = []
    for each in staged:  # `before` stands before `main`
        if each.output in family and (log := Log.parse(Path(each.temporary).read_bytes())) is not None:
            lines += log.lines
    return lines
