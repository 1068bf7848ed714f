"""Judges a trial: seed by seed whether the treated arm is better than the control, and the verdict over all seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from scipy import stats

from ..diagnosis import Effect, SymptomChange
from ..diagnosis.treatment import TrialVerdict
from ..signs import Signs, all_signs
from . import _outcomes as outcomes
from ._base import JudgedBy
from ._controls import MEASURES
from ._outcomes import MUCH_BETTER as MUCH_BETTER
from ._outcomes import Difference, Outcome, gone

# ── is the treated arm better? ────────────────────────────────────────────────────────────────────
#
# Differences are paired by seed. Their noise is pooled from three sources: the effect of a placebo, the scatter of the
# differences, and the standard errors within the runs. After every seed, the mean is tested with a Student interval
# whose level is divided by the maximum number of tests (Bonferroni), so that the total chance of a false "better" stays
# below ALPHA. "Better" needs two seeds and the least effect. Giving up needs one seed and less certainty, because it
# cannot claim a false cure.

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


def judge(differences: Sequence[float], around: Noise, least: float) -> Verdict:
    """`least`: the smallest mean difference that counts."""
    count, mean = len(differences), _mean(differences)
    error = around.deviation / math.sqrt(count)
    half = error * _quantile(1 - ALPHA / MAX_SEEDS, around.freedom)
    shown = error * _quantile(0.5 + SHOWN / 2, around.freedom)
    interval = (mean - shown, mean + shown)
    hoped = mean + error * _quantile(FUTILE, around.freedom)
    if hoped < least:
        return Verdict("worse" if mean <= -least and hoped < 0 else "same", mean, interval)
    if count >= FEWEST_SEEDS and mean - half > 0 and mean >= least:
        return Verdict("better", mean, interval)
    return Verdict("same" if count >= MAX_SEEDS else "open", mean, interval)


@cache
def _quantile(share: float, freedom: float) -> float:
    return float(stats.t.ppf(share, freedom))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


# ── cured, helped, no change or worse ─────────────────────────────────────────────────────────────

HARM = math.log(1.1)  # other measures than the one judged by may get worse by at most this
RAISED = 0.5  # level of a sign from which on it counts
AT_CHANCE = ("training-at-chance", "validation-at-chance", "accuracy-at-chance")
AT_EQUAL_SAMPLES = " at equal samples seen"


@dataclass(frozen=True)
class Judged:
    """One seed: how much better the treated arm was, how its symptoms changed, and what is new.

    `shown`: the control of this seed shows the symptom, so that it can disappear."""

    difference: Difference
    changes: list[SymptomChange]
    control: Outcome
    treated: Outcome
    shown: bool = True
    arisen: Sequence[str] = ()  # new in the treated run: faults, and a loss or score no better than chance


def settled(kind: JudgedBy, found: Verdict, seeds: Sequence[Judged], seen: bool) -> bool:
    if kind == "symptoms" or (seen and (found.decision == "same" or (found.decision == "worse" and held_out(seeds)))):
        # If the symptom is gone with one seed, a second seed must confirm it.
        return not gone(seeds[-1].changes) or len(seeds) >= FEWEST_SEEDS
    return found.decision != "open"


def verdict_of(kind: JudgedBy, found: Verdict, seeds: Sequence[Judged], seen: bool) -> tuple[TrialVerdict, str]:
    """The verdict and a note. `seen`: the fault was seen directly, so a change that removes it without harm is its fix,
    even if the effect is too small to measure."""
    well = [gone(each.changes, found.mean) for each in seeds if each.shown] or [True]
    cured = sum(well) * 2 > len(well)
    several = len(seeds) >= FEWEST_SEEDS
    spoilt = _spoilt(kind, seeds)
    arisen = [name for each in seeds for name in each.arisen]
    removed = seen and several and _removed(seeds)
    if removed and found.decision != "better" and not spoilt and not arisen:
        if found.mean > -LEAST_NOISE:
            return "cured", "the fault is gone; its effect is too small to measure in these steps"
        if held_out(seeds):
            return "cured", "the fault is gone and validation is better; only the training loss was lower with it"
    if found.decision == "worse":
        return "worse", ""
    if kind == "symptoms":
        return ("cured", "") if cured and not arisen and several else ("no-change", "")
    if found.decision != "better":
        return "no-change", "undecided when the time was up" if found.decision == "open" else ""
    if spoilt:
        return "no-change", spoilt
    if arisen:
        return "helped", f"new in the changed run: {', '.join(dict.fromkeys(arisen))}"
    if cured:
        return "cured", ""
    beyond_doubt = removed and all(each.difference.value > HARM for each in seeds)
    return ("proven" if beyond_doubt else "helped"), _left(seeds)


def arisen(control: Signs, treated: Signs) -> list[str]:
    """What a cure must not bring: faults, and a run at chance, that the control did not show."""
    units = all_signs()
    new = [sign.id for sign in treated.raised() if (control.level(sign.id) or 0.0) < RAISED]
    return [name for name in new if units[name].shows == "fault" or name in AT_CHANCE]


def held_out(seeds: Sequence[Judged]) -> bool:
    """Whether the script's own evaluation found the treated runs better."""
    found = [outcomes.in_validation(each.control, each.treated) for each in seeds]
    values = [each.value for each in found if each is not None]
    return bool(values) and sum(values) / len(values) > HARM


def _removed(seeds: Sequence[Judged]) -> bool:
    """Whether every seed showed a fault that is now gone."""
    units = all_signs()
    faults = [[change for change in each.changes if units[change.sign].shows == "fault"] for each in seeds]
    return all(each and all(change.gone for change in each) for each in faults)


def _left(seeds: Sequence[Judged]) -> str:
    left = [change.sign for change in seeds[-1].changes if not change.gone]
    return f"still there: {', '.join(left[:3])}" if left else ""


def _spoilt(kind: JudgedBy, seeds: Sequence[Judged]) -> str:
    """Names another measure that got worse while the judged one improved, which makes the improvement worthless."""
    guards = {
        "the loss-free score": [_scored(kind, each) for each in seeds],
        "the validation loss": [outcomes.in_validation(each.control, each.treated) for each in seeds],
        "the training loss": [outcomes.in_loss(each.control, each.treated) for each in seeds],
    }
    if kind in ("score", "validation"):  # the change may alter the scale of the loss
        guards.pop("the validation loss")
    if kind != "time":
        guards.pop("the training loss")
    for name, found in guards.items():
        values = [each.value for each in found if each is not None]
        if values and sum(values) / len(values) < -HARM:
            return f"{MEASURES[kind]} improved, but {name} got worse"
    return ""


def _scored(kind: JudgedBy, seed: Judged) -> Difference | None:
    """The change of the score; on held-out data if the trial is judged by validation."""
    held_out = outcomes.in_score(seed.control.validation_score, seed.treated.validation_score)
    if kind == "validation" and held_out is not None:
        return held_out
    return outcomes.in_score(seed.control.score, seed.treated.score)


def effect_of(kind: JudgedBy, seeds: Sequence[Judged], found: Verdict, equal_samples: bool) -> Effect:
    measure = MEASURES[kind] + (AT_EQUAL_SAMPLES if equal_samples else "")
    if not seeds:
        return Effect(measure, math.nan, math.nan)
    control = float(sorted(_level(kind, each.control) for each in seeds)[len(seeds) // 2])
    treated = float(sorted(_level(kind, each.treated) for each in seeds)[len(seeds) // 2])
    low, high = found.interval
    # As a relative change of the loss (or of the distance to a perfect score): -0.9 is 90 % lower.
    return Effect(measure, control, treated, math.expm1(-found.mean), (math.expm1(-high), math.expm1(-low)))


def _level(kind: JudgedBy, side: Outcome) -> float:
    part = side.of(kind) or side.loss
    return part.value if part is not None else math.nan
