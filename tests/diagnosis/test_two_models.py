"""The ranking: sums of named terms, precedence of seen faults, and what missing signs mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.accuracy.fitting import Case, _Problem, fit
from scipy.optimize import check_grad

from traindx.causes import all_causes
from traindx.diagnosis.model import HEALTHY, REQUIRED, SEEN_ELSEWHERE, UNKNOWN, UNMEASURED, Model
from traindx.diagnosis.parameters import current, stated


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(all_causes(), stated(all_causes()))


def test_causes_are_the_softmax_of_their_scores_and_healthy_a_chance_of_its_own(model: Model) -> None:
    levels = {"grads-kept": 1.0, "update-ratio-high": 0.4, "loss-diverged": 0.8}
    chances = model.causes_given_wrong(levels)
    scores = {name: model.score(name, levels) for name in model.hypotheses if name != HEALTHY}
    total = sum(math.exp(score) for score in scores.values())
    assert sum(chances.values()) == pytest.approx(1.0)
    for name, score in scores.items():
        assert chances[name] == pytest.approx(math.exp(score) / total)
    odds = math.exp(model.score(HEALTHY, levels))
    assert model.healthy_chance(levels) == pytest.approx(odds / (1 + odds))


def test_every_score_is_its_prior_and_its_terms(model: Model) -> None:
    levels = {"dead-units": 0.7, "loss-plateau": 1.0, "strong-dropout": 0.2}
    for name in model.hypotheses:
        terms = model.terms(name, levels)
        assert model.score(name, levels) == pytest.approx(
            model.parameters.prior[name] + sum(term.level * term.weight for term in terms)
        )


def test_a_seen_fault_outranks_what_it_imitates(model: Model) -> None:
    imitated = "lr-too-high"
    alone = {"loss-diverged": 1.0, "update-ratio-high": 1.0}
    seen = {**alone, "grads-kept": 1.0}
    assert max(model.causes_given_wrong(alone).items(), key=lambda item: item[1])[0] == imitated
    ranked = model.causes_given_wrong(seen)
    assert ranked["missing-zero-grad"] > ranked[imitated]
    taken = model.score(imitated, alone) - model.score(imitated, seen)
    assert taken == pytest.approx(SEEN_ELSEWHERE)
    caught = "double-softmax"  # can be seen itself, so that it loses nothing by what was seen elsewhere
    assert model.score(caught, seen) == pytest.approx(model.score(caught, alone))


def test_a_fault_of_the_evaluation_alone_accounts_for_no_training_that_failed(model: Model) -> None:
    """A learning rate of 1e-7 and a missing `eval()`: both are said, and the one that explains the loss leads."""
    failed = {"training-at-chance": 1.0, "rate-below-usual": 1.0, "update-ratio-low": 1.0, "weights-hardly-move": 1.0}
    ranked = model.causes_given_wrong({**failed, "eval-in-train-mode": 1.0})
    assert ranked["lr-too-low"] > ranked["eval-mode-missing"] > ranked["lr-too-high"]
    went_well = {**failed, "training-at-chance": 0.0, "eval-in-train-mode": 1.0}
    taken = model.score("lr-too-low", {**failed, "training-at-chance": 0.0}) - model.score("lr-too-low", went_well)
    assert taken == pytest.approx(SEEN_ELSEWHERE)


def test_a_required_sign_that_is_normal_costs_more_than_one_that_is_missing(model: Model) -> None:
    cause = all_causes()["double-softmax"]
    normal = dict.fromkeys(cause.requires, 0.0)
    difference = model.score("double-softmax", {}) - model.score("double-softmax", normal)
    assert difference == pytest.approx(REQUIRED * UNMEASURED)


def test_nothing_raised_is_healthy_and_trouble_without_a_cause_is_unknown(model: Model) -> None:
    assert model.healthy_chance({}) > 0.5
    measured_normal = {sign: 0.0 for cause in all_causes().values() for sign in cause.supports}
    trouble = {**measured_normal, "loss-stuck": 1.0, "loss-heads-wrong-way": 1.0}
    assert model.healthy_chance(trouble) < model.healthy_chance(measured_normal)
    ranked = model.causes_given_wrong(trouble)
    assert max(ranked, key=lambda name: ranked[name]) == UNKNOWN


def test_what_only_costs_time_does_not_hide_a_fault_that_was_seen(model: Model) -> None:
    slow = {"data-wait": 1.0}
    assert leading(model, slow) == "slow-data-loading"
    assert leading(model, {**slow, "logits-clipped": 1.0}) == "output-range-mismatch"


def leading(model: Model, levels: dict[str, float]) -> str:
    chances = model.causes_given_wrong(levels)
    return max(chances, key=lambda name: chances[name])


def test_advice_is_never_ranked(model: Model) -> None:
    assert not {name for name, cause in all_causes().items() if cause.advisory} & set(model.hypotheses)


def corpus() -> list[Case]:
    rng = np.random.default_rng(0)
    cases = [Case({"update-ratio-high": float(rng.uniform(0, 0.2))}, HEALTHY, f"h{i % 3}") for i in range(30)]
    cases += [Case({"update-ratio-high": 1.0, "loss-diverged": 1.0}, "lr-too-high", f"h{i % 3}") for i in range(10)]
    cases += [Case({"grads-kept": 1.0, "loss-diverged": 1.0}, "missing-zero-grad", f"h{i % 3}") for i in range(10)]
    return cases


def test_the_fit_descends_along_its_true_gradient() -> None:
    problem = _Problem(corpus(), Model(all_causes(), stated(all_causes())), 0.02)
    rng = np.random.default_rng(1)
    point = problem.initial + 0.1 * rng.standard_normal(len(problem.initial))
    error = check_grad(lambda x: problem.loss(x)[0], lambda x: problem.loss(x)[1], point)
    assert error < 1e-4 * (1 + np.linalg.norm(problem.loss(point)[1]))


def test_the_fit_never_turns_evidence_round() -> None:
    before = stated(all_causes())
    after = fit(corpus(), all_causes())
    for hypothesis, weights in after.weight.items():
        for sign, weight in weights.items():
            said = before.weight[hypothesis][sign]
            assert weight * said >= 0 and abs(weight) <= 2 * abs(said) + 1e-9


def test_the_fit_lowers_the_loss() -> None:
    cases = corpus()
    fitted = Model(all_causes(), fit(cases, all_causes()))
    plain = Model(all_causes(), stated(all_causes()))

    def log_loss(model: Model) -> float:
        told = [math.log(model.healthy_chance(c.levels)) for c in cases if c.cause == HEALTHY]
        sick = [c for c in cases if c.cause != HEALTHY]
        told += [math.log(model.causes_given_wrong(c.levels)[c.cause]) for c in sick]
        return -float(np.mean(told))

    assert log_loss(fitted) < log_loss(plain)


def test_the_packaged_parameters_know_every_hypothesis() -> None:
    model = current()
    assert set(model.hypotheses) <= set(model.parameters.prior)
    for hypothesis in model.hypotheses:
        assert hypothesis in model.parameters.weight
