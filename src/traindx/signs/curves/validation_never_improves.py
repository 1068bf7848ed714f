"""Whether validation never gets better than at its first evaluation while the training loss falls far.

A fall below the first evaluation by 3 %, or one that stands out from the noise of the evaluations, is an improvement;
an accuracy that improves is one too. Training must have fallen to a third of where it stood at the first evaluation.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._fall import fall_of
from .._validation import training_at
from ..curve import adversarial, curve_of, moment, stop, training_loss, validation_loss

ID = "validation-never-improves"
QUESTION = questions.VALIDATION
SHOWS = "outcome"
END = "step"
BAD_FROM = 0.8
DOUBT_FROM = 0.5
NEEDS_TIME = True


def measure(run: Run) -> Sign | Missing:
    validation, training = validation_loss(run), training_loss(run)
    fall = fall_of(validation)
    if fall is None or len(training) < 3:
        return Missing(ID, "fewer than three validation losses beside a training loss were recorded")
    if adversarial(run):
        return Missing(ID, "the losses of adversarial networks cannot be compared")
    first = float(validation.values[0])
    # Where the first evaluation came before the first training loss, that one stands beside it.
    then, now = training_at(run, int(validation.steps[0])), training.last
    if min(first, then, float(training.values[0])) <= 0:
        return Missing(ID, "losses at or below zero cannot be compared as ratios")
    then = max(then, float(training.values[0])) if len(training) == len(validation) else then
    left = max(now, 0.0) / then
    better = (first - validation.minimum) / first
    flat = max(ramp(better, 0.04, 0.02), ramp(fall.z, 3.0, 1.5) * ramp(better, 0.15, 0.05))
    level = min(flat, ramp(left, 0.5, 0.2)) * (1.0 - _accuracy_gain(run))
    values = {
        "first": first, "first_step": int(validation.steps[0]), "minimum": validation.minimum,
        "minimum_step": validation.minimum_step, "last": validation.final, "training_left": left, "improved": better,
        "training_then": then, "training_last": now,
    }  # fmt: skip
    text = (
        f"Validation loss {_course(better, level >= 0.5)} its first evaluation ({num4(first)} at "
        f"{moment(run, int(validation.steps[0]))}); training loss {'fell' if now < then else 'went'} from "
        f"{num4(then)} to {num4(now)} (smoothed)."
    )
    severity: Severity = "warning" if level >= 0.8 else "info"
    return Sign(ID, better, level, text, int(validation.steps[0]) if level >= 0.5 else None, severity, values)


def _course(better: float, raised: bool) -> str:
    if better <= 0:
        return "never falls below"
    return f"never falls more than {percent(better)} below" if raised else f"fell by {percent(better)} from"


def _accuracy_gain(run: Run) -> float:
    """0 to 1: the validation accuracy rises from its first evaluation, by more than its scatter."""
    accuracy = curve_of(run.series("accuracy/validation")).values
    if len(accuracy) < 3:
        return 0.0
    whole = 100.0 if accuracy.max() > 1.5 else 1.0
    scatter = float(np.median(np.abs(np.diff(accuracy)))) / whole
    gain = float(np.median(accuracy[len(accuracy) // 2 :]) - accuracy[0]) / whole
    return ramp(gain, max(0.01, scatter), max(0.03, 2 * scatter))


def do_now(_sign: Sign, run: Run) -> str:
    return f"{stop(run)}: what it learns does not carry over. Compare how training and validation data are prepared."
