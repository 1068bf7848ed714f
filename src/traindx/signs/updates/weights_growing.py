"""Weights that outgrow their start: last norm over first, median over weight matrices.

Long healthy runs from small initial values double or triple; a hundredfold is a run without a brake. The level asks for
four times at least, by then ordinary growth is used up.
"""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign, ramp
from .._weights import weight_change
from .._words import grave, num

ID = "weights-growing"
QUESTION = questions.STEPS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    if unseen := run.end_unseen("deep"):
        return Missing(ID, unseen)
    change = weight_change(run)
    if change is None:
        return Missing(ID, "the weights' norm was not followed over the run")
    level = ramp(change.ratio, 4.0, 100.0, log=True)
    return Sign(
        ID,
        change.ratio,
        level,
        f"the weight norm went from {num(change.first)} to {num(change.last)}, a factor of {num(change.ratio)}",
        severity=grave(level, "warning"),
        values={"ratio": change.ratio, "first": change.first, "last": change.last},
    )
