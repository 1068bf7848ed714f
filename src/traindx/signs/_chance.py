"""The loss at chance: that of predicting the same for every input, where the run shows enough to know it.

An observed run shows the loss function and its targets. A log shows only a number of classes or a vocabulary size among
its hyperparameters, which gives the cross-entropy at chance; or a loss and an accuracy that are both at chance for the
same number of balanced classes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..record import Run
from ..record.data import Targets
from ..record.program import LossCall
from ..record.types import distinct
from ..record.values import number
from ._tables import paired
from .curve import Curve, accuracy_of, curve_of, once, training_loss

NEAR = (0.5, 2.0)  # errors whose mean square is this many times the targets' variance give the scale
LOST = 10.0  # times the loss at chance
FEWEST = 8  # points from which a ratio is judged
CLASS_KEYS = ("num_classes", "n_classes", "num_labels", "nc", "vocab_size", "n_vocab")


@dataclass(frozen=True)
class Chance:
    """`loss` is that of predicting the same for every input; `text` says how it was computed."""

    loss: float
    text: str


@once
def chance_level(run: Run) -> Chance | None:
    """The trivial predictor's training loss, or None."""
    calls = run.training_losses
    if len({(call.fn, call.input.shape and call.input.shape[1:]) for call in calls}) > 1:
        return None  # a sum of different losses; and the targets' statistics mix those of all of them
    if len(calls) > 1 and _added_within_a_step(run):
        return None  # the same function for two tasks, such as a label and a domain
    call = calls[0] if calls else None
    targets = run.training_targets
    if call is not None and targets:
        found = _from_call(run, call, targets)
        return found if found is not None and found.loss > 0 else None
    return _from_config(run)


def _added_within_a_step(run: Run) -> bool:
    """Whether most steps call loss functions at several places."""
    steps = run.series("loss/function").steps
    return len(steps) > 0 and len(steps) >= 1.5 * len(distinct(steps))


def _from_call(run: Run, call: LossCall, targets: Targets) -> Chance | None:
    if call.target.carries_gradient:
        return None  # targets that the model makes itself, as in bootstrapping, move with the model
    if call.averaged is False:
        return None  # the script weighs the terms itself, as a focal loss does
    if call.kind == "residual":
        return _where_errors_are_as_large_as_targets(run, call)
    trivial = call.trivial
    if trivial is not None and trivial > 0:
        return Chance(trivial * _ratio(run, call), "the loss of always predicting the targets' mean")
    found = _from_targets(call, targets)
    if found is None or call.term_ratio is None:
        return Chance(found.loss * _ratio(run, call), found.text) if found is not None else None
    return None if has_other_terms(run) else Chance(found.loss * call.term_ratio, found.text)


@once
def has_other_terms(run: Run) -> bool:
    """Whether the loss that backward gets is more than a multiple of the one loss function that was seen.

    If a penalty, a divergence or a hand-written loss is added, the ratio of the two changes during the run.
    """
    if len(run.training_losses) != 1 or run.training_losses[0].kind == "residual":
        return False
    # A sum may be divided by the number of its terms afterwards, which differs from batch to batch.
    return _ratio_changes(run, "loss/function") and not (
        run.series("loss/term") and not _ratio_changes(run, "loss/term")
    )


def _ratio_changes(run: Run, name: str) -> bool:
    total, function = paired(run.series("loss/train"), run.series(name))
    ratios = total[function > 0] / function[function > 0]
    if len(ratios) < FEWEST:
        return False
    low, middle, high = np.quantile(ratios, [0.1, 0.5, 0.9])
    return bool(high - low > 0.05 * abs(middle))  # where terms are subtracted, the ratio may be negative


@once
def compared_loss(run: Run) -> Curve:
    """The training loss in the units of `chance_level`: of several terms, the loss function's own."""
    return curve_of(run.series("loss/function")) if has_other_terms(run) else training_loss(run)


def _ratio(run: Run, call: LossCall) -> float:
    """The loss that backward gets over the value that the loss function returned."""
    ratio = call.value_ratio
    return ratio if ratio is not None and ratio > 0 and not has_other_terms(run) else 1.0


def _from_targets(call: LossCall, targets: Targets) -> Chance | None:
    if call.class_weights or (call.reduction == "sum" and call.term_ratio is None):
        return None  # this would need class weights and the number of terms
    if call.kind in ("bce", "bce-logits"):
        share = targets.mean
        if share is not None and 0 < share < 1:
            return Chance(_entropy([share, 1 - share]), f"the entropy of targets that are 1 in {share:.3g} of cases")
        return None
    if call.kind in ("cross-entropy", "nll"):
        counts = list(targets.histogram.values())
        if len(counts) > 1:
            return Chance(_entropy(counts), f"the entropy of {len(counts)} classes at their frequencies")
        classes = targets.classes
        if classes is not None and classes > 1:
            return Chance(math.log(classes), f"ln({classes:g})")
        return None
    spread = targets.std
    if call.kind == "squared" and spread is not None and spread > 0:
        return Chance(spread**2, "the variance of the targets")
    return None


def _where_errors_are_as_large_as_targets(run: Run, call: LossCall) -> Chance | None:
    """For an unknown function of prediction minus target, whose mean square is in `loss/function`.

    Its value at chance is taken from steps at which errors were about as large as the targets' spread.
    """
    variance = call.trivial
    squares, losses = run.series("loss/function"), run.series("loss/train")
    if variance is None or variance <= 0 or not len(squares) or not len(losses):
        return None
    at = {int(step): float(value) for step, value in zip(losses.steps, losses.values, strict=True)}
    size = {int(step): float(value) / variance for step, value in zip(squares.steps, squares.values, strict=True)}
    near = [at[step] / size[step] for step in size if step in at and NEAR[0] <= size[step] <= NEAR[1]]
    values = [value for value in near if 0 < value < math.inf]
    return Chance(float(np.median(values)), "the loss of errors as large as the targets' spread") if values else None


def stated_classes(run: Run) -> tuple[str, float] | None:
    """The number of classes in a log's settings, and its name there."""
    known = ((key, number(run.log.config.get(key))) for key in CLASS_KEYS)
    return next(((key, classes) for key, classes in known if classes is not None and classes > 1), None)


def _from_config(run: Run) -> Chance | None:
    stated = stated_classes(run)
    return Chance(math.log(stated[1]), f"ln({stated[0]} {stated[1]:g})") if stated else _from_accuracy(run)


def _from_accuracy(run: Run) -> Chance | None:
    """Cross entropy and accuracy that are both at chance for the same number of balanced classes give that number."""
    classes = classes_by_accuracy(run)
    if classes is None:
        return None
    for name in ("loss/train", "loss/validation"):
        values = curve_of(run.series(name)).values
        if len(values) and abs(float(np.median(values)) / math.log(classes) - 1) < 0.05:
            return Chance(math.log(classes), f"ln({classes}), with an accuracy of 1/{classes}")
    return None


@once
def classes_by_accuracy(run: Run) -> int | None:
    """The number of balanced classes for which accuracies stay at chance: all of them within a tenth of one in k."""
    accuracy = accuracy_curve(run)
    if len(accuracy) < 3:
        return None
    typical = float(np.median(accuracy.values))
    classes = round(1 / typical) if typical > 1e-4 else 0
    if not 2 <= classes <= 2000:
        return None
    off = np.abs(accuracy.values * classes - 1)
    if float(np.median(off)) >= 0.05 or float(np.quantile(off, 0.8)) >= 0.15:
        return None
    # A loss that is neither near chance nor far beyond it contradicts: then these are not accuracies among k classes.
    losses = [curve_of(run.series(name)) for name in ("loss/train", "loss/validation")]
    ratios = [loss.last / math.log(classes) for loss in losses if len(loss)]
    return classes if all(abs(ratio - 1) < 0.15 or ratio > LOST for ratio in ratios) else None


@once
def accuracy_curve(run: Run) -> Curve:
    """The validation accuracy, else the training accuracy."""
    validation = accuracy_of(run, "validation")
    return validation if len(validation) else accuracy_of(run, "train")


def _entropy(weights: list[float]) -> float:
    total = sum(weights)
    return -sum(w / total * math.log(w / total) for w in weights if w > 0)


def chance_accuracy(run: Run) -> float | None:
    """The accuracy of always naming the most common class."""
    counts = run.training_targets.histogram.values()
    return max(counts) / sum(counts) if len(counts) > 1 else None
