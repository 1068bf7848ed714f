"""Training loss beside each evaluation, so that the two can be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..record import Run
from ..record.types import FloatArray, IntArray
from ._chance import compared_loss, has_other_terms
from .curve import Curve, curve_of, in_bins, once, validation_loss

BINARY = {"bce", "bce-logits"}  # the same loss, given probabilities or scores
DIVIDED = 0.75  # of the function's value in training: by the number of batches that make one step
MOST = 200  # evaluations to compare; more tell nothing new about a gap


@dataclass(frozen=True, eq=False)
class Pairs:
    """At each evaluation: its step, the validation loss, the training level around it."""

    steps: IntArray
    validation: FloatArray
    training: FloatArray


def evaluated_samples(run: Run) -> float:
    """How many samples evaluations were seen to give the model."""
    return run.evaluation_data.samples or 0.0


def passes_on_nothing(run: Run) -> int:
    """How many evaluations called the model on no samples, where none called it on any."""
    return 0 if evaluated_samples(run) else run.eval_passes_empty


def training_at(run: Run, step: int) -> float:
    """The training level around a step: the median of the twentieth of the run's points before it."""
    loss = compared_loss(run)
    stop = max(1, int(np.searchsorted(loss.steps, step, side="right")))
    return float(np.median(loss.values[max(0, stop - max(1, len(loss) // 20)) : stop]))


@once
def evaluations(run: Run) -> Curve:
    """The validation loss; of very many evaluations the medians of `MOST` stretches."""
    curve = validation_loss(run)
    if len(curve) <= MOST:
        return curve
    steps = in_bins(curve.steps.astype(np.float64), MOST, np.mean)
    return Curve(steps.astype(np.int64), in_bins(curve.values, MOST))


def _thinned(curve: Curve) -> Curve:
    """At most `MOST` evaluations, the first and the last among them."""
    if len(curve) <= MOST:
        return curve
    keep = np.linspace(0, len(curve) - 1, MOST).astype(int)
    return Curve(curve.steps[keep], curve.values[keep])


@once
def validation_scale(run: Run) -> float | None:
    """The factor from a validation loss to a training loss; None if the two cannot be compared.

    They cannot if evaluations use another loss function than training, if they compute a number of their own where
    training calls a known function, or if the training loss is a sum of terms, of which evaluations record only one. A
    loss that is divided for gradient accumulation is smaller in training than in evaluations.
    """
    training, evaluating = run.training_losses, run.evaluation_losses
    if evaluating and not training:
        return None  # the training loss function is unknown
    kinds = [{call.kind for call in calls} for calls in (training, evaluating)]
    if all(kinds) and not kinds[0] & kinds[1] and not all(found <= BINARY for found in kinds):
        return None
    by_hand = run.eval_losses_read > 0 and any(c.kind not in ("", "residual") for c in training)
    if by_hand and not evaluating:
        return None
    if any(call.reduction == "sum" for call in training):
        return None
    ratio = training[0].value_ratio if len(training) == 1 and evaluating and not has_other_terms(run) else None
    return ratio if ratio is not None and 0 < ratio <= DIVIDED else 1.0


@once
def evaluated_pairs(run: Run) -> Pairs:
    """Evaluations with a training loss before them. Evaluations on training data are the fairer partner."""
    validation, training = _thinned(validation_loss(run)), compared_loss(run)
    scale = validation_scale(run)
    if scale is None:
        return Pairs(validation.steps[:0], validation.values[:0], validation.values[:0])
    same = curve_of(run.series("loss/validation/training_data"))
    if len(same) and len(validation):
        both = np.isin(validation.steps, same.steps)
        steps = validation.steps[both]
        partner = same.values[np.isin(same.steps, steps)]
        return Pairs(steps, validation.values[both], partner)
    if len(training) == 0:
        keep = np.zeros(len(validation), bool)
    else:
        keep = validation.steps >= training.steps[0]
    steps = validation.steps[keep]
    beside = np.array([training_at(run, int(step)) for step in steps])
    return Pairs(steps, scale * validation.values[keep], beside)


def validation_turned(run: Run) -> bool:
    """More training does not help a validation loss that has passed its minimum."""
    validation = validation_loss(run)
    if len(validation) < 4:
        return False
    best = int(np.argmin(validation.values))
    lowest = float(validation.values[best])
    return bool(best <= 0.7 * (len(validation) - 1) and validation.last > lowest + 0.03 * abs(lowest))
