"""What a live page costs the training: `python -m benchmarks.page.live_cost [--repeats N] [--steps N]`.

The same training runs under `traindx run` alternately alone and with a live server and a viewer beside it. What counts
is the training's own processor time and the median time of its steps: the server is another process, and a training
that does not wait for it spends the same.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

SCRIPT = """
import json, sys, time, torch
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(),
                            torch.nn.Linear(512, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x, y = torch.randn(128, 256), torch.randint(0, 10, (128,))
times = []
for step in range(int(sys.argv[1])):
    began = time.perf_counter()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    times.append(time.perf_counter() - began)
times.sort()
print(json.dumps({"cpu": time.process_time(), "step": times[len(times) // 2], "loss": float(loss)}))
"""


def train(folder: Path, steps: int, live: bool) -> dict[str, float]:
    record = folder / ("live.tdx" if live else "alone.tdx")
    script = folder / "train.py"
    script.write_text(SCRIPT, encoding="utf-8")
    words = [sys.executable, "-m", "traindx", "run", "--no-diagnosis", "--force", "--out", str(record)]
    words += [*(["--live"] if live else []), str(script), str(steps)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    training = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True)
    assert training.stdout
    assert training.stderr
    if live:
        address = training.stderr.readline().split()[-1]
        threading.Thread(target=view, args=(address,), daemon=True).start()
    told = training.stdout.read()
    training.wait()
    return dict(json.loads(told.strip().splitlines()[-1]))


def view(address: str) -> None:
    """A viewer that reads whatever it is sent."""
    try:
        urllib.request.urlopen(address, timeout=60).read()
        with urllib.request.urlopen(address.replace("/?", "/events?"), timeout=60) as events:
            while events.readline():
                pass
    except OSError:
        pass  # the server ended with the run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--steps", type=int, default=4000)
    options = parser.parse_args()
    found: dict[bool, list[dict[str, float]]] = {False: [], True: []}
    for repeat in range(options.repeats):
        for live in (False, True) if repeat % 2 else (True, False):
            with tempfile.TemporaryDirectory() as folder:
                found[live].append(train(Path(folder), options.steps, live))
    for name, unit in (("cpu", "s of processor time"), ("step", "s for the median step")):
        alone, beside = (statistics.median(run[name] for run in found[live]) for live in (False, True))
        print(f"{name}: alone {alone:.4g}, with a live page {beside:.4g} {unit}; ratio {beside / alone:.3f}")
    losses = {run["loss"] for runs in found.values() for run in runs}
    print(f"last loss: {'the same in every run' if len(losses) == 1 else losses}")


if __name__ == "__main__":
    main()
