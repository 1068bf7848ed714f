"""A training loss that climbs steadily from the very start of the record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..record import Run
from ._base import ramp
from ._rate import learning_rate
from ._trend import SIGNIFICANT, size_z, trend
from .curve import BINS, in_bins, once_per_run, training_loss, validation_loss

TYPICAL_NOISE = 0.03  # of one training loss, relative


@dataclass(frozen=True)
class SteadyRise:
    """`change` is the fitted log ratio from first to last, `size` places it between harmless and gross."""

    level: float
    size: float
    change: float
    z: float


@once_per_run
def steady_rise(run: Run) -> SteadyRise:
    """Rising significantly over the whole run and its first third, never having fallen by more than noise.

    2 % of the level is little, 10 % is not; a smaller rise counts when the validation loss rises with it.
    """
    loss = training_loss(run)
    if len(loss) < 8:
        return SteadyRise(0.0, 0.0, 0.0, 0.0)
    x, y = loss.binned[0], in_bins(loss.ratios, BINS)
    whole = trend(x, y)
    early = trend(x[: max(5, len(x) // 3)], y[: max(5, len(y) // 3)])
    start = max(float(y[0]), float(np.median(y[: max(1, len(y) // 10)])))
    dipped = start - float(np.quantile(y, 0.05)) > 3 * whole.noise + 0.3 * max(0.0, whole.change)
    rises = whole.rises or (len(loss) < 20 and size_z(whole, x, y, TYPICAL_NOISE) >= SIGNIFICANT)
    steady = rises and early.change > 0 and not dipped and whole.change > 0.5 * whole.noise
    size = ramp(whole.change, 0.02, 0.1)
    if whole.z >= 4 and _validation_rises(run) and not _rate_is_new(run):
        size = max(size, 0.6)
    certain = max(whole.z, size_z(whole, x, y, TYPICAL_NOISE) if len(loss) < 20 else 0.0)
    level = min(ramp(certain, 2.5, 4), size) if steady else 0.0
    return SteadyRise(level, size, whole.change, whole.z)


def _validation_rises(run: Run) -> bool:
    validation = validation_loss(run)
    if len(validation) < 4:
        return False
    course = trend(validation.steps.astype(np.float64), validation.values)
    # With four evaluations, strict order is all the evidence there can be.
    return course.rises or (course.change > 0 and bool(np.all(np.diff(validation.values) > 0)))


def _rate_is_new(run: Run) -> bool:
    """A rate that is still climbing disturbs a trained model for a while."""
    rate = learning_rate(run)
    return rate is not None and rate.warming
