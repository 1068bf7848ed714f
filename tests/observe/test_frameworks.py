"""Scripts that leave the loop to a framework run unmodified, and leave a full record."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

FRAMEWORKS = Path(__file__).parent / "frameworks"
SCRIPTS = {
    "lightning": "lightning_fit.py",
    "transformers": "transformers_trainer.py",
    "accelerate": "accelerate_loop.py",
}


@pytest.mark.parametrize("framework", SCRIPTS)
def test_framework_runs_unmodified_and_leaves_a_full_record(warm, framework):
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    outcome = warm.traindx(FRAMEWORKS / SCRIPTS[framework])
    assert outcome.code == 0, outcome.err[-2000:]
    run = outcome.run
    steps = int(re.search(r"^steps (\d+)$", outcome.out, re.MULTILINE)[1])
    assert "observers_off" not in run.facts, run.facts["observers_off"]
    assert run.steps == steps
    assert set(run.series("loss/train").steps) == set(range(steps))
    assert np.isfinite(run.series("loss/train").values).all()
    assert len(run.series("lr")) >= 3 and len(run.series("grad_norm")) >= 3
    assert len(run.layers("grad_norm")) >= 3 and len(run.layers("update_ratio")) >= 3
    assert len(run.series("loss/validation")) >= 2
    assert run.facts["optimizers"][0]["grads_kept"] == 0
    assert {"train", "eval"} <= {fact["role"] for fact in run.facts["loaders"]}
    if framework != "accelerate":  # its users write the loop
        assert run.facts["planned"]["steps"] == steps
        assert any(name.startswith("metric/") for name in run.series_names), "what the script logged by its own names"


@pytest.mark.parametrize("framework", ["lightning", "transformers"])
def test_max_steps_ends_a_framework_well(warm, framework):
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    outcome = warm.traindx(FRAMEWORKS / SCRIPTS[framework], options=("--max-steps", "3"))
    assert outcome.code == 0, outcome.err[-2000:]
    assert "Traceback" not in outcome.err
    assert outcome.run.steps == 3
