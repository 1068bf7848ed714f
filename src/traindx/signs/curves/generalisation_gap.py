"""How much more of what there was to learn training has learned than validation at its best.

Both are measured against chance where it is known, else against the first loss: if the validation loss stays half way
while the training loss falls to almost nothing, the model memorises, even if validation never rises. Accuracies are
compared in percentage points; 20 are severe. An overconfident model shows a gap in the losses but not in the
accuracies, so where both are known their mean counts.
"""

from __future__ import annotations

from statistics import mean

import numpy as np

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._chance import compared_loss
from .._progress import progress
from .._validation import evaluated_pairs
from ..curve import adversarial, curve_of

ID = "generalisation-gap"
QUESTION = questions.VALIDATION
SHOWS = "outcome"
END = "step"
DOUBT_FROM = 0.8


def measure(run: Run) -> Sign | Missing:
    if adversarial(run):
        return Missing(ID, "the losses of adversarial networks cannot be compared")
    losses, accuracies = _of_losses(run), _of_accuracies(run)
    found = [part for part in (losses, accuracies) if part is not None]
    if not found:
        return Missing(ID, "fewer than two evaluations beside a positive training loss were recorded")
    level = mean(level for level, _, _ in found)
    # How far two losses lie apart is no outcome: validation-rising and validation-never-improves are.
    return Sign(ID, found[0][1], level, "; ".join(text for _, _, text in found) + ".", None, "info")


def _of_losses(run: Run) -> tuple[float, float, str] | None:
    pairs, loss = evaluated_pairs(run), compared_loss(run)
    if len(pairs.steps) < 2 or min(pairs.validation.min(), pairs.training.min()) <= 0:
        return None
    best, last = float(pairs.validation.min()), float(pairs.training[-1])
    one, other = progress(run, loss, best), progress(run, loss, last)
    if one is None or other is None:
        return None
    gap = min(one.left, 1.0) - min(other.left, 1.0)
    text = (
        f"Training loss is {num4(last)} at the last evaluation, the lowest validation loss is {num4(best)}; {one.text}"
    )
    return ramp(gap, 0.15, 0.35), gap, text


def _of_accuracies(run: Run) -> tuple[float, float, str] | None:
    training, validation = curve_of(run.series("accuracy/train")), curve_of(run.series("accuracy/validation"))
    late = training.values[training.steps >= 0.75 * run.steps] if len(training) else np.empty(0)
    if len(late) < 2 or not len(validation):
        return None
    reached, best = float(np.mean(late)), float(validation.values.max())
    text = f"training accuracy ends at {percent(reached)}, validation accuracy is {percent(best)} at best"
    return ramp(reached - best, 0.08, 0.2), reached - best, text
