"""How much of a training is lost when it is killed: `python -m benchmarks.safety.kills [KILLS]`.

Each training says after each step how many it has taken, and how much processor time; SIGKILL comes at a random moment.
Its record must read as killed, and lack no more steps than `LAG_SECONDS` of training, by the training's own clock.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from traindx.record import load
from traindx.record.writer import LAG_SECONDS

# The first number is how wide the model is: steps of a fraction of a millisecond, of some, and of tens of them.
WIDTHS = (8, 400, 1500)
SCRIPT = """
import os, sys, time
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
width, said = int(sys.argv[1]), os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
model = nn.Sequential(nn.Linear(20, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(1024, 20), torch.randint(0, 3, (1024,))), 32, shuffle=True)
step = 0
while True:
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        step += 1
        os.write(said, f"{step} {time.process_time()}\\n".encode())
    with torch.no_grad():
        nn.functional.cross_entropy(model(x), y)
"""

Said = list[tuple[int, float]]  # steps taken, and processor time by then


def said_by(path: Path) -> Said:
    lines = path.read_text().splitlines() if path.exists() else []
    return [(int(step), float(seconds)) for step, seconds in (line.split() for line in lines)]


def lost(said: Said, kept: int) -> float:
    """Seconds of training between the last step that was kept and the last one that the training had taken."""
    until = next((seconds for step, seconds in said if step >= kept), said[-1][1])
    return max(0.0, said[-1][1] - until)


def wait_and_kill(pid: int, said: Path, seconds: float) -> None:
    """Kills the process so many seconds after its first step."""
    while not said.exists() or not said.stat().st_size:
        time.sleep(0.01)
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)


def killed(folder: Path, width: int, seconds: float) -> tuple[Said, Path]:
    """Trains in a forked child, which need not import torch again, and kills it."""
    script, said, record = folder / "train.py", folder / "said", folder / "run.tdx"
    script.write_text(SCRIPT)
    child = os.fork()
    if child == 0:
        try:
            from traindx.__main__ import main

            os.chdir(folder)
            main(["run", "--no-diagnosis", "--out", str(record), str(script), str(width), str(said)])
        finally:
            os._exit(1)
    wait_and_kill(child, said, seconds)
    os.waitpid(child, 0)
    return said_by(said), record


def main(words: Sequence[str]) -> int:
    import torch
    import torch._dynamo

    torch.set_num_threads(1)
    draw = random.Random(0)
    losses, wrong = [], 0
    for number in range(int(words[0]) if words else 50):
        with tempfile.TemporaryDirectory() as folder:
            said, record = killed(Path(folder), WIDTHS[number % len(WIDTHS)], draw.uniform(0.0, 3.0))
            run = load(record)
            wrong += run.facts.get("exit") != "killed"
            losses.append(lost(said, run.steps))
    broken = sum(seconds > LAG_SECONDS for seconds in losses)
    losses.sort()
    print("| kills | median lost | most lost | over the promise | not read as killed |")
    print("|---|---|---|---|---|")
    half = losses[len(losses) // 2]
    print(f"| {len(losses)} | {half:.3f} s | {losses[-1]:.3f} s | {broken} | {wrong} |")
    return int(broken + wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
