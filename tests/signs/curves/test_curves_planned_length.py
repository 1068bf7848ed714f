"""A run that was stopped within the first few percent of its planned steps is too short to judge."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.diagnosis import diagnose
from traindx.record import Run, RunBuilder
from traindx.signs import Sign, all_signs


def run_of(steps: int, planned: int | None, ended: str | None) -> Run:
    builder = RunBuilder("run.tdx", "observed").fact("steps", steps)
    at = np.arange(steps)
    builder.series("loss/train", at, 2.3 + 0.01 * np.sin(at))
    if planned is not None:
        builder.fact("planned", {"steps": planned, "source": "loops"})
    if ended is not None:
        builder.fact("exit", ended)
    return builder.build()


def too_short(run: Run) -> Sign:
    found = all_signs()["too-short"].measure(run)
    assert isinstance(found, Sign)
    return found


@pytest.mark.parametrize("ended", ["stopped", "signal SIGINT", "killed", "exception", None])
def test_a_run_cut_off_early_is_too_short(ended: str | None) -> None:
    found = too_short(run_of(40, 4000, ended))
    assert found.raised and found.text == "Only 40 of 4,000 planned steps were made."


@pytest.mark.parametrize(
    ("steps", "planned", "ended"),
    [
        (40, 4000, "ok"),  # early stopping, or a break: the script was done
        (40, 4000, "exit 1"),
        (200, 4000, "stopped"),
        (4000, 4000, "ok"),
        (40, None, "stopped"),
    ],
)
def test_other_runs_are_long_enough(steps: int, planned: int | None, ended: str) -> None:
    assert not too_short(run_of(steps, planned, ended)).raised


def test_an_early_end_is_not_called_sick() -> None:
    found = diagnose(run_of(120, 40_000, "stopped"))
    assert found.verdict == "inconclusive" and "120 of 40,000 planned steps" in found.summary
    assert not found.do_now  # "stop the run" would contradict "too little to judge"


def at_chance(steps: int, ended: str | None, batches: int | None = None, update_ratio: float = 1e-3) -> Run:
    """A classifier of ten classes that has learned nothing."""
    builder = RunBuilder("run.tdx", "observed").fact("steps", steps)
    at = np.arange(steps)
    builder.series("loss/train", at, np.log(10) + 0.01 * np.random.default_rng(0).normal(size=steps))
    builder.series("update_ratio", at[::5], np.full(len(at[::5]), update_ratio))
    builder.series("accuracy/train", at[::5], 0.1 + 0.01 * np.random.default_rng(1).normal(size=len(at[::5])))
    call = {"fn": "cross_entropy", "phase": "train", "calls": steps, "reduction": "mean", "value_ratio": 1.0}
    call |= {"input": {"shape": [32, 10]}, "target": {"shape": [32]}}
    builder.fact("losses", [call])
    builder.fact("targets/train", {"kind": "class ids", "classes": 10, "histogram": {str(i): 100 for i in range(10)}})
    if batches is not None:
        builder.fact("loaders", [{"role": "train", "batches": batches, "size": 32 * batches, "batch_size": 32}])
    if ended is not None:
        builder.fact("exit", ended)
    return builder.build()


@pytest.mark.parametrize(
    ("steps", "ended", "batches", "ratio"),
    [
        (120, "stopped", None, 1e-3),  # the size of the data is not known either
        (450, "signal SIGINT", None, 1e-3),
        (120, "stopped", 2000, 1e-3),  # 6 % of an epoch
        (120, "ok", 2000, 1e-3),  # the script itself stops within its first epoch
        (600, "stopped", 100, 1e-5),  # six epochs, in which the weights could move by 0.6 %
    ],
)
def test_a_young_run_at_chance_is_inconclusive(steps: int, ended: str, batches: int | None, ratio: float) -> None:
    found = diagnose(at_chance(steps, ended, batches, ratio))
    assert found.verdict == "inconclusive" and not found.suspected, found.summary
    assert found.summary.startswith("Too little to judge") and not found.do_now


@pytest.mark.parametrize(
    ("steps", "ended", "batches", "ratio"),
    [
        (600, "stopped", None, 1e-3),
        (120, "ok", 40, 1e-3),  # three epochs, and done by itself
        (120, "ok", None, 1e-3),
        (120, "stopped", 40, 1e-3),
        (1200, "ok", 5000, 1e-3),  # a fourth of an epoch of a large set
        (600, "ok", 100, 1e-5),  # its own plan: the learning rate is what is wrong
    ],
)
def test_a_run_at_chance_that_had_its_time_is_judged(steps: int, ended: str, batches: int | None, ratio: float) -> None:
    found = diagnose(at_chance(steps, ended, batches, ratio))
    assert found.signs["too-early"].level == 0.0
    assert found.verdict != "healthy" and "chance" in found.summary


def test_three_epochs_at_chance_are_sick() -> None:
    assert diagnose(at_chance(120, "ok", 40)).verdict == "sick"


def test_a_young_run_that_learns_is_not_held_back() -> None:
    steps = np.arange(300)
    builder = RunBuilder("run.tdx", "observed").fact("steps", 300).fact("exit", "stopped")
    builder.series("loss/train", steps, 2.3 * np.exp(-steps / 60) + 0.2)
    signs = all_signs()
    assert signs["too-early"].measure(builder.build()).level >= 0.5  # type: ignore[union-attr]
    assert diagnose(builder.build()).verdict == "healthy"
