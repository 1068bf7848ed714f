"""The patch of a proven cause, and the one run that confirms it: the patched text in place of the user's file."""

from __future__ import annotations

from pathlib import Path

from ..causes import Fix, all_causes
from ..diagnosis import TrialReport
from ..edits import Project, patched_texts
from ..record import Run
from ..signs import Signs, measure_all
from ._arms import Arm, Arms, Length
from ._base import Dose, Intervention
from ._outcomes import in_loss, outcome
from ._statistics import LEAST_NOISE
from ._symptoms import OF_LENGTH, compared, gone


def fix_for(run: Run, signs: Signs, cause: str, intervention: Intervention, dose: Dose, first: bool) -> Fix:
    """The cause's own fix where its own dose won; else the fix with the dose that did."""
    own = all_causes()[cause].fix(run, signs)
    if first or intervention.fix is None:
        return own
    return intervention.fix(run, signs, cause, dose) or own


def confirm(
    arms: Arms, length: Length, control: Run, signs: Signs, fix: Fix, watched: list[str], report: TrialReport
) -> bool | None:
    """Runs the patched script once; None where there is no patch or it does not fit the files."""
    project = Project.of(control)
    if fix.patch is None or project is None:
        return None
    texts = patched_texts(fix.patch, project.root)
    if not texts:
        return None
    sources = {str(Path(path).absolute()): text for path, text in texts.items()}
    made = arms.run(Arm("patched script", sources=sources), 0, length)
    if made.run is None or (made.error and control.facts.get("exit") != "exception"):
        return False
    after = measure_all(made.run).without(OF_LENGTH if made.cut else ())
    if not gone(compared(watched, signs, after)):
        return False
    if report.effect.measure != "training loss":  # a change of the loss: losses cannot be compared
        return True
    steps = min(length.steps, max(1, made.run.steps))
    better = in_loss(outcome(control, steps), outcome(made.run, steps))
    return better is None or better.value > -LEAST_NOISE
