"""How high the hump is when the validation loss falls, rises and then falls below its first minimum.

The hump is relative to the first minimum (5 % is little, 20 % is not) and against the noise of the validation loss;
each part must last for at least two evaluations, so one bad evaluation is not a hump.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import median_filter

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._validation import evaluations
from ..curve import moment, spread_of_differences

ID = "validation-double-descent"
QUESTION = questions.VALIDATION
SHOWS = "dynamics"
END = "step"


def measure(run: Run) -> Sign | Missing:
    validation = evaluations(run)
    if len(validation) < 9:
        return Missing(ID, "fewer than nine validation losses were recorded")
    y = median_filter(validation.values, size=max(3, len(validation) // 30 * 2 + 1), mode="nearest")
    # The deepest later level for every point, and the hump between the best pair of minima around it.
    before, after = np.minimum.accumulate(y), np.minimum.accumulate(y[::-1])[::-1]
    humps = np.where((after <= before) & (before < y), y - before, 0.0)
    top = int(np.argmax(humps))
    lowest = float(before[top])
    height = float(humps[top]) / (abs(lowest) or 1.0)
    noise = spread_of_differences(validation.values)
    first = int(np.argmin(y[: top + 1]))
    lasts = top - first >= 2 and len(y) - 1 - top >= 2 and first >= 1
    certain = ramp(float(humps[top]) / noise if noise > 0 else np.inf, 4, 8)
    fell = float(y[0]) - lowest > float(humps[top]) * 0.3
    level = min(certain, ramp(height, 0.05, 0.2)) if lasts and fell and humps[top] > 0 else 0.0
    text = f"Validation loss has a hump of {percent(height)} between two descents."
    step, again = int(validation.steps[top]), float(after[top])
    if level >= 0.5:
        text = (
            f"Validation loss fell to {num4(lowest)} at {moment(run, int(validation.steps[first]))}, rose by "
            f"{percent(height)} until {moment(run, step)} and fell again to {num4(again)}."
        )
    values = {"first_minimum": lowest, "hump": height, "hump_step": step, "second_minimum": again}
    return Sign(ID, height, level, text, int(validation.steps[first]) if level >= 0.5 else None, "info", values)
