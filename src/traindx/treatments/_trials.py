"""One trial: a treated run against the control, seed by seed, until it is decided."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from ..diagnosis import Hypothesis, TrialCurve, TrialReport
from ..diagnosis.treatment import TrialVerdict
from ..signs import measure_all
from . import _outcomes as outcomes
from ._arms import Arm, Made
from ._base import Dose, Experiment, Intervention, JudgedBy
from ._controls import MEASURES, Controls, difference, judged_by
from ._judging import (
    MAX_SEEDS,
    MUCH_BETTER,
    RAISED,
    Judged,
    Verdict,
    arisen,
    effect_of,
    judge,
    noise,
    settled,
    verdict_of,
)
from ._outcomes import OF_LENGTH, Difference, both, compared, conditions, symptoms
from .rerun import fixed_script

LEAST_EFFECT = math.log(1.1)  # about a tenth less loss, or fewer errors
LEAST_EFFECT_OF_FINE = math.log(1.25)  # if the outcome was fine and the cause is only suspected
LEAST_SPEEDUP = math.log(1.25)
ARMS_OF_TWO_SEEDS = 4  # at the start: two treated runs, the second control, and a placebo
EQUAL = 0.05  # from this relative difference in steps on, the report says "at equal samples seen"


def arm_of(unit: Intervention | Experiment, dose: Dose, controls: Controls) -> Arm | None:
    """The arm that makes the change, by a driver or by a patched script; None if the patch does not fit."""
    if dose.fix is None:
        return Arm(dose.text, dose.driver or unit.driver, dose.options)
    control = controls.made[0].run
    return fixed_script(dose.fix, control, controls.arms.args) if control is not None else None


def try_dose(
    controls: Controls,
    intervention: Intervention,
    hypothesis: Hypothesis,
    dose: Dose,
    *,
    fine: bool,
    in_time: Callable[[], bool],
    beside: Sequence[Hypothesis] = (),
) -> TrialReport:
    """`fine`: the control's outcome was not bad in itself. `in_time`: whether there is time for more runs. `beside`:
    further causes that the same change removes."""
    began, kind = time.monotonic(), judged_by(intervention, dose, controls)
    arm = arm_of(intervention, dose, controls)
    found_by = [sign for each in (hypothesis, *beside) for sign in symptoms(each, controls.signs)]
    watched = [sign for sign in dict.fromkeys(found_by) if sign not in intervention.leaves]
    if kind == "time":  # a speed-up changes no symptom of the training
        watched = []
    least = _least_effect(kind, fine, [*watched, *conditions(hypothesis, controls.signs)])
    seen = hypothesis.basis == "seen"
    seeds: list[Judged] = []
    curves: tuple[TrialCurve, ...] = ()
    found = Verdict("open", 0.0, (0.0, 0.0))

    def report(verdict: TrialVerdict, note: str = "") -> TrialReport:
        return TrialReport(
            intervention=intervention.id, title=intervention.title, cause=hypothesis.cause, verdict=verdict,
            seeds=len(seeds), effect=effect_of(kind, seeds, found, abs(dose.steps - 1) > EQUAL), dose=dose.text,
            symptoms=seeds[0].changes if seeds else (), seconds=time.monotonic() - began, note=note,
            curves=curves, steps=max(1, round(dose.steps * controls.length.steps)),
        )  # fmt: skip

    if arm is None:
        return report("failed", "the fix does not fit the files as they are")
    if kind == "symptoms" and not watched:
        return report("failed", "the control shows no symptom that could disappear")
    # With enough cores, the second seed runs beside the first: it is seldom superfluous.
    ahead = 2 if controls.arms.at_once >= ARMS_OF_TWO_SEEDS and kind != "time" else 1
    made: list[Made] = []
    for seed in range(MAX_SEEDS):
        if seed and not in_time():
            break
        if seed == len(made):
            seeds_now = list(range(seed, seed + (ahead if seed == 0 else 1)))
            made += controls.ensure(seeds_now, [(arm, each) for each in seeds_now], dose.steps, alone=kind == "time")
        treated = made[seed]
        if seed == 0:
            curves = both(controls.made[0].run, treated.run)
        why = _failed(treated, controls.made[seed], patched=dose.fix is not None)
        if why is not None:
            return report("failed", why)
        judged = _judged(controls, treated, seed, kind, watched, dose.steps, seen)
        if judged is not None and seed == 0 and kind == "loss" and outcomes.both_fitted(judged.control, judged.treated):
            kind = "validation"
            judged = _judged(controls, treated, seed, kind, watched, dose.steps, seen)
        if judged is None:
            return report("failed", f"there is no {MEASURES[kind]} to compare")
        seeds.append(judged)
        within = [each.difference.error for each in seeds]
        differences = [each.difference.value for each in seeds]
        around = noise(differences, controls.scatter(kind), within)
        found = judge(differences, around, least)
        if settled(kind, found, seeds, seen):
            break
    return report(*verdict_of(kind, found, seeds, seen))


def _least_effect(kind: JudgedBy, fine: bool, rests_on: Sequence[str]) -> float:
    """`rests_on`: the raised signs that speak for the cause."""
    if kind == "time":
        return LEAST_SPEEDUP
    # If nothing is wrong that could disappear, the effect must be large: most runs can be tuned a little.
    return LEAST_EFFECT if not fine else LEAST_EFFECT_OF_FINE if rests_on else MUCH_BETTER


def _failed(treated: Made, control: Made, patched: bool) -> str | None:
    """Why the treated run shows nothing, if so. The message must blame our change, not the user's script."""
    ours = "the patched script" if patched else "the script with our change"
    if treated.run is None:
        return f"{ours} left no record, which says nothing about the script itself: {treated.error or 'it ended early'}"
    if treated.error and not control.error:
        return f"{ours} fails where the script itself does not: {treated.error}"
    if not treated.acted and not patched:
        return treated.found.note or "the change never took effect"
    return None


def _judged(
    controls: Controls, treated: Made, seed: int, kind: JudgedBy, watched: Sequence[str], ratio: float, seen: bool
) -> Judged | None:
    """Compare one seed. `ratio`: the treated run's steps for each step of the control."""
    assert treated.run is not None
    # A broken run keeps its full length: judged by its steps before the break, it could beat a control that broke
    # slightly earlier.
    steps = max(1, round(ratio * controls.length.steps))
    if not outcomes.broken(treated.run):
        steps = min(steps, max(1, treated.run.steps))
    after = outcomes.outcome(treated.run, steps)
    before = controls.outcome(seed, max(1, round(steps / ratio)))
    if before is None:
        return None
    better = difference(kind, before, after) or (difference("loss", before, after) if kind == "symptoms" else None)
    if better is None and seen and after.learned and kind == "score":
        better = Difference(0.0, 0.0)  # no score can be compared, but the symptom of a seen fault still can
    if better is None:
        return None
    own = controls.signs_of(seed)
    raised = [name for name in watched if (own.level(name) or 0.0) >= RAISED]
    signs = measure_all(treated.run).without(OF_LENGTH if treated.cut else ())
    changes = compared(raised, own, signs, controls.reached(treated.run, ratio))
    return Judged(better, changes, before, after, shown=bool(raised) or not watched, arisen=arisen(own, signs))
