"""Weights that get a gradient at every step and never change, as a share of those that get one.

Weight matrices only: the gradient of a bias before a norm is zero but for rounding. Pretrained weights kept out of the
optimizer stand still on purpose.
"""

from __future__ import annotations

from ...record import Run
from ...wording import listed
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._params import share_of

ID = "params-never-move"
QUESTION = questions.PARAMETERS
SHOWS = "dynamics"
CORE = True
CHECK = checks.WEIGHTS_MOVE


def measure(run: Run) -> Sign | Missing:
    known = [
        p
        for p in run.parameters
        if p.matrix and p.trains and p.grad == "yes" and p.moved is not None
        if not (p.loaded and p.optimizer is None)
    ]
    if run.steps < 2 or not known:
        return Missing(ID, "too few steps, or no weight's movement was followed")
    still = [p for p in known if not p.moved]
    share = share_of(still, known)
    level = ramp(share, 0.0, 0.1)
    return Sign(
        ID,
        share,
        level,
        f"{len(still)} of {len(known)} weights got a gradient but did not change in {run.steps} steps: "
        f"{listed([p.name for p in still])}"
        if still
        else f"all {len(known)} weights with a gradient changed",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"parameters": [p.name for p in still][:20], "share": share},
    )
