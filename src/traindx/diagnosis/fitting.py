"""Fits priors and weights to the zoo's corpus, within bounds that keep what the causes say.

Weights are drawn towards what the cause states, may not change direction, and may at most double (or vanish); priors
are drawn towards a common value. Two more terms keep the answer honest: some cases are shown with their own cause
struck out, and must then be called `unknown`; and every kind of case weighs the same, whatever the corpus holds of it,
with `healthy` given the share that it has among the runs people look at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ..causes import Cause
from .model import HEALTHY, UNKNOWN, Model, Parameters, softmax
from .parameters import stated

FloatArray = NDArray[np.float64]

STIFFNESS = 0.02  # how strongly weights are held where the cause put them, per unit of squared relative change
HEALTHY_SHARE = 0.35  # of the total weight in the fit
UNKNOWN_SHARE = 0.10  # of the total weight: cases with their own cause struck out


@dataclass(frozen=True)
class Case:
    """One labelled run: the levels of its signs. Several faults in one run share the label's weight."""

    levels: Mapping[str, float]
    cause: str
    group: str = ""  # the host: cases of one group are held out together
    fixed: list[float] = field(default_factory=list, compare=False, repr=False)


def fit(cases: Sequence[Case], causes: Mapping[str, Cause], stiffness: float = STIFFNESS) -> Parameters:
    """The parameters that fit `cases` best without straying from what the causes state."""
    start = stated(causes)
    problem = _Problem(cases, Model(causes, start), stiffness)
    result = minimize(
        problem.loss, problem.initial, jac=True, method="L-BFGS-B", bounds=problem.bounds, options={"maxiter": 300}
    )
    return problem.parameters(result.x)


class _Problem:
    """The fit as arrays: one row a case, one column a hypothesis; free numbers are priors, then weights."""

    def __init__(self, cases: Sequence[Case], model: Model, stiffness: float) -> None:
        self.model = model
        self.stiffness = stiffness
        names = model.hypotheses
        stated_weights = model.parameters.weight
        self.places = [(h, s) for h in names for s in stated_weights.get(h, {})]
        signs = sorted({sign for _, sign in self.places})
        column = {sign: i for i, sign in enumerate(signs)}
        row = {name: i for i, name in enumerate(names)}
        self.levels = np.array([[case.levels.get(s, 0.0) for s in signs] for case in cases])
        self.rows = np.array([row[h] for h, _ in self.places])
        self.columns = np.array([column[s] for _, s in self.places])
        self.centre = np.array([stated_weights[h][s] for h, s in self.places])
        self.prior_centre = np.array([model.parameters.prior.get(h, 0.0) for h in names])
        self.fixed = np.array([_fixed_scores(model, case) for case in cases])
        self.target = np.array([row.get(case.cause, row[UNKNOWN]) for case in cases])
        self.weight = self._balance(cases)
        self.unknown = row[UNKNOWN]
        self.struck = np.array([case.cause in model.causes for case in cases])
        self.initial = np.concatenate([self.prior_centre, self.centre])
        self.bounds = [(p - 6.0, p + 6.0) for p in self.prior_centre] + [
            (min(0.0, 2 * w), max(0.0, 2 * w)) for w in self.centre
        ]

    def _balance(self, cases: Sequence[Case]) -> FloatArray:
        counts: dict[str, int] = {}
        for case in cases:
            counts[case.cause] = counts.get(case.cause, 0) + 1
        sick = max(1, len(counts) - (HEALTHY in counts))
        share = {
            name: HEALTHY_SHARE if name == HEALTHY else (1.0 - HEALTHY_SHARE) * _tempered(n, counts, sick)
            for name, n in counts.items()
        }
        return np.array([share[case.cause] / counts[case.cause] for case in cases])

    def loss(self, free: FloatArray) -> tuple[float, FloatArray]:
        prior, weight = free[: len(self.prior_centre)], free[len(self.prior_centre) :]
        matrix = np.zeros((len(prior), self.levels.shape[1]))
        np.add.at(matrix, (self.rows, self.columns), weight)
        scores = self.fixed + prior + self.levels @ matrix.T
        value, slope = self._log_loss(scores, self.target, self.weight)
        struck = scores[self.struck].copy()
        struck[np.arange(len(struck)), self.target[self.struck]] = -50.0
        share = UNKNOWN_SHARE * self.weight[self.struck]
        unknown_value, unknown_slope = self._log_loss(struck, np.full(len(struck), self.unknown), share)
        unknown_slope[np.arange(len(struck)), self.target[self.struck]] = 0.0
        slope[self.struck] += unknown_slope
        gradient = np.concatenate([slope.sum(axis=0), (slope.T @ self.levels)[self.rows, self.columns]])
        away = (weight - self.centre) / (np.abs(self.centre) + 0.5)
        prior_away = (prior - self.prior_centre) / 3.0
        value += unknown_value + self.stiffness * (float(away @ away) + float(prior_away @ prior_away)) / 50.0
        gradient += 2.0 * self.stiffness / 50.0 * np.concatenate([prior_away / 3.0, away / (np.abs(self.centre) + 0.5)])
        return value, gradient

    @staticmethod
    def _log_loss(scores: FloatArray, target: NDArray[np.int64], weight: FloatArray) -> tuple[float, FloatArray]:
        chance = softmax(scores)
        right = chance[np.arange(len(target)), target]
        slope = chance
        slope[np.arange(len(target)), target] -= 1.0
        return float(-(weight * np.log(np.maximum(right, 1e-12))).sum()), slope * weight[:, None]

    def parameters(self, free: FloatArray) -> Parameters:
        names = self.model.hypotheses
        weight: dict[str, dict[str, float]] = {name: {} for name in names}
        for (hypothesis, sign), value in zip(self.places, free[len(names) :], strict=True):
            weight[hypothesis][sign] = round(float(value), 3)
        prior = {name: round(float(value), 3) for name, value in zip(names, free[: len(names)], strict=True)}
        return Parameters(prior, weight, self.model.parameters.temperature)


def _fixed_scores(model: Model, case: Case) -> list[float]:
    """What no parameter changes. Kept with the case: leave-one-host-out asks for it once a host."""
    if not case.fixed:
        for name in model.hypotheses:
            cause = model.causes.get(name)
            case.fixed.append(sum(t.amount for t in model.fixed_terms(cause, case.levels)) if cause else 0.0)
    return case.fixed


def _tempered(count: int, counts: Mapping[str, int], sick: int) -> float:
    """Half by cause, half by case: rare causes count, but a single odd case does not rule."""
    total = sum(n for name, n in counts.items() if name != HEALTHY)
    return 0.5 / sick + 0.5 * count / max(1, total)


def fit_temperature(model: Model, cases: Sequence[Case]) -> float:
    """The temperature at which confidences on `cases` fit best; above 1 draws them in."""
    names = model.hypotheses
    row = {name: i for i, name in enumerate(names)}
    scores = np.array([[model.score(name, case.levels) for name in names] for case in cases])
    target = np.array([row.get(case.cause, row[UNKNOWN]) for case in cases])
    best, lowest = 1.0, np.inf
    for temperature in np.geomspace(0.5, 4.0, 43):
        chance = softmax(scores / temperature)
        loss = -np.log(np.maximum(chance[np.arange(len(target)), target], 1e-12)).mean()
        if loss < lowest:
            best, lowest = float(temperature), float(loss)
    return round(best, 3)
