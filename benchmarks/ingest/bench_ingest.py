"""How fast and in how much memory logs are read, against the usual readers, in one run on one machine.

    python benchmarks/ingest/bench_ingest.py [--scalars 1000000] [--rows 1000000] [--only csv json text keys]

Needs Linux, pandas and the extra `bench`: tensorboard's EventAccumulator and tbparse are the yardsticks. Each reading
happens in a process of its own; memory is the growth of its peak resident size over what it was after the imports.
Printed are CPU seconds, megabytes and the ratios to traindx; below each kind the cost at three file sizes, with a
straight line through them and the exponent of size in time (1 means: linear); then how long 1,000 small runs take to
read, judge and compare on two processes, by the clock; with --only survey, what diagnosing them as one table costs.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from _make import columns, event_file  # noqa: E402

_OURS = "from traindx.readers import read\nfrom traindx.readers.folders import all_readers\nall_readers()"
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
    "polars scan_ndjson": ("import polars", "result = polars.scan_ndjson(PATH).collect()"),
    "pandas csv": ("import pandas", "result = pandas.read_csv(PATH)"),
    "for line in file": ("", "for line in open(PATH): pass"),
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


def linear(paths: list[Path]) -> None:
    sizes = np.array([path.stat().st_size / 1e6 for path in paths])
    costs = np.array([(measure("traindx", path) or (np.nan, 0))[0] for path in paths])
    slope, start = np.polyfit(sizes, costs, 1)
    rest = np.abs(costs - (slope * sizes + start)).max() / costs.max()
    exponent = np.polyfit(np.log(sizes), np.log(costs), 1)[0]
    points = ", ".join(f"{size:.1f} MB {cost:.2f} s" for size, cost in zip(sizes, costs, strict=True))
    print(
        f"  by size: {points}\n  {1 / slope:.0f} MB/s after {max(start, 0):.2f} s, off the line by {rest:.0%} at most; "
        f"time goes with size to the power {exponent:.2f}"
    )


def small_runs(root: Path, runs: int) -> None:
    rng = np.random.default_rng(0)
    for number in range(runs):
        loss = 0.5 + 2 * np.exp(-np.arange(200) / 40) + rng.normal(0, 0.02, 200)
        folder = root / f"lr{0.001 * (1 + number % 5):g}_seed{number}"
        folder.mkdir(parents=True)
        rows = "".join(f"{step},{value:.6f}\n" for step, value in enumerate(loss))
        (folder / "metrics.csv").write_text("step,loss\n" + rows)


def many_runs(root: Path, runs: int) -> None:
    """A folder of small logs, compared by the command line as a user would, with its bar on a terminal."""
    small_runs(root, runs)
    command = [sys.executable, "-m", "traindx", "compare", str(root)]
    begin = time.monotonic()
    shown = _on_a_terminal(command)
    seconds = time.monotonic() - begin
    bar = "seen" if f"{runs}/{runs}" in shown else "MISSING"
    print(f"\n{runs:,} small runs compared in {seconds:.0f} s on {os.cpu_count()} cores, progress bar {bar}")


def survey(root: Path, runs: int) -> None:
    """The same folder, diagnosed as one table: at first, and once more when nothing has changed."""
    small_runs(root, runs)
    for what in ("first", "again"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "traindx", "diagnose", str(root)]
        environment = {**os.environ, "XDG_CACHE_HOME": str(root.parent / "cache")}
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{runs:,} logs diagnosed, {what}: {cpu:.1f} s of CPU time, {after.ru_maxrss / 1024:.0f} MB in a process")


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
    """Lines as nanoGPT prints them."""
    data = columns(rows)
    with path.open("w") as file:
        for s, loss, norm in zip(data["step"], data["loss"], data["grad_norm"], strict=True):
            file.write(f"iter {s}: loss {0.5 + loss:.4f}, time {10 + norm:.2f}ms, mfu 33.10%\n")
    return path


def own_keys(path: Path, rows: int) -> Path:
    """JSON lines each with a key that no other line has."""
    with path.open("w") as file:
        for row in range(rows):
            file.write(json.dumps({"step": row, f"key_{row}": row * 0.5}) + "\n")
    return path


def table(path: Path, rows: int) -> Path:
    import polars as pl

    frame = pl.DataFrame(columns(rows))
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_ndjson(path)
    return path


# For each kind of log: how it is made, how many rows it has for one of --rows or --scalars, and the other readers.
KINDS = {
    "csv": (table, "rows", 1.0, ".csv", "traindx, polars loaded", ["pandas csv", "polars csv"]),
    "json": (table, "rows", 1.0, ".jsonl", "traindx, polars loaded", ["polars scan_ndjson"]),
    "text": (text_log, "rows", 1.0, ".log", "traindx", ["for line in file"]),
    "keys": (own_keys, "rows", 0.2, ".jsonl", "traindx, polars loaded", []),
    "events": (event_file, "scalars", 1.0, ".tfevents", "traindx", ["EventAccumulator", "tbparse"]),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--scalars", type=int, default=1_000_000)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--runs", type=int, default=1_000)
    options.add_argument("--only", nargs="*", choices=[*KINDS, "many", "survey"], default=[*KINDS, "many"])
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for kind in (name for name in KINDS if name in chosen.only):
            make, unit, share, suffix, ours, others = KINDS[kind]
            full = int(vars(chosen)[unit] * share)
            paths = [make(root / f"{kind}{rows}{suffix}", rows) for rows in (full // 9, full // 3, full)]
            compare(f"{kind}, {full:,} {unit}", paths[-1], ours, others)
            linear(paths)
        if "many" in chosen.only:
            many_runs(root / "many", chosen.runs)
        if "survey" in chosen.only:
            survey(root / "survey", chosen.runs)


if __name__ == "__main__":
    main()
