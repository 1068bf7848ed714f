"""The patch of a proven cause, and the one run that confirms it: the patched text in place of the user's file."""

from __future__ import annotations

import math
from pathlib import Path

from ..causes import Fix, all_causes
from ..diagnosis import TrialReport
from ..edits import Project, patched_texts
from ..record import Run
from ..signs import Signs, measure_all
from ._arms import Arm, Arms
from ._base import Dose, Intervention, JudgedBy
from ._outcomes import outcome
from ._statistics import LEAST_NOISE
from ._symptoms import OF_LENGTH, compared, gone
from ._trials import Controls, difference

ALIKE = 0.5  # of the trial's effect that the patched run must have, at least


def fix_for(run: Run, signs: Signs, cause: str, intervention: Intervention, dose: Dose, first: bool) -> Fix:
    """The cause's own fix if the fix's own dose worked best; else the fix with the dose that did."""
    own = all_causes()[cause].fix(run, signs)
    if first or intervention.fix is None:
        return own
    return intervention.fix(run, signs, cause, dose) or own


def confirm(
    arms: Arms, controls: Controls, fix: Fix, watched: list[str], kind: JudgedBy, report: TrialReport
) -> bool | None:
    """Runs the fixed script once: whether its symptom is gone and it gains much of what the trial gained. None where
    there is neither a patch that fits the files nor an argument to change."""
    control, signs, length = controls.made[0].run, controls.signs, controls.length
    assert control is not None
    fixed = _fixed(fix, control, arms.args)
    if fixed is None:
        return None
    made = arms.run(fixed, 0, length)
    if made.run is None or (made.error and control.facts.get("exit") != "exception"):
        return False
    after = measure_all(made.run).without(OF_LENGTH if made.cut else ())
    if not gone(compared(watched, signs, after, controls.reached(made.run))):
        return False
    steps = min(length.steps, max(1, made.run.steps))
    better = difference(kind, outcome(control, steps), outcome(made.run, steps))
    if better is None or report.effect.change is None:
        return True
    proven = -math.log1p(max(report.effect.change, -0.999))
    return better.value >= ALIKE * proven - LEAST_NOISE


def _fixed(fix: Fix, control: Run, args: tuple[str, ...]) -> Arm | None:
    """The script with the fix: its patched text, or its changed arguments."""
    project = Project.of(control)
    if fix.patch is not None and project is not None:
        texts = patched_texts(fix.patch, project.root)
        sources = {str(Path(path).absolute()): text for path, text in (texts or {}).items()}
        return Arm("patched script", sources=sources) if sources else None
    recorded = tuple(str(word) for word in control.fact("script").get("argv") or ())
    if not fix.argv or not len(fix.argv) == len(recorded) == len(args):
        return None
    # The record masks values that may be secrets: what the fix does not change stays as it was given.
    changed = tuple(new if new != old else own for new, old, own in zip(fix.argv, recorded, args, strict=True))
    return Arm(f"script with {fix.code}", args=changed) if changed != args else None
