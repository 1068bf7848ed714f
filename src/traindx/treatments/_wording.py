"""The sentences of a treatment's conclusion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..causes import all_causes
from ..diagnosis import Diagnosis, TrialReport
from ..diagnosis.treatment import TreatmentVerdict
from ..wording import num
from ._base import Told
from ._ranking import PROVES


def nothing_to_treat(diagnosis: Diagnosis) -> str:
    if diagnosis.verdict == "out-of-scope":
        return f"Nothing to treat here: {diagnosis.summary}"
    if diagnosis.verdict == "healthy":
        return f"Nothing to treat: {diagnosis.steps} steps show no fault and no bad outcome."
    return f"Nothing to treat: after {diagnosis.steps} steps no cause is likely enough to test."


def conclusion(
    diagnosis: Diagnosis,
    trials: Sequence[TrialReport],
    told: Mapping[str, Told],
    cured: str | None,
    any_candidate: bool,
) -> tuple[TreatmentVerdict, str | None, str]:
    """The verdict, the proven cause, and one sentence."""
    if cured is not None:
        trial = next(trial for trial in reversed(trials) if trial.cause == cured and trial.verdict == "cured")
        how = "seen directly, and removed in a trial" if trial.note else "proven by experiment"
        return "cured", cured, f"{all_causes()[cured].title}, {how}: {effect_text(trial)}."
    for cause, answer in told.items():
        if answer.answer == "for" and answer.factor >= PROVES:
            return "not-treatable", cause, f"{all_causes()[cause].title}: {answer.text.rstrip('.')}."
    helped = [trial for trial in trials if trial.verdict == "helped"]
    if helped:
        best = min(helped, key=lambda trial: trial.effect.change or 0.0)
        return "helped", None, f"{best.title} helped but did not cure: {effect_text(best)}."
    if not any_candidate:
        leading = diagnosis.leading
        return "not-treatable", None, f"No experiment tests the leading suspicion ({leading.title})."
    if not trials:
        return "no-proven-fix", None, "No trial was finished."
    return "no-proven-fix", None, f"No proven fix: {_count(len(trials))} made, and none helped."


def rules_out(diagnosis: Diagnosis, trials: Sequence[TrialReport]) -> list[str]:
    """One sentence for each cause that unsuccessful trials speak against, except causes that were seen directly."""
    seen = {hypothesis.cause for hypothesis in diagnosis.hypotheses if hypothesis.basis == "seen"}
    found = []
    for cause in dict.fromkeys(trial.cause for trial in trials if not trial.experiment):
        made = [trial for trial in trials if trial.cause == cause and not trial.experiment]
        if cause not in seen and all(trial.verdict in ("no-change", "worse") for trial in made):
            doses = "; ".join(trial.dose for trial in made)
            worse = "made it worse" if all(trial.verdict == "worse" for trial in made) else "changed nothing"
            found.append(f"{all_causes()[cause].title} ({cause}): {doses} {worse}.")
    return found


def effect_text(trial: TrialReport) -> str:
    effect = trial.effect
    moved = f"{effect.measure} {_number(effect.control)} -> {_number(effect.treated)}"
    return f"{trial.dose}: {moved} ({seeds_text(trial.seeds)})"


def seeds_text(count: int) -> str:
    return "one seed" if count == 1 else f"{count} seeds"


def _number(value: float) -> str:
    return num(value) if math.isfinite(value) else "not finite"


def _count(count: int) -> str:
    return "one trial was" if count == 1 else f"{count} trials were"
