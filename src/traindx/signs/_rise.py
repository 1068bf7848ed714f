"""How far a curve ends above its minimum, against the noise that its own course leaves.

The null hypothesis is a curve that falls and levels out. A fall-then-rise fit (isotonic on both sides of the lowest
stretch) explains a real rise; what it leaves unexplained, slow wandering included, is the noise. With few points the
noise is hardly known, so a typical noise counts as a prior worth a few points: a clear effect still stands out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..record.types import FloatArray
from ._medians import median_filter
from .curve import TYPICAL_NOISE, Curve, in_bins, once

BINS = 120  # enough to place a turn to 1 % of the run
PRIOR_POINTS = 2.0


@dataclass(frozen=True)
class Rise:
    """`height` and `noise` in ratio units (log, or typical sizes where values are not all positive).

    `height` compares smoothed levels; `z` is the height in standard errors, less what picking the lowest stretch of
    many brings by luck. `returning` is the share of the height by which the last quarter after the minimum lies below
    the quarter before it. `start` is the index in the curve at which it leaves its lowest level, `after` the points
    (or bins) since the lowest stretch, `of_fall` the height against the fall before it.
    """

    height: float
    z: float
    noise: float
    returning: float
    start: int
    after: int
    of_fall: float

    @property
    def ratio(self) -> float:
        """The smoothed rise as a share of the lowest level."""
        return math.expm1(min(self.height, 700.0))


NONE = Rise(0.0, 0.0, 0.0, 0.0, 0, 0, 0.0)


@once
def rise_of(curve: Curve) -> Rise:
    """The rise of the end above the lowest level; `NONE` where there is none."""
    size = max(1, math.ceil(len(curve) / BINS))
    y = in_bins(curve.ratios, len(curve) // size) if size > 1 else curve.ratios
    n = len(y)
    if n < 3:
        return NONE
    width = window(n)
    smooth = smoothed(y, width)
    best = int(np.argmin(smooth))
    after = n - 1 - best
    if after < 1:
        return NONE
    tail = y[best:]
    end = float(np.median(tail[-min(width, after) :]))
    height = end - float(smooth[best])
    if height <= 0:
        return NONE
    # A spike higher than the end does not count as noise of the levels that are compared.
    capped = np.concatenate([y[:best], np.minimum(tail, max(end + 0.3 * height, float(np.quantile(tail, 0.75))))])
    noise, inflation = unexplained(capped, best, TYPICAL_NOISE / math.sqrt(size))
    points = max(1.0, width / inflation)
    luck = noise * math.sqrt(2 * math.log(max(n / width, 1.0)) / points)
    z = max(0.0, height - 0.7 * luck) / (noise * math.sqrt(1 / points + 1 / max(1.0, min(width, after) / inflation)))
    fallen = float(y[0]) - float(smooth[best])
    return Rise(
        height,
        z,
        noise,
        _returning(tail, height),
        _departure(curve.ratios, len(curve) - size * (n - best), float(smooth[best]), height, noise * math.sqrt(size)),
        after,
        height / fallen if fallen > 0 else math.inf,
    )


def _returning(tail: FloatArray, height: float) -> float:
    quarter = len(tail) // 4
    if quarter < 1:
        return 0.0
    before, last = float(np.median(tail[-2 * quarter : -quarter])), float(np.median(tail[-quarter:]))
    return max(0.0, before - last) / height


def _departure(y: FloatArray, best: int, low: float, height: float, noise: float) -> int:
    """The first point after the last that was still at the lowest level, give or take noise."""
    width = 5 if len(y) >= 40 else 1
    course = median_filter(y, width, beyond="edge") if width > 1 else y
    there = np.flatnonzero(course <= low + max(1.5 * noise / math.sqrt(width), 0.1 * height))
    there = there[there >= max(0, best - len(y) // 20)]
    return min(len(y) - 1, int(there[-1]) + 1 if len(there) else max(0, best))


def window(points: int) -> int:
    """Points that make a level: two of a handful, a tenth of many."""
    return 1 if points < 4 else 2 if points < 12 else 3 if points < 30 else points // 10


def smoothed(y: FloatArray, width: int) -> FloatArray:
    """Running medians; of two points the mean. Ends are stretches of full width too."""
    if width <= 1 or len(y) < width:
        return y
    rows = np.lib.stride_tricks.sliding_window_view(y, width)
    inner = np.median(rows, axis=1)
    left = (width - 1) // 2
    return np.concatenate([np.full(left, inner[0]), inner, np.full(len(y) - len(inner) - left, inner[-1])])


def unexplained(y: FloatArray, best: int, typical: float) -> tuple[float, float]:
    """Standard deviation of what a fall to `best` and a rise after it leave, and its variance inflation."""
    fall, groups = _isotonic(-y[: best + 1])
    rise, more = _isotonic(y[best:])
    fit = np.concatenate([-fall[:-1], rise])
    residuals = y - fit
    kept = np.sort(np.abs(residuals))[: max(3, math.ceil(0.9 * len(y)))]  # single outliers are no noise
    free = max(0.0, len(kept) - min(groups + more - 1, len(y) // 2))
    variance = (1.4 * float(kept @ kept) + PRIOR_POINTS * typical**2) / (free + PRIOR_POINTS)
    neighbours = _of_neighbours(y, best) ** 2
    # With few points both estimates are rough: their mean is more reliable than the larger one.
    joined = max(variance, (variance + neighbours) / 2 if len(y) < 20 else neighbours)
    return math.sqrt(joined), _inflation(residuals)


def _of_neighbours(y: FloatArray, best: int) -> float:
    """Noise by second differences, which a course hardly enters; their smaller third, so that bends do not either.

    Of few points the bend of the first fall is a good part: those since the minimum tell more, if they suffice.
    """
    if len(y) < 8:
        return 0.0
    if len(y) < 20 and len(y) - best >= 5:
        y = y[max(0, best - 1) :]
    return float(np.quantile(np.abs(np.diff(y, 2)), 0.35)) / (0.454 * math.sqrt(6))


def _isotonic(y: FloatArray) -> tuple[FloatArray, int]:
    """The best non-decreasing fit by pooling adjacent violators, and how many levels it has."""
    means: list[float] = []
    counts: list[int] = []
    for value in y.tolist():
        mean, count = value, 1
        while means and means[-1] > mean:
            before, many = means.pop(), counts.pop()
            mean, count = (before * many + mean * count) / (many + count), many + count
        means.append(mean)
        counts.append(count)
    return np.repeat(means, counts), len(means)


def _inflation(residuals: FloatArray) -> float:
    """The factor by which correlated neighbours widen the variance of a mean."""
    power = float(residuals @ residuals)
    if len(residuals) < 12 or power <= 0:
        return 1.0
    r = min(0.8, float(residuals[1:] @ residuals[:-1]) / power)
    return (1 + r) / (1 - r) if r > 0 else 1.0
