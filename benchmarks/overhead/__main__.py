"""What observation costs: `python -m benchmarks.overhead [--repeats N] [--only NAME] [--no-others]`.

Each measurement is a fresh process with default settings; bare and observed runs take turns. On a shared machine the
same run takes up to half as long again when its neighbours are busy, and never less than what it computes: so the table
compares the lowest CPU time of either side, and shows beside it the median and the range of the ratios of neighbouring
pairs. Prints a table in Markdown. Targets: 3 % where a bare step takes 20 ms or more, 10 % for the tiny model, 0.3 s to
start up, 0.2 s for `traindx --help`.

Other monitors are measured beside it where they are installed (`pip install --no-deps -c constraints.txt torch-audit
training-doctor trainpulse`, `pip install -c constraints.txt wandb`).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from .trainings import TRACKERS, TRAININGS

HERE = Path(__file__).parent
SCRIPT = str(HERE / "trainings.py")
IDLE = "import torch"
# glibc gives memory back and takes it again, page by page, as the layout of the heap happens to demand: a fifth of some
# bare runs, and another share for every program. With a heap that stays, what is compared is what is computed.
HEAP = {
    "MALLOC_TOP_PAD_": str(1 << 28),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 29),
    "MALLOC_MMAP_THRESHOLD_": str(1 << 29),
}


def cpu_seconds(command: list[str], folder: str) -> tuple[float, str]:
    """CPU seconds of the whole process, user and system, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | HEAP | {"OMP_NUM_THREADS": "1", "WANDB_MODE": "offline", "WANDB_SILENT": "true"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def observed(folder: str, *script: str) -> list[str]:
    record = str(Path(folder) / "run.tdx")
    return [sys.executable, "-m", "traindx", "run", "--no-diagnosis", "--force", "--out", record, *script]


def loop_seconds(command: list[str], folder: str) -> float:
    return float(cpu_seconds(command, folder)[1].split()[-1])


def training_rows(name: str, repeats: int, folder: str, trackers: list[str]) -> list[str]:
    """One row for traindx and one for each tracker, all against the same bare runs."""
    steps = TRAININGS[name][1]
    script = [SCRIPT, name, str(steps)]
    bare_command = [sys.executable, *script]
    commands = {name: observed(folder, *script)}
    commands |= {f"{name}, {tracker}": [*bare_command, "--tracker", tracker] for tracker in trackers}
    bare: list[float] = []
    watched: dict[str, list[float]] = {title: [] for title in commands}
    for _ in range(repeats):
        bare.append(loop_seconds(bare_command, folder))
        for title, command in commands.items():
            watched[title].append(loop_seconds(command, folder))
    step = 1000 * min(bare) / steps
    rows = []
    for title, seconds in watched.items():
        ratios = [100 * (with_it / without - 1) for with_it, without in zip(seconds, bare, strict=True)]
        pairs = f"{median(ratios):+.1f} % ({min(ratios):+.1f} … {max(ratios):+.1f})"
        target = "" if title != name else "≤ 3 %" if step >= 20 else "≤ 10 %"
        rows.append(f"| {title} | {step:.2f} ms | {100 * (min(seconds) / min(bare) - 1):+.1f} % | {pairs} | {target} |")
    return rows


def start_up_rows(repeats: int, folder: str) -> list[str]:
    idle = Path(folder) / "idle.py"
    idle.write_text(IDLE)
    bare, watched, shown = [], [], []
    for _ in range(repeats):
        bare.append(cpu_seconds([sys.executable, str(idle)], folder)[0])
        watched.append(cpu_seconds(observed(folder, str(idle)), folder)[0])
        shown.append(cpu_seconds([sys.executable, "-m", "traindx", "--help"], folder)[0])
    more = [with_it - without for with_it, without in zip(watched, bare, strict=True)]
    return [
        f"| start-up over python | | {min(watched) - min(bare):+.2f} s | {median(more):+.2f} s | ≤ 0.3 s |",
        f"| traindx --help | | {min(shown):.2f} s | {median(shown):.2f} s | ≤ 0.2 s |",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", choices=TRAININGS, action="append", help="measure only this training")
    parser.add_argument("--no-others", action="store_true", help="leave other monitors out")
    given = parser.parse_args()
    others = [] if given.no_others else list(TRACKERS)
    installed = [tracker for tracker in others if importlib.util.find_spec(tracker) is not None]
    print("| training | bare step | overhead | median of pairs (range) | target |")
    print("|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in given.only or TRAININGS:
            print("\n".join(training_rows(name, given.repeats, folder, installed)), flush=True)
        if not given.only:
            print("\n".join(start_up_rows(given.repeats, folder)))
    for tracker in set(others) - set(installed):
        print(f"\n{tracker} was not measured: it is not installed here")


if __name__ == "__main__":
    main()
