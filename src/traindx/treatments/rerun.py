"""Runs of the patched script: as an arm of a trial, to confirm a proven cause, and after the file was patched."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from ..causes import Fix, all_causes
from ..diagnosis import Diagnosis, SymptomChange, TrialReport
from ..edits import Project, patched_texts
from ..probes.forking import fork_runs
from ..probes.launch import Script, stop_all
from ..record import Run
from ..signs import Signs, measure_all
from ..wording import num
from ._arms import Arm, Arms, Length
from ._arms import Watch as Watch
from ._base import Dose, Intervention, JudgedBy
from ._controls import Controls, difference, kind_of
from ._judging import LEAST_NOISE
from ._outcomes import OF_LENGTH, compared, gone, outcome
from .caching import TrialCache

# ── an arm that runs the script with a fix ────────────────────────────────────────────────────────


def fixed_script(fix: Fix, control: Run, args: tuple[str, ...]) -> Arm | None:
    """The arm; None if there is neither a patch that fits the files nor an argument to change."""
    project = Project.of(control)
    if fix.patch is not None and project is not None:
        texts = patched_texts(fix.patch, project.root)
        sources = {str(Path(path).absolute()): text for path, text in (texts or {}).items()}
        return Arm("patched script", sources=sources) if sources else None
    recorded = control.script.argv
    if not fix.argv or not len(fix.argv) == len(recorded) == len(args):
        return None
    # The record masks arguments that may be secrets, so arguments that the fix does not change come from `args`.
    changed = tuple(new if new != old else own for new, old, own in zip(fix.argv, recorded, args, strict=True))
    return Arm(f"script with {fix.code}", args=changed) if changed != args else None


# ── the patch for a proven cause, and one run to confirm it ───────────────────────────────────────

ALIKE = 0.5  # the patched run must reach at least this share of the trial's effect


def fix_for(run: Run, signs: Signs, cause: str, intervention: Intervention, dose: Dose, first: bool) -> Fix:
    """The cause's own fix if its own dose (`first`) cured; else the fix with the dose that did."""
    own = all_causes()[cause].fix(run, signs)
    if first or intervention.fix is None:
        return own
    return intervention.fix(run, signs, cause, dose) or own


def confirm(
    arms: Arms, controls: Controls, fix: Fix, watched: list[str], kind: JudgedBy, report: TrialReport, ratio: float
) -> bool | None:
    """Runs the fixed script once. True if its symptom is gone and it gains much of what the trial gained; None if there
    is neither a patch that fits the files nor an argument to change. `ratio`: the treated run's steps for each step of
    the control."""
    control, signs = controls.made[0].run, controls.signs
    length = replace(controls.length, steps=max(1, round(ratio * controls.length.steps)))
    assert control is not None
    fixed = fixed_script(fix, control, arms.args)
    if fixed is None:
        return None
    made = arms.run(fixed, 0, length)
    if made.run is None or (made.error and control.exit != "exception"):
        return False
    after = measure_all(made.run).without(OF_LENGTH if made.cut else ())
    proven = -math.log1p(max(report.effect.change, -0.999)) if report.effect.change is not None else 0.0
    if not gone(compared(watched, signs, after, controls.reached(made.run, ratio)), proven):
        return False
    steps = min(length.steps, max(1, made.run.steps))
    better = difference(kind, outcome(control, max(1, round(steps / ratio))), outcome(made.run, steps))
    if better is None or report.effect.change is None:
        return True
    return better.value >= ALIKE * proven - LEAST_NOISE


# ── after the file was patched ────────────────────────────────────────────────────────────────────

SECONDS = 60.0  # time limit of the run; longer if the trial took longer


def proving_trial(diagnosis: Diagnosis) -> TrialReport | None:
    """The trial that proved the cause."""
    treatment = diagnosis.treatment
    made = treatment.trials if treatment is not None else ()
    cured = [trial for trial in made if treatment and trial.cause == treatment.cause and trial.proves]
    return cured[-1] if cured else None


def behaves_like_trial(script: Script, diagnosis: Diagnosis, watch: Watch) -> tuple[bool, str]:
    """Whether the script in its current state behaves like the trial, and one sentence about it."""
    trial, treatment = proving_trial(diagnosis), diagnosis.treatment
    if trial is None or treatment is None:
        return False, "no trial proved this patch, so there is nothing to compare with"
    length = Length(
        trial.steps or max(1, treatment.steps), max(SECONDS, trial.seconds), diagnosis.validation is not None
    )
    with fork_runs(script) as start:
        arms = Arms(script, start, TrialCache(None), watch, 1)
        try:
            made = arms.run(Arm("patched file"), 0, length)
        finally:
            arms.close()
            stop_all()
    if made.run is None or (made.error and diagnosis.exit in ("ok", "stopped", None)):
        return False, f"the patched script failed: {made.error or 'it left no record'}"
    after = measure_all(made.run).without(OF_LENGTH if made.cut else ())
    changes = [SymptomChange(seen.sign, seen.control, after.level(seen.sign)) for seen in trial.symptoms]
    change = trial.effect.change
    if not gone(changes, -math.log1p(max(change, -0.999)) if change is not None else 0.0):
        left = ", ".join(change.sign for change in changes if not change.gone)
        return False, f"the symptom is still there ({left})"
    return _like_treated(trial, made.run, length.steps)


def _like_treated(trial: TrialReport, run: Run, steps: int) -> tuple[bool, str]:
    """Whether the outcome is nearer to that of the treated runs than to that of the control."""
    effect = trial.effect
    found = outcome(run, min(steps, max(1, run.steps))).of(kind_of(effect.measure, "loss"))
    level = None if found is None else found.value
    if level is None or not math.isfinite(effect.treated):
        return True, "the symptom is gone"
    text = f"{effect.measure} {num(level)}; in the trial {num(effect.treated)}, before {num(effect.control)}"
    if not math.isfinite(level):
        return False, text
    near = abs(level - effect.treated)
    return not math.isfinite(effect.control) or near <= abs(level - effect.control), text
