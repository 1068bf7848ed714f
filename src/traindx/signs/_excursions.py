"""Sudden rises of a curve above its own course: where they begin, how high they go, whether they come back.

Each point is compared with the median of the points just before it, in ratios (logarithms) where the curve is
positive. The scale is the spread of exactly that quantity over the run and just before the point, so heavy tails and
noise that grows with time are taken into account.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..record import Run
from ..record.types import FloatArray, IntArray
from ._base import ramp
from ._medians import median_filter, running_median
from .curve import Curve, gradient_norm, once, robust_spread, training_loss

BoolArray = NDArray[np.bool_]
Outcome = Literal["back", "returning", "open", "stays"]

SEEN = math.log(1.25)  # a rise by less than a quarter is ignored
APART = 3.0  # times the core's spread; the tail of a Cauchy distribution reaches 2.6
WIDEST = 300  # points over which the lag of a course is followed
MOST = 300  # a curve with this many rises is noisy throughout; more add nothing


@dataclass(frozen=True)
class Excursion:
    """Indices into the curve; `height` in log ratio (or typical sizes), `z` in spreads of ordinary deviations.

    `outcome`: it came back; it was on its way back when the record ended; the record ends too soon after a jump
    to tell; or it stayed up.
    """

    start: int
    peak: int
    end: int | None
    height: float
    z: float
    outcome: Outcome

    @property
    def level(self) -> float:
        """Both far beyond the noise and large in itself (a rise by a third is small, a doubling is not)."""
        return min(ramp(self.z, 5, 10), ramp(self.height, math.log(1.3), math.log(2)))


def excursions(curve: Curve) -> list[Excursion]:
    """All rises above the course, in order."""
    y = curve.ratios
    n = len(y)
    if n < 3:
        return []
    width = _odd_width(n)
    baseline = trailing_median(y, width)
    rise = y - baseline
    # With fewer points a spike would set the spread that it is measured by.
    usual = _usual_spread(_without_lag(rise[2:], width)[~_lasting(rise[2:])]) if n >= 30 else 0.0
    found: list[Excursion] = []
    raised = np.zeros(n, np.bool_)  # in a clear rise: what is looked for must not be the scale that it is measured by
    free_from = 1
    for i in np.flatnonzero(rise > max(SEEN, 4 * usual)):
        if i < free_from or len(found) >= MOST:
            continue
        near = slice(max(1, i - 50), i)
        spread = max(usual, _spread_of(rise[near][~raised[near]]) if i > 1 else _spread_after(y[2:]))
        excursion = _follow(y, int(i), float(baseline[i]), spread, free_from)
        if found and found[-1].end == excursion.start and excursion.height < found[-1].height:  # still coming down
            found[-1] = replace(found[-1], end=excursion.end, outcome=excursion.outcome)
        else:
            found.append(excursion)
        free_from = n if excursion.end is None else excursion.end
        if found[-1].level >= 0.5:
            raised[excursion.start : free_from] = True
    return found


def standouts(curve: Curve) -> IntArray:
    """Indices of points far above the core of the noise, however many there are; the first of each group."""
    y = curve.ratios
    if len(y) < 8:
        return np.empty(0, np.int64)
    rise = y - median_filter(y, _odd_width(len(y)))
    high = np.flatnonzero(rise > max(SEEN, 6 * robust_spread(rise)))
    return np.asarray(high[np.concatenate([[True], np.diff(high) > 2])]) if len(high) else high


def _odd_width(points: int) -> int:
    """How many neighbours make a baseline: a twentieth of the run, at least three, no more than follow a course."""
    return int(np.clip(points // 20, 3, 31)) | 1


def trailing_median(y: FloatArray, width: int) -> FloatArray:
    """For each point the median of the `width` (odd) points before it; fewer at the start, the first is its own."""
    result = np.empty_like(y)
    result[0] = y[0]
    for i in range(1, min(width, len(y))):
        result[i] = np.median(y[:i])
    if len(y) > width:
        result[width:] = running_median(y[:-1], width)
    return result


def _without_lag(rise: FloatArray, width: int) -> FloatArray:
    """A falling course lies below the points before it, by more where it is steep: that is no noise."""
    wide = min(max(4 * width, len(rise) // 10), WIDEST) | 1
    return rise - np.minimum(median_filter(rise, wide), 0.0) if len(rise) > 2 * wide else rise


def _lasting(rise: FloatArray) -> BoolArray:
    """Stretches raised for two points of three: noise, however heavy its tails, is independent from point to point.

    They are what is looked for, so they must not count as noise.
    """
    middle = median_filter(rise, 3)
    high = middle - np.median(middle) > max(SEEN, 6 * robust_spread(middle))
    beside = high.copy()
    beside[1:] |= high[:-1]
    beside[:-1] |= high[1:]
    return beside


def _usual_spread(rise: FloatArray) -> float:
    """Ordinary upward deviations: the wider of the core's and of the upper tail's spread."""
    if len(rise) < 8:
        return 0.0
    centre, high = np.quantile(rise, [0.5, 0.95])
    core = 1.4826 * float(np.median(np.abs(rise - centre)))
    tail = max(float(high - centre) / 1.645, _usual_extreme(rise - centre) / 1.3)
    quiet = min(robust_spread(rise[: len(rise) // 2]), robust_spread(rise[len(rise) // 2 :]))
    if tail > APART * quiet:
        # Not the tail of this noise, however heavy: many spikes, each far above it, would hide one another.
        near = rise[rise - centre <= max(SEEN, 2 * APART * quiet)]
        tail = float(np.quantile(near, 0.95) - centre) / 1.645
    return max(core, tail)


def _usual_extreme(rise: FloatArray) -> float:
    """The upper 1.5 % point as most parts of the run show it: heavy tails are everywhere, spikes in some parts.

    It is 2.2 standard deviations of plain noise.
    """
    parts = min(8, len(rise) // 25)
    if parts < 3:
        return 0.0
    size = len(rise) // parts
    table = rise[: parts * size].reshape(parts, size)
    return float(np.median(np.quantile(table, 0.985, axis=1)))


def _spread_of(before: FloatArray) -> float:
    """The spread of deviations just before a point; of a handful, the root mean square: a median may be small by luck.

    Points below the curve's course do not count: a steep fall at the start is not noise.
    """
    if not len(before):
        return 0.01
    if len(before) < 8:
        return max(1.2 * float(np.sqrt(np.mean(before**2))), 0.01)
    # A course that falls less and less steeply leaves a trend in these deviations, which is no noise.
    around = before - max(0.0, _slope(before)) * np.arange(len(before))
    upper = float(np.quantile(around - np.median(around), 0.975)) / 2
    return max(robust_spread(around), upper, 1e-3)  # a curve without any noise still needs a scale


def _slope(deviations: FloatArray) -> float:
    """By the medians of the first and the last third, so that single outliers do not turn it."""
    third = len(deviations) // 3
    return float(np.median(deviations[-third:]) - np.median(deviations[:third])) / (len(deviations) - third)


def _spread_after(later: FloatArray) -> float:
    """For a jump at the second point, which has no noise before it: that of the lower two thirds of what follows."""
    low = np.sort(later)[: max(1, math.ceil(len(later) * 2 / 3))]
    return max(1.2 * float(low.std()), 0.05) if len(low) else 0.05


def _follow(y: FloatArray, i: int, base: float, spread: float, earliest: int) -> Excursion:
    """From the first point that stands out: back to where the rise began, on to where it ended."""
    start = i
    while start > earliest and i - start < 10 and y[start - 1] > base + 2 * spread:
        start -= 1
    if start < i:
        base = min(base, float(np.median(y[max(0, start - 5) : start])))
    end = _return(y, i, base, max(2.5 * spread, math.log(1.1)))
    stop = len(y) if end is None else end
    peak = i + int(np.argmax(y[i:stop]))
    height = float(y[peak] - base)
    z = height / spread
    outcome: Outcome = "back" if end is not None else _outcome(y, start, peak, base)
    return Excursion(start, peak, end, height, z, outcome)


def _return(y: FloatArray, i: int, base: float, least: float) -> int | None:
    """The first point back at the base, give or take noise and a tenth of the height; looked for in growing windows."""
    reach = 200
    while True:
        window = y[i : i + reach]
        highest = np.maximum.accumulate(window)[:-1] - base
        back = np.flatnonzero(_median_of_next_three(window[1:]) <= base + np.maximum(least, 0.1 * highest))
        whole = i + reach >= len(y)
        # Near the window's edge a point was judged without those after it.
        if len(back) and (whole or back[0] < len(window) - 4):
            return i + 1 + int(back[0])
        if whole:
            return None
        reach *= 4


def _median_of_next_three(y: FloatArray) -> FloatArray:
    """A single low point within a raised stretch is noise, not a return; the last points stand for themselves."""
    if len(y) < 3:
        return y
    inner = np.median(np.stack([y[:-2], y[1:-1], y[2:]]), axis=0)
    return np.concatenate([inner, [max(y[-2], y[-1]), y[-1]]])


def _outcome(y: FloatArray, start: int, peak: int, base: float) -> Outcome:
    """What a rise is that had not come back when the record ended."""
    since = len(y) - start
    tail = y[start:]
    climbing = since >= 3 and bool(np.all(np.diff(tail) > 0))
    if climbing:
        return "stays"
    if since <= max(5, 0.01 * len(y)):
        return "returning" if peak < len(y) - 1 and y[-1] < 0.7 * y[peak] + 0.3 * base else "open"
    falling = y[peak:]
    third = falling[-max(3, len(falling) // 3) :]
    fall_per_point = (float(third[0]) - float(third[-1])) / max(1, len(third) - 1)
    needed = float(np.median(third[-3:])) - base
    # Back within twice the time since it rose, at its present pace: on its way.
    return "returning" if fall_per_point * 2 * since >= needed else "stays"


@once
def loss_excursions(run: Run) -> list[Excursion]:
    return excursions(training_loss(run))


@once
def gradient_excursions(run: Run) -> list[Excursion]:
    return excursions(gradient_norm(run))
