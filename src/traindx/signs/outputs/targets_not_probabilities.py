"""Whether cross-entropy is given rows of targets that are no probabilities: they should sum to 1.

Soft targets (label smoothing, mixup, a teacher's answers) sum to 1, also where several classes share it. Rows that sum
to anything else are pixels, scores or several yes/no answers, for which another loss is meant.
"""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign, ramp
from .._facts import number
from .._losses import LossCall, training_losses
from .._words import grave, num, place

ID = "targets-not-probabilities"


def _away(call: LossCall) -> float | None:
    """How far the sums of the rows lie from 1, at most."""
    low, high = number(call.target.facts.get("row_sum_min")), number(call.target.facts.get("row_sum_max"))
    return None if low is None or high is None else max(abs(low - 1.0), abs(high - 1.0))


def measure(run: Run) -> Sign | Missing:
    known = [(away, call) for call in training_losses(run) if (away := _away(call)) is not None]
    if not known:
        return Missing(ID, "cross-entropy was not given rows of targets")
    away, call = max(known, key=lambda pair: pair[0])
    low, high = call.target.facts.get("row_sum_min"), call.target.facts.get("row_sum_max")
    # Half precision and masked-out rows (all zeros, or one row in a batch) are no reason to speak.
    level = ramp(away, 0.2, 1.5)
    return Sign(
        ID,
        away,
        level,
        f"{call.fn} is given rows of targets that sum to {num(number(low) or 0.0)} … {num(number(high) or 0.0)}"
        + (", and probabilities sum to 1" if level >= 0.5 else "")
        + place(call.site),
        onset=0 if level >= 0.5 else None,
        severity=grave(level, "critical"),
        values={"away": away},
    )
