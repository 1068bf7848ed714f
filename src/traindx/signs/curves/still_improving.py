"""What twice the training would bring, by the slope at the end.

Losses fall roughly with the logarithm of the steps, so the fall over the second half is what a run of twice the
length may expect again. It counts when it is significant against its noise and worth having (2 % of the level is
little, 5 % is not), in proportion to the rate that is left: a schedule that has run out was not stopped early.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from .. import questions
from .._base import Missing, Sign, ramp
from .._curve import Curve, training_loss
from .._rate import learning_rate, rate_left
from .._trend import trend
from .._validation import validation_turned
from .._wording import number, percent

ID = "still-improving"
QUESTION = questions.FALLS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    if run.seen_in_part:
        return Missing(ID, "the run was not observed to its end")
    loss = training_loss(run)
    if len(loss) < 8:
        return Missing(ID, "fewer than eight training losses were recorded")
    half = loss.between(loss.steps[0] + (loss.steps[-1] - loss.steps[0]) / 2, float("inf"))
    if len(half) < 4:
        return Missing(ID, "fewer than four training losses in the second half of the run")
    gain, z = _gain(half)
    part = _part_of_all(loss, half)
    left = rate_left(run)
    turned = validation_turned(run)
    at_end = _falls_at_end(half)
    certain = ramp(-z, 1.7, 3) if at_end else 0.0
    level = 0.0 if turned else min(certain, ramp(gain * left, 0.01, 0.035), ramp(part, 0.001, 0.005))
    values = {"gain": gain, "z": z, "rate_left": left, "last": loss.last, "validation_turned": turned}
    if level < 0.5:
        why = " with the rate run out" if left < 0.2 and gain > 0.02 else ""
        text = f"Over the second half of the run the training loss fell by {percent(max(gain, 0.0))}{why}."
        return Sign(ID, gain, level, text, None, "info", values)
    rate = learning_rate(run)
    tail = "" if rate is None else f", with {percent(rate.last_share)} of the peak rate left"
    text = (
        f"The training loss was still falling at step {loss.steps[-1]} ({number(loss.last)}): "
        f"by {percent(gain)} over the second half of the run{tail}."
    )
    return Sign(ID, gain, level, text, int(loss.steps[-1]), "info", values)


def _gain(half: Curve) -> tuple[float, float]:
    """Fall over the stretch relative to where it began, and its significance."""
    x, y = half.binned
    found = trend(x, y)
    if half.logarithmic:
        return 1 - float(np.exp(found.change)), found.z
    return -found.change / (abs(half.last) + max(0.0, -found.change) or 1.0), found.z


def _part_of_all(loss: Curve, half: Curve) -> float:
    """The fall over the stretch as a part of the whole run's: after thirteen decades down, 3 % are nothing."""
    x, y = loss.binned
    whole = float(np.max(y) - np.min(y))
    later = y[np.searchsorted(x, half.steps[0]) :]
    return float(np.median(later[:3]) - np.median(later[-3:])) / whole if whole > 0 and len(later) > 2 else 0.0


def _falls_at_end(half: Curve) -> bool:
    """The last half of the stretch still goes down: by its trend, and its level below that of the first half."""
    x, y = half.binned
    middle = len(y) // 2
    late = trend(x[middle:], y[middle:])
    return bool(np.median(y[middle:]) < np.median(y[:middle])) and late.change <= 0
