"""How often labels disagree with the most confident quarter of the predictions, beside all predictions.

A model that has learned something is right where it is confident: its errors lie near the boundaries between classes,
and the most confident quarter has next to none. Wrong labels are spread over confident and unconfident predictions
alike. Measured after the first quarter of the run, and only if predictions are clearly better than chance, because
before that confidence means nothing. Errors that are still decreasing count less: a model that is still learning is
overconfident.
"""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...wording import percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._chance import chance_accuracy
from .._tables import typical
from ..curve import adversarial

ID = "confident-errors"
QUESTION = questions.DATA
SHOWS = "dynamics"

FEWEST_LOOKS = 4  # each look measures one batch
FEWEST_SAMPLES = 24  # among the most confident predictions
KNOWN = 0.35  # of the accuracy beyond chance: a model that knows less is confidently wrong anyway


def measure(run: Run) -> Sign | Missing:
    if adversarial(run):
        return Missing(ID, "adversarial networks make no confident predictions of a class")
    batch = typical(run, "batch_size") or 0.0
    calls = run.training_losses
    if len(calls) > 1:
        return Missing(ID, "several losses were computed, and which predictions belong to which is not known")
    if any(call.target.shape and math.prod(call.target.shape) > 1.5 * batch for call in calls):
        return Missing(ID, "each sample has many targets, like the tokens of a text, and few of them are certain")
    wrong, right = run.series("error/confident").finite, run.series("accuracy/train").finite
    steps = np.intersect1d(wrong.steps, right.steps)
    steps = steps[steps >= run.steps / 4]
    samples = len(steps) * batch / 4
    if len(steps) < FEWEST_LOOKS or samples < FEWEST_SAMPLES:
        return Missing(ID, "too few class labels were looked at after the first quarter of the run")
    sure = float(np.mean(wrong.values[np.isin(wrong.steps, steps)]))
    errors = 1.0 - right.values[np.isin(right.steps, steps)]
    everywhere = float(np.mean(errors))
    chance = chance_accuracy(run) or 0.0
    if 1.0 - everywhere < chance + KNOWN * (1.0 - chance):
        return Missing(ID, "the predictions are hardly better than chance")
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
    return Sign(ID, sure, level, text, severity=if_raised(level, "warning"), values={"sure": sure, "all": everywhere})
