"""What twice the training would bring, by the slope at the end.

Losses fall roughly with the logarithm of the steps, so the fall over the second half is what a run of twice the
length may expect again. It counts when it is significant against its noise and worth having (2 % of the level is
little, 5 % is not), in proportion to the learning rate that is left: a schedule that has run out was not stopped early.
Without a training loss the validation loss is judged, without any loss the accuracy.
"""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._fall import around_zero, objective
from .._rate import learning_rate, rate_left
from .._trend import size_z, trend
from ..curve import Curve, adversarial, moment

ID = "still-improving"
QUESTION = questions.FALLS
SHOWS = "dynamics"
END = "step"
TYPICAL_NOISE = 0.02  # of one loss, relative


def measure(run: Run) -> Sign | Missing:
    judged = objective(run)
    if judged is None or len(judged.curve) < 6:
        return Missing(ID, "fewer than six losses or accuracies were recorded")
    loss = judged.curve
    if adversarial(run):
        return Missing(ID, "the losses of adversarial networks do not fall")
    if around_zero(loss):
        return Missing(ID, "the loss hovers around zero, so its fall has no size")
    half = loss.between(loss.steps[0] + (loss.steps[-1] - loss.steps[0]) / 2, float("inf"))
    if len(half) < 3:
        return Missing(ID, "fewer than three losses in the second half of the run")
    gain, z = _gain(half)
    left = rate_left(run)
    certain = ramp(z, 2.0, 3.5) if _falls_at_end(half) else 0.0
    worth = min(ramp(gain * left, 0.01, 0.035), ramp(_part_of_all(loss, half), 0.001, 0.005))
    level = min(certain, worth)
    values = {
        "series": judged.name, "gain": gain, "z": z, "rate_left": left, "last": loss.final,
        "last_step": loss.final_step,
    }  # fmt: skip
    rate = learning_rate(run)
    tail = "" if rate is None else f", with {percent(rate.last_share)} of the peak learning rate left"
    fell = f"fell by {percent(gain)}" if gain >= 0 else f"rose by {percent(-gain)}"
    text = f"{judged.name} {fell} over the second half of the run (z = {z:.1f}){tail}."
    if level < 0.5:
        return Sign(ID, gain, level, text, None, "info", values)
    text = (
        f"{judged.name} was still decreasing when the run ended ({num4(loss.final)} at "
        f"{moment(run, loss.final_step)}): it {fell} over the second half (z = {z:.1f}){tail}."
    )
    return Sign(ID, gain, level, text, loss.final_step, "info", values)


def _gain(half: Curve) -> tuple[float, float]:
    """Fall over the stretch relative to where it began, and its size in standard errors."""
    x, y = half.binned
    found = trend(x, y)
    size = 1.0 if half.logarithmic else abs(half.last) or half.size
    typical = TYPICAL_NOISE * size / math.sqrt(max(1.0, len(half) / len(y)))
    fall = -found.change
    gain = 1 - math.exp(-fall) if half.logarithmic else fall / (abs(half.last) + max(0.0, fall) or 1.0)
    # Of a smooth course the order tells more, of few points the size.
    return gain, max(-found.z, -size_z(found, x, y, typical))


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
