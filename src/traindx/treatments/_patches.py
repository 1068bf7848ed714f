"""The patch for a proven cause, and one run of the patched script to confirm it."""

from __future__ import annotations

import math
from dataclasses import replace

from ..causes import Fix, all_causes
from ..diagnosis import TrialReport, judged_signs
from ..record import Run
from ..signs import Signs
from ._arms import Arms
from ._base import Dose, Intervention, JudgedBy
from ._controls import Controls, difference
from ._fixed_script import fixed_script
from ._outcomes import outcome
from ._statistics import LEAST_NOISE
from ._symptoms import OF_LENGTH, compared, gone

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
    if made.run is None or (made.error and control.facts.get("exit") != "exception"):
        return False
    after = judged_signs(made.run).without(OF_LENGTH if made.cut else ())
    if not gone(compared(watched, signs, after, controls.reached(made.run, ratio))):
        return False
    steps = min(length.steps, max(1, made.run.steps))
    better = difference(kind, outcome(control, max(1, round(steps / ratio))), outcome(made.run, steps))
    if better is None or report.effect.change is None:
        return True
    proven = -math.log1p(max(report.effect.change, -0.999))
    return better.value >= ALIKE * proven - LEAST_NOISE
