"""The learning rate over the run."""

from __future__ import annotations

from typing import cast

import numpy as np

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Measured, Severity, ramp, sign
from .._fall import falls
from .._rate import Rate, learning_rate
from .._trend import trend
from ..curve import moment, training_loss

ZERO = 1e-3
WORTH = 0.1
SOON = 0.3  # share of the run
JUDGEABLE = 30  # points in which a trend would show


@sign("lr-constant", questions.SCHEDULE, "setting")
def lr_constant(run: Run) -> Measured | str:
    """Whether the learning rate never changes over the run. Neither good nor bad in itself."""

    rate = learning_rate(run)
    if rate is None:
        return "the learning rate was not recorded, or once only"
    peak, points = rate.peak, len(rate.curve)
    if rate.constant and peak > 0:
        text = f"The learning rate is {num4(peak)} at all {points} recorded points."
        return Measured(peak, text, level=1.0, values={"rate": peak, "points": points})
    text = f"The learning rate changes over the run (peak {num4(peak)})."
    return Measured(peak, text, level=0.0, values={"rate": peak, "points": points})


@sign("lr-lowered", questions.SCHEDULE, "setting", end="step")
def lr_lowered(run: Run) -> Measured | str:
    """Whether the learning rate ends well below its peak. Neither good nor bad in itself."""

    rate = learning_rate(run)
    if rate is None or rate.peak <= 0:
        return "the learning rate was not recorded, or once only"
    text = f"The learning rate ends at {percent(rate.last_share)} of its peak of {num4(rate.peak)}."
    return Measured(rate.last_share, text, level=ramp(rate.last_share, 0.7, 0.3), values={"peak": rate.peak})


@sign("lr-warmed-up", questions.SCHEDULE, "setting")
def lr_warmed_up(run: Run) -> Measured | str:
    """By which factor the learning rate ramps up over the first part of the run.

    A warmup begins well below its peak and climbs to it before the run is half over (or is still climbing when a
    short record ends). Half the peak at the start is hardly one, a tenth is.
    """

    rate = learning_rate(run)
    if rate is None:
        return "the learning rate was not recorded, or once only"
    if rate.curve.begins_late:
        return "the start of the run was not recorded"
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
    return Measured(
        start, text, level=level, values={"start_share": start, "peak": rate.peak, "top_step": int(steps[top])}
    )


@sign("lr-collapsed", questions.SCHEDULE, "dynamics", core=True, end="step")
def lr_collapsed(run: Run) -> Measured | str:
    """Whether the learning rate is practically zero long before the loss has settled, or from the start.

    Practically zero: a thousandth of the peak or less. It counts from the last step at which the learning rate was
    larger, by the share of the run that follows, and only if the loss was still falling while the learning rate was
    worth something (a tenth of the peak or more; further down it is the learning rate that holds the loss up): a
    schedule that ends after the loss has settled does no harm. Zeros in front of a warmup are a note: skipped half-
    precision steps. A loss that falls beside nothing but zeros says that the log rounds the learning rate.
    """

    rate = learning_rate(run)
    if rate is None:
        return "the learning rate was not recorded"
    steps, values = rate.curve.steps, rate.curve.values
    if rate.peak == 0:
        if falls(training_loss(run)):
            return "the learning rate is 0 at all recorded points, but the loss falls: the number is rounded"
        text = f"The learning rate is 0 at all {len(steps)} recorded points."
        # Schedulers print 0 for a few steps before they have stepped.
        level, severity = (1.0, "critical") if len(steps) >= 5 else (0.5, "info")
        return Measured(
            1.0,
            text,
            level=level,
            onset=int(steps[0]),
            severity=cast(Severity, severity),
            values={"peak": 0.0, "share": 1.0},
        )
    alive = np.flatnonzero(values > ZERO * rate.peak)
    if alive[-1] < len(steps) - 1:
        return _after(run, rate, int(steps[alive[-1] + 1]))
    zeros = int(np.argmax(values > 0))
    if zeros >= 3 and zeros >= 0.1 * len(steps):
        rises = moment(run, int(steps[zeros]))
        text = f"The learning rate is 0 for the first {zeros} recorded points and rises from {rises} on."
        return Measured(
            zeros / len(steps),
            text,
            level=0.5,
            onset=int(steps[0]),
            severity="info",
            values={"peak": rate.peak, "zeros": zeros},
        )
    text = f"The learning rate ends at {num4(float(values[-1]))}, {percent(rate.last_share)} of its peak."
    return Measured(0.0, text, severity="info", values={"peak": rate.peak, "last_share": rate.last_share})


def _after(run: Run, rate: Rate, collapse: int) -> Measured:
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
    severity: Severity = "critical" if level >= 0.8 else "warning"
    onset = collapse
    return Measured(
        share,
        text,
        level=level,
        onset=onset,
        severity=severity,
        values={"peak": rate.peak, "share": share, "fall_before": fall},
    )
