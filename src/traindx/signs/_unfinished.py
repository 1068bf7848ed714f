"""Whether a run was stopped while it was still learning: what it has not learned yet is not a bad outcome."""

from __future__ import annotations

from ..record import Run
from ._trend import trend
from .curve import training_loss

MOST = 0.5  # of the planned steps; beyond, a slow start is over


def cut_short_while_falling(run: Run) -> bool:
    planned = run.planned_steps
    loss = training_loss(run)
    if planned is None or run.steps >= MOST * planned or len(loss) < 6:
        return False
    half = loss.between(loss.steps[0] + (loss.steps[-1] - loss.steps[0]) / 2, float("inf"))
    if len(half) < 3:
        return False
    return trend(*half.binned).falls
