"""The longest stretch at the end of a curve without real progress.

Flat means: the smoothed course stays at one level, and the fall over the stretch is either not significant and
small, or negligible however significant (half a percent of the level). A non-significant fall in wild noise is
not flat, it is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..record.types import FloatArray
from ._trend import SIGNIFICANT, trend
from .curve import Curve, once

NEGLIGIBLE = 0.005
SMALL = 0.02
STEADY = 0.06  # larger wandering of the smoothed level is movement, not a plateau
FEWEST = 5


@dataclass(frozen=True)
class FlatTail:
    """From `step` on; `share` of the run's points; `fall` (with its `error`) over it and
    `noise` of its bins are relative to the level."""

    step: int
    share: float
    points: int
    level: float
    fall: float
    noise: float
    error: float


@once
def flat_tail(curve: Curve) -> FlatTail | None:
    """The longest flat last stretch of at least a quarter of the run, or None."""
    x, y = curve.binned
    n = len(x)
    if n < FEWEST:
        return None
    usual = float(np.quantile(y, 0.9) - y.min())  # the range that the run covers, without a high first value
    for keep in np.unique(np.linspace(max(FEWEST, n // 4), n, 16).astype(int))[::-1]:
        tail = _flat(x[n - keep :], y[n - keep :], curve.logarithmic, float(np.ptp(y)), usual)
        if tail is not None:
            fall, noise, error = tail
            begin = int(np.searchsorted(curve.steps, x[n - keep]))
            begin = max(0, begin - len(curve) // n) if keep < n else 0
            values = curve.values[begin:]
            return FlatTail(
                int(curve.steps[begin]), keep / n, len(values), float(np.median(values)), fall, noise, error
            )
    return None


def _flat(
    x: FloatArray, y: FloatArray, logarithmic: bool, extent: float, usual: float
) -> tuple[float, float, float] | None:
    """Relative fall, noise and error of the fall of a flat stretch, or None when it is not flat."""
    size = 1.0 if logarithmic else abs(float(np.median(y)))
    found = trend(x, y)
    if size == 0:
        return (0.0, 0.0, 0.0) if np.ptp(y) == 0 else None
    fall, noise, error = -found.change / size, found.noise / size, found.error / size
    # Noise leaves a fall uncertain; what counts is whether it could be a good part of the range that the run covers.
    little = max(SMALL, min(0.1 * usual / size, 2 * STEADY))
    small = fall < little and abs(found.z) < SIGNIFICANT and error < little
    # After a fall by many decades, a few thousandths of that way are no progress either.
    negligible = max(NEGLIGIBLE, 0.003 * extent) if logarithmic else NEGLIGIBLE
    if not (small or abs(fall) < negligible) or fall < -little:
        return None
    few = max(2, len(y) // 20)
    if abs(float(np.median(y[:few]) - np.median(y))) / size > SMALL + 2.5 * noise / np.sqrt(few):
        return None  # it begins before the level is reached
    fifths = np.array([np.median(part) for part in np.array_split(y, 5)])
    wander = float(np.ptp(fifths)) / size
    # Medians of fifths wander by about two standard errors without any movement behind it.
    allowed = max(STEADY if small else 4 * negligible, 3 * noise / np.sqrt(len(y) / 5))
    return None if wander > min(allowed, 2 * STEADY) else (fall, noise, error)
