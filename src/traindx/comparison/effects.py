"""Tests how strongly each setting is related to the result, with a p-value.

Results are compared by rank, because losses span orders of magnitude and a diverged run has no finite loss: it is
last. The p-value comes from a permutation test. It shuffles the results over the runs (all permutations for up to seven
runs, else `SHUFFLES` fixed ones); the p-value is the share of shuffles in which the setting explains as much. With few
runs and some repeats, an F-test against the spread of the repeats is used instead: ranks of three against three runs
are never significant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from statistics import median

import numpy as np
from scipy import stats

from ..record.types import FloatArray, IntArray
from .settings import is_number, shown, words_in_name
from .types import Effect, Noise, Outcome, Value

_SEED = re.compile(r"(^|[._ ])(seed|random_state|fold|repeat|replicate)s?\d*($|[._ ])", re.I)
# Words in the names of settings that are paths or labels and do not influence the training.
_LABEL = re.compile(
    r"(^|[._ /])(name|id|uuid|dir|path|folder|file|filename|time|date|timestamp|host|hostname|port|notes?|tags?|output|"
    r"logdir|logging|save|saving|resume|checkpoint|project|wandb|device|gpu|cuda|rank|version|workers)($|[._ /])",
    re.I,
)


@dataclass(frozen=True)
class Setting:
    """The values of one setting in all runs; None if a run does not give it."""

    name: str
    values: tuple[Value | None, ...]

    @property
    def codes(self) -> tuple[int, ...]:
        """The values as numbers in order of appearance. They are equal for settings that split the runs alike."""
        seen: dict[tuple[type, Value | None], int] = {}
        return tuple(seen.setdefault((bool if isinstance(v, bool) else object, v), len(seen)) for v in self.values)

    @property
    def signature(self) -> tuple[int, ...]:
        """Equal for settings that these runs cannot distinguish.

        Numbers that are different in nearly every run (a random search) always split the runs alike. Two such
        settings have the same signature only if they also rise together, or one falls as the other rises.
        """
        if not self.numeric or self.distinct <= max(3, len(self.values) / 2):
            return self.codes
        order = sorted(set(self.values), key=float)  # type: ignore[arg-type]
        ranks = tuple(order.index(value) for value in self.values)
        return ranks if ranks[0] <= ranks[-1] else tuple(len(order) - 1 - rank for rank in ranks)

    @property
    def given(self) -> set[Value]:
        return {value for value in self.values if value is not None}

    @property
    def distinct(self) -> int:
        return max(self.codes, default=-1) + 1

    @property
    def numeric(self) -> bool:
        return all(is_number(value) for value in self.values)

    @property
    def is_seed(self) -> bool:
        return bool(_SEED.search(self.name))


def settings_that_differ(outcomes: Sequence[Outcome]) -> list[Setting]:
    """Return all settings that differ and may matter, including seeds.

    Settings in file names count only if no recorded setting splits the runs alike.
    """
    recorded = {name for outcome in outcomes for name in outcome.settings}
    found = _differing(outcomes, [{**outcome.named, **outcome.settings} for outcome in outcomes])
    known = {setting.signature for setting in found if setting.name in recorded}
    # A word with only one value (`Group7` in one name) is part of the name and not a setting.
    found = [s for s in found if s.name in recorded or (s.signature not in known and len(s.given) > 1)]
    known |= {setting.signature for setting in found}
    return [*found, *(setting for setting in _words_of_names(outcomes) if setting.signature not in known)]


def _differing(outcomes: Sequence[Outcome], tables: list[dict[str, Value]]) -> list[Setting]:
    names = dict.fromkeys(name for table in tables for name in table)
    settings = [Setting(name, tuple(table.get(name) for table in tables)) for name in names]
    return [
        setting
        for setting in settings
        if setting.distinct > 1 and not _is_label(setting, len(outcomes)) and not _is_unknown(setting, outcomes)
    ]


def _is_unknown(setting: Setting, outcomes: Sequence[Outcome]) -> bool:
    """Return whether runs without this setting give few settings at all, so that they may have had the same value.

    If a run with a full configuration lacks a setting that others have, its absence is a difference.
    """
    if len(setting.given) > 1:
        return False
    having = [len(o.settings) for o, value in zip(outcomes, setting.values, strict=True) if value is not None]
    lacking = [len(o.settings) for o, value in zip(outcomes, setting.values, strict=True) if value is None]
    return bool(lacking) and 2 * max(lacking) < min(having, default=0)


def _is_label(setting: Setting, runs: int) -> bool:
    """Return whether the setting only labels runs: by its name, or because it is a text that differs in most runs."""
    if setting.is_seed:
        return False
    texts = not all(is_number(value) for value in setting.given)  # a run without the setting makes it no text
    many_texts = texts and runs > 3 and setting.distinct > runs / 2
    return many_texts or bool(_LABEL.search(setting.name))


def _words_of_names(outcomes: Sequence[Outcome]) -> list[Setting]:
    """Return settings from words at the same position in names of one pattern, such as `sgd_a` and `adam_a`."""
    words = [words_in_name(outcome.source) for outcome in outcomes]
    if len({len(parts) for parts in words}) != 1 or len(outcomes) < 4:
        return []
    columns = [column for column in zip(*words, strict=True) if all(word.isalpha() for word in column)]
    found = [Setting("/".join(sorted(set(column))[:3]), column) for column in columns]
    return [setting for setting in found if 1 < setting.distinct <= len(outcomes) / 2]


def bundles(settings: Sequence[Setting]) -> list[list[Setting]]:
    """Group the settings that split the runs alike, because these runs cannot distinguish them."""
    found: dict[tuple[int, ...], list[Setting]] = {}
    for setting in settings:
        if not setting.is_seed:
            found.setdefault(setting.signature, []).append(setting)
    # A numeric setting comes first, because the test can use the order of its values.
    return [sorted(bundle, key=lambda setting: not setting.numeric) for bundle in found.values()]


def repeats(settings: Sequence[Setting], runs: int) -> list[list[int]]:
    """Group the runs with equal settings (apart from seeds), by their indices."""
    groups: dict[tuple[int, ...], list[int]] = {}
    codes = [setting.codes for setting in settings if not setting.is_seed]
    for run in range(runs):
        groups.setdefault(tuple(code[run] for code in codes), []).append(run)
    return list(groups.values())


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
