"""How far a curve falls below its start, against its noise: does learning stand out?

The test of `_rise.py` with time reversed: the level at the start against the lowest smoothed level. A model may learn
much within the first few points, so starts of several lengths are tried; the very first value alone counts half, since
correcting a bad initial output is not learning. A slow fall shows in the Mann-Kendall test over all points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..record import Run
from ..record.types import FloatArray
from ._rise import BINS, smoothed, unexplained, window
from ._trend import trend
from .curve import TYPICAL_NOISE, Curve, accuracy_of, in_bins, once, training_loss, validation_loss

SAME = 1e-5  # relative spread below which losses of different batches are one constant
THROWN_UP = math.log(30.0)  # from the first value: more than terms that begin later or queues that fill up add
CERTAIN = 4.0  # standard errors by which a loss falls that learns for certain
TRIES = 1.0  # standard errors that looking at starts of several lengths brings by luck


@dataclass(frozen=True)
class Fall:
    """`share` of the start that the lowest smoothed level lies below it; `noise` of one point, relative."""

    share: float
    z: float
    noise: float
    start: float
    lowest: float


@once
def fall_of(curve: Curve) -> Fall | None:
    """None where fewer than three points are known."""
    if len(curve) < 3:
        return None
    size = max(1, math.ceil(len(curve) / BINS))
    y = in_bins(curve.ratios, len(curve) // size) if size > 1 else curve.ratios
    width = window(len(y))
    smooth = smoothed(y, width)
    best = int(np.argmin(smooth))
    noise, inflation = unexplained(y, best, TYPICAL_NOISE / math.sqrt(size))
    points = max(1.0, width / inflation)
    low = float(smooth[best]) + 0.7 * noise * math.sqrt(2 * math.log(max(len(y) / width, 1.0)) / points)
    z, start = max(_against(y, length, low, noise, inflation, points) for length in _lengths(width, best))
    z = max(z, -trend(np.arange(float(len(y))), y).z)  # a slow steady fall shows best in all points together
    lowest = float(smooth[best])
    if curve.values.min() > 0:
        first = float(curve.values[0])
        if start - math.log(first) > THROWN_UP and lowest >= math.log(first) - 2 * noise * math.sqrt(size):
            z, start = 0.0, math.log(first)  # a return from where the first updates threw it is no learning
        level, lowest = math.exp(start), math.exp(lowest)
        share = 1 - lowest / level
    else:
        level, lowest = start * curve.size, lowest * curve.size
        share = (level - lowest) / curve.size
    return Fall(share, z, noise * math.sqrt(size), level, lowest)


def falls(curve: Curve) -> bool:
    """Whether the curve falls beyond doubt."""
    found = fall_of(curve)
    return found is not None and found.z > CERTAIN


def _lengths(width: int, best: int) -> list[int]:
    """Starts to try, all of them before the lowest stretch."""
    lengths = {1, 2, max(2, width // 2), width, 2 * width}
    return sorted(length for length in lengths if length == 1 or length <= max(1, best))


def _against(
    y: FloatArray, length: int, low: float, noise: float, inflation: float, points: float
) -> tuple[float, float]:
    start = float(np.median(y[:length]))
    z = (start - low) / (noise * math.sqrt(1 / points + 1 / max(1.0, length / inflation))) - TRIES
    return (z / 2 if length == 1 and len(y) >= 6 else z), start


@dataclass(frozen=True, eq=False)
class Objective:
    """The curve that a run is judged by, which should fall: the training loss, else the next best that was recorded."""

    name: str
    curve: Curve


@once
def objective(run: Run) -> Objective | None:
    """The training loss; without one the validation loss, then the error (1 - accuracy)."""
    for name, curve in (("Training loss", training_loss(run)), ("Validation loss", validation_loss(run))):
        if len(curve) >= 3:
            return Objective(name, curve)
    for name, phase in (("Training error", "train"), ("Validation error", "validation")):
        accuracy = accuracy_of(run, phase)
        if len(accuracy) >= 3:
            return Objective(f"{name} (1 - accuracy)", Curve(accuracy.steps, 1.0 - accuracy.values))
    return None


@once
def learning(run: Run) -> Fall | None:
    """The fall of the run's objective."""
    judged = objective(run)
    return None if judged is None else fall_of(judged.curve)


@once
def accuracy_learns(run: Run) -> float:
    """The significance with which an accuracy improves, as a share of itself or of the error that it leaves."""
    found = [0.0]
    for accuracy in (accuracy_of(run, "train"), accuracy_of(run, "validation")):
        share = accuracy.values
        if len(accuracy) < 4 or share.min() <= 0:
            continue
        curves = [Curve(accuracy.steps, 1 / share)] + ([Curve(accuracy.steps, 1 - share)] if share.max() < 1 else [])
        falls = [fall_of(curve) for curve in curves]
        found += [fall.z for fall in falls if fall is not None and fall.share > 0.05]
    return max(found)


def around_zero(curve: Curve) -> bool:
    """A loss that hovers about zero by design, as policy gradients do: its level says nothing."""
    low, middle, high = np.quantile(curve.values, [0.1, 0.5, 0.9])
    return bool(low < 0 < high and abs(middle) < 0.5 * (high - low))


@once
def constant_loss(run: Run) -> bool:
    """One number on different batches. A loss of zero is not stuck, and rounding to few digits proves nothing."""
    loss = training_loss(run)
    size = abs(float(np.median(loss.values))) if len(loss) else 0.0
    if size == 0 or np.ptp(loss.values) > SAME * size:
        return False
    digits = max(len(f"{v:.10g}".replace(".", "").strip("-0")) for v in loss.values[:50])
    return len(loss) >= 10 or digits >= 5
