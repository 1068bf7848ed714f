"""The verdict of a trial over all its seeds: cured, helped, no change or worse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..diagnosis import Effect, SymptomChange
from ..diagnosis.treatment import TrialVerdict
from ..signs import all_signs
from . import _outcomes as outcomes
from . import _statistics as statistics
from ._base import JudgedBy
from ._controls import MEASURES
from ._outcomes import Difference, Level, Outcome
from ._symptoms import gone

HARM = math.log(1.1)  # other measures than the one judged by may get worse by at most this
MUCH_BETTER = math.log(2.0)  # half the loss, or half as many errors
AT_EQUAL_SAMPLES = " at equal samples seen"


@dataclass(frozen=True)
class Judged:
    """One seed: how much better the treated arm was, and how its symptoms changed. `shown`: the control of this seed
    shows the symptom, so that it can disappear."""

    difference: Difference
    changes: list[SymptomChange]
    control: Outcome
    treated: Outcome
    shown: bool = True


def settled(kind: JudgedBy, found: statistics.Verdict, seeds: Sequence[Judged], seen: bool) -> bool:
    if kind == "symptoms" or (seen and (found.decision == "same" or (found.decision == "worse" and held_out(seeds)))):
        # If the symptom is gone with one seed, a second seed must confirm it.
        return not gone(seeds[-1].changes) or len(seeds) >= statistics.FEWEST_SEEDS
    return found.decision != "open"


def verdict_of(
    kind: JudgedBy, found: statistics.Verdict, seeds: Sequence[Judged], seen: bool
) -> tuple[TrialVerdict, str]:
    """The verdict and a note. `seen`: the fault was seen directly, so a change that removes it without harm is its fix,
    even if the effect is too small to measure."""
    well = [gone(each.changes, found.mean >= MUCH_BETTER) for each in seeds if each.shown] or [True]
    cured = sum(well) * 2 > len(well)
    several = len(seeds) >= statistics.FEWEST_SEEDS
    spoilt = _spoilt(kind, seeds)
    if seen and several and found.decision != "better" and not spoilt and _removed(seeds):
        if found.mean > -statistics.LEAST_NOISE:
            return "cured", "the fault is gone; its effect is too small to measure in these steps"
        if held_out(seeds):
            return "cured", "the fault is gone and validation is better; only the training loss was lower with it"
    if found.decision == "worse":
        return "worse", ""
    if kind == "symptoms":
        return ("cured", "") if cured and several else ("no-change", "")
    if found.decision != "better":
        return "no-change", "undecided when the time was up" if found.decision == "open" else ""
    if spoilt:
        return "no-change", spoilt
    return ("cured", "") if cured else ("helped", _left(seeds))


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


def effect_of(kind: JudgedBy, seeds: Sequence[Judged], found: statistics.Verdict, equal_samples: bool) -> Effect:
    measure = MEASURES[kind] + (AT_EQUAL_SAMPLES if equal_samples else "")
    if not seeds:
        return Effect(measure, math.nan, math.nan)
    control = float(sorted(_level(kind, each.control) for each in seeds)[len(seeds) // 2])
    treated = float(sorted(_level(kind, each.treated) for each in seeds)[len(seeds) // 2])
    low, high = found.interval
    # As a relative change of the loss (or of the distance to a perfect score): -0.9 is 90 % lower.
    return Effect(measure, control, treated, math.expm1(-found.mean), (math.expm1(-high), math.expm1(-low)))


def _level(kind: JudgedBy, side: Outcome) -> float:
    part: Level | None = {
        "score": side.validation_score or side.score,
        "validation": side.validation,
        "time": side.pace,
    }.get(kind) or side.loss
    return part.value if part is not None else math.nan
