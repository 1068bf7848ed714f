"""How often the quarter of training samples that the model is surest of is wrong, beside all samples.

A model that has learned something is right where it is sure: its errors lie near the borders between classes, and the
surest quarter has next to none. Wrong labels are spread over sure and unsure samples alike. Measured after the first
quarter of the run; only where answers are clearly better than chance, as before that sureness means nothing; and less
where errors are still becoming fewer, as a model that is learning is sure too soon.
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

FEWEST_LOOKS = 4  # a look is at one batch
FEWEST_SAMPLES = 24  # of which the model was surest
KNOWN = 0.35  # of what there is to know beyond chance: a model that knows less is sure of the wrong things anyway


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
