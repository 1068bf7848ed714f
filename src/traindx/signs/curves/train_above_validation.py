"""How many times the validation loss the training loss is.

Dropout and augmentation make up to 1.5 times ordinary. Beyond that the two are not the same quantity: losses summed
over accumulation steps, extra terms, or a train mode that differs from eval mode. The median over the later
evaluations counts, not a single one.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4
from .. import questions
from .._base import Missing, Sign, ramp
from .._validation import evaluated_pairs

ID = "train-above-validation"
QUESTION = questions.VALIDATION
SHOWS = "dynamics"
END = "step"


def measure(run: Run) -> Sign | Missing:
    pairs = evaluated_pairs(run)
    # A loss that falls fast is above a later evaluation by delay alone: the later half has less of that.
    late = slice(len(pairs.steps) // 2, None)
    training, validation = pairs.training[late], pairs.validation[late]
    if len(training) < 2:
        return Missing(ID, "fewer than two evaluations beside a training loss were recorded")
    if min(training.min(), validation.min()) <= 0:
        return Missing(ID, "losses at or below zero cannot be compared as ratios")
    ratio = float(np.median(training / validation))
    level = ramp(ratio, 1.5, 3.0, log=True)
    text = (
        f"Training loss is {ratio:.3g} times the validation loss over the later half of the evaluations "
        f"({num4(float(training[-1]))} against {num4(float(validation[-1]))} at the last; up to 1.5 times is ordinary)."
    )
    onset = int(pairs.steps[late][0]) if level >= 0.5 else None
    return Sign(ID, ratio, level, text, onset, "info", {"ratio": ratio, "evaluations": len(training)})
