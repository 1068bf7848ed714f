"""Gradient elements that are exactly zero because float16 cannot hold them.

Units that are off give exact zeros in every format, so the share of dead units is taken out first, and half of zeros
is what a rectified network may show. bfloat16 has the range of float32: nothing underflows there.
"""

from __future__ import annotations

from ...record import Run
from ...wording import percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._precision import precision
from .._tables import layer_medians, median

ID = "gradient-underflow"
QUESTION = questions.PRECISION
SHOWS = "fault"
CHECK = checks.GRADIENT_FLOW
REMEDY = "Scale the loss (GradScaler) or train in bfloat16 or float32."


def measure(run: Run) -> Sign | Missing:
    formats = precision(run)
    if formats is None or not formats.float16 or formats.underflow is None:
        return Missing(ID, "no float16 gradients were looked at")
    dead = min(max(median(layer_medians(run.layers("act_dead"), 0.75).values()) or 0.0, 0.0), 0.99)
    share = min(max((formats.underflow - dead) / (1 - dead), 0.0), 1.0)
    level = ramp(share, 0.5, 0.9)
    return Sign(
        ID,
        share,
        level,
        f"{percent(share)} of the float16 gradient elements underflow to zero, dead units not counted",
        severity=if_raised(level, "critical"),
        values={"zero_share": formats.underflow, "dead_share": dead, "scaler": formats.scaler},
    )
