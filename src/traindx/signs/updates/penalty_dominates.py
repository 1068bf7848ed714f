"""How much of the loss, late in the run, is a penalty on the weights that the script adds by hand.

A fifth of the loss is a strong penalty; at half of the loss, the weights follow the penalty as much as the data. If the
loss itself is next to nothing (a tenth of chance), any penalty is a large share of it, without harm.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.values import number
from ...wording import percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._chance import compared_loss, has_other_terms
from .._progress import progress
from ..curve import training_loss

ID = "penalty-dominates"
QUESTION = questions.STEPS
SHOWS = "condition"
END = "light"


def measure(run: Run) -> Sign | Missing:
    if not run.graphs:
        return Missing(ID, "the graph behind the loss was not looked at")
    if not any(number(graph.get("penalised")) for graph in run.graphs):
        return Sign(ID, 0.0, 0.0, "the loss has no penalty on the weights")
    total, function = training_loss(run), compared_loss(run)
    if not has_other_terms(run) or total.last <= 0:
        return Missing(ID, "what the penalty adds to the loss was not measured")
    share = float(np.clip(1 - function.last / total.last, 0.0, 1.0))
    fitted = progress(run, function, function.last)
    level = ramp(share, 0.2, 0.5) * (ramp(fitted.left, 0.1, 0.4) if fitted is not None else 0.5)
    return Sign(
        ID,
        share,
        level,
        f"{percent(share)} of the loss is a penalty on the weights late in the run",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"share": share},
    )
