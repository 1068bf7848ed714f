"""Outcomes are compared at equal steps; what is not finite loses to whatever learns."""

from __future__ import annotations

import math

import numpy as np
import pytest

from traindx.diagnosis import SymptomChange
from traindx.record import Run, RunBuilder
from traindx.treatments._judging import Judged, Verdict, verdict_of
from traindx.treatments._outcomes import CAP, Difference, in_loss, in_score, outcome


def run(losses: list[float] | np.ndarray, ending: str = "ok") -> Run:
    builder = RunBuilder("train.py", "observed")
    builder.series("loss/train", np.arange(len(losses)), np.asarray(losses, dtype=float))
    builder.fact("exit", ending)
    return builder.build()


FALLING = 2.0 * 0.98 ** np.arange(200)
FLAT = np.full(200, 2.0) + 0.01 * np.sin(np.arange(200))


def test_the_same_steps_are_compared() -> None:
    short, long = outcome(run(FALLING[:100]), 100), outcome(run(FALLING), 100)
    assert short.loss is not None and long.loss is not None
    assert short.loss.value == long.loss.value


def test_a_lower_loss_is_better_by_its_ratio() -> None:
    found = in_loss(outcome(run(np.full(100, 2.0))), outcome(run(np.full(100, 1.0))))
    assert found is not None
    assert found.value == pytest.approx(math.log(2), rel=0.01)  # but for the room that a fitted loss has


def test_losses_below_zero_are_compared_by_what_was_gained() -> None:
    control, treated = np.linspace(0, -1, 400), np.linspace(0, -2, 400)
    found = in_loss(outcome(run(control)), outcome(run(treated)))
    assert found is not None
    assert 0.3 < found.value < 0.7


def test_what_learns_beats_what_is_not_finite_and_what_does_not_learn_gains_nothing() -> None:
    broken = outcome(run([*FLAT[:100], *[math.nan] * 100]))
    learns, idles = in_loss(broken, outcome(run(FALLING))), in_loss(broken, outcome(run(FLAT)))
    breaks = in_loss(outcome(run(FALLING)), broken)
    assert learns is not None and idles is not None and breaks is not None
    assert (learns.value, idles.value, breaks.value) == (CAP, 0.0, -CAP)


def test_numbers_that_have_no_ratio_and_no_first_loss_are_no_effect() -> None:
    same = outcome(run([*[math.nan] * 20, *[-1.0] * 180]))
    found = in_loss(same, same)
    assert found is not None
    assert found.value == 0.0
    worse = in_loss(outcome(run(np.full(100, 1e-300))), outcome(run(np.full(100, 1e300))))
    assert worse is not None
    assert worse.value == -CAP


def test_a_control_that_crashed_early_counts_as_not_finite() -> None:
    crashed = outcome(run(FALLING[:20], ending="exception"), 200)
    assert crashed.loss is not None
    assert math.isinf(crashed.loss.value)


def test_scores_are_compared_by_what_is_left_to_one() -> None:
    builder = RunBuilder("train.py", "observed")
    builder.series("score/train", np.arange(100), np.full(100, 0.9))
    builder.series("loss/train", np.arange(100), np.full(100, 1.0))
    good = outcome(builder.build())
    assert in_score(good.score, good.score).value == 0.0  # type: ignore[union-attr]
    assert in_score(None, good.score) is None


REMOVED = SymptomChange("loss-inputs-are-probabilities", 1.0, 0.0)
STAYS = SymptomChange("loss-plateau", 1.0, 0.9)
BETTER = Verdict("better", 0.5, (0.4, 0.6))


@pytest.mark.parametrize(
    ("changes", "seen", "arisen", "second", "expected"),
    [
        ([REMOVED], True, [], 0.5, "cured"),
        ([REMOVED, STAYS], True, [], 0.5, "proven"),  # the fault by its effect; a floor of the task may stay
        ([REMOVED, STAYS], False, [], 0.5, "helped"),  # nothing was seen that is gone
        ([REMOVED, STAYS], True, [], 0.01, "helped"),  # one of two seeds gained nothing
        ([STAYS], True, [], 0.5, "helped"),
        ([REMOVED], True, ["training-at-chance"], 0.5, "helped"),  # better, and not well
    ],
)
def test_a_fault_is_proven_by_its_effect_and_a_run_cured_when_nothing_is_left(
    changes: list[SymptomChange], seen: bool, arisen: list[str], second: float, expected: str
) -> None:
    before, after = outcome(run(np.full(100, 2.0))), outcome(run(np.full(100, 1.0)))
    seeds = [Judged(Difference(value, 0.01), changes, before, after, arisen=arisen) for value in (0.5, second)]
    verdict, note = verdict_of("loss", BETTER, seeds, seen)
    assert verdict == expected
    assert all(name in note for name in arisen)
