"""How the cost of observation grows: `python -m benchmarks.scale [parameters layers steps ranks] [--largest]`.

One training is made larger along one axis at a time. Each row compares one bare run with one observed run: CPU time per
step (the first fifth, which is looked at most, is left out), the peak of memory above the bare run, the size of the
record, and the seconds that `traindx diagnose` takes on it. On a shared machine the cost of a single pair is rough to
some per cent; memory, record and diagnosis are not. `--largest` adds 300 M parameters, 2,000 layers and 1,000,000 steps
(of 0.1 ms), which take 8 GB of memory and half an hour. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from ..overhead.__main__ import cpu_seconds, observed

SCRIPT = str(Path(__file__).parent / "training.py")
# (parameters, layers, steps, ranks) by axis; the last of each axis is made with `--largest` only.
AXES = {
    "parameters": [(10_000, 4, 2000, 1), (1_000_000, 4, 1000, 1), (30_000_000, 4, 60, 1), (300_000_000, 8, 20, 1)],
    "layers": [(10_000, 4, 1000, 1), (40_000, 40, 400, 1), (400_000, 400, 100, 1), (2_000_000, 2000, 60, 1)],
    "steps": [(1000, 2, 1000, 1), (1000, 2, 10_000, 1), (1000, 2, 100_000, 1), (1000, 2, 1_000_000, 1)],
    "ranks": [(100_000, 4, 300, 1), (100_000, 4, 300, 2), (100_000, 4, 300, 4), (100_000, 4, 300, 8)],
}
HEAD = "| parameters | layers | steps | ranks | bare, ms a step | cost | memory above bare | record | diagnosed in |"


def launched(size: tuple[int, int, int, int], folder: str, watch: bool) -> list[str]:
    """The command of one run; several ranks are started by torchrun, inside of which traindx runs."""
    *numbers, ranks = size
    script = [SCRIPT, *map(str, numbers)]
    if ranks == 1:
        return observed(folder, *script) if watch else [sys.executable, *script]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(ranks)]
    return [*torchrun, *(observed(folder, *script)[1:] if watch else script), "ddp"]


def measured(size: tuple[int, int, int, int], folder: str, watch: bool) -> tuple[float, float]:
    """CPU seconds a step, and peak bytes, as (rank 0 of) the training prints them."""
    seconds, peak = map(float, cpu_seconds(launched(size, folder, watch), folder)[1].split()[-2:])
    return seconds, peak


def row(size: tuple[int, int, int, int]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        bare, bare_peak = measured(size, folder, watch=False)
        seen, seen_peak = measured(size, folder, watch=True)
        record = Path(folder) / "run.tdx"
        began = time.perf_counter()
        cpu_seconds([sys.executable, "-m", "traindx", "diagnose", str(record)], folder)
        cells = [
            *(f"{number:,}" for number in size),
            f"{1e3 * bare:.3g}",
            f"{seen / bare - 1:+.0%}",
            f"{(seen_peak - bare_peak) / 2**20:.0f} MB",
            f"{record.stat().st_size / 2**20:.1f} MB",
            f"{time.perf_counter() - began:.1f} s",
        ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("axes", nargs="*", choices=[[], *AXES], help="all, if none is named")
    parser.add_argument("--largest", action="store_true")
    args = parser.parse_args()
    for axis in args.axes or AXES:
        print(f"\n{axis}\n\n{HEAD}\n{'|---' * 9}|", flush=True)
        for size in AXES[axis] if args.largest else AXES[axis][:-1]:
            print(row(size), flush=True)


if __name__ == "__main__":
    main()
