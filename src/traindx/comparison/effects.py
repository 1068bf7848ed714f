"""Tests how strongly each setting is related to the result, with a p-value.

Results are compared by rank, because losses span orders of magnitude and a diverged run has no finite loss: it is
last. The p-value comes from a permutation test. It shuffles the results over the runs (all permutations for up to seven
runs, else `SHUFFLES` fixed ones); the p-value is the share of shuffles in which the setting explains as much. With few
runs and some repeats, an F-test against the spread of the repeats is used instead: ranks of three against three runs
are never significant.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from statistics import median

import numpy as np
from scipy import stats

from ..record.types import FloatArray, IntArray
from ._values import shown
from .types import Effect, Noise
from .varying import Setting, bundles, repeats

SHUFFLES = 1999
FEWEST_RUNS = 4  # with fewer runs any setting may be related to the result by chance
RANKS_SUFFICE = 12  # with fewer runs, the spread of repeats says more than ranks
SIGNIFICANT = 0.05
ALIKE = 0.5  # share of their variation that two confounded settings have in common
MOST_LEVELS = 12


def effects_of(settings: Sequence[Setting], scores: FloatArray) -> tuple[list[Effect], Noise | None]:
    """Return the effects, smallest p-value first, and the noise between repeats."""
    noise = _noise(repeats(settings, len(scores)), scores)
    leads = [(bundle[0], tuple(setting.name for setting in bundle)) for bundle in bundles(settings)]
    p_values = _corrected([_p_value(setting, scores, noise) for setting, _ in leads])
    ranks = stats.rankdata(scores)
    found = []
    for (setting, names), p_value in zip(leads, p_values, strict=True):
        rivals = [] if p_value is None or p_value >= SIGNIFICANT else [
            other_names
            for (other, other_names), other_p in zip(leads, p_values, strict=True)
            if other is not setting and _confounded(setting, other, other_p, ranks)
        ]  # fmt: skip
        share = _explained(_design(setting), ranks[None, :])[0]
        found.append(Effect(names, float(share), p_value, _levels(setting, scores), rivals[0] if rivals else None))
    return sorted(found, key=lambda e: (1.0 if e.p_value is None else e.p_value, -e.share)), noise


def _noise(groups: list[list[int]], scores: FloatArray) -> Noise | None:
    """Return the pooled spread of repeats, without groups in which a run diverged."""
    repeated = [scores[group] for group in groups if len(group) > 1 and np.isfinite(scores[group]).all()]
    freedom = sum(len(group) - 1 for group in repeated)
    if not freedom:
        return None
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in repeated)
    return Noise(len(repeated), sum(map(len, repeated)), float(np.sqrt(squares / freedom)))


def _p_value(setting: Setting, scores: FloatArray, noise: Noise | None) -> float | None:
    runs = len(scores)
    freedom = noise.runs - noise.groups if noise else 0
    if noise and freedom >= 2 and runs < RANKS_SUFFICE and np.isfinite(scores).all() and noise.spread > 0:
        design = _design(setting)
        fitted = design @ (design.T @ (scores - scores.mean()))
        ratio = float((fitted**2).sum()) / design.shape[1] / noise.spread**2
        return float(stats.f.sf(ratio, design.shape[1], freedom))
    if runs < FEWEST_RUNS or len(np.unique(scores)) < 2:
        return None
    return _by_shuffling(_design(setting), stats.rankdata(scores))


def _by_shuffling(design: FloatArray, ranks: FloatArray) -> float:
    observed = _explained(design, ranks[None, :])[0]
    orders = _orders(len(ranks))
    as_good = int((_explained(design, ranks[orders]) >= observed - 1e-9).sum())
    complete = len(ranks) <= 7
    return as_good / len(orders) if complete else (as_good + 1) / (len(orders) + 1)


@lru_cache(maxsize=2)
def _orders(runs: int) -> IntArray:
    if runs <= 7:
        return np.array(list(permutations(range(runs))), np.int64)
    generator = np.random.default_rng(0)  # so that the answer is always the same
    return np.asarray(generator.permuted(np.tile(np.arange(runs), (SHUFFLES, 1)), axis=1))


def _design(setting: Setting) -> FloatArray:
    """Return the design matrix of a setting: orthonormal columns without the mean.

    Numbers enter by rank and its square, because the best value may lie in the middle. Texts enter as groups.
    """
    runs = len(setting.values)
    if setting.numeric:
        place = stats.rankdata([float(value) for value in setting.values])  # type: ignore[arg-type]
        degree = min(setting.distinct - 1, 2 if runs >= 6 else 1)
        columns = np.stack([(place - place.mean()) ** power for power in range(1, degree + 1)], axis=1)
    else:
        codes = np.array(setting.codes)
        columns = (codes[:, None] == np.arange(setting.distinct - 1)).astype(np.float64)
    centred = columns - columns.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(left[:, sizes > 1e-9 * sizes.max()])


def _explained(design: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the share of each row's variance that the design explains."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    total = (centred**2).sum(axis=1)
    return np.asarray(((centred @ design) ** 2).sum(axis=1) / np.where(total > 0, total, 1.0))


def _confounded(setting: Setting, other: Setting, other_p: float | None, ranks: FloatArray) -> bool:
    """Return whether `other` may be the real reason for the effect of the setting.

    That is so if both change together, `other` may be related to the result, and the setting is not significant any
    more once `other` is taken into account.
    """
    mine, its = _design(setting), _design(other)
    together = float(np.linalg.norm(its.T @ mine) ** 2) / min(mine.shape[1], its.shape[1])
    if together < ALIKE or (other_p is not None and other_p > 0.2):
        return False
    rest = _without(its, ranks)
    own = np.stack([_without(its, column) for column in mine.T], axis=1)
    left, sizes, _ = np.linalg.svd(own, full_matrices=False)
    own = left[:, sizes > 1e-6]
    return own.shape[1] == 0 or _by_shuffling(own, rest) >= SIGNIFICANT


def _without(design: FloatArray, values: FloatArray) -> FloatArray:
    """Return the residuals of the values after the design is fitted."""
    centred = values - values.mean()
    return np.asarray(centred - design @ (design.T @ centred))


def _corrected(p_values: list[float | None]) -> list[float | None]:
    """Apply Holm's correction, because one of many settings looks significant by chance."""
    order = sorted((i for i, p_value in enumerate(p_values) if p_value is not None), key=lambda i: p_values[i] or 0.0)
    corrected = list(p_values)
    largest = 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (p_values[i] or 0.0) * (len(order) - place)))
        corrected[i] = largest
    return corrected


def _levels(setting: Setting, scores: FloatArray) -> list[tuple[str, int, float]]:
    """Return the median score for each value, best first. Many numbers are put into three groups of equal size."""
    groups: dict[str, list[float]] = {}
    if setting.numeric and setting.distinct > MOST_LEVELS:
        values = np.array([float(value) for value in setting.values])  # type: ignore[arg-type]
        for part in np.array_split(np.argsort(values, kind="stable"), 3):
            groups[f"{shown(float(values[part[0]]))} to {shown(float(values[part[-1]]))}"] = scores[part].tolist()
    else:
        for value, score in zip(setting.values, scores, strict=True):
            groups.setdefault(shown(value) if value is not None else "not given", []).append(float(score))
    levels = [(label, len(members), float(median(members))) for label, members in groups.items()]
    return sorted(levels, key=lambda level: level[2])[:MOST_LEVELS]
