"""Decides, seed by seed, whether a treated arm is better than the control.

Differences are paired by seed. Their noise is pooled from three sources: the effect of a placebo, the scatter of the
differences, and the standard errors within the runs. After every seed, the mean is tested with a Student interval whose
level is divided by the maximum number of tests (Bonferroni), so that the total chance of a false "better" stays below
ALPHA. "Better" needs two seeds and the least effect. Giving up needs one seed and less certainty, because it cannot
claim a false cure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from scipy import stats

ALPHA = 0.02  # probability of a false "better" over all tests of a trial
MAX_SEEDS = 5
FEWEST_SEEDS = 2
FUTILE = 0.9  # give up at this confidence that the least effect is not reached
SHOWN = 0.95  # level of the reported interval
WITHIN_WEIGHT = 1.0  # degrees of freedom for the standard errors within runs: each knows only one initialisation
LEAST_NOISE = 0.02  # in log-ratios: smaller noise estimates are not trusted

Decision = Literal["better", "worse", "same", "open"]


@dataclass(frozen=True)
class Noise:
    """The standard deviation of one difference, and its degrees of freedom."""

    deviation: float
    freedom: float


@dataclass(frozen=True)
class Verdict:
    decision: Decision
    mean: float
    interval: tuple[float, float]


def noise(differences: Sequence[float], placebo: Sequence[float], within: Sequence[float]) -> Noise:
    squares = sum(value**2 for value in placebo) + WITHIN_WEIGHT * (_mean([w**2 for w in within]))
    freedom = len(placebo) + WITHIN_WEIGHT
    if len(differences) > 1:
        centre = _mean(differences)
        squares += sum((value - centre) ** 2 for value in differences)
        freedom += len(differences) - 1
    return Noise(max(LEAST_NOISE, math.sqrt(squares / freedom)), freedom)


def judge(differences: Sequence[float], around: Noise, least: float, seeds: int = MAX_SEEDS) -> Verdict:
    """`least`: the smallest mean difference that counts; `seeds`: the maximum number of seeds."""
    count, mean = len(differences), _mean(differences)
    error = around.deviation / math.sqrt(count)
    half = error * _quantile(1 - ALPHA / seeds, around.freedom)
    shown = error * _quantile(0.5 + SHOWN / 2, around.freedom)
    interval = (mean - shown, mean + shown)
    hoped = mean + error * _quantile(FUTILE, around.freedom)
    if hoped < least:
        return Verdict("worse" if mean <= -least and hoped < 0 else "same", mean, interval)
    if count >= FEWEST_SEEDS and mean - half > 0 and mean >= least:
        return Verdict("better", mean, interval)
    return Verdict("same" if count >= seeds else "open", mean, interval)


@cache
def _quantile(share: float, freedom: float) -> float:
    return float(stats.t.ppf(share, freedom))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0
