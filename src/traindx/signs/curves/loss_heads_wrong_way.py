"""Whether the training loss climbs steadily from the very start, as when a sign is wrong.

The course rises significantly over the whole run and over its first third, never having fallen below its start by
more than noise. The rise counts by its size (2 % of the level is little, 10 % is not); a smaller one counts when
the validation loss rises significantly with it.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from .._base import Missing, Severity, Sign, ramp
from .._curve import BINS, adversarial, in_bins, training_loss, validation_loss
from .._rate import learning_rate
from .._trend import trend
from .._wording import number, percent

ID = "loss-heads-wrong-way"


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 8:
        return Missing(ID, "fewer than eight training losses were recorded")
    x, y = loss.binned[0], in_bins(loss.ratios, BINS)
    whole = trend(x, y)
    early = trend(x[: max(5, len(x) // 3)], y[: max(5, len(y) // 3)])
    start = float(np.median(y[: max(1, len(y) // 10)]))
    dipped = start - float(np.quantile(y, 0.05)) > 2 * whole.noise + 0.3 * max(0.0, whole.change)
    steady = whole.rises and early.change > 0 and not dipped and whole.change > 0.5 * whole.noise
    size = ramp(whole.change, 0.02, 0.1)
    if whole.z >= 4 and _validation_rises(run) and not _rate_is_new(run):
        size = max(size, 0.6)
    level = min(ramp(whole.z, 2.5, 4), size) if steady else 0.0
    if adversarial(run):
        level = min(level, 0.4)
    values = {"first": loss.first, "last": loss.last, "relative_rise": whole.change, "z": whole.z}
    if level < 0.5:
        text = (
            f"The training loss does not climb steadily from its start ({number(loss.first)} to {number(loss.last)})."
        )
        return Sign(ID, whole.change, level, text, None, "info", values)
    text = (
        f"The training loss climbs from the first recorded step {loss.steps[0]} on, from {number(loss.first)} to "
        f"{number(loss.last)} ({percent(min(whole.change, 99.0))} by its trend)."
    )
    severity: Severity = "critical" if whole.change >= 0.5 else "warning" if size >= 0.6 else "info"
    return Sign(ID, whole.change, level, text, int(loss.steps[0]), severity, values)


def _validation_rises(run: Run) -> bool:
    validation = validation_loss(run)
    if len(validation) < 4:
        return False
    course = trend(validation.steps.astype(np.float64), validation.values)
    # Four evaluations in strict order are all that four can show.
    return course.rises or (course.change > 0 and bool(np.all(np.diff(validation.values) > 0)))


def _rate_is_new(run: Run) -> bool:
    """A rate that is still climbing disturbs a trained model for a while."""
    rate = learning_rate(run)
    return rate is not None and rate.warming
