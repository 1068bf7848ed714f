"""Sharded weights under observation: no rank starts a collective that the others do not join."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import traindx

SCRIPT = Path(__file__).parent / "sharded.py"


def ranks(tmp_path: Path, *words: str) -> list[tuple[int, str, str]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = os.environ | {
        "PYTHONPATH": str(Path(traindx.__file__).parents[1]), "OMP_NUM_THREADS": "1", "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo",
    }  # fmt: skip
    started = [
        subprocess.Popen(
            [sys.executable, *words, str(SCRIPT)],
            env=shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for rank in range(2)
    ]  # fmt: skip
    try:
        said = [process.communicate(timeout=120) for process in started]
    finally:
        for process in started:
            process.kill()
    return [(process.returncode, *words) for process, words in zip(started, said, strict=True)]


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
def test_sharded_training_is_the_same(tmp_path):
    bare = ranks(tmp_path)
    if any(code for code, _, _ in bare):
        pytest.skip(f"two gloo ranks do not run here: {bare}")
    observed = ranks(tmp_path, "-m", "traindx", "run", "--no-diagnosis", "--out", str(tmp_path / "run.tdx"))
    assert [(code, out) for code, out, _ in observed] == [(code, out) for code, out, _ in bare], observed[0][2]
    run = traindx.load(tmp_path / "run.tdx")
    assert run.facts["steps"] == 30 and len(run.series("loss/train")) == 30
    assert "observers_off" not in run.facts, run.facts["observers_off"]
