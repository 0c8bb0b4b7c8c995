"""Scores redaction on the labelled samples of ../shared/redaction and writes docs/redaction.md's table.

python tests/redact/bench.py [--seeds 1,2,3] [--formats native,clm,markdown] [--mb 20]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dragoman.conversion import convert
from dragoman.filters.redact import RedactFilter, RedactOptions

ROOT = Path(__file__).resolve().parent.parent.parent
BENCH = ROOT.parent / "shared" / "redaction"
DOC = ROOT / "docs" / "redaction.md"


def python(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-B", *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def main() -> None:
    """Run, print, and put the table between its marks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--formats", default="native,clm,claude-code,openai,markdown,html")
    parser.add_argument("--mb", default="20")
    given = parser.parse_args()
    if not BENCH.is_dir():
        raise SystemExit("../shared/redaction is not here")
    rows = ["| format | seeds | secrets | leaked | to be kept | lost |", "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in given.formats.split(","):
            sums = dict.fromkeys(("secrets", "leaked", "keep", "lost"), 0)
            for seed in given.seeds.split(","):
                source = folder / f"in-{seed}"
                if not source.exists():
                    python(str(BENCH / "gen.py"), "--seed", seed, "--out", str(source))
                for kind, filters in (("out", [RedactFilter()]), ("plain", [])):
                    convert(source / "projects", f"{folder / kind / name / seed}/", writer=name, filters=filters)
                report = folder / "report.json"
                python(
                    str(BENCH / "score.py"), "--labels", str(source / "labels.json"), "--output", str(folder / "out" / name / seed),
                    "--baseline", str(folder / "plain" / name / seed), "--json", str(report),
                )  # fmt: skip
                scored = json.loads(report.read_text("utf-8"))
                for key in sums:
                    sums[key] += scored[key]
            rows.append(
                f"| {name} | {given.seeds} | {sums['secrets']} | {sums['leaked']} ({100 * sums['leaked'] / sums['secrets']:.2f} %)"
                f" | {sums['keep']} | {sums['lost']} ({100 * sums['lost'] / sums['keep']:.2f} %) |"
            )
            sys.stdout.write(rows[-1] + "\n")
        python(str(BENCH / "natural.py"), "make", "--mb", given.mb, "--out", str(folder))
        natural = folder / "natural.jsonl"
        redact = RedactFilter(RedactOptions(what=("secrets",)))
        started = time.process_time()
        convert(natural, folder / "after.jsonl", writer="clm", filters=[redact])
        took = time.process_time() - started
        size = natural.stat().st_size / 1e6
        changes = redact.receipt.counts()[0]
        rows += [
            "",
            f"Natural source code: {changes} replacements in {size:.1f} MB, {changes / size:.2f} per MB; "
            f"read, redacted, written and checked in {took:.1f} s of CPU.",
        ]
        sys.stdout.write(rows[-1] + "\n")
    text = DOC.read_text("utf-8")
    head, _, rest = text.partition("<!-- bench -->\n")
    _, _, tail = rest.partition("<!-- /bench -->")
    DOC.write_text(head + "<!-- bench -->\n" + "\n".join(rows) + "\n<!-- /bench -->" + tail, "utf-8")


if __name__ == "__main__":
    main()
