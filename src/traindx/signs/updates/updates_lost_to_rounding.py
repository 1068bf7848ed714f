"""Weights held in half precision that a step leaves unchanged, because the change is below the format's resolution.

Elements whose gradient is zero cannot change either, so they are taken out. A step of 1e-3 of a weight is near
bfloat16's resolution of 4e-3: half of the elements standing still is the border.
"""

from __future__ import annotations

from ...record import Run
from ...wording import percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._precision import precision

ID = "updates-lost-to-rounding"
QUESTION = questions.PRECISION
SHOWS = "fault"
CHECK = checks.WEIGHTS_MOVE


def measure(run: Run) -> Sign | Missing:
    formats = precision(run)
    if formats is None or not formats.half_weights or formats.unchanged is None:
        return Missing(ID, "no weights in half precision were compared before and after a step")
    idle = min(max(formats.underflow or 0.0, 0.0), 0.99)
    share = min(max((formats.unchanged - idle) / (1 - idle), 0.0), 1.0)
    level = ramp(share, 0.5, 0.95)
    return Sign(
        ID,
        share,
        level,
        f"a step leaves {percent(share)} of the half-precision weights with a gradient unchanged",
        severity=if_raised(level, "critical"),
        values={"unchanged": formats.unchanged, "zero_gradient": idle},
    )
