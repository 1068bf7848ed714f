"""The ranking after the trials: each trial multiplies the weight of the cause that it tested, within bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..diagnosis import Diagnosis, Hypothesis, TrialReport
from ..diagnosis.types import Basis

# Likelihood ratios: how much more often a trial has this outcome if its cause is the true one than if it is not. They
# are bounded, because a cure can be luck, and a fix that did not help may have had the wrong dose.
FACTORS: Mapping[str, float] = {"cured": 30.0, "helped": 3.0, "no-change": 0.1, "worse": 0.05, "failed": 1.0}
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
            trial=_told(best.get(hypothesis.cause)),
        )
        for hypothesis in diagnosis.hypotheses
    ]
    return sorted(found, key=lambda h: (h.basis != "proven", h.basis == "refuted", -h.confidence))


def _basis(hypothesis: Hypothesis, trial: TrialReport | None, told: float) -> Basis:
    if trial is None or trial.verdict == "failed":
        return hypothesis.basis
    if trial.experiment:
        return "proven" if told >= PROVES else "refuted" if told <= 0.1 else hypothesis.basis
    if trial.verdict == "cured":
        return "proven"
    # A fault that was seen exists even if its fix does not help, so it is never refuted.
    return "refuted" if trial.verdict in ("no-change", "worse") and hypothesis.basis != "seen" else hypothesis.basis


def _told(trial: TrialReport | None) -> dict[str, object] | None:
    if trial is None:
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
