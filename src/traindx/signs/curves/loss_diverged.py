"""How far the training loss ends above the best level it had held, when it does not come back.

Four shapes: a sudden rise that stays, a course that turns and climbs, a climb from the start, and a loss thrown out by
its first steps. Measured as a ratio (a log difference) of the end to the best sustained level, against the noise of
those levels and earlier swings.
Evaluations on training data are looked at too: batch losses can fall while the averaged or normalised model that is
evaluated falls apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...record.types import FloatArray
from .. import checks, questions
from .._base import Missing, Severity, Sign, ramp
from .._curve import TINY, Curve, adversarial, curve_of, robust_spread, spread_of_differences, training_loss
from .._excursions import Excursion, excursions, loss_excursions
from .._rising import steady_rise
from .._trend import trend
from .._wording import number, times

ID = "loss-diverged"
QUESTION = questions.FALLS
SHOWS = "outcome"
CORE = True
BAD_FROM = 0.7
DOUBT_FROM = 0.5
CHECK = checks.FIRST_STEPS
BLOCKS = 20
SETTLED = 4  # twentieths of the run that show a level to be a new one


@dataclass(frozen=True)
class Rise:
    level: float
    height: float
    step: int
    best: float
    end: float


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 3:
        return Missing(ID, "fewer than three training losses were recorded")
    candidates = [("training loss", loss, loss_excursions(run))]
    evaluated = curve_of(run.series("loss/validation/training_data"))
    if len(evaluated) >= 5:
        candidates.append(("loss evaluated on training data", evaluated, excursions(evaluated)))
    what, rise = max(((name, _rise(curve, jumps)) for name, curve, jumps in candidates), key=lambda pair: pair[1].level)
    steady = steady_rise(run)
    if rise.level < 0.5 and steady.level > rise.level:
        low = loss.last * math.exp(-steady.change) if loss.values.min() > 0 else loss.last - steady.change * loss.size
        what, rise = "training loss", Rise(steady.level, steady.change, int(loss.steps[0]), low, loss.last)
    level = min(rise.level, 0.4) if adversarial(run) else rise.level
    values = {"series": what, "best": rise.best, "end": rise.end, "log_ratio": rise.height}
    if level < 0.5:
        return Sign(
            ID,
            rise.height,
            level,
            f"The {what} ends at {number(rise.end)}; its best level was {number(rise.best)}.",
            None,
            "info",
            values,
        )
    severity: Severity = "critical" if rise.height >= math.log(1.5) else "warning" if rise.height >= 0.05 else "info"
    factor = f", {times(rise.height)}" if rise.best > 0 else " against"
    text = (
        f"The {what} leaves its level upward at step {rise.step} and does not come back: "
        f"{number(rise.end)} at the end{factor} its best level {number(rise.best)}."
    )
    return Sign(ID, rise.height, level, text, rise.step, severity, values)


def _rise(curve: Curve, jumps: list[Excursion]) -> Rise:
    return max(_climb(curve), _jump(curve, jumps), _left_at_once(curve), key=lambda rise: rise.level)


def _left_at_once(curve: Curve) -> Rise:
    """Far above the very first loss ever since: the first steps threw it out, so there was no level to hold."""
    half = len(curve) // 2
    first, end = float(curve.values[0]), float(np.median(curve.values[half:]))
    gap = _gap(curve, first, end)
    spread, spread_of_ratios = robust_spread(curve.values[half:]), robust_spread(curve.ratios[half:])
    # In ratios and in values: a first batch that is low by luck stands out in one of them only.
    certain = min(
        ramp(end - first, 1.5 * spread, 3 * spread + TINY),
        ramp(gap, 2 * spread_of_ratios, 4 * spread_of_ratios + TINY),
    )
    at = int(np.argmax(curve.values > first + 0.5 * (end - first)))
    level = min(certain, ramp(gap, 0.2, 0.7)) if gap > 0 and len(curve) >= 20 and first > 0 else 0.0
    return Rise(level, gap, int(curve.steps[at]), first, curve.last)


def _jump(curve: Curve, jumps: list[Excursion]) -> Rise:
    """A sudden rise that stays up."""
    for found in jumps:
        if found.outcome == "stays":
            before = float(np.median(curve.values[max(0, found.start - 31) : found.start]))
            end = curve.last if len(curve) - found.start > 3 else float(curve.values[-1])
            gap = _gap(curve, before, end)
            return Rise(min(found.level, ramp(gap, 0.03, 0.2)), gap, int(curve.steps[found.start]), before, end)
    return Rise(0.0, 0.0, int(curve.steps[0]), float(curve.values.min()), curve.last)


def _climb(curve: Curve) -> Rise:
    """A turn and a climb, seen on the medians of twentieths (on threes of a short curve)."""
    n = len(curve)
    size = max(1, n // BLOCKS) if n >= 2 * BLOCKS else 1
    cut = n - n % size
    y = np.median(curve.ratios[n - cut :].reshape(-1, size), axis=1)
    if size == 1 and n >= 5:
        y = np.concatenate([y[:1], np.median(np.stack([y[:-2], y[1:-1], y[2:]]), axis=0), y[-1:]])
    best = int(np.argmin(y))
    tail = y[best:]
    nothing = Rise(0.0, 0.0, int(curve.steps[0]), float(curve.values.min()), curve.last)
    if len(tail) < 4:
        return nothing
    end = float(np.median(tail[-2:]))
    height = end - float(y[best])
    course = trend(np.arange(len(tail), dtype=np.float64), tail)
    still_up = height >= 0.6 * (float(tail.max()) - float(y[best]))
    # Five points in strict order happen by chance once in 120 times; the test's normal approximation is too shy there.
    climbs = course.rises or (len(tail) >= 5 and bool(np.all(np.diff(tail) > 0)))
    settles = not climbs and _settles_above(tail)
    if height <= 0 or not (climbs or settles) or not still_up:
        return nothing
    own_noise = 1.25 * spread_of_differences(curve.ratios) / math.sqrt(size)
    noise = max(own_noise, robust_spread(tail[-SETTLED:]) if settles else course.noise, 1e-3)
    # The best of many noisy levels lies about two spreads below their middle by luck alone.
    certain = ramp(height / noise, 4, 7)
    # It leaves its level after the last stretch that was still there.
    there = np.flatnonzero(tail <= tail[0] + max(2 * own_noise, 0.05 * height))
    at = n - cut + (best + int(there[-1]) + 1) * size
    # A handful of points in order may be a slow swing: there only a rise by half counts.
    # So may a course that has levelled out again: other data would do that.
    large = ramp(height, 0.03, 0.2) if climbs and n >= 8 else ramp(height, 0.2, 0.5)
    level = min(certain, large, _beyond_earlier_swings(y[: best + 1], height))
    low = n - cut + best * size
    return Rise(
        level, height, int(curve.steps[min(at, n - 1)]), float(np.median(curve.values[low : low + size])), curve.last
    )


def _settles_above(tail: FloatArray) -> bool:
    """After the best level a rise to a new one that holds to the end: neither climbing on nor on its way back."""
    height = float(tail[-SETTLED:].min()) - float(tail[0])
    return len(tail) > SETTLED + 1 and height >= 0.85 * (float(tail.max()) - float(tail[0]))


def _beyond_earlier_swings(before: FloatArray, height: float) -> float:
    """0 to 1: a loss that has swung up as far before and come back may do so again. The first fifth settles in."""
    settled = before[len(before) // 5 :]
    earlier = float(np.max(settled - np.minimum.accumulate(settled)))
    return ramp(height, earlier, 1.5 * earlier) if earlier > 0 else 1.0


def _gap(curve: Curve, low: float, high: float) -> float:
    if low > 0 and high > 0:
        return math.log(high / low)
    return (high - low) / curve.size
