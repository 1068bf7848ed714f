"""How far the validation loss has risen above its minimum while the training loss kept falling.

The rise is relative to the minimum (from 2 %, gross from 5 %) and must exceed the noise of the validation loss
itself: the minimum of noisy values is low by luck. The training loss must have gone on falling, else both diverge.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.ndimage import median_filter

from ...record import Run
from ...record.types import FloatArray
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._chance import chance_level
from .._curve import Curve, spread_of_differences, training_loss
from .._trend import trend
from .._validation import evaluations, training_at
from .._wording import number, percent

ID = "validation-rising"
QUESTION = questions.VALIDATION
SHOWS = "outcome"
CORE = True
BAD_FROM = 0.7
DOUBT_FROM = 0.5


def measure(run: Run) -> Sign | Missing:
    validation = evaluations(run)
    if len(validation) < 3:
        return Missing(ID, "fewer than three validation losses were recorded")
    width = _width(len(validation))
    smooth = np.asarray(median_filter(validation.values, size=width, mode="reflect"))
    best = int(np.argmin(smooth))
    lowest, end = float(smooth[best]), _end(smooth, best)
    rise = end - lowest
    size = abs(lowest) or float(np.median(np.abs(validation.values))) or 1.0
    relative = rise / size
    noise = 1.25 * spread_of_differences(validation.values) / math.sqrt(width)
    after = len(smooth) - 1 - best
    values = {"minimum": lowest, "minimum_step": int(validation.steps[best]), "end": end, "rise": relative}
    certain = ramp(rise / noise if noise > 0 else np.inf, 3, 6) if rise > 0 and after >= max(2, width) else 0.0
    if width == 1 and after >= 2 and bool(np.all(np.diff(smooth[best:]) > 0)):
        # In a handful of evaluations the rise itself looks like noise; rising every time by much does not.
        certain = max(certain, ramp(relative, 0.05, 0.2))
    if after >= 5:
        certain = min(certain, ramp(trend(np.arange(after + 1.0), smooth[best:]).z, 1, 2.5))
    falling = _training_fell(run, validation, best)
    level = min(certain, ramp(relative, 0.02, 0.05), falling, _matters(run, validation, rise))
    step = int(validation.steps[best])
    if level < 0.5:
        text = f"The validation loss ends at {number(end)}; its minimum was {number(lowest)} at step {step}."
        return Sign(ID, relative, level, text, None, "info", values)
    text = (
        f"The validation loss rose by {percent(relative)} from its minimum {number(lowest)} at step {step} "
        f"to {number(end)} while the training loss went on falling."
    )
    severity: Severity = "critical" if relative >= 0.5 else "warning" if relative >= 0.1 else "info"
    return Sign(ID, relative, level, text, step, severity, values)


def _matters(run: Run, validation: Curve, rise: float) -> float:
    """0 to 1: against all that there was to learn, a hundredth lost again is nothing, a twentieth is something."""
    chance = chance_level(run)
    all_of_it = chance.loss if chance is not None else float(np.max(validation.values) - np.min(validation.values))
    return ramp(rise / all_of_it, 0.01, 0.04) if all_of_it > 0 else 1.0


def _width(points: int) -> int:
    """Evaluations to take the median of: three from nine on, a tenth of many, so that no lucky one is the minimum."""
    return 1 if points < 9 else max(3, points // 10 // 2 * 2 + 1)


def _end(smooth: FloatArray, best: int) -> float:
    """The level at the end: the median of the last fifth of what came after the minimum."""
    after = smooth[best:]
    return float(np.median(after[-max(1, len(after) // 5) :]))


def _training_fell(run: Run, validation: Curve, best: int) -> float:
    """0 to 1; without a training loss to compare, half belief."""
    training = training_loss(run)
    if len(training) < 3:
        return 0.6
    then, now = training_at(run, int(validation.steps[best])), training.last
    if now <= then:
        return 1.0
    return ramp((now - then) / (abs(then) or 1.0), 0.1, 0.02)
