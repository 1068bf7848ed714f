"""A rank of a job is killed: `python -m benchmarks.safety.rank_kills [--times 50]`.

`traindx run torchrun` starts two ranks that train one model over gloo. One of them, drawn at random, gets SIGKILL up to
some seconds after its first step. Counted is what must not happen: the command does not end, a process or a folder of
ours is left, the record cannot be read, or the diagnosis does not name the rank that was killed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import traindx
from traindx.record import load

LATEST = 4.0  # seconds after the rank's first step
PATIENCE = 120.0  # seconds: gloo notices a lost peer at once, torchrun asks the others to end, then kills them
SCRIPT = """
import os, time
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
torch.set_num_threads(1)
model = DistributedDataParallel(nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
own = torch.Generator().manual_seed(rank)
teacher = torch.randn(16, 4, generator=torch.Generator().manual_seed(5))
for step in range(1_000_000):
    x = torch.randn(32, 16, generator=own)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), (x @ teacher).argmax(1)).backward()
    optimizer.step()
    if step == 0:
        with open(f"pid{rank}.new", "w") as file:
            file.write(str(os.getpid()))
        os.replace(f"pid{rank}.new", f"pid{rank}")
    time.sleep(0.002)
"""


def killed(folder: Path, rank: int, seconds: float) -> str:
    """What went wrong; empty if nothing did."""
    (folder / "train.py").write_text(SCRIPT)
    env = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "PYTHONDONTWRITEBYTECODE": "1"}
    env["PYTHONPATH"] = str(Path(traindx.__file__).parents[1])
    job = ["torchrun", "--standalone", "--nproc_per_node", "2", "train.py"]
    words = [sys.executable, "-m", "traindx", "run", "--out", "run.tdx", *job]
    with (folder / "told").open("w") as told:
        process = subprocess.Popen(words, cwd=folder, env=env, stdout=told, stderr=told, start_new_session=True)
    pids = []
    try:
        pids = [_pid(folder / f"pid{number}", process) for number in range(2)]
        time.sleep(seconds)
        os.kill(pids[rank], signal.SIGKILL)
        code = process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return "the command did not end"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        left = [pid for pid in pids if _runs(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    if left:
        return "a rank was left running"
    if code == 0:
        return "the exit code was 0"
    if hidden := [path.name for path in folder.iterdir() if path.name.startswith(".ranks")]:
        return f"left on the disk: {', '.join(hidden)}"
    return _wrong_in(folder / "run.tdx", rank)


def _pid(path: Path, process: subprocess.Popen[bytes]) -> int:
    while not path.exists():
        if process.poll() is not None:
            raise RuntimeError(f"the job did not start: {path.with_name('told').read_text()[-2000:]}")
        time.sleep(0.02)
    return int(path.read_text())


def _runs(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def _wrong_in(record: Path, rank: int) -> str:
    try:
        diagnosis = load(record).diagnose()
    except Exception as error:
        return f"the record cannot be read: {type(error).__name__}: {error}"
    named = re.search(r"rank (\d+) was killed", diagnosis.summary, re.IGNORECASE)
    if named is None:
        return f"the lost rank is not named: {diagnosis.summary[:120]}"
    return "" if int(named[1]) == rank else f"rank {named[1]} is named instead of rank {rank}"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--times", type=int, default=50)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    draw = random.Random(chosen.seed)
    wrong = 0
    for number in range(chosen.times):
        rank, seconds = draw.randrange(2), draw.uniform(0.0, LATEST)
        with tempfile.TemporaryDirectory() as folder:
            said = killed(Path(folder), rank, seconds)
        wrong += bool(said)
        if said:
            print(f"kill {number}, rank {rank} after {seconds:.2f} s: {said}", flush=True)
    print(f"{chosen.times} kills, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
