"""Whether the learning rate is practically zero long before the loss has settled, or from the start.

Practically zero: a thousandth of the peak or less. It counts from the last step at which the learning rate was larger,
by the share of the run that follows, and only if the loss was still falling while the learning rate was worth
something (a tenth of the peak or more; further down it is the learning rate that holds the loss up): a schedule that
ends after the loss has settled does no harm. Zeros in front of a warmup are a note: skipped half-precision steps.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._rate import Rate, learning_rate
from .._trend import trend
from ..curve import moment, training_loss

ID = "lr-collapsed"
QUESTION = questions.SCHEDULE
SHOWS = "dynamics"
END = "step"
CORE = True
ZERO = 1e-3
WORTH = 0.1
SOON = 0.3  # share of the run
JUDGEABLE = 30  # points in which a trend would show


def measure(run: Run) -> Sign | Missing:
    rate = learning_rate(run)
    if rate is None:
        return Missing(ID, "the learning rate was not recorded")
    steps, values = rate.curve.steps, rate.curve.values
    if rate.peak == 0:
        text = f"The learning rate is 0 at all {len(steps)} recorded points."
        # Schedulers print 0 for a few steps before they have stepped.
        level, severity = (1.0, "critical") if len(steps) >= 5 else (0.5, "info")
        return Sign(ID, 1.0, level, text, int(steps[0]), cast(Severity, severity), {"peak": 0.0, "share": 1.0})
    alive = np.flatnonzero(values > ZERO * rate.peak)
    if alive[-1] < len(steps) - 1:
        return _after(run, rate, int(steps[alive[-1] + 1]))
    zeros = int(np.argmax(values > 0))
    if zeros >= 3 and zeros >= 0.1 * len(steps):
        text = f"The learning rate is 0 for the first {zeros} recorded points and rises from step {steps[zeros]} on."
        return Sign(ID, zeros / len(steps), 0.5, text, int(steps[0]), "info", {"peak": rate.peak, "zeros": zeros})
    text = f"The learning rate ends at {num4(float(values[-1]))}, {percent(rate.last_share)} of its peak."
    return Sign(ID, 0.0, 0.0, text, values={"peak": rate.peak, "last_share": rate.last_share})


def _after(run: Run, rate: Rate, collapse: int) -> Sign:
    loss = training_loss(run)
    first, last = int(rate.curve.steps[0]), int(max(rate.curve.steps[-1], loss.steps.max(initial=0)))
    share = (last - collapse) / max(1, last - first)
    worth = rate.curve.steps[rate.curve.values >= WORTH * rate.peak]
    going = int(worth[-1])
    before = loss.between(first + 0.5 * (going - first), going)
    falling, fall = 0.5, 0.0  # unknown
    if len(before) >= 5:
        x, y = before.binned
        course = trend(x, y)
        fall = -course.change / (1.0 if before.logarithmic else abs(before.last) or 1.0)
        falling = min(ramp(-course.z, 1.5, 3), ramp(fall, 0.02, 0.1))
    few = len(before) < JUDGEABLE and len(loss) >= 5
    if few and going - first < SOON * (last - first) and loss.last > 0.2 * loss.first > 0:
        falling = max(falling, 0.9)  # too soon for anything to have settled, and little had been gained
    level = ramp(share, 0.1, 0.3) * falling
    when = "was still" if falling > 0.5 else "had stopped"
    text = (
        f"The learning rate has been below a thousandth of its peak of {num4(rate.peak)} since {moment(run, collapse)} "
        f"({percent(share)} of the run); the loss {when} falling before that."
    )
    if share < 0.01:
        text = f"The learning rate falls below a thousandth of its peak of {num4(rate.peak)} only as the run ends."
    severity: Severity = "critical" if level >= 0.8 else "warning" if level >= 0.5 else "info"
    onset = collapse if level >= 0.5 else None
    return Sign(ID, share, level, text, onset, severity, {"peak": rate.peak, "share": share, "fall_before": fall})
