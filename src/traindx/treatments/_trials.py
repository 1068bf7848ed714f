"""One trial: a change against the control, seed by seed, until it is decided."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..diagnosis import Effect, Hypothesis, SymptomChange, TrialCurve, TrialReport
from ..diagnosis.treatment import TrialVerdict
from ..record import Run
from ..signs import Signs, all_signs, measure_all
from . import _outcomes as outcomes
from . import _statistics as statistics
from ._arms import CONTROL, Arm, Arms, Length, Made
from ._base import Dose, Intervention, JudgedBy
from ._outcomes import Difference, Outcome
from ._symptoms import OF_LENGTH, compared, gone, symptoms
from ._thinned import both
from .placebo import DOSE as PLACEBO_DOSE

PLACEBO = Arm("placebo", "traindx.treatments.placebo", PLACEBO_DOSE.options)
PLACEBO_EVERY = 2  # of the seeds, one has a placebo too
LEAST_EFFECT = math.log(1.1)  # a tenth less loss, or fewer errors
LEAST_EFFECT_OF_FINE = math.log(1.25)  # where the outcome was fine and a cause is only suspected
LEAST_EFFECT_WITHOUT_SYMPTOM = math.log(2.0)  # where there was no symptom that could disappear: most runs can be tuned
HARM = math.log(1.1)  # the other measures must not get worse by more than this
SAME_START = 1e-4  # relative difference of first losses of two runs from the same seed
MEASURES = {
    "loss": "training loss",
    "score": "loss-free score",
    "validation": "validation loss",
    "symptoms": "training loss",
}


@dataclass
class Controls:
    """The arms that every trial is compared with, made when they are needed."""

    arms: Arms
    length: Length
    signs: Signs
    made: dict[int, Made] = field(default_factory=dict)
    placebos: dict[int, Made] = field(default_factory=dict)
    seeded: bool = True  # the same seed gives the same start

    def ensure(self, seeds: Sequence[int], others: Sequence[tuple[Arm, int]]) -> list[Made]:
        """Runs the controls and placebos of these seeds that are missing beside other arms; returns the others."""
        missing = [(CONTROL, seed) for seed in seeds if seed not in self.made]
        blind = [(PLACEBO, seed) for seed in seeds if seed % PLACEBO_EVERY == 0 and seed not in self.placebos]
        found = self.arms.all([*others, *missing, *blind], self.length)
        for (arm, seed), made in zip([*missing, *blind], found[len(others) :], strict=True):
            (self.made if arm is CONTROL else self.placebos)[seed] = made
        self._compare_starts()
        return found[: len(others)]

    def _compare_starts(self) -> None:
        """The first loss comes before any change of the learning rate, so with the same seed it must be the same."""
        for seed, placebo in self.placebos.items():
            control = self.made.get(seed)
            if control is None or control.run is None or placebo.run is None:
                continue
            one, other = control.run.series("loss/train").values, placebo.run.series("loss/train").values
            if len(one) and len(other) and not np.isclose(one[0], other[0], SAME_START, 1e-12, equal_nan=True):
                self.seeded = False

    @property
    def noiseless(self) -> bool:
        """Whether placebos changed nothing at all, not even in the last bit."""
        pairs = [(self.made.get(seed), placebo) for seed, placebo in self.placebos.items()]
        runs = [(one.run, other.run) for one, other in pairs if one is not None and one.run and other.run]
        return bool(runs) and all(_same_losses(one, other) for one, other in runs)

    def reached(self, run: Run) -> bool:
        """Whether a run got far enough to show what the control shows."""
        control = self.made[0].run
        return control is not None and 2 * run.steps >= min(control.steps, self.length.steps)

    def outcome(self, seed: int, steps: int) -> Outcome | None:
        run = self.made[seed].run
        return outcomes.outcome(run, steps) if run is not None else None

    def scatter(self, kind: JudgedBy) -> list[float]:
        """The noise: what placebos change and, where the script ignores seeds, how much controls differ."""
        steps = self.length.steps
        pairs = [(self.made[s], placebo) for s, placebo in self.placebos.items() if s in self.made]
        if not self.seeded:
            others = [made for seed, made in self.made.items() if seed]
            pairs += [(self.made[0], other) for other in others]
        found = []
        for one, other in pairs:
            if one.run is not None and other.run is not None:
                both = outcomes.outcome(one.run, steps), outcomes.outcome(other.run, steps)
                found.append(difference(kind, *both))
        return [each.value for each in found if each is not None]


def difference(kind: JudgedBy, control: Outcome, treated: Outcome) -> Difference | None:
    """How much better the treated arm is by what it is judged by; None where that was not measured."""
    if kind == "score":
        # On held-out data where the script evaluates: on training data a model may have nothing left to gain.
        return outcomes.in_score(control.validation_score, treated.validation_score) or outcomes.in_score(
            control.score, treated.score
        )
    if kind == "validation":
        return outcomes.in_validation(control, treated)
    return outcomes.in_loss(control, treated)


@dataclass(frozen=True)
class Judged:
    """A seed: how much better the treated arm was, and whether the symptom was gone."""

    difference: Difference
    changes: list[SymptomChange]
    control: Outcome
    treated: Outcome


def _same_losses(one: Run, other: Run) -> bool:
    first, second = one.series("loss/train").values, other.series("loss/train").values
    length = min(len(first), len(second))
    return bool(length) and bool(np.array_equal(first[:length], second[:length], equal_nan=True))


def judged_by(intervention: Intervention, controls: Controls) -> JudgedBy:
    """As the intervention says; but in adversarial training no loss says how well it goes."""
    run = controls.made[0].run
    rivals = run is not None and len(run.optimizers) > 1 and len(run.entries("backward_sites")) > 1
    return "symptoms" if rivals and intervention.judged_by == "loss" else intervention.judged_by


def try_dose(
    controls: Controls,
    intervention: Intervention,
    hypothesis: Hypothesis,
    dose: Dose,
    *,
    fine: bool,
    in_time: Callable[[], bool],
) -> TrialReport:
    """`fine`: the outcome of the control was not bad by itself. `in_time`: whether more runs may be made."""
    began, kind = time.monotonic(), judged_by(intervention, controls)
    arm = Arm(dose.text, intervention.module, dose.options)
    watched = [sign for sign in symptoms(hypothesis, controls.signs) if sign not in intervention.leaves]
    least = LEAST_EFFECT if not fine else LEAST_EFFECT_OF_FINE if watched else LEAST_EFFECT_WITHOUT_SYMPTOM
    seen = hypothesis.basis == "seen"
    seeds: list[Judged] = []
    curves: tuple[TrialCurve, ...] = ()
    found = statistics.Verdict("open", 0.0, (0.0, 0.0))

    def report(verdict: TrialVerdict, note: str = "") -> TrialReport:
        return TrialReport(
            intervention=intervention.id, title=intervention.title, cause=hypothesis.cause, verdict=verdict,
            seeds=len(seeds), effect=_effect(kind, seeds, found), dose=dose.text,
            symptoms=seeds[0].changes if seeds else (), seconds=time.monotonic() - began, note=note,
            curves=curves,
        )  # fmt: skip

    if kind == "symptoms" and not watched:
        return report("failed", "the control shows no symptom that could disappear")
    for seed in range(statistics.MAX_SEEDS):
        if seed and not in_time():
            break
        (treated,) = controls.ensure([seed], [(arm, seed)])
        if seed == 0:
            curves = both(controls.made[0].run, treated.run)
        why = _failed(treated, controls.made[seed])
        if why is not None:
            return report("failed", why)
        judged = _judged(controls, treated, seed, kind, watched)
        if judged is None:
            return report("failed", f"there is no {MEASURES[kind]} to compare")
        seeds.append(judged)
        within = [each.difference.error for each in seeds]
        differences = [each.difference.value for each in seeds]
        around = statistics.noise(differences, controls.scatter(kind), within)
        found = statistics.judge(differences, around, least)
        if _settled(kind, found, seeds, seen):
            break
    return report(*_verdict(kind, found, seeds, seen))


def _settled(kind: JudgedBy, found: statistics.Verdict, seeds: Sequence[Judged], seen: bool) -> bool:
    if kind == "symptoms" or (
        seen and found.decision == "same"
    ):  # a symptom that one seed shows gone is confirmed by a second one
        return not gone(seeds[-1].changes) or len(seeds) >= statistics.FEWEST_SEEDS
    return found.decision != "open"


def _failed(treated: Made, control: Made) -> str | None:
    if treated.run is None:
        return treated.error or "the run could not be made"
    if treated.error and not control.error:
        return f"the changed run failed: {treated.error}"
    if not treated.acted:
        return str(treated.found.get("note") or "") or "the change never took effect"
    return None


def _judged(controls: Controls, treated: Made, seed: int, kind: JudgedBy, watched: Sequence[str]) -> Judged | None:
    assert treated.run is not None
    # A run that broke is not measured by the steps before that: it would beat a control that broke a little earlier.
    steps = controls.length.steps
    if not outcomes.broken(treated.run):
        steps = min(steps, max(1, treated.run.steps))
    after = outcomes.outcome(treated.run, steps)
    before = controls.outcome(seed, steps)
    if before is None:
        return None
    better = difference(kind, before, after) or (difference("loss", before, after) if kind == "symptoms" else None)
    if better is None:
        return None
    signs = measure_all(treated.run).without(OF_LENGTH if treated.cut else ())
    return Judged(better, compared(watched, controls.signs, signs, controls.reached(treated.run)), before, after)


def _verdict(
    kind: JudgedBy, found: statistics.Verdict, seeds: Sequence[Judged], seen: bool
) -> tuple[TrialVerdict, str]:
    """`seen`: the fault was caught in the act. Then it is there whatever it costs, and a change that removes it and
    does no harm is its fix."""
    well = [gone(each.changes) for each in seeds]
    cured = sum(well) * 2 > len(well)
    if kind == "symptoms":
        if found.decision == "worse":
            return "worse", ""
        return ("cured", "") if cured and len(seeds) >= statistics.FEWEST_SEEDS else ("no-change", "")
    if found.decision == "worse":
        return "worse", ""
    if found.decision != "better":
        short = found.decision == "open"
        harmless = found.mean > -statistics.LEAST_NOISE and not _spoilt(kind, seeds)
        if seen and harmless and len(seeds) >= statistics.FEWEST_SEEDS and _removed(seeds):
            return "cured", "the fault is gone; its effect is too small to measure in these steps"
        return "no-change", "undecided when the time was up" if short else ""
    spoilt = _spoilt(kind, seeds)
    if spoilt:
        return "no-change", spoilt
    return ("cured", "") if cured else ("helped", _left(seeds))


def _removed(seeds: Sequence[Judged]) -> bool:
    """Whether a fault was raised, and is gone with every seed."""
    units = all_signs()
    faults = [[change for change in each.changes if units[change.sign].shows == "fault"] for each in seeds]
    return all(each and all(change.gone for change in each) for each in faults)


def _left(seeds: Sequence[Judged]) -> str:
    left = [change.sign for change in seeds[-1].changes if not change.gone]
    return f"still there: {', '.join(left[:3])}" if left else ""


def _spoilt(kind: JudgedBy, seeds: Sequence[Judged]) -> str:
    """Another measure that got worse while the one judged by got better: then the improvement is not real."""
    guards = {
        "the loss-free score": [outcomes.in_score(each.control.score, each.treated.score) for each in seeds],
        "the validation loss": [outcomes.in_validation(each.control, each.treated) for each in seeds],
    }
    if kind in ("score", "validation"):  # the change may alter the scale of any loss
        guards.pop("the validation loss")
    for name, found in guards.items():
        values = [each.value for each in found if each is not None]
        if values and sum(values) / len(values) < -HARM:
            return f"{MEASURES[kind]} improved, but {name} got worse"
    return ""


def _effect(kind: JudgedBy, seeds: Sequence[Judged], found: statistics.Verdict) -> Effect:
    def level(side: Outcome) -> float:
        part = (
            side.validation_score or side.score
            if kind == "score"
            else side.validation
            if kind == "validation"
            else None
        )
        part = part or side.loss
        return part.value if part is not None else math.nan

    if not seeds:
        return Effect(MEASURES[kind], math.nan, math.nan)
    control = float(sorted(level(each.control) for each in seeds)[len(seeds) // 2])
    treated = float(sorted(level(each.treated) for each in seeds)[len(seeds) // 2])
    low, high = found.interval
    # Relative change of the loss, or of the distance to a perfect score: -0.9 means nine tenths less.
    return Effect(MEASURES[kind], control, treated, math.expm1(-found.mean), (math.expm1(-high), math.expm1(-low)))
