"""The wall clock jumps while a script trains, as after a suspend or a correction: nothing is measured by it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import traindx

SCRIPT = """
import time, torch
torch.manual_seed(0)
wall, jumps = time.time, [0.0]
time.time = lambda: wall() + jumps[0]
time.time_ns = lambda: int(time.time() * 1e9)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)
for step in range(300):
    jumps[0] = {jump}
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
"""
JUMPS = {"back": "-3600.0 * step", "forth": "3600.0 * step", "to and fro": "(-1) ** step * 1e6", "before 1970": "-1e10"}


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
def test_what_is_measured_does_not_depend_on_the_wall_clock(tmp_path: Path, jump: str) -> None:
    (tmp_path / "train.py").write_text(SCRIPT.format(jump=jump))
    command = [sys.executable, "-m", "traindx", "run", "--out", "run.tdx", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    run = traindx.load(tmp_path / "run.tdx")
    assert run.facts["exit"] == "ok" and run.facts["steps"] == 300 and not run.facts.get("observers_off")
    assert list(run.series("loss/train").steps) == list(range(300))
    clock = run.series("clock").values
    assert np.all(np.diff(clock) >= 0) and clock[-1] < 600
    times = [run.series(name).values for name in run.series_names if name.startswith("time/")]
    assert times and all(np.all((values >= 0) & (values < 600)) for values in times)
