"""How fast and in how much memory logs are read, against the usual readers, in one run on one machine.

    python benchmarks/ingest/bench_ingest.py [--scalars 1000000] [--rows 1000000]

Needs Linux and the extra `bench`: tensorboard's EventAccumulator and tbparse are the yardsticks. Each reading happens
in a process of its own; memory is the growth of its peak resident size over what it was after the imports. Printed are
CPU seconds, megabytes and the ratios to traindx; then the cost at growing file sizes, with a straight line through them
and the exponent of size in time (1 means: linear); then how long 1,000 small runs take to read, judge and compare on
two processes, by the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from _make import columns, event_file  # noqa: E402

_OURS = "from traindx.readers import read\nfrom traindx.readers.reading import all_readers\nall_readers()"
# For each reader what to import, and what to do; `result` holds what was read while memory is looked at.
READERS = {
    "traindx": (_OURS, "result = read(PATH)"),
    "traindx, polars loaded": ("import polars\n" + _OURS, "result = read(PATH)"),
    "EventAccumulator": (
        "from tensorboard.backend.event_processing.event_accumulator import EventAccumulator",
        "result = EventAccumulator(PATH, size_guidance={'scalars': 0})\nresult.Reload()\n"
        "curves = [result.Scalars(tag) for tag in result.Tags()['scalars']]",
    ),
    "tbparse": ("from tbparse import SummaryReader", "result = SummaryReader(PATH).scalars"),
    "polars csv": ("import polars", "result = polars.read_csv(PATH)"),
    "polars ndjson": ("import polars", "result = polars.read_ndjson(PATH)"),
}
# VmHWM and not ru_maxrss: the latter survives exec, so that a child begins with its parent's peak and seems to need
# almost nothing. The former belongs to the process image (and exists on Linux only).
_PROGRAM = """
import json, sys, time
PATH = sys.argv[1]
{imports}
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
before, begin = peak(), time.process_time()
{action}
print(json.dumps([time.process_time() - begin, (peak() - before) / 1024]))
"""


def measure(reader: str, path: Path) -> tuple[float, float] | None:
    """CPU seconds and megabytes; None where the reader is not installed. CPU time: other work disturbs it least."""
    imports, action = READERS[reader]
    program = _PROGRAM.format(imports=imports, action=action)
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    cpu, memory = json.loads(done.stdout.splitlines()[-1])
    return cpu, memory


def compare(title: str, path: Path, ours: str, others: list[str]) -> None:
    print(f"\n{title} ({path.stat().st_size / 1e6:.0f} MB)")
    mine = measure(ours, path)
    assert mine is not None, "traindx could not be run"
    print(f"  {ours:24s} {mine[0]:8.2f} s {mine[1]:8.1f} MB")
    for other in others:
        theirs = measure(other, path)
        if theirs is None:
            print(f"  {other:24s} not installed")
            continue
        print(
            f"  {other:24s} {theirs[0]:8.2f} s {theirs[1]:8.1f} MB   {theirs[0] / mine[0]:.1f} times the time, "
            f"{theirs[1] / mine[1]:.1f} times the memory of traindx"
        )


def linear(title: str, paths: list[Path]) -> None:
    sizes = np.array([path.stat().st_size / 1e6 for path in paths])
    costs = np.array([(measure("traindx", path) or (np.nan, 0))[0] for path in paths])
    slope, start = np.polyfit(sizes, costs, 1)
    rest = np.abs(costs - (slope * sizes + start)).max() / costs.max()
    exponent = np.polyfit(np.log(sizes), np.log(costs), 1)[0]
    points = ", ".join(f"{size:.1f} MB {cost:.2f} s" for size, cost in zip(sizes, costs, strict=True))
    print(
        f"\n{title}: {points}\n  {1 / slope:.0f} MB/s after {max(start, 0):.2f} s, off the line by {rest:.0%} at most; "
        f"time goes with size to the power {exponent:.2f}"
    )


def many_runs(root: Path, runs: int) -> None:
    """A folder of small logs, compared by the command line as a user would, with its bar on a terminal."""
    rng = np.random.default_rng(0)
    for number in range(runs):
        loss = 0.5 + 2 * np.exp(-np.arange(200) / 40) + rng.normal(0, 0.02, 200)
        folder = root / f"lr{0.001 * (1 + number % 5):g}_seed{number}"
        folder.mkdir(parents=True)
        rows = "".join(f"{step},{value:.6f}\n" for step, value in enumerate(loss))
        (folder / "metrics.csv").write_text("step,loss\n" + rows)
    command = [sys.executable, "-m", "traindx", "compare", str(root)]
    begin = time.monotonic()
    shown = _on_a_terminal(command)
    seconds = time.monotonic() - begin
    bar = "seen" if f"{runs}/{runs}" in shown else "MISSING"
    print(f"\n{runs:,} small runs compared in {seconds:.0f} s on {os.cpu_count()} cores, progress bar {bar}")


def _on_a_terminal(command: list[str]) -> str:
    """What the command writes to standard error when that is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # Linux says so when the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    process.wait()
    return shown.decode(errors="replace")


def text_log(path: Path, rows: int) -> Path:
    data = columns(rows)
    with path.open("w") as file:
        for s, loss, norm, rate in zip(data["step"], data["loss"], data["grad_norm"], data["lr"], strict=True):
            file.write(f"[2024-01-01 10:00:00] iter {s}: loss {loss}, lr {rate:.3e}, grad_norm {norm}, time 12.3ms\n")
    return path


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--scalars", type=int, default=1_000_000)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--runs", type=int, default=1_000)
    chosen = options.parse_args()
    import polars as pl

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        events = event_file(root / "events.out.tfevents.1.host", chosen.scalars)
        compare(f"TensorBoard, {chosen.scalars:,} scalars", events, "traindx", ["EventAccumulator", "tbparse"])
        frame = pl.DataFrame(columns(chosen.rows))
        frame.write_csv(root / "log.csv")
        frame.write_ndjson(root / "log.jsonl")
        compare(f"CSV, {chosen.rows:,} rows", root / "log.csv", "traindx, polars loaded", ["polars csv"])
        compare(f"JSON lines, {chosen.rows:,} rows", root / "log.jsonl", "traindx, polars loaded", ["polars ndjson"])
        sizes = [chosen.scalars // k for k in (8, 4, 2, 1)]
        linear("TensorBoard by size", [event_file(root / f"e{n}.tfevents", n) for n in sizes])
        linear("text by size", [text_log(root / f"t{n}.log", n // 10) for n in sizes])
        many_runs(root / "many", chosen.runs)


if __name__ == "__main__":
    main()
