"""Processes that a script starts by `torch.multiprocessing.spawn` are the ranks of one job."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest

import traindx

pytest.importorskip("torch")
SCRIPT = dedent("""
    import os, signal, sys, torch
    from torch import distributed, nn

    def work(rank, meeting, fate):
        torch.manual_seed(rank)
        torch.set_num_threads(1)
        distributed.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
        model = nn.parallel.DistributedDataParallel(nn.Linear(4, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(30):
            x = torch.randn(16, 4)
            loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step == 20 and rank == 1 and fate == "raise":
                raise ValueError("enough")
        names = sorted(name for name in os.environ if name in ("RANK", "WORLD_SIZE"))
        # One write for each line: with PYTHONUNBUFFERED, print() writes each argument, and the lines of two ranks mix.
        sys.stdout.write(f"{rank} {float(loss)} {names}\\n")
        distributed.destroy_process_group()

    if __name__ == "__main__":
        torch.multiprocessing.spawn(work, args=(sys.argv[1], sys.argv[2]), nprocs=2)
""")


def run(folder, fate, *before):
    (folder / "train.py").write_text(SCRIPT)
    meeting = f"file://{folder}/meeting-{len(before)}"
    command = [sys.executable, *before, "train.py", meeting, fate]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


OBSERVED = ("-m", "traindx", "run", "--no-diagnosis", "--out", "run.tdx")


def test_each_is_observed_and_computes_the_same(tmp_path):
    bare, seen = run(tmp_path, "end"), run(tmp_path, "end", *OBSERVED)
    assert bare.returncode == seen.returncode == 0, seen.stderr
    assert sorted(bare.stdout.splitlines()) == sorted(seen.stdout.splitlines())
    found = traindx.load(tmp_path / "run.tdx")
    assert (found.steps, found.facts["exit"], found.facts["script"]["path"]) == (30, "ok", "train.py")
    assert found.fact("distributed")["world_size"] == 2
    assert [(rank["rank"], rank["exit"]) for rank in found.facts["ranks"]] == [(0, "ok"), (1, "ok")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.tdx", "train.py"]


def test_one_that_fails_is_named_and_its_traceback_is_the_scripts(tmp_path):
    seen = run(tmp_path, "raise", *OBSERVED)
    assert seen.returncode == 1 and "ValueError: enough" in seen.stderr and "traindx" not in seen.stderr
    ranks = traindx.load(tmp_path / "run.tdx").facts["ranks"]
    assert (ranks[1]["exit"], ranks[1]["error"]["message"]) == ("exception", "enough")
