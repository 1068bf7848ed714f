"""Runs the script once more after its file was patched, and compares it with the trial that proved the patch."""

from __future__ import annotations

import math

from ..diagnosis import Diagnosis, SymptomChange, TrialReport, judged_signs
from ..probes.fork_server import fork_server
from ..probes.launch import Script, stop_all
from ..record import Run
from ..wording import num
from ._arms import Arm, Arms, Length
from ._arms import Watch as Watch
from ._controls import kind_of
from ._outcomes import Outcome, outcome
from ._symptoms import OF_LENGTH, gone
from .caching import TrialCache

SECONDS = 60.0  # time limit of the run; longer if the trial took longer


def proving_trial(diagnosis: Diagnosis) -> TrialReport | None:
    """The trial that proved the cause."""
    treatment = diagnosis.treatment
    made = treatment.trials if treatment is not None else ()
    cured = [trial for trial in made if treatment and trial.cause == treatment.cause and trial.verdict == "cured"]
    return cured[-1] if cured else None


def behaves_like_trial(script: Script, diagnosis: Diagnosis, watch: Watch) -> tuple[bool, str]:
    """Whether the script in its current state behaves like the trial, and one sentence about it."""
    trial, treatment = proving_trial(diagnosis), diagnosis.treatment
    if trial is None or treatment is None:
        return False, "no trial proved this patch, so there is nothing to compare with"
    length = Length(
        trial.steps or max(1, treatment.steps), max(SECONDS, trial.seconds), diagnosis.validation is not None
    )
    with fork_server(script) as start:
        arms = Arms(script, start, TrialCache(None), watch, 1)
        try:
            made = arms.run(Arm("patched file"), 0, length)
        finally:
            arms.close()
            stop_all()
    if made.run is None or (made.error and diagnosis.exit in ("ok", "stopped", None)):
        return False, f"the patched script failed: {made.error or 'it left no record'}"
    after = judged_signs(made.run).without(OF_LENGTH if made.cut else ())
    changes = [SymptomChange(seen.sign, seen.control, after.level(seen.sign)) for seen in trial.symptoms]
    if not gone(changes):
        left = ", ".join(change.sign for change in changes if not change.gone)
        return False, f"the symptom is still there ({left})"
    return _compared(trial, made.run, length.steps)


def _compared(trial: TrialReport, run: Run, steps: int) -> tuple[bool, str]:
    """Whether the outcome is nearer to that of the treated runs than to that of the control."""
    effect = trial.effect
    level = _level(outcome(run, min(steps, max(1, run.steps))), effect.measure)
    if level is None or not math.isfinite(effect.treated):
        return True, "the symptom is gone"
    text = f"{effect.measure} {num(level)}; in the trial {num(effect.treated)}, before {num(effect.control)}"
    if not math.isfinite(level):
        return False, text
    near = abs(level - effect.treated)
    return not math.isfinite(effect.control) or near <= abs(level - effect.control), text


def _level(found: Outcome, measure: str) -> float | None:
    kind = kind_of(measure, "loss")
    if kind == "score":
        part = found.validation_score or found.score
    else:
        part = {"validation": found.validation, "time": found.pace}.get(kind, found.loss)
    return None if part is None else part.value
