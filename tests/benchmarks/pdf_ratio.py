"""A PDF in parts against one WeasyPrint call on the same HTML: `python tests/benchmarks/pdf_ratio.py [TURNS]`.

Five pages a turn: 200 turns are a thousand pages. Each way runs in a process of its own; what is timed begins with the
session in memory and its HTML (in parts: with its making, since parts are laid out while others are made), and
ends with the PDF's bytes. A machine with other work to do says nothing: look at the load first. CPU seconds are
printed too. Nothing here passes or fails.
"""

from __future__ import annotations

import io
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pdf"))

BAR = 0.65


def measured(way: str, turns: int) -> None:
    """One way: prints pages, seconds, CPU seconds, and peak megabytes of this process and of the biggest below it."""
    import pdf_sessions

    from dragoman.report import Report
    from dragoman.writers.pdf import document
    from dragoman.writers.pdf.making import Making
    from dragoman.writers.pdf.options import PdfOptions

    session = pdf_sessions.refactoring(turns=turns)
    making = Making(session, PdfOptions(tagged=way == "whole"), Report())
    if way == "whole":
        from weasyprint import CSS, HTML

        html = making.whole()
        css = CSS(string=document.style("a4"))
        started, cpu = time.perf_counter(), time.process_time()
        laid = HTML(string=html).render(stylesheets=[css], presentational_hints=True)
        laid.write_pdf()
        pages = len(laid.pages)
    else:
        started, cpu = time.perf_counter(), time.process_time()
        pages = making.write(io.BytesIO())
    took = time.perf_counter() - started
    own = time.process_time() - cpu
    below = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_seconds = own + below.ru_utime + below.ru_stime
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(pages, round(took, 2), round(cpu_seconds, 2), peak, below.ru_maxrss // 1024)  # noqa: T201


def main() -> None:
    """Both ways and their ratio."""
    turns = sys.argv[1] if len(sys.argv) > 1 else "200"
    seconds: dict[str, float] = {}
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")  # noqa: T201
    for way in ("whole", "parts"):
        done = subprocess.run([sys.executable, __file__, way, turns], capture_output=True, text=True, check=True)
        pages, took, cpu, peak, below = done.stdout.split()
        seconds[way] = float(took)
        print(f"{way}: {pages} pages, {took} s, {cpu} CPU s, {peak} MB, biggest process below {below} MB")  # noqa: T201
    print(f"ratio {seconds['parts'] / seconds['whole']:.2f} (bar {BAR})")  # noqa: T201


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measured(sys.argv[1], int(sys.argv[2]))
    else:
        main()
