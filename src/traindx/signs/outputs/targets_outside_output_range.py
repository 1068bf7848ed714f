"""Targets that the last activation cannot produce: how much of the targets' span lies outside its range.

A hundredth is rounding or an outlier; a quarter is a task that cannot be learned.
"""

from __future__ import annotations

from ...record import Run
from ...record.losses import REGRESSION, LossCall
from ...wording import num, percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place, ramp
from .._output import OutputRange, output_range

ID = "targets-outside-output-range"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
RIVAL = ("loss", 2.5)
CHECK = checks.LOSS_INPUTS


def _outside(call: LossCall, reach: OutputRange) -> float:
    low, high = call.target.min, call.target.max
    if low is None or high is None:
        return 0.0
    beyond = max(0.0, reach.low - low) + max(0.0, high - reach.high)
    width = high - low
    return min(beyond / width, 1.0) if width > 0 else float(beyond > 0)


def measure(run: Run) -> Sign | Missing:
    calls = [c for c in run.training_losses if c.kind in (*REGRESSION, "bce") and c.target.min is not None]
    if not calls:
        return Missing(ID, "no call of a regression loss with known targets was seen")
    bounded = [(call, reach) for call in calls if (reach := output_range(run, call)) is not None]
    if not bounded:
        return Sign(ID, 0.0, 0.0, "no activation bounds the output")
    call, reach = max(bounded, key=lambda pair: _outside(*pair))
    share = _outside(call, reach)
    level = ramp(share, 0.01, 0.25)
    return Sign(
        ID,
        share,
        level,
        f"targets run from {num(call.target.min or 0.0)} to {num(call.target.max or 0.0)}, the output's "
        f"{reach.activation} from {num(reach.low)} to {num(reach.high)}: {percent(share)} of the target range is out "
        f"of reach{place(call.site)}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"activation": reach.activation, "share": share},
    )
