"""Thinned curves: few points, the level kept, what is not finite not hidden."""

from __future__ import annotations

import numpy as np

from traindx.record import Run, RunBuilder
from traindx.treatments._outcomes import MOST_POINTS, both, thinned


def run(losses: np.ndarray, steps: np.ndarray | None = None) -> Run:
    at = np.arange(len(losses)) if steps is None else steps
    return RunBuilder("a", "observed").series("loss/train", at, losses).build()


def test_a_short_curve_is_kept_as_it_is() -> None:
    curve = thinned("control", run(np.array([3.0, 2.0, 1.5])))
    assert (curve.steps, curve.losses) == ([0, 1, 2], [3.0, 2.0, 1.5])


def test_a_long_curve_keeps_its_course_in_few_points() -> None:
    curve = thinned("control", run(np.linspace(5.0, 1.0, 1001)))
    assert len(curve.steps) == len(curve.losses) == MOST_POINTS
    line = np.interp(curve.steps, [0, 1000], [5.0, 1.0])
    assert np.allclose(np.array(curve.losses, float), line, atol=0.02)


def test_half_a_block_that_is_not_finite_is_none() -> None:
    losses = np.ones(10 * MOST_POINTS)
    losses[:4], losses[10:15], losses[-10:] = np.nan, np.inf, np.nan
    found = thinned("treated", run(losses)).losses
    assert found[:3] == [1.0, None, 1.0]
    assert found[-2:] == [1.0, None]


def test_several_losses_a_step_are_one_point() -> None:
    curve = thinned("control", run(np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1])))
    assert (curve.steps, curve.losses) == ([0, 1], [2.0, 6.0])


def test_one_arm_alone_is_nothing_to_compare() -> None:
    some, none = run(np.ones(3)), RunBuilder("a", "observed").build()
    assert len(both(some, some)) == 2
    assert both(some, none) == both(some, None) == ()
