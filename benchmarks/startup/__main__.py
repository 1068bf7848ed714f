"""CPU seconds of short commands, each beside a peer in the same run.

    python -m benchmarks.startup [--repeats 5]

Printed is the lowest of the repeats, taken in turns. Bytecode is written to a folder of its own first, as an installed
package has it. Then `diagnose` on tables of three sizes, with the exponent of size in time (0 means: nothing but
start-up), and what `traindx run` adds to a bare script of a hundred steps.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SIZES = (200, 2_000, 20_000)
SCRIPT = """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.05)
data, target = torch.randn(64, 16), torch.randn(64, 1)
for step in range(100):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(data), target).backward()
    optimizer.step()
"""


def table(path: Path, rows: int) -> Path:
    steps = np.arange(rows)
    loss = 0.5 + 2 * np.exp(-steps / (rows / 5)) + np.random.default_rng(0).normal(0, 0.02, rows)
    lines = [f"{s},{x:.5f},{x + 0.1:.5f}" for s, x in zip(steps, loss, strict=True)]
    path.write_text("\n".join(["step,loss,val_loss", *lines]) + "\n")
    return path


def seconds(command: list[str], folder: Path) -> float:
    """CPU seconds of one process and its children."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--repeats", type=int, default=5)
    chosen = options.parse_args()
    python = sys.executable
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.py").write_text(SCRIPT)
        tables = {rows: table(folder / f"{rows}.csv", rows) for rows in SIZES}
        traindx = [python, "-m", "traindx"]
        rows = {
            "python -c pass": [python, "-c", "pass"],
            "import traindx": [python, "-c", "import traindx"],
            "traindx --help": [*traindx, "--help"],
            "import numpy": [python, "-c", "import numpy"],
            "import polars": [python, "-c", "import polars"],
            "import pandas": [python, "-c", "import pandas"],
            **{f"traindx diagnose, {rows:,} rows": [*traindx, "diagnose", str(tables[rows])] for rows in SIZES},
            "python train.py": [python, "train.py"],
            "traindx run train.py": [*traindx, "run", "--out", "x.tdx", "--force", "train.py"],
            "traindx run --no-diagnosis": [*traindx, "run", "--no-diagnosis", "--out", "x.tdx", "--force", "train.py"],
        }  # fmt: skip
        for command in rows.values():
            seconds(command, folder)  # writes the bytecode
        lowest = dict.fromkeys(rows, float("inf"))
        for _ in range(chosen.repeats):
            for row, command in rows.items():
                lowest[row] = min(lowest[row], seconds(command, folder))
    for row, cost in lowest.items():
        print(f"{row:<30}{cost:6.2f} s")
    costs = [cost for row, cost in lowest.items() if "diagnose" in row]
    print(f"diagnose: time goes with size to the power {np.polyfit(np.log(SIZES), np.log(costs), 1)[0]:.2f}")
    bare = lowest["python train.py"]
    print(
        f"run: {lowest['traindx run train.py'] - bare:+.2f} s over the bare script, "
        f"{lowest['traindx run --no-diagnosis'] - bare:+.2f} s without the diagnosis"
    )


if __name__ == "__main__":
    main()
