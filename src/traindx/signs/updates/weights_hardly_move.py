"""How far weights can have travelled in the whole run, in units of their own size: the updates added up.

Weights that start at random have to change by about their own size to learn anything; healthy runs add up to several
times that, hardly one to less than a third. Where the sum stays far below it, the steps were too small or too few,
whatever the loss did.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._params import fits_a_network
from .._ratios import update_ratios

ID = "weights-hardly-move"
QUESTION = questions.STEPS
SHOWS = "dynamics"
END = "deep"


def measure(run: Run) -> Sign | Missing:
    ratios = update_ratios(run)
    if len(ratios) < 3 or not fits_a_network(run):
        return Missing(ID, "updates were not measured against their weights, or no network is trained")
    gaps = np.diff(np.append(ratios.steps, max(run.steps, int(ratios.steps[-1]) + 1)))
    with np.errstate(over="ignore"):  # weights that blew up have gone far enough
        travelled = float(np.sum(ratios.values * gaps))
    level = ramp(travelled, 0.3, 0.1, log=True)
    return Sign(
        ID,
        travelled,
        level,
        f"all {run.steps} updates add up to {num(travelled)} times the weight norm (1 or more is typical)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"travelled": travelled, "steps": run.steps},
    )
