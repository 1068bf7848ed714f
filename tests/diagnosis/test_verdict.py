"""Sick needs a seen fault or a bad outcome; a suspicion is not a verdict; healthy is earned."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traindx.causes import all_causes
from traindx.diagnosis.model import HEALTHY, SEEN, UNKNOWN, Model
from traindx.diagnosis.parameters import current, stated
from traindx.diagnosis.verdict import ALARM, assess
from traindx.signs import all_signs

LEARNED = {"training-learned": 1.0, "validation-learned": 1.0}
SUSPICIOUS = {"update-ratio-high": 1.0, "step-overshoots": 1.0, "rate-above-usual": 1.0, "gradients-oppose": 1.0}


@pytest.mark.parametrize(
    ("levels", "verdict"),
    [
        (LEARNED, "healthy"),
        ({}, "inconclusive"),  # nothing was measured: nothing is earned
        ({"training-learned": 0.0}, "inconclusive"),
        (LEARNED | {"too-short": 1.0}, "inconclusive"),
        (LEARNED | {"loss-plateau": 1.0}, "inconclusive"),
        (LEARNED | {"grads-kept": 1.0}, "sick"),
        ({"loss-not-finite": 1.0}, "sick"),
        ({"loss-diverged": 1.0}, "sick"),
        (LEARNED | {"validation-rising": 1.0}, "sick"),
        ({"loss-stuck": 1.0}, "sick"),
        ({"loss-stuck": 1.0, "too-short": 1.0}, "inconclusive"),  # a short run cannot show that nothing is learned
    ],
)
def test_verdicts(levels: dict[str, float], verdict: str) -> None:
    assert assess(current(), levels, "log").verdict == verdict


def test_a_flat_or_rising_loss_of_an_observed_run_is_a_doubt_where_all_else_speaks_for_it() -> None:
    model = Model(all_causes(), stated(all_causes()))
    meant = LEARNED | {"loss-diverged": 1.0}
    assert model.healthy_chance(meant) >= ALARM
    assert assess(model, meant, "observed").verdict == "inconclusive"
    assert assess(model, meant, "log").verdict == "sick"  # a log knows no more than its curve
    trouble = {"loss-diverged": 1.0, "update-ratio-high": 1.0, "weights-growing": 1.0}
    assert model.healthy_chance(trouble) < ALARM and assess(model, trouble, "observed").verdict == "sick"
    assert assess(model, LEARNED | {"loss-not-finite": 1.0}, "observed").verdict == "sick"  # never meant


def test_a_suspicion_with_a_fine_outcome_is_no_verdict() -> None:
    found = assess(current(), SUSPICIOUS | {"training-learned": 0.3}, "observed")
    assert found.verdict == "inconclusive" and found.suspected == "lr-too-high"


class Suspecting(Model):
    """Suspects one cause, with the given confidence, whatever the signs say."""

    def __init__(self, cause: str, confidence: float) -> None:
        super().__init__(all_causes(), stated(all_causes()))
        self.answer = {**dict.fromkeys(self.causes, 0.0), UNKNOWN: 1.0 - confidence, cause: confidence}

    def causes_given_wrong(self, levels: Mapping[str, float]) -> dict[str, float]:
        return self.answer

    def healthy_chance(self, levels: Mapping[str, float]) -> float:
        return 0.1


@pytest.mark.parametrize(
    ("cause", "confidence", "levels", "suspected"),
    [
        ("model-too-small", 0.7, LEARNED, None),  # a weak suspicion of a run that learned: advice
        ("model-too-small", 0.8, LEARNED, "model-too-small"),
        ("model-too-small", 0.7, {"training-learned": 0.5}, "model-too-small"),
        ("lr-too-high", 0.7, {"training-learned": 1.0}, "lr-too-high"),  # nothing was validated
        ("model-too-small", 0.7, LEARNED | {"loss-plateau": 1.0}, "model-too-small"),  # with an open doubt
        ("target-leakage", 0.7, LEARNED, "target-leakage"),  # a leak makes the outcome look good
    ],
)
def test_weak_suspicions_of_runs_that_learned(
    cause: str, confidence: float, levels: dict[str, float], suspected: str | None
) -> None:
    found = assess(Suspecting(cause, confidence), levels, "observed")
    assert found.suspected == suspected
    assert (found.verdict, found.advised) == (("healthy", cause) if suspected is None else ("inconclusive", None))


def test_a_condition_may_keep_a_run_from_being_healthy() -> None:
    found = assess(current(), LEARNED | {"train-eval-inputs-differ": 1.0}, "observed")
    assert found.verdict == "inconclusive" and found.doubts == ("train-eval-inputs-differ",)


LEVELS = st.dictionaries(
    st.sampled_from(sorted(all_signs())), st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9, 1.0]), max_size=12
)


@settings(max_examples=300, deadline=None)
@given(levels=LEVELS, kind=st.sampled_from(["observed", "log"]))
def test_no_answer_contradicts_itself(levels: dict[str, float], kind: str) -> None:
    found = assess(current(), levels, kind)
    units = all_signs()
    faults = [name for name, level in levels.items() if units[name].shows == "fault" and level >= SEEN]
    if found.verdict == "sick":
        assert found.bad or (found.seen is not None and faults)
    if found.verdict == "healthy":
        assert not found.doubts and not found.bad and found.seen is None and found.suspected is None
        successes = [name for name in units if units[name].shows == "success" and levels.get(name, 0.0) > 0]
        assert successes or any(units[name].earns and level < 0.5 for name, level in levels.items())
    causes = current().causes_given_wrong(levels)
    assert HEALTHY not in causes and sum(causes.values()) <= 1 + 1e-9


def test_one_measurement_is_a_suspicion_with_a_limit_and_a_setting_a_question() -> None:
    model = current()
    alone = {"target-scale-large": 1.0, **LEARNED}
    assert model.measurements("unscaled-targets", alone) == 1
    assert model.causes_given_wrong(alone)["unscaled-targets"] <= 0.8
    setting = {"batch-size-small": 1.0, "training-learned": 1.0}
    assert model.measurements("batch-too-small", setting) == 0
    assert model.causes_given_wrong(setting)["batch-too-small"] <= 0.5
    several = {"init-scale-large": 1.0, "first-loss-above-chance": 1.0, "saturated-units": 1.0}
    assert model.measurements("init-too-large", several) >= 2
    assert model.causes_given_wrong(several)["init-too-large"] > 0.9
