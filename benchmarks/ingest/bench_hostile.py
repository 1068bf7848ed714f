"""What huge and hostile input costs: peak memory, time, and what `traindx diagnose` says to it.

    python benchmarks/ingest/bench_hostile.py [--scale 1.0] [--only NAME]

At scale 1 the files are as large as their names say (up to 5 GB; they are made one after the other in a temporary
folder and removed at once). Each is read by a process of its own. Needs Linux. Exits with 1 when a process crashes,
prints a traceback or more than one line of error, or passes the memory limit.
"""

from __future__ import annotations

import argparse
import gzip
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

GIGABYTE = 1 << 30
MOST_MEGABYTES = 1500  # numbers of a log of any length (400 MB at the most), copies of them on the way, libraries
_PROGRAM = """
import sys
from traindx.__main__ import main
try:
    code = main(["diagnose", sys.argv[1]])
finally:
    peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print("PEAK", peak, file=sys.stderr)
sys.exit(code)
"""


def _repeated(path: Path, size: int, first: bytes, block: Callable[[int], bytes]) -> None:
    with path.open("wb") as file:
        file.write(first)
        number = 0
        while file.tell() < size:
            file.write(block(number))
            number += 1


def _frame(number: int) -> pl.DataFrame:
    step = np.arange(number * 100_000, (number + 1) * 100_000)
    return pl.DataFrame({"step": step, "loss": np.round(2 + 3 / (1 + step / 1e6), 6), "lr": np.full(len(step), 0.001)})


def csv_of_5_gb(path: Path, scale: float) -> None:
    _repeated(
        path,
        int(5 * GIGABYTE * scale),
        b"step,loss,lr\n",
        lambda number: _frame(number).write_csv(include_header=False).encode(),
    )


def json_lines_of_5_gb(path: Path, scale: float) -> None:
    _repeated(path, int(5 * GIGABYTE * scale), b"", lambda number: _frame(number).write_ndjson().encode())


def text_of_5_gb(path: Path, scale: float) -> None:
    """A line of training in a hundred, as in the output of a verbose program."""
    chatter = b"DEBUG worker: fetched the next shard from the object store, nothing unusual to report\n" * 99

    def block(number: int) -> bytes:
        return b"".join(
            chatter + f"iter {s}: loss {2 + 3 / (1 + s / 1e5):.6f}, lr 1.0e-03\n".encode()
            for s in range(number * 100, (number + 1) * 100)
        )

    _repeated(path, int(5 * GIGABYTE * scale), b"", block)


def zeros_of_5_gb(path: Path, scale: float) -> None:
    with path.open("wb") as file:
        file.truncate(int(5 * GIGABYTE * scale))


def line_of_2_gb(path: Path, scale: float) -> None:
    _repeated(path, int(2 * GIGABYTE * scale), b"loss ", lambda _: b"1.25 " * 200_000)


def json_on_one_line_of_2_gb(path: Path, scale: float) -> None:
    _repeated(path, int(2 * GIGABYTE * scale), b'{"loss": [', lambda _: b"1.25, " * 200_000)


def deep_json(path: Path, scale: float) -> None:
    depth = int(20_000_000 * scale)
    path.write_bytes(b'{"a":' * depth + b"1" + b"}" * depth)


def bomb(path: Path, scale: float) -> None:
    with gzip.open(path, "wb", 9) as file:
        for _ in range(int(5 * 1024 * scale)):
            file.write(bytes(1 << 20))


def bomb_of_text(path: Path, scale: float) -> None:
    line = b"loss 1.25 step 1\n" * 61_681
    with gzip.open(path, "wb", 9) as file:
        for _ in range(int(5 * 1024 * scale)):
            file.write(line)


def junk_of_1_gb(path: Path, scale: float) -> None:
    source = random.Random(0)
    _repeated(path, int(GIGABYTE * scale), b"", lambda _: source.randbytes(1 << 20))


CASES = {
    made.__name__.replace("_", " "): made
    for made in (
        csv_of_5_gb,
        json_lines_of_5_gb,
        text_of_5_gb,
        zeros_of_5_gb,
        line_of_2_gb,
        json_on_one_line_of_2_gb,
        deep_json,
        bomb,
        bomb_of_text,
        junk_of_1_gb,
    )
}


def judge(path: Path) -> tuple[float, float, str, bool]:
    """Seconds, peak megabytes, what was said, and whether that was in order."""
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(path)], capture_output=True, text=True, check=False, errors="replace"
    )
    seconds = time.monotonic() - begin
    errors = [line for line in done.stderr.splitlines() if not line.startswith("PEAK")]
    peaks = [int(line.split()[1]) / 1024 for line in done.stderr.splitlines() if line.startswith("PEAK")]
    said = done.stdout.splitlines()[0] if done.stdout else " ".join(errors)
    fine = done.returncode in (0, 2) and bool(peaks) and peaks[0] <= MOST_MEGABYTES and len(errors) <= 1
    return seconds, peaks[0] if peaks else float("nan"), said.replace(str(path), path.name), fine


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--scale", type=float, default=1.0)
    options.add_argument("--only", choices=list(CASES), metavar="NAME")
    chosen = options.parse_args()
    failures = 0
    print(f"{'input':26s} {'size':>9s} {'time':>8s} {'peak':>8s}  answer")
    for name, make in CASES.items():
        if chosen.only in (None, name):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "hostile.log"
                make(path, chosen.scale)
                size = path.stat().st_size / 1e6
                seconds, peak, said, fine = judge(path)
            failures += not fine
            print(
                f"{name:26s} {size:6.0f} MB {seconds:6.1f} s {peak:5.0f} MB  {'' if fine else 'FAILED: '}{said}",
                flush=True,
            )
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
