"""DO NOW speaks of a curve only where that curve means something."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.diagnosis import diagnose
from traindx.record import Run, RunBuilder


def rising_validation(**facts: object) -> Run:
    """Training falls, validation turns at step 100."""
    steps = np.arange(400)
    builder = RunBuilder("run.tdx", "observed").fact("steps", 400).fact("exit", "ok")
    builder.series("loss/train", steps, 2.0 * np.exp(-steps / 80) + 0.05)
    at = np.arange(10, 400, 10)
    builder.series("loss/validation", at, 1.0 + 0.004 * np.abs(at - 100))
    for name, value in facts.items():
        builder.fact(name.replace("__", "/"), value)
    return builder.build()


def modes(**more: object) -> dict[str, object]:
    return {
        "train_forwards": 400, "train_forwards_in_eval_mode": 0, "eval_forwards": 39, "eval_passes": 39,
        "eval_forwards_in_train_mode": 0, "eval_forwards_dropping": 0, "mode_layers": ["Dropout", "BatchNorm1d"],
    } | more  # fmt: skip


def test_the_best_checkpoint_is_named_where_validation_counts() -> None:
    found = diagnose(rising_validation(modes=modes()))
    assert found.verdict == "sick" and "checkpoint" in " ".join(found.do_now)


@pytest.mark.parametrize(
    "facts",
    [
        {"modes": modes(eval_forwards_in_train_mode=39)},
        {"overlap": {"eval_samples": 200, "shared": 150, "train_samples_hashed": 1000, "train_share_hashed": 1.0}},
    ],
)
def test_validation_that_is_computed_wrongly_names_no_checkpoint(facts: dict[str, object]) -> None:
    found = diagnose(rising_validation(**facts))
    assert found.verdict == "sick" and found.leading.basis == "seen", found.summary
    assert not found.do_now


def test_a_loss_that_compares_all_pairs_names_no_checkpoint() -> None:
    call = {"fn": "mse_loss", "phase": "train", "calls": 40, "reduction": "mean", "broadcast": True, "value_ratio": 1.0}
    call |= {"input": {"shape": [32, 1], "dtype": "float32"}, "target": {"shape": [32], "dtype": "float32"}}
    found = diagnose(rising_validation(losses=[call]))
    assert found.leading.cause == "broadcast-loss" and found.leading.basis == "seen"
    assert not found.do_now
