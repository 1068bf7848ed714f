"""Files that the tests put into the allowed folder, and what an answer says."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import anyio


def write_overfitting_log(path: Path, rows: int = 200) -> Path:
    """Validation turns upwards at step 80 while the training loss falls on."""
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["step", "loss", "val_loss"])
        for i in range(rows):
            loss = 2.3 * math.exp(-i / 40) + 0.1
            table.writerow([i, loss, loss + 0.01 * max(0, i - 80)])
    return path


def said(result: Any) -> str:
    """The text of a refusal."""
    assert result.is_error
    return str(result.content[0].text)


# Learns little because of a softmax too many; leaves a file behind as trainings do.
SICK_SCRIPT = """
import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x @ torch.randn(8, 4)).argmax(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4), nn.Softmax(dim=1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
for epoch in range(100):
    for i in range(0, 256, 32):
        loss = criterion(model(x[i:i + 32]), y[i:i + 32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("last loss", loss.item())
open("checkpoint.txt", "w").write("done")
"""

# Never ends, and starts a program in a session of its own; says who they are.
ENDLESS_SCRIPT = """
import os, subprocess, sys, time
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
with open("pids.tmp", "w") as file:
    file.write(f"{os.getpid()} {other.pid}")
os.rename("pids.tmp", "pids")
while True:
    time.sleep(0.1)
"""


PATIENCE = 60.0  # seconds; what is waited for takes one or two


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z"
    except OSError:
        return False


async def until(condition: Any) -> None:
    with anyio.fail_after(PATIENCE):
        while not condition():
            await anyio.sleep(0.05)


async def started(root: Path) -> list[int]:
    """The processes of the endless script, once they run."""
    await until(lambda: (root / "pids").exists())
    pids = [int(word) for word in (root / "pids").read_text().split()]
    assert all(map(alive, pids))
    return pids
