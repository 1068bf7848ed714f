"""Whether gradients are computed in float16 without loss scaling: a fact, 1 or 0. bfloat16 needs none.

A loss that reaches backward enlarged a hundred times or more was scaled by hand.
"""

from __future__ import annotations

from ...record import Run
from .. import checks, questions
from .._base import Missing, Sign, if_raised
from .._precision import precision

ID = "half-precision-unscaled"
QUESTION = questions.PRECISION
SHOWS = "setting"
RIVAL = ("number", 2.0)
CHECK = checks.LOSS_INPUTS


def measure(run: Run) -> Sign | Missing:
    formats = precision(run)
    if formats is None:
        return Missing(ID, "number formats were not recorded")
    by_hand = any((call.value_ratio or 0.0) >= 100 for call in run.training_losses)
    scaled = formats.scaler is True or bool(run.series("loss_scale"))
    level = 1.0 if formats.float16 and not scaled and not by_hand else 0.0
    return Sign(
        ID,
        level,
        level,
        "gradients are computed in float16 without loss scaling"
        if level
        else "float16 is used with loss scaling"
        if formats.float16
        else "nothing is computed in float16",
        severity=if_raised(level, "warning"),
    )
