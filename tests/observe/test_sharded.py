"""Sharded weights under observation: no rank starts a collective that the others do not join."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from two_ranks import two_ranks

import traindx

SCRIPT = Path(__file__).parent / "sharded.py"


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
def test_sharded_training_is_the_same(tmp_path):
    bare = two_ranks(tmp_path, SCRIPT)
    if any(code for code, _, _ in bare):
        pytest.skip(f"two gloo ranks do not run here: {bare}")
    observed = two_ranks(tmp_path, SCRIPT, observe=("-m", "traindx", "run", "--no-diagnosis", "--out", "run.tdx"))
    assert [(code, out) for code, out, _ in observed] == [(code, out) for code, out, _ in bare], observed[0][2]
    run = traindx.load(tmp_path / "run.tdx")
    assert run.facts["steps"] == 30 and len(run.series("loss/train")) == 30
    assert "observers_off" not in run.facts, run.facts["observers_off"]


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
def test_a_healthy_sharded_job_is_called_healthy(tmp_path):
    script = SCRIPT.with_name("sharded_epochs.py")
    observed = two_ranks(tmp_path, script, observe=("-m", "traindx", "run", "--no-diagnosis", "--out", "run.tdx"))
    if any(code for code, _, _ in observed):
        pytest.skip(f"two gloo ranks do not run here: {observed}")
    run = traindx.load(tmp_path / "run.tdx")
    diagnosis = run.diagnose()
    assert diagnosis.verdict == "healthy", diagnosis.summary
    assert run.facts["rank_samples"]["equal"] == 0 and len(run.facts["ranks"]) == 2
    assert "observers_off" not in run.facts
