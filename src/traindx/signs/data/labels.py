"""Labels against the model's answers."""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...wording import percent
from .. import checks, questions
from .._base import Measured, Scale, Unless, ramp, sign
from .._chance import chance_accuracy
from .._data import label_counts, majority, ranking
from .._tables import typical
from ..curve import adversarial


@sign("labels-skewed", questions.DATA, "condition", Scale(0.7, 0.95), check=checks.CLASS_BALANCE)
def labels_skewed(run: Run) -> Measured | str:
    """The share of the most common class among the training targets.

    Seven in ten is an imbalance that training copes with; from nineteen in twenty on, always answering with it looks
    good. With a single class seen there is nothing to compare.
    """
    counts = label_counts(run)
    found = majority(counts) if counts is not None else None
    if counts is None or found is None or len(counts) < 2:
        return "no class labels of at least two classes were seen"
    name, share = found
    return Measured(
        share,
        f"{percent(share)} of the training targets are class {name} ({len(counts)} classes)",
        values={"class": name, "share": share, "classes": len(counts)},
    )


FEWEST_LOOKS = 4  # each look measures one batch
FEWEST_SAMPLES = 24  # among the most confident predictions
KNOWN = 0.35  # of the accuracy beyond chance: a model that knows less is confidently wrong anyway


@sign("confident-errors", questions.DATA, "dynamics")
def confident_errors(run: Run) -> Measured | str:
    """How often labels disagree with the most confident quarter of the predictions, beside all predictions.

    A model that has learned something is right where it is confident: its errors lie near the boundaries between
    classes, and the most confident quarter has next to none. Wrong labels are spread over confident and unconfident
    predictions alike. Measured after the first quarter of the run, and only if predictions are clearly better than
    chance, because before that confidence means nothing. Errors that are still decreasing count less: a model that is
    still learning is overconfident.
    """
    if adversarial(run):
        return "adversarial networks make no confident predictions of a class"
    batch = typical(run, "batch_size") or 0.0
    calls = run.training_losses
    if len(calls) > 1:
        return "several losses were computed, and which predictions belong to which is not known"
    if any(call.target.shape and math.prod(call.target.shape) > 1.5 * batch for call in calls):
        return "each sample has many targets, like the tokens of a text, and few of them are certain"
    wrong, right = run.series("error/confident").finite, run.series("accuracy/train").finite
    steps = np.intersect1d(wrong.steps, right.steps)
    steps = steps[steps >= run.steps / 4]
    samples = len(steps) * batch / 4
    if len(steps) < FEWEST_LOOKS or samples < FEWEST_SAMPLES:
        return "too few class labels were looked at after the first quarter of the run"
    sure = float(np.mean(wrong.values[np.isin(wrong.steps, steps)]))
    errors = 1.0 - right.values[np.isin(right.steps, steps)]
    everywhere = float(np.mean(errors))
    chance = chance_accuracy(run) or 0.0
    if 1.0 - everywhere < chance + KNOWN * (1.0 - chance):
        return "the predictions are hardly better than chance"
    before, after = (float(np.mean(half)) for half in np.array_split(errors, 2))
    # One standard error is taken off: a handful of samples proves little.
    certain = sure - math.sqrt(sure * (1 - sure) / samples)
    level = (
        ramp(certain, 0.05, 0.12)
        * ramp(sure / max(everywhere, 1e-9), 0.4, 0.7)
        * ramp(after / max(before, 1e-9), 0.6, 0.85)
    )
    text = (
        f"labels disagree with {percent(sure)} of the model's most confident predictions and with "
        f"{percent(everywhere)} of all "
        "(training samples after the first quarter of the run)"
    )
    return Measured(sure, text, level, values={"sure": sure, "all": everywhere})


FEWEST = 5


def shares_of_most_common(run: Run) -> tuple[float, float] | None:
    """(most common prediction, most common label): from late batches, else from the counts over the whole run."""
    predicted, labelled = typical(run, "correct/majority", 0.75), typical(run, "label_majority", 0.75)
    if predicted is not None and labelled is not None and len(run.series("correct/majority").finite) >= FEWEST:
        return predicted, labelled
    answers = majority(run.training_targets.recent_predictions or run.training_targets.predictions)
    labels = majority(label_counts(run) or {})
    return None if answers is None or labels is None else (answers[1], labels[1])


SKEWED = 0.75  # share of the most common label


@sign("predictions-collapsed", questions.FALLS, "dynamics", Scale(0.5, 0.95), end="light")
def predictions_collapsed(run: Run) -> Measured | str:
    """Whether the model answers nearly always with one class, late in the run, beyond how common that class is.

    The share of the most common prediction in a batch against that of the most common label in it: both feel the same
    small-batch luck. 0 where predictions are as varied as labels, 1 where one answer is left. For skewed labels that
    the scores follow weakly, the most common class is the best answer to everything.
    """
    shares = shares_of_most_common(run)
    if shares is None:
        return "predictions were not compared with labels"
    predicted, labelled = (min(max(share, 0.0), 1.0) for share in shares)
    excess = (predicted - labelled) / (1 - labelled) if labelled < 0.999 else 0.0
    order = ranking(run)
    best = f"the scores rank {percent(order.share)} of pairs right, so that class is the best answer" if order else ""
    return Measured(
        excess,
        f"late in the run the most common prediction makes up {percent(predicted)} of a batch (the most common label "
        f"{percent(labelled)})",
        values={"predicted": predicted, "labelled": labelled},
        unless=Unless(order.weak, best) if order is not None and labelled >= SKEWED else None,
    )
