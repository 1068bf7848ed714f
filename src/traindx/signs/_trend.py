"""Is there a trend, and how large: Theil-Sen's slope and Mann-Kendall's test, with room for autocorrelation.

Both use only the order or the median of pairwise slopes, so outliers and skewed noise do no harm. Successive
points of a smoothed log repeat each other; the variance of the test is widened by their measured correlation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..record.types import FloatArray
from .curve import BINS, TYPICAL_NOISE, in_bins, robust_spread


@dataclass(frozen=True)
class Trend:
    """`change` is the fitted difference from the first to the last point, `error` its standard error."""

    slope: float
    change: float
    z: float
    noise: float
    error: float

    @property
    def falls(self) -> bool:
        return self.z <= -SIGNIFICANT

    @property
    def rises(self) -> bool:
        return self.z >= SIGNIFICANT


SIGNIFICANT = 2.6  # two-sided 1 %: a log gives several windows to look at


def trend(x: FloatArray, y: FloatArray) -> Trend:
    """The trend of a course; all pairs are looked at, so a long one goes into bins first."""
    if len(x) > 2 * BINS:
        x, y = in_bins(x, BINS, np.mean), in_bins(y, BINS)
    n = len(x)
    if n < 3 or x[-1] == x[0]:
        return Trend(0.0, 0.0, 0.0, 0.0, math.inf)
    x = x - x[0]
    i, j = np.triu_indices(n, 1)
    rise, run = y[j] - y[i], x[j] - x[i]
    slope = float(np.median(rise[run > 0] / run[run > 0]))
    residuals = y - slope * x
    noise = robust_spread(residuals)
    inflation = _inflation(residuals)
    variance = n * (n - 1) * (2 * n + 5) / 18 * inflation
    score = float(np.sign(rise).sum())
    z = math.copysign(max(0.0, abs(score) - 1), score) / math.sqrt(variance)
    error = noise * math.sqrt(12 * inflation / n)
    return Trend(slope, slope * float(x[-1] - x[0]), z, noise, error)


def size_z(found: Trend, x: FloatArray, y: FloatArray, typical: float = TYPICAL_NOISE) -> float:
    """The change in standard errors: with few points the size shows a trend that the order cannot.

    Noise that few points hardly show is taken together with a typical one, which counts for two points.
    """
    if len(y) < 3 or not math.isfinite(found.error):
        return 0.0
    rest = y - found.slope * x
    rest = rest - np.median(rest)
    variance = (float(rest @ rest) + 2 * typical**2) / len(y)
    return found.change / math.sqrt(variance * 12 * _inflation(rest) / len(y))


def _inflation(residuals: FloatArray) -> float:
    """The variance inflation of a mean of correlated neighbours: (1 + r) / (1 - r) for lag-1 correlation r."""
    centred = residuals - residuals.mean()
    power = float(centred @ centred)
    if len(residuals) < 8 or power <= 0 or not math.isfinite(power):
        return 1.0
    r = min(0.8, float(centred[1:] @ centred[:-1]) / power)
    return (1 + r) / (1 - r) if r > 0 else 1.0
