"""Run all parts that have not been run on this version of the code, and print the report.

    python -m benchmarks.nightly [--minutes 120] [--jobs 2] [--fresh] [--share 0.01]

Ctrl-C and the time limit lose at most the parts in progress: the same command goes on. `.nightly/` keeps the results
and the report. `--share` runs that share of the parts, evenly spread, and tells how long all of them would take.
The exit code is 1 where an attack did harm or a part did not come to its end, and 3 where parts are left.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from benchmarks.nightly.journal import Journal, version
from benchmarks.nightly.parts import Part, Result, all_parts, carry_out, run_here, stop_all
from benchmarks.nightly.report import report

FOLDER = Path(__file__).parents[2] / ".nightly"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120.0, help="start no part after this time (default 120)")
    parser.add_argument("--jobs", type=int, default=2, help="parts at the same time (default 2)")
    parser.add_argument("--share", type=float, default=1.0, help="which share of the parts (default 1)")
    parser.add_argument("--fresh", action="store_true", help="forget the results of this version")
    parser.add_argument("--part", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    if options.part:
        own = FOLDER / version()
        own.mkdir(exist_ok=True)
        print(json.dumps(run_here(Part(*options.part), own).as_object()))
        return 0
    journal = Journal(FOLDER / f"{version()}.jsonl", fresh=options.fresh)
    parts = all_parts()
    every = max(1, round(1 / options.share))
    chosen = parts if every == 1 else [part for kind in _kinds(parts) for part in kind[::every]]
    done = journal.results()
    left = [part for part in chosen if part not in done]
    print(f"{len(parts):,} parts, {len(chosen):,} chosen, {len(chosen) - len(left):,} done already", flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _run(left, journal, options.jobs, time.monotonic() + 60 * options.minutes)
    except KeyboardInterrupt:
        print("interrupted: the same command goes on", flush=True)
    text, code = report(parts, journal.results(), options.jobs)
    (FOLDER / "report.md").write_text(text, encoding="utf-8")
    print(text)
    return code


def _kinds(parts: Sequence[Part]) -> list[list[Part]]:
    found: dict[tuple[str, str], list[Part]] = {}
    for part in parts:
        found.setdefault((part.module, part.group), []).append(part)
    return list(found.values())


def _run(parts: Sequence[Part], journal: Journal, jobs: int, until: float) -> None:
    waiting = iter(parts)
    running: dict[Future[Result], Part] = {}
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                while len(running) < jobs and time.monotonic() < until and (part := next(waiting, None)) is not None:
                    running[pool.submit(carry_out, part)] = part
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    part, result = running.pop(future), future.result()
                    journal.add(part, result)
                    if result.failed:
                        print(f"{part}: {result.harm}", flush=True)
        finally:
            stop_all()  # after an interruption, leaving the pool would wait for the parts under way


if __name__ == "__main__":
    sys.exit(main())
