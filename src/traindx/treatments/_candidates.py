"""What to try: the hypotheses worth a trial, each with the ways to test it, in the order of trying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..causes import all_causes
from ..diagnosis import Diagnosis, Hypothesis, TrialReport
from ..edits import Project, merged
from ..record import Run
from ..signs import Signs
from ._base import WHY_NOT, Dose, Experiment, Intervention, Refusal, all_experiments, all_interventions
from ._conclusion import FACTORS

LIKELY = 0.3  # a cause with at least this confidence is tested although the outcome is fine
POSSIBLE = 0.1  # the same for an inconclusive run
WORTH = 0.03  # hypotheses below this confidence are not tested
OF_CONDITION = 0.9  # the worth of treating a condition, which may be the consequence of a fault
PERFECT = 0.99  # from this score on, a run makes no errors to speak of
SCORES = 5  # at the end of a run, by which it is judged


@dataclass(frozen=True)
class Candidate:
    """A hypothesis and a way to test it."""

    hypothesis: Hypothesis
    unit: Intervention | Experiment
    doses: tuple[Dose, ...]
    beside: tuple[Hypothesis, ...] = ()  # further faults that the same change removes
    first: int = 0  # the first dose that is worth trying

    @property
    def untried(self) -> tuple[Dose, ...]:
        return self.doses[self.first :]

    def worth(self, tried: Sequence[TrialReport] = ()) -> tuple[bool, bool, bool, float, bool]:
        """The sort key: faults that were seen directly come first, several at once before one; a longer run comes last,
        because nearly every run that a fault holds back learns more from more steps. Among equals, probability times
        decisiveness over cost, then the patch before a driver: what it cures needs no further proof. Earlier trials of
        the same cause that changed nothing lower its probability."""
        decisive = self.unit.decisive if isinstance(self.unit, Intervention) else 0.5
        hypothesis = self.hypothesis
        factor = min([FACTORS[t.verdict] for t in tried if t.cause == hypothesis.cause and not t.experiment], default=1)
        likely = max(hypothesis.confidence, hypothesis.beside or 0.0)
        worth = likely * min(1, factor) * decisive / self.unit.cost
        patched = isinstance(self.unit, Intervention) and self.doses[0].fix is not None
        worth *= OF_CONDITION if hypothesis.basis == "measured" else 1.0
        last = isinstance(self.unit, Experiment) and self.unit.last
        return hypothesis.basis == "seen", bool(self.beside), not last, worth, patched


def candidates_of(diagnosis: Diagnosis, run: Run, signs: Signs) -> tuple[list[Candidate], list[str]]:
    """The candidates, the first to try first, and sentences about what cannot be tried."""
    found, refusals = [], []
    hypotheses = testable(diagnosis, run)
    units: list[Intervention | Experiment] = [*all_interventions().values(), *all_experiments().values()]
    for hypothesis in hypotheses:
        if hypothesis.cause in WHY_NOT:
            refusals.append(f"not tested: {hypothesis.title} ({WHY_NOT[hypothesis.cause]})")
        for unit in units:
            if hypothesis.cause not in unit.tests:
                continue
            ask = unit.doses if isinstance(unit, Intervention) else unit.arms
            doses = ask(run, signs, hypothesis.cause)
            if isinstance(doses, Refusal):
                refusals.append(f"not tried: {unit.title} ({doses.reason})")
            elif doses:
                found.append(Candidate(hypothesis, unit, tuple(doses)))
    seen = [h for h in hypotheses if h.basis == "seen"]
    if seen:  # a longer run would prove nothing beside a fault
        found = [each for each in found if not (isinstance(each.unit, Experiment) and each.unit.last)]
    both = _together(seen, run)
    found += [both] if both is not None else []
    return sorted(found, key=lambda candidate: candidate.worth(), reverse=True), refusals


def without_repeats(left: Sequence[Candidate], patched: Hypothesis) -> list[Candidate]:
    """The candidates that do more than the patch of this cause has done: the first dose of a driver is the fix's own.

    A driver with no other dose is left out where the fault was seen, or where no other driver tests the cause."""
    same = [each for each in left if each.hypothesis.cause == patched.cause and isinstance(each.unit, Intervention)]
    alone = patched.basis == "seen" or len(same) == 1
    found = []
    for each in left:
        if each not in same:
            found.append(each)
        elif len(each.doses) > 1:
            found.append(replace(each, first=1))
        elif not alone:
            found.append(each)
    return found


def _together(seen: Sequence[Hypothesis], run: Run) -> Candidate | None:
    """The fixes of all faults that were seen as one patch: the fix of one alone may help little."""
    project = Project.of(run)
    fixes = [h.fix for h in seen if h.fix is not None and h.fix.patch is not None]
    if project is None or len(fixes) < max(2, len(seen)):
        return None
    patch = merged([str(fix.patch) for fix in fixes], project.root)
    if patch is None:
        return None
    unit = all_interventions()["patch-script"]
    kinds = {each.judged_by for each in all_interventions().values() for h in seen if h.cause in each.tests}
    summary, code = " ".join(fix.summary for fix in fixes), "\n".join(fix.code for fix in fixes)
    fix = replace(fixes[0], summary=summary, code=code, safety="changes-result", patch=patch)
    names = " and ".join(h.cause for h in seen)
    dose = Dose({}, f"patched: {names} at once", fix=fix, judged_by="score" if "score" in kinds else "loss")
    return Candidate(seen[0], unit, (dose,), tuple(seen[1:]))


def worth_treating(diagnosis: Diagnosis, run: Run) -> bool:
    """Whether something is wrong or suspected, or a cause is likely enough to test although the outcome is fine."""
    if diagnosis.verdict == "out-of-scope":
        return False
    if diagnosis.verdict == "sick" or diagnosis.suspected:
        return True
    enough = POSSIBLE if diagnosis.verdict == "inconclusive" else LIKELY
    return any(h.confidence >= enough for h in testable(diagnosis, run))


def testable(diagnosis: Diagnosis, run: Run) -> list[Hypothesis]:
    """The causes worth a trial. Of a healthy run, advice is none (it could train better, which is no disease), and
    nothing that was not seen if the run makes no errors."""
    causes = [h for h in diagnosis.hypotheses if h.cause not in ("healthy", "unknown")]
    found = [h for h in causes if h.confidence >= WORTH or h.basis == "seen"]
    if diagnosis.verdict != "healthy" or diagnosis.suspected:
        return found
    known = all_causes()
    advice = [h.cause for h in found if known[h.cause].gains or known[h.cause].advisory]
    return [h for h in found if h.basis == "seen" or not (h.cause in advice or perfect(run))]


def perfect(run: Run) -> bool:
    """Whether the run predicts its held-out data, or else its training data, without errors to speak of."""
    series = next(
        (s for name in ("score/validation", "score/train") if len((s := run.series(name).finite).values)), None
    )
    return series is not None and float(np.median(series.values[-SCORES:])) >= PERFECT
