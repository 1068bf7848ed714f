"""The learning rate over the run, where it is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..record import Run
from ..record.types import FloatArray
from .curve import Curve, curve_of, once


@dataclass(frozen=True, eq=False)
class Rate:
    """The learning rate over the run; shares are relative to its peak."""

    curve: Curve

    @cached_property
    def peak(self) -> float:
        return float(self.curve.values.max())

    @property
    def last_share(self) -> float:
        """The rate at the end as a share of the peak."""
        return float(self.curve.values[-1]) / self.peak if self.peak > 0 else 0.0

    @property
    def constant(self) -> bool:
        values = self.curve.values
        return len(values) > 1 and bool(np.ptp(values) <= 1e-9 * self.peak)

    @property
    def warming(self) -> bool:
        """Still in its first ramp when the record ends: rising, and never lower than before."""
        values = self.curve.values
        late = values[min(int(0.9 * len(values)), len(values) - 2)]
        return len(values) > 2 and values[-1] > 1.01 * late and bool(np.all(np.diff(values) >= -1e-9 * self.peak))

    @cached_property
    def _places(self) -> FloatArray:
        """The steps as floats: `np.interp` would convert all of them at each call."""
        return self.curve.steps.astype(np.float64)

    def share_at(self, steps: FloatArray) -> FloatArray:
        """The rate at those steps as a share of the peak."""
        if self.peak <= 0:
            return np.zeros(len(steps))
        return np.asarray(np.interp(steps, self._places, self.curve.values)) / self.peak


@once
def learning_rate(run: Run) -> Rate | None:
    """The rate of the first parameter group, or None where fewer than two points are known."""
    curve = curve_of(run.series("lr"))
    return Rate(curve) if len(curve) > 1 and curve.values.min() >= 0 else None


def rate_left(run: Run) -> float:
    """How much of the learning rate is left at the end, 0 to 1: a schedule that has run out ends progress by design.

    A quarter of the peak still trains well, so it counts as all of it; so does an unknown learning rate.
    """
    rate = learning_rate(run)
    return 1.0 if rate is None or rate.peak <= 0 else min(1.0, rate.last_share / 0.25)
