"""Runs of the Workflow tool (2.1.154 and later): their snapshot, and what their journal says of each agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dragoman.io.jsonl import JsonLines
from dragoman.io.paths import written as valid
from dragoman.model import Event, Span
from dragoman.readers.claude_code.fields import string, time
from dragoman.readers.claude_code.side_files import read_json
from dragoman.report import Code, Report


class Runs:
    """The runs of a session, by their ids."""

    def __init__(self, folder: Path | None, label: str, report: Report) -> None:
        """`folder` is `<session>/`; `label` is what the user calls it."""
        self.snapshots: dict[str, dict[str, Any]] = {}
        self._agents: dict[tuple[str, str], dict[str, Any]] = {}
        self._labels: dict[str, str] = {}
        if folder is None or folder.is_symlink():
            return
        for path in _plain_files(folder / "workflows", ".json"):
            name = f"{label}/workflows/{valid(path.name)}"
            snapshot = read_json(path, name, report)
            if snapshot is not None:
                run = string(snapshot.get("runId")) or valid(path.stem)
                self.snapshots[run] = snapshot
                self._labels[run] = name
        runs = folder / "subagents" / "workflows"
        if runs.is_dir() and not runs.is_symlink() and not runs.parent.is_symlink():
            for place in sorted(runs.iterdir()):
                for path in _plain_files(place, ".jsonl"):
                    if path.name == "journal.jsonl":
                        self._journal(
                            path,
                            valid(place.name),
                            f"{label}/subagents/workflows/{valid(place.name)}/journal.jsonl",
                            report,
                        )

    def _journal(self, path: Path, run: str, label: str, report: Report) -> None:
        for _, record in JsonLines(path, label, report):
            agent = string(record.get("agentId"))
            kind = string(record.get("type"))
            if not agent or kind not in ("started", "result", "failed", "launched"):
                report.add(Code.UNKNOWN_RECORD, Span(label, 0), "workflow journal")
                continue
            told = self._agents.setdefault((run, agent), {})
            for field, value in record.items():
                if field not in ("type", "agentId", "timestamp"):
                    told[field] = value
            told["state"] = kind

    def of_agent(self, run: str, agent: str) -> dict[str, Any]:
        """What is known of an agent of a run: its label, its phase's title, its result."""
        found: dict[str, Any] = {}
        snapshot = self.snapshots.get(run, {})
        if name := string(snapshot.get("workflowName")):
            found["workflow"] = name
        agents = snapshot.get("agents")
        for each in agents if type(agents) is list else ():
            if type(each) is dict and each.get("agentId") == agent:
                for field, name in (("label", "label"), ("phaseTitle", "phase")):
                    if value := string(each.get(field)):
                        found[name] = value
        journal = self._agents.get((run, agent))
        if journal:
            found.setdefault("label", string(journal.get("label")))
            found["journal"] = journal
        return {key: value for key, value in found.items() if value}

    def events(self) -> list[Event]:
        """The snapshots as events of the session."""
        return [
            Event(
                kind="context",
                name="workflow-run",
                text=string(snapshot.get("workflowName")),
                refs=(run,),
                data=snapshot,
                time=time(snapshot.get("startedAt") or snapshot.get("startTime")),
                span=Span(self._labels[run], 0),
            )
            for run, snapshot in self.snapshots.items()
        ]


def _plain_files(folder: Path, suffix: str) -> list[Path]:
    if not folder.is_dir() or folder.is_symlink():
        return []
    return sorted(
        path for path in folder.iterdir() if path.suffix == suffix and path.is_file() and not path.is_symlink()
    )
