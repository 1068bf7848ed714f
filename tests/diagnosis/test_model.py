"""The ranking: sums of named terms, precedence of seen faults, and what missing signs mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import check_grad

from traindx.causes import all_causes
from traindx.diagnosis.fitting import Case, _Problem, fit, fit_temperature
from traindx.diagnosis.model import EXPLAINED, HEALTHY, REQUIRED, UNKNOWN, UNMEASURED, Model
from traindx.diagnosis.parameters import current, stated
from traindx.diagnosis.verdict import decide


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(all_causes(), stated(all_causes()))


def test_probabilities_are_the_softmax_of_the_scores(model: Model) -> None:
    levels = {"grads-kept": 1.0, "update-ratio-high": 0.4, "loss-diverged": 0.8}
    chances = model.probabilities(levels, "observed")
    scores = {name: model.score(name, levels) for name in model.hypotheses}
    total = sum(math.exp(score) for score in scores.values())
    assert sum(chances.values()) == pytest.approx(1.0)
    for name, score in scores.items():
        assert chances[name] == pytest.approx(math.exp(score) / total)


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
    assert max(model.probabilities(alone, "observed").items(), key=lambda item: item[1])[0] == imitated
    ranked = model.probabilities(seen, "observed")
    assert ranked["missing-zero-grad"] > ranked[imitated]
    terms = {term.name: term for term in model.terms(imitated, seen)}
    assert terms["explained by missing-zero-grad"].amount == pytest.approx(-EXPLAINED)


def test_a_required_sign_that_is_normal_costs_more_than_one_that_is_missing(model: Model) -> None:
    cause = all_causes()["double-softmax"]
    normal = dict.fromkeys(cause.requires, 0.0)
    difference = model.score("double-softmax", {}) - model.score("double-softmax", normal)
    assert difference == pytest.approx(REQUIRED * UNMEASURED)


def test_nothing_raised_is_healthy_and_trouble_without_a_cause_is_unknown(model: Model) -> None:
    assert max(model.probabilities({}, "observed").items(), key=lambda item: item[1])[0] == HEALTHY
    measured_normal = {sign: 0.0 for cause in all_causes().values() for sign in cause.supports}
    trouble = {**measured_normal, "loss-stuck": 1.0, "loss-heads-wrong-way": 1.0}
    assert model.probabilities(trouble, "observed")[UNKNOWN] > model.probabilities(trouble, "observed")[HEALTHY]


def test_advice_and_causes_without_signs_are_never_ranked(model: Model) -> None:
    assert not {name for name, cause in all_causes().items() if cause.advisory} & set(model.hypotheses)
    assert "straggler-rank" not in model.hypotheses


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
        return -float(np.mean([math.log(model.probabilities(c.levels, "observed")[c.cause]) for c in cases]))

    assert log_loss(fitted) < log_loss(plain)
    wrong = [Case(case.levels, UNKNOWN if i % 2 else case.cause) for i, case in enumerate(cases)]
    assert fit_temperature(fitted, wrong) > fit_temperature(fitted, cases)


@pytest.mark.parametrize(
    ("chances", "levels", "verdict"),
    [
        ({HEALTHY: 0.9, UNKNOWN: 0.05, "lr-too-high": 0.05}, {}, "healthy"),
        ({HEALTHY: 0.9, UNKNOWN: 0.05, "lr-too-high": 0.05}, {"loss-not-finite": 1.0}, "sick"),
        ({HEALTHY: 0.9, UNKNOWN: 0.05, "lr-too-high": 0.05}, {"too-short": 1.0}, "inconclusive"),
        ({HEALTHY: 0.9, UNKNOWN: 0.05, "lr-too-high": 0.05}, {"loss-stuck": 1.0}, "inconclusive"),
        ({HEALTHY: 0.1, UNKNOWN: 0.1, "lr-too-high": 0.8}, {}, "sick"),
        ({HEALTHY: 0.1, UNKNOWN: 0.7, "lr-too-high": 0.2}, {}, "inconclusive"),
        ({HEALTHY: 0.4, UNKNOWN: 0.1, "lr-too-high": 0.5}, {}, "inconclusive"),
    ],
)
def test_verdicts(chances: dict[str, float], levels: dict[str, float], verdict: str) -> None:
    assert decide(chances, levels) == verdict


def test_the_packaged_parameters_know_every_hypothesis() -> None:
    model = current()
    assert set(model.hypotheses) <= set(model.parameters.prior)
    for hypothesis in model.hypotheses:
        assert hypothesis in model.parameters.weight
