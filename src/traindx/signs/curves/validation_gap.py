"""How many times the training loss the validation loss is, from the first evaluation on.

The smallest ratio over all evaluations counts, so one bad evaluation does not raise it, and the gap must have been
there from the start: a gap that opens later is overfitting (validation-rising). Positive losses only.
"""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...wording import num4
from .. import questions
from .._base import Missing, Sign, ramp
from .._validation import evaluated_pairs
from ..curve import moment

ID = "validation-gap"
QUESTION = questions.VALIDATION
SHOWS = "outcome"
DOUBT_FROM = 0.8


def measure(run: Run) -> Sign | Missing:
    pairs = evaluated_pairs(run)
    if len(pairs.steps) < 2:
        return Missing(ID, "fewer than two evaluations beside a training loss were recorded")
    if min(pairs.validation.min(), pairs.training.min()) <= 0:
        return Missing(ID, "losses at or below zero cannot be compared as ratios")
    ratios = pairs.validation / pairs.training
    gaps = pairs.validation - pairs.training
    smallest = float(np.quantile(ratios, 0.1))
    grown = float(gaps[-1] / gaps[0]) if gaps[0] > 0 else math.inf
    first, last = float(ratios[0]), float(ratios[-1])
    level = ramp(min(first, smallest), 1.5, 3.0, log=True) * ramp(grown, 2.0, 1.4)
    values = {"ratio": smallest, "first_ratio": first, "last_ratio": last, "grown": grown, "evaluations": len(ratios)}
    began = moment(run, int(pairs.steps[0]))
    text = (
        f"Validation loss is {first:.3g} times the training loss at the first evaluation ({began}) "
        f"and {last:.3g} times at the last ({num4(float(pairs.validation[-1]))} against "
        f"{num4(float(pairs.training[-1]))})."
    )
    # Not bad by itself: other terms, units or modes make such a gap as well as other data do.
    return Sign(ID, smallest, level, text, int(pairs.steps[0]) if level >= 0.5 else None, "info", values)
