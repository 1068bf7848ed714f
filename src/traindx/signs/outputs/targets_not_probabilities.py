"""Whether a cross-entropy is given targets that are no probabilities: rows sum to 1, binary ones lie between 0 and 1.

Soft targets (label smoothing, mixup, a teacher's answers) sum to 1, also where several classes share it. Rows that sum
to anything else are pixels, scores or several yes/no answers, for which another loss is meant. With labels of minus
one, binary cross-entropy has no lowest value.
"""

from __future__ import annotations

from ...record import Run
from ...record.losses import LossCall
from ...record.values import number
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place, ramp

ID = "targets-not-probabilities"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
CHECK = checks.LOSS_INPUTS


def _away(call: LossCall) -> float | None:
    """How far the sums of the rows lie from 1, or binary targets outside 0 to 1, at most."""
    if call.fn.startswith("binary_cross_entropy"):
        least, most = call.target.min, call.target.max
        return None if least is None or most is None else max(-least, most - 1.0, 0.0)
    low, high = number(call.target.facts.get("row_sum_min")), number(call.target.facts.get("row_sum_max"))
    return None if low is None or high is None else max(abs(low - 1.0), abs(high - 1.0))


def measure(run: Run) -> Sign | Missing:
    known = [(away, call) for call in run.training_losses if (away := _away(call)) is not None]
    if not known:
        return Missing(ID, "no cross-entropy was given probabilities for targets")
    away, call = max(known, key=lambda pair: pair[0])
    # Half precision and rounding are no reason to speak.
    level = ramp(away, 0.1, 1.0)
    return Sign(
        ID,
        away,
        level,
        f"{call.fn} gets {_described(call)}" + place(call.site),
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"away": away},
    )


def _described(call: LossCall) -> str:
    if call.fn.startswith("binary_cross_entropy"):
        return f"targets from {num(call.target.min or 0.0)} to {num(call.target.max or 0.0)} (0 to 1 expected)"
    low, high = (number(call.target.facts.get(key)) or 0.0 for key in ("row_sum_min", "row_sum_max"))
    return f"target rows whose sums run from {num(low)} to {num(high)} (probabilities sum to 1)"
