"""Fits priors and weights to labelled runs, within bounds that keep what the causes say.

Two questions, two losses: `healthy` against the rest by logistic loss over all cases, and the cause by softmax loss
over the sick ones. Weights are pulled towards what the cause states, may not change sign, and may at most double (or
vanish); priors are pulled towards a common value. Some cases are shown with their own cause removed, and must then be
called `unknown`. Every kind of case has the same weight, however many the corpus holds, except that `healthy` gets the
share that it has among the runs people look at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from traindx.causes import Cause
from traindx.diagnosis.model import HEALTHY, UNKNOWN, Model, Parameters, softmax
from traindx.diagnosis.parameters import stated

FloatArray = NDArray[np.float64]

STIFFNESS = 0.02  # penalty for moving a weight from its stated value, per unit of squared relative change
HEALTHY_SHARE = 0.5  # of the total weight in the fit: of the public programs that were read, more than half are
UNKNOWN_SHARE = 0.10  # of the total weight: cases with their own cause removed
NEVER = -50.0  # the score of a hypothesis that is impossible for a case


@dataclass(frozen=True)
class Case:
    """One labelled run: the levels of its signs. Several faults in one run share the label's weight."""

    levels: Mapping[str, float]
    cause: str
    group: str = ""  # the program that it is a variant of
    fixed: list[float] = field(default_factory=list, compare=False, repr=False)


def fit(
    cases: Sequence[Case],
    causes: Mapping[str, Cause],
    stiffness: float = STIFFNESS,
    start: Parameters | None = None,
) -> Parameters:
    """The parameters that fit `cases` best while staying near what the causes state. `start`: where to begin."""
    problem = _Problem(cases, Model(causes, stated(causes)), stiffness)
    begin = problem.free(start) if start is not None else problem.initial
    result = minimize(problem.loss, begin, jac=True, method="L-BFGS-B", bounds=problem.bounds, options={"maxiter": 300})
    return problem.parameters(result.x)


class _Problem:
    """The fit as arrays: one row per case, one column per hypothesis; the free numbers are priors, then weights."""

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
        self.unknown, self.healthy = row[UNKNOWN], row[HEALTHY]
        self.sick = np.array([case.cause != HEALTHY for case in cases])
        self.struck = np.array([case.cause in model.causes for case in cases])
        self.initial = np.concatenate([self.prior_centre, self.centre])
        self.bounds = [(p - 6.0, p + 6.0) for p in self.prior_centre] + [
            (min(0.0, 2 * w), max(0.0, 2 * w)) for w in self.centre
        ]

    def _balance(self, cases: Sequence[Case]) -> FloatArray:
        # Many variants of one program teach less than as many programs: a program's weight is the root of its number.
        programs = Counter((case.cause, case.group) for case in cases)
        rows = np.array([1.0 / np.sqrt(programs[case.cause, case.group]) for case in cases])
        counts: dict[str, float] = defaultdict(float)
        for case, row in zip(cases, rows, strict=True):
            counts[case.cause] += row
        sick = max(1, len(counts) - (HEALTHY in counts))
        share = {
            name: HEALTHY_SHARE if name == HEALTHY else (1.0 - HEALTHY_SHARE) * _tempered(n, counts, sick)
            for name, n in counts.items()
        }
        return np.array([share[case.cause] * row / counts[case.cause] for case, row in zip(cases, rows, strict=True)])

    def loss(self, free: FloatArray) -> tuple[float, FloatArray]:
        prior, weight = free[: len(self.prior_centre)], free[len(self.prior_centre) :]
        matrix = np.zeros((len(prior), self.levels.shape[1]))
        np.add.at(matrix, (self.rows, self.columns), weight)
        scores = self.fixed + prior + self.levels @ matrix.T
        slope = np.zeros_like(scores)
        value, slope[:, self.healthy] = self._logistic_loss(scores[:, self.healthy])
        rivals = scores[self.sick].copy()
        rivals[:, self.healthy] = NEVER
        cause_value, cause_slope = self._log_loss(rivals, self.target[self.sick], self.weight[self.sick])
        slope[self.sick] += cause_slope
        struck = scores[self.struck].copy()
        struck[:, self.healthy] = NEVER
        own = (np.arange(len(struck)), self.target[self.struck])
        struck[own] = NEVER
        share = UNKNOWN_SHARE * self.weight[self.struck]
        unknown_value, unknown_slope = self._log_loss(struck, np.full(len(struck), self.unknown), share)
        unknown_slope[own] = 0.0
        slope[self.struck] += unknown_slope
        gradient = np.concatenate([slope.sum(axis=0), (slope.T @ self.levels)[self.rows, self.columns]])
        away = (weight - self.centre) / (np.abs(self.centre) + 0.5)
        prior_away = (prior - self.prior_centre) / 3.0
        value += cause_value + unknown_value
        value += self.stiffness * (float(away @ away) + float(prior_away @ prior_away)) / 50.0
        gradient += 2.0 * self.stiffness / 50.0 * np.concatenate([prior_away / 3.0, away / (np.abs(self.centre) + 0.5)])
        return value, gradient

    def _logistic_loss(self, score: FloatArray) -> tuple[float, FloatArray]:
        """Of the chance of `healthy`, over all cases."""
        truth = 1.0 - self.sick
        value = float((self.weight * np.logaddexp(0.0, np.where(self.sick, score, -score))).sum())
        return value, self.weight * (1.0 / (1.0 + np.exp(-score)) - truth)

    @staticmethod
    def _log_loss(scores: FloatArray, target: NDArray[np.int64], weight: FloatArray) -> tuple[float, FloatArray]:
        chance = softmax(scores)
        right = chance[np.arange(len(target)), target]
        slope = chance
        slope[np.arange(len(target)), target] -= 1.0
        return float(-(weight * np.log(np.maximum(right, 1e-12))).sum()), slope * weight[:, None]

    def free(self, parameters: Parameters) -> FloatArray:
        """The free numbers that stand for these parameters."""
        prior = [parameters.prior[name] for name in self.model.hypotheses]
        return np.array([*prior, *(parameters.weight[h][s] for h, s in self.places)])

    def parameters(self, free: FloatArray) -> Parameters:
        names = self.model.hypotheses
        weight: dict[str, dict[str, float]] = {name: {} for name in names}
        for (hypothesis, sign), value in zip(self.places, free[len(names) :], strict=True):
            weight[hypothesis][sign] = round(float(value), 3)
        prior = {name: round(float(value), 3) for name, value in zip(names, free[: len(names)], strict=True)}
        return Parameters(prior, weight)


def _fixed_scores(model: Model, case: Case) -> list[float]:
    """The part of the scores that no parameter changes, cached with the case: each held-out host needs it again."""
    if not case.fixed:
        for name in model.hypotheses:
            cause = model.causes.get(name)
            case.fixed.append(sum(t.amount for t in model.fixed_terms(cause, case.levels)) if cause else 0.0)
    return case.fixed


def _tempered(count: float, counts: Mapping[str, float], sick: int) -> float:
    """Weights half by cause and half by case: rare causes count, but a single odd case does not dominate."""
    total = sum(n for name, n in counts.items() if name != HEALTHY)
    return 0.5 / sick + 0.5 * count / max(1, total)
