"""Whether a loss that expects log-probabilities (nll_loss, kl_div) is given values above zero.

No logarithm of a probability is positive; a little above zero is rounding. How far above does not matter.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place, ramp

ID = "loss-inputs-not-log-probabilities"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
RIVAL = ("loss", 3.0)
CHECK = checks.LOSS_INPUTS


def measure(run: Run) -> Sign | Missing:
    calls = [c for c in run.training_losses if c.kind in ("nll", "kl") and c.input.max is not None]
    if not calls:
        return Missing(ID, "no call of a loss that expects log-probabilities was seen")
    call = max(calls, key=lambda c: c.input.max or 0.0)
    high = call.input.max or 0.0
    level = ramp(high, 1e-3, 1e-2)
    return Sign(
        ID,
        high,
        level,
        f"{call.fn} expects log-probabilities (never above 0) and gets values up to {num(high)}{place(call.site)}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"max": high, "min": call.input.min, "fn": call.fn},
    )
