"""Healthy runs of every family raise no alarm, at any length of log."""

from __future__ import annotations

import numpy as np
import pytest
from healthy_curves import FAMILIES, healthy

from traindx.record import RunBuilder
from traindx.signs import measure_all


@pytest.mark.parametrize("points", [5, 12, 60, 600])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_alarm(family: str, points: int) -> None:
    for seed in (101, 102, 103):
        signs = measure_all(healthy(family, seed, points))
        alarms = [sign.text for sign in signs.raised() if sign.severity != "info"]
        assert not alarms, (seed, alarms)


@pytest.mark.parametrize("family", ["cosine", "small_batches", "language_model", "epochs"])
def test_no_alarm_in_a_dense_record(family: str) -> None:
    signs = measure_all(healthy(family, 7, 100_000))
    assert not [sign.text for sign in signs.raised() if sign.severity != "info"]


def test_a_rise_in_very_many_evaluations() -> None:
    t = np.linspace(0, 1, 50_000)
    falling, turning = 0.1 + np.exp(-5 * t), 0.6 + (t - 0.2) ** 2
    run = RunBuilder("r", "log").series("loss/train", range(50_000), falling)
    signs = measure_all(run.series("loss/validation", range(50_000), turning).build())
    # The minimum is sought in medians of a tenth of the run, which are level for a quarter of that around it.
    assert signs["validation-rising"].onset == pytest.approx(10_000, abs=1500)


def test_a_finished_schedule_was_not_stopped_early() -> None:
    assert measure_all(healthy("cosine", 1, 400)).level("still-improving") < 0.5


def test_a_converged_run_is_on_no_plateau() -> None:
    for family in ("exponential", "small_batches", "nearly_solved", "negative_likelihood"):
        assert measure_all(healthy(family, 5, 500)).level("loss-plateau") < 0.5, family
