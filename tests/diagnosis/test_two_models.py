"""The ranking: sums of named terms, precedence of seen faults, and what missing signs mean."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import check_grad

from traindx.causes import all_causes
from traindx.diagnosis.fitting import Case, _Problem, fit, fit_bounds, fit_temperature
from traindx.diagnosis.model import EXPLAINED, HEALTHY, POSSIBLY, REQUIRED, UNKNOWN, UNMEASURED, Model
from traindx.diagnosis.parameters import current, stated


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(all_causes(), stated(all_causes()))


def test_causes_are_the_softmax_of_their_scores_and_healthy_a_chance_of_its_own(model: Model) -> None:
    levels = {"grads-kept": 1.0, "update-ratio-high": 0.4, "loss-diverged": 0.8}
    chances = model.causes_given_wrong(levels, "observed")
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
    assert imitated in all_causes()["missing-zero-grad"].explains
    alone = {"loss-diverged": 1.0, "update-ratio-high": 1.0}
    seen = {**alone, "grads-kept": 1.0}
    assert max(model.causes_given_wrong(alone, "observed").items(), key=lambda item: item[1])[0] == imitated
    ranked = model.causes_given_wrong(seen, "observed")
    assert ranked["missing-zero-grad"] > ranked[imitated]
    terms = {term.name: term for term in model.terms(imitated, seen)}
    assert terms["explained by missing-zero-grad"].amount == pytest.approx(-EXPLAINED)


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
    ranked = model.causes_given_wrong(trouble, "observed")
    assert max(ranked, key=lambda name: ranked[name]) == UNKNOWN


def test_a_suspicion_never_claims_more_than_its_bound(model: Model) -> None:
    bounds = {"observed": {"lr-too-high": 0.3, "missing-zero-grad": 0.3}}
    bounded = Model(all_causes(), replace(model.parameters, bounds=bounds))
    suspicion = {"loss-diverged": 1.0, "update-ratio-high": 1.0}
    assert model.causes_given_wrong(suspicion, "observed")["lr-too-high"] > 0.3
    assert bounded.causes_given_wrong(suspicion, "observed")["lr-too-high"] == pytest.approx(0.3)
    doubted = Model(all_causes(), replace(model.parameters, offsets={"observed": {"lr-too-high": -3.0}}))
    ranked = doubted.causes_given_wrong(suspicion, "observed")
    assert ranked["lr-too-high"] < model.causes_given_wrong(suspicion, "observed")["lr-too-high"]
    assert max(ranked, key=lambda name: ranked[name]) == "lr-too-high" and sum(ranked.values()) <= 1 + 1e-9
    caught = {"grads-kept": 1.0}
    assert bounded.causes_given_wrong(caught, "observed")["missing-zero-grad"] > 0.3  # seen: nothing to bound


def test_nothing_learned_alone_names_no_cause_surely(model: Model) -> None:
    """Labels that do not fit look like it, and so do a net that is too small and a run that is too short."""
    assert not model.has_evidence("noisy-labels", {"training-at-chance": 1.0, "loss-stuck": 1.0})
    assert model.has_evidence("noisy-labels", {"training-at-chance": 1.0, "confident-errors": 1.0})
    assert model.has_evidence("overfitting", {"validation-rising": 1.0})
    free = Model(all_causes(), replace(model.parameters, bounds={}, offsets={}))
    ranked = free.causes_given_wrong({"training-at-chance": 1.0}, "observed")
    assert all(chance <= POSSIBLY for name, chance in ranked.items() if name != UNKNOWN)


def test_what_only_costs_time_does_not_hide_a_fault_that_was_seen(model: Model) -> None:
    slow = {"data-wait": 1.0}
    assert leading(model, slow) == "slow-data-loading"
    assert leading(model, {**slow, "logits-clipped": 1.0}) == "output-range-mismatch"


def leading(model: Model, levels: dict[str, float]) -> str:
    chances = model.causes_given_wrong(levels, "observed")
    return max(chances, key=lambda name: chances[name])


def test_claims_on_public_programs_move_a_bound() -> None:
    made = [("lr-too-low", True)] * 20
    assert fit_bounds(made)["lr-too-low"] > 0.9
    moved = fit_bounds(made, [("lr-too-low", False)] * 4 + [("undertrained", True)])
    assert moved["lr-too-low"] < 0.6 and moved["undertrained"] > 0.9


def test_weights_that_shrink_without_decay_do_not_show_decay(model: Model) -> None:
    shrinking = {"weights-shrinking": 1.0, "training-at-chance": 1.0}
    with_decay = model.causes_given_wrong({**shrinking, "decay-absent": 0.0}, "observed")
    without = model.causes_given_wrong({**shrinking, "decay-absent": 1.0}, "observed")
    assert without["weight-decay-too-strong"] < 0.1 < with_decay["weight-decay-too-strong"]


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


def test_the_fit_lowers_the_loss_and_overconfidence_raises_the_temperature() -> None:
    cases = corpus()
    fitted = Model(all_causes(), fit(cases, all_causes()))
    plain = Model(all_causes(), stated(all_causes()))

    def log_loss(model: Model) -> float:
        told = [math.log(model.healthy_chance(c.levels)) for c in cases if c.cause == HEALTHY]
        sick = [c for c in cases if c.cause != HEALTHY]
        told += [math.log(model.causes_given_wrong(c.levels, "observed")[c.cause]) for c in sick]
        return -float(np.mean(told))

    assert log_loss(fitted) < log_loss(plain)
    wrong = [Case(case.levels, UNKNOWN if i % 2 else case.cause) for i, case in enumerate(cases)]
    assert fit_temperature(fitted, wrong) > fit_temperature(fitted, cases)


def test_the_packaged_parameters_know_every_hypothesis() -> None:
    model = current()
    assert set(model.hypotheses) <= set(model.parameters.prior)
    for hypothesis in model.hypotheses:
        assert hypothesis in model.parameters.weight
