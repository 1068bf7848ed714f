"""Weights that shrink toward zero over the run: last norm over first, median over weight matrices.

Healthy weights keep their size or grow. Before a batch norm the scale of a weight has no effect and decay shrinks it
without harm, so a model with batch norm gets five times as much room.
"""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign, ramp
from .._weights import weight_change
from .._words import grave, num

ID = "weights-shrinking"
QUESTION = questions.STEPS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    if unseen := run.end_unseen("deep"):
        return Missing(ID, unseen)
    change = weight_change(run)
    if change is None:
        return Missing(ID, "the weights' norm was not followed over the run")
    room = 5.0 if any(module.batch_norm for module in run.modules) else 1.0
    level = ramp(change.ratio, 0.5 / room, 0.1 / room, log=True) * ramp(-change.order, 0.2, 0.6)
    return Sign(
        ID,
        change.ratio,
        level,
        f"the weight norm went from {num(change.first)} to {num(change.last)}, a factor of {num(change.ratio)}",
        severity=grave(level, "warning"),
        values={"ratio": change.ratio, "first": change.first, "last": change.last},
    )
