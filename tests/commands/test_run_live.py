"""`traindx run --live`: the page is there from the start, the script notices nothing, alerts leave, the server goes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

from traindx.commands import live

pytest.importorskip("torch")

SCRIPT = """
import os, sys, time
try:
    os.wait()
except ChildProcessError:
    print("no children")
import torch
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 4)
for step in range(60):
    loss = (model(x) ** 2).mean() * (float("nan") if step > 40 else 1.0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    time.sleep(0.02)
while "wait" in sys.argv and not os.path.exists(sys.argv[2]):
    time.sleep(0.05)
"""


def test_the_page_is_served_while_the_script_runs(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    go_on, told = tmp_path / "go-on", tmp_path / "told"
    words = ["run", "--live", "--on-alert", f'echo "$TRAINDX_TEXT" >> "{told}"', "--out", "run.tdx"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "XDG_STATE_HOME": str(tmp_path / "state")}
    training = subprocess.Popen(
        [sys.executable, "-m", "traindx", *words, "train.py", "wait", str(go_on)],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert training.stderr
        address = training.stderr.readline().split()[-1]
        assert address.startswith("http://127.0.0.1:")
        page = urllib.request.urlopen(address, timeout=60).read().decode()
        assert "run.tdx" in page
        until(lambda: told.exists() and "not finite at step 41" in told.read_text())
    finally:
        go_on.touch()
        out, _ = training.communicate(timeout=120)
    assert training.returncode == 0
    assert out == "no children\n"
    until(lambda: not serving(address))  # nobody looks at the stream of events: it ends soon after the run


def test_the_server_of_a_run_ends_when_its_record_is_gone(tmp_path: Path) -> None:
    waiting = threading.Thread(
        target=live._wait,
        args=(SimpleNamespace(viewers=1, last_viewer=0.0), SimpleNamespace(ended=threading.Event()), tmp_path / "gone"),
        daemon=True,
    )
    waiting.start()
    waiting.join(60)
    assert not waiting.is_alive()


def until(true: object, patience: float = 60.0) -> None:
    end = time.monotonic() + patience
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.1)


def serving(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=10).read()
    except OSError:
        return False
    return True
