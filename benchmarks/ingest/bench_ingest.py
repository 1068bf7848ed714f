"""How fast and in how much memory logs are read, against the usual readers, in one run on one machine.

    python benchmarks/ingest/bench_ingest.py [--scalars 1000000] [--rows 1000000]

Needs `tensorboard` (its EventAccumulator is the yardstick); `tbparse` is measured too where it is installed.
Each reading happens in a process of its own; memory is the growth of its peak resident size over what it was after
the imports. Printed are seconds, megabytes and the ratios to the yardstick; then the cost at growing file sizes with
a straight line through them (a slope near the mean cost and a small rest mean: linear).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from _make import columns, event_file  # noqa: E402

READERS = {
    "traindx": (
        "from traindx.readers import read; from traindx.readers._read import all_readers; all_readers()",
        "read(PATH)",
    ),
    "EventAccumulator": (
        "from tensorboard.backend.event_processing.event_accumulator import EventAccumulator",
        "a = EventAccumulator(PATH, size_guidance={'scalars': 0}); a.Reload(); [a.Scalars(t) for t in a.Tags()['scalars']]",
    ),
    "tbparse": ("from tbparse import SummaryReader", "SummaryReader(PATH).scalars"),
    "polars csv": ("import polars as pl", "pl.read_csv(PATH)"),
    "polars ndjson": ("import polars as pl", "pl.read_ndjson(PATH)"),
    "traindx, polars loaded": (
        "import polars; from traindx.readers import read; from traindx.readers._read import all_readers; all_readers()",
        "read(PATH)",
    ),
}
_PROGRAM = """
import json, resource, sys, time
PATH = sys.argv[1]
{imports}
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before, begin, clock = peak(), time.process_time(), time.perf_counter()
result = {action}
print(json.dumps([time.process_time() - begin, time.perf_counter() - clock, (peak() - before) / 1024]))
"""


def measure(reader: str, path: Path) -> tuple[float, float] | None:
    """CPU seconds and megabytes; None where the reader is not installed. CPU time: other work disturbs it least."""
    imports, action = READERS[reader]
    # Statements before the last expression of an action run first.
    *first, last = action.split("; ")
    program = _PROGRAM.format(imports="; ".join([imports]), action="RESULT")
    program = program.replace("result = RESULT", "\n".join([*first, f"result = {last}"]))
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    cpu, _, memory = json.loads(done.stdout.splitlines()[-1])
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
            f"  {other:24s} {theirs[0]:8.2f} s {theirs[1]:8.1f} MB   traindx is {theirs[0] / mine[0]:.1f} times as fast "
            f"in {theirs[1] / mine[1]:.1f} times less memory"
        )


def linear(title: str, paths: list[Path]) -> None:
    sizes = np.array([path.stat().st_size / 1e6 for path in paths])
    costs = np.array([(measure("traindx", path) or (np.nan, 0))[0] for path in paths])
    slope, start = np.polyfit(sizes, costs, 1)
    rest = np.abs(costs - (slope * sizes + start)).max() / costs.max()
    points = ", ".join(f"{size:.1f} MB {cost:.2f} s" for size, cost in zip(sizes, costs, strict=True))
    print(
        f"\n{title}: {points}\n  {1 / slope:.0f} MB/s after {max(start, 0):.2f} s, off the line by {rest:.0%} at most"
    )


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


if __name__ == "__main__":
    main()
