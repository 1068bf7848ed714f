"""What many logs cost: `python -m benchmarks.many FOLDER [--logs 10000]`.

Writes small logs into FOLDER, CSV and JSON lines in turn, a third of them sick. `traindx diagnose` is interrupted by
Ctrl-C half-way, called again, and called a third time with nothing to do; then `traindx report FOLDER`. Printed for
each call: how many logs it read, CPU seconds, processes that did a tenth of the work or more, and their memory.
"""

from __future__ import annotations

import argparse
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

STEPS = 100


def write_logs(folder: Path, count: int) -> None:
    for number in range(count):
        draw = np.random.default_rng(number)
        steps = np.arange(STEPS)
        loss = 0.3 + 2 * np.exp(-steps / draw.uniform(10, 40)) + draw.normal(0, 0.02, STEPS)
        validation = loss + 0.05 + (0.02 * np.maximum(0, steps - 40) if number % 3 == 0 else 0.0)
        place = folder / f"sweep{number // 1000:02}" / f"run{number:05}"
        place.mkdir(parents=True, exist_ok=True)
        rows = zip(steps.tolist(), loss.round(5).tolist(), validation.round(5).tolist(), strict=True)
        if number % 2:
            lines = [f'{{"step": {s}, "loss": {a}, "val_loss": {b}}}' for s, a, b in rows]
            (place / "metrics.jsonl").write_text("\n".join(lines) + "\n")
        else:
            lines = ["step,loss,val_loss", *(f"{s},{a},{b}" for s, a, b in rows)]
            (place / "metrics.csv").write_text("\n".join(lines) + "\n")


class Call:
    """One call of traindx, watched from outside until it ends or `enough` says to interrupt it."""

    def __init__(self, words: list[str], cache: Path, enough: Callable[[], bool] = lambda: False) -> None:
        env = {**os.environ, "XDG_CACHE_HOME": str(cache), "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
        before = os.times()
        process = subprocess.Popen(
            [sys.executable, "-m", "traindx", *words],
            env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a background job ignores it
        )  # fmt: skip
        self.largest: dict[int, float] = {}  # MB, by process
        busy: dict[int, float] = {}  # CPU seconds
        while process.poll() is None:
            for pid in [process.pid, *children_of(process.pid)]:
                self.largest[pid] = max(self.largest.get(pid, 0.0), memory_of(pid))
                busy[pid] = max(busy.get(pid, 0.0), cpu_of(pid))
            if enough():
                os.killpg(process.pid, signal.SIGINT)
                process.wait()
            time.sleep(0.1)
        after = os.times()
        self.code = process.returncode
        self.cpu = after.children_user - before.children_user + after.children_system - before.children_system
        self.workers = sum(seconds > self.cpu / 10 for pid, seconds in busy.items() if pid != process.pid)
        self.main, *others = self.largest.values()
        self.of_worker = max(others, default=0.0)


def children_of(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def memory_of(pid: int) -> float:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


def cpu_of(pid: int) -> float:
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def answers_in(cache: Path) -> int:
    with suppress(sqlite3.Error), closing(sqlite3.connect(cache / "traindx/answers.sqlite", timeout=10)) as database:
        return int(database.execute("SELECT count(*) FROM answers").fetchone()[0])
    return 0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("folder", type=Path)
    options.add_argument("--logs", type=int, default=10_000)
    chosen = options.parse_args()
    logs, cache, page = chosen.folder / "logs", chosen.folder / "cache", chosen.folder / "report.html"
    write_logs(logs, chosen.logs)
    diagnose, report = ["diagnose", str(logs)], ["report", str(logs), "-o", str(page)]
    print(f"{chosen.logs:,} logs, {os.cpu_count()} cores\n")
    print("| call | exit | logs read | CPU | processes at work | memory: main, largest worker |")
    print("|---|---|---|---|---|---|")
    for name, words, half in (
        ("diagnose, interrupted", diagnose, True),
        ("diagnose again", diagnose, False),
        ("diagnose a third time", diagnose, False),
        ("report", report, False),
    ):
        known = answers_in(cache)
        call = Call(words, cache, lambda half=half: half and answers_in(cache) >= chosen.logs // 2)
        read = answers_in(cache) - known
        print(
            f"| {name} | {call.code} | {read:,} | {call.cpu:.0f} s | {max(1, call.workers)} "
            f"| {call.main:.0f} MB, {call.of_worker:.0f} MB |",
            flush=True,
        )
    print(f"\npage: {page.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
