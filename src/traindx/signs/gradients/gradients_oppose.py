"""Whether successive gradients point opposite ways late in the run: the median cosine of the last third.

Unrelated batches give cosines around zero and a run at its noise floor a little below; steps that leap across a
valley give strongly negative ones. The mean must be below zero by three standard errors, so that a few noisy pairs do
not count.
"""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._tables import first_step_above, ordered, span, typical

ID = "gradients-oppose"
QUESTION = questions.STEPS
SHOWS = "dynamics"
END = "deep"
FEWEST = 4


def measure(run: Run) -> Sign | Missing:
    points = ordered(run.series("grad_cosine"))
    late = np.clip(span(points.values, 2 / 3, 1.0), -1.0, 1.0)
    if len(late) < FEWEST:
        return Missing(ID, "too few cosines between successive gradients late in the run")
    cosine = typical(run, "grad_cosine", 2 / 3) or 0.0
    error = float(np.std(late)) / math.sqrt(len(late))
    significant = float(np.mean(late)) < -3.0 * error
    level = ramp(-cosine, 0.1, 0.6) if significant else 0.0
    return Sign(
        ID,
        cosine,
        level,
        f"the median cosine of successive gradients is {num(cosine)} late in the run"
        + (": they point in opposite directions" if level >= 0.5 else "")
        + " (about 0 is typical)",
        onset=first_step_above(type(points)("", points.steps, -points.values), 0.3) if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"late": cosine, "whole": typical(run, "grad_cosine"), "points": len(points)},
    )
