"""By which factor the learning rate ramps up over the first part of the run.

A warmup begins well below its peak and climbs to it before the run is half over (or is still climbing when a short
record ends). Half the peak at the start is hardly one, a tenth is.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._rate import learning_rate

ID = "lr-warmed-up"
QUESTION = questions.SCHEDULE
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    rate = learning_rate(run)
    if rate is None:
        return Missing(ID, "the learning rate was not recorded, or once only")
    if rate.curve.begins_late:
        return Missing(ID, "the start of the run was not recorded")
    values, steps = rate.curve.values, rate.curve.steps
    top = int(np.argmax(values >= 0.99 * rate.peak))
    start = float(values[0]) / rate.peak if rate.peak > 0 else 1.0
    climbs = top >= 1 and bool(np.all(np.diff(values[: top + 1]) >= -1e-9 * rate.peak))
    early = rate.warming or (steps[top] - steps[0]) <= 0.5 * (steps[-1] - steps[0])
    level = ramp(start, 0.7, 0.3) if climbs and early else 0.0
    text = (
        f"The learning rate climbs from {percent(start)} of its peak to the peak of {num4(rate.peak)} at step "
        f"{steps[top]}."
        if level > 0
        else f"The learning rate starts at {percent(start)} of its peak of {num4(rate.peak)}."
    )
    return Sign(
        ID, start, level, text, None, "info", {"start_share": start, "peak": rate.peak, "top_step": int(steps[top])}
    )
