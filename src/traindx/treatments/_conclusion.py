"""What the trials add up to: the ranking after them, and the sentences of the conclusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..causes import all_causes
from ..diagnosis import Diagnosis, Hypothesis, TrialReport
from ..diagnosis.treatment import TreatmentVerdict
from ..diagnosis.types import Basis
from ..wording import apart, by_experiment
from ._base import Told

# Likelihood ratios: how much more often a trial has this outcome if its cause is the true one than if it is not. They
# are bounded, because a cure can be luck, and a fix that did not help may have had the wrong dose.
FACTORS: Mapping[str, float] = {
    "cured": 30.0,
    "proven": 30.0,
    "helped": 3.0,
    "no-change": 0.1,
    "worse": 0.05,
    "failed": 1.0,
}
LEAST, MOST = 0.05, 30.0
PROVES = 10.0  # an experiment with at least this likelihood ratio proves its cause


def ranked(diagnosis: Diagnosis, trials: Sequence[TrialReport], told: Mapping[str, float]) -> list[Hypothesis]:
    """The hypotheses in their new order, each with its trial. `told`: likelihood ratios of experiments by cause."""
    best = {trial.cause: trial for trial in sorted(trials, key=lambda t: FACTORS[t.verdict])}
    weights = {}
    for hypothesis in diagnosis.hypotheses:
        trial = best.get(hypothesis.cause)
        factor = FACTORS[trial.verdict] if trial is not None and not trial.experiment else 1.0
        if hypothesis.basis == "seen":  # the fault exists even if its fix does not help
            factor = max(1.0, factor)
        factor *= told.get(hypothesis.cause, 1.0)
        weights[hypothesis.cause] = hypothesis.confidence * min(MOST, max(LEAST, factor))
    unnamed = max(0.0, 1.0 - sum(hypothesis.confidence for hypothesis in diagnosis.hypotheses))
    total = sum(weights.values()) + unnamed
    found = [
        replace(
            hypothesis,
            confidence=weights[hypothesis.cause] / total if total else hypothesis.confidence,
            basis=_basis(hypothesis, best.get(hypothesis.cause), told.get(hypothesis.cause, 1.0)),
            trial=_as_evidence(best.get(hypothesis.cause)),
        )
        for hypothesis in diagnosis.hypotheses
    ]
    return sorted(found, key=lambda h: (h.basis != "proven", h.basis == "refuted", -h.confidence))


def _basis(hypothesis: Hypothesis, trial: TrialReport | None, told: float) -> Basis:
    if trial is None or trial.verdict == "failed":
        return hypothesis.basis
    if trial.experiment:
        return "proven" if told >= PROVES else "refuted" if told <= 0.1 else hypothesis.basis
    if trial.proves:
        return "proven"
    # A fault that was seen exists even if its fix does not help, so it is never refuted.
    return "refuted" if trial.verdict in ("no-change", "worse") and hypothesis.basis != "seen" else hypothesis.basis


def _as_evidence(trial: TrialReport | None) -> dict[str, object] | None:
    if trial is None or trial.experiment:  # an experiment has no treated outcome; its sentence is in the treatment
        return None
    return {
        "verdict": trial.verdict,
        "control": trial.effect.control,
        "treated": trial.effect.treated,
        "measure": trial.effect.measure,
        "intervention": trial.intervention,
        "dose": trial.dose,
        "seeds": trial.seeds,
    }


# ── sentences ─────────────────────────────────────────────────────────────────────────────────────


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
        trial = next(trial for trial in reversed(trials) if trial.cause == cured and trial.proves)
        left = next((h.confidence for h in diagnosis.hypotheses if h.cause == cured), 1.0)
        how = by_experiment(left)
        if trial.note:
            how = "seen directly, and removed in a trial" if trial.verdict == "cured" else "proven by its removal"
        rest = f"; {trial.note}" if trial.verdict == "proven" and trial.note else ""
        verdict: TreatmentVerdict = "cured" if trial.verdict == "cured" else "proven"
        return verdict, cured, f"{all_causes()[cured].title}, {how}: {effect_text(trial)}{rest}."
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
    moved = f"{effect.measure} {' -> '.join(apart(effect.control, effect.treated))}"
    return f"{trial.dose}: {moved} ({seeds_text(trial.seeds)})"


def seeds_text(count: int) -> str:
    return "one seed" if count == 1 else f"{count} seeds"


def _count(count: int) -> str:
    return "one trial was" if count == 1 else f"{count} trials were"
