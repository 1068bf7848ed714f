"""How often the quarter of training samples that the model is surest of is wrong, beside all samples.

A model that has learned something is right where it is sure: its errors lie near the borders between classes, and the
surest quarter has next to none. Wrong labels are spread over sure and unsure samples alike. Measured in the second half
of the run, and only where the answers are clearly better than chance: before that sureness means nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...record import Run, Series
from .._base import Missing, Sign, ramp
from .._chance import chance_accuracy
from .._curve import adversarial
from .._words import grave, pct

ID = "confident-errors"

FEWEST_LOOKS = 6  # a look is at one batch


def measure(run: Run) -> Sign | Missing:
    wrong, right = run.series("error/confident"), run.series("accuracy/train")
    if adversarial(run):
        return Missing(ID, "networks that train against each other are never sure")
    looks = [(_late(series, run.steps)) for series in (wrong, right)]
    if min(len(values) for values in looks) < FEWEST_LOOKS:
        return Missing(ID, "too few batches of class labels were looked at in the second half of the run")
    sure, everywhere = float(np.mean(looks[0])), 1.0 - float(np.mean(looks[1]))
    chance = chance_accuracy(run) or 0.0
    if 1.0 - everywhere < chance + 0.1 * (1.0 - chance):
        return Missing(ID, "the answers are hardly better than chance")
    level = ramp(sure, 0.06, 0.15) * ramp(sure / max(everywhere, 1e-9), 0.4, 0.7)
    text = (
        f"In the second half of the run {pct(sure)} of the training samples that the model is surest of are labelled "
        f"otherwise, {pct(everywhere)} of all"
    )
    return Sign(ID, sure, level, text, severity=grave(level, "warning"), values={"sure": sure, "all": everywhere})


def _late(series: Series, steps: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    values = series.values[series.steps >= steps / 2]
    return values[np.isfinite(values)]
