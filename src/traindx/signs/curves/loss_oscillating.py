"""Swings of the training loss that sampling cannot explain, without net progress.

Sampling noise is independent from point to point. Three departures from that are measured over the last three fifths:
up and down in turn (neighbouring differences opposed far beyond the -0.5 of independent noise), swings that grow,
and slow coherent swings by large factors. All need the absence of net progress.
"""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...record.types import FloatArray
from .. import questions
from .._base import Missing, Sign, ramp
from .._curve import BINS, Curve, in_bins, robust_spread, spread_of_differences, training_loss
from .._trend import trend
from .._wording import percent

ID = "loss-oscillating"
QUESTION = questions.FALLS
SHOWS = "outcome"
BAD_FROM = 0.8
DOUBT_FROM = 0.5


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 12:
        return Missing(ID, "fewer than twelve training losses were recorded")
    late = Curve(loss.steps[len(loss) * 2 // 5 :], loss.values[len(loss) * 2 // 5 :])
    x, bins = late.binned[0], in_bins(late.ratios, BINS)
    course = trend(x, bins)
    progress = course.falls and -course.change > max(0.1, 2 * course.noise)
    kinds = {
        "up and down in turn": _alternating(late.ratios),
        "growing": _growing(late.ratios),
        "slow": _slow(bins) if len(bins) >= 30 else 0.0,
    }
    kind = max(kinds, key=lambda name: kinds[name])
    level = 0.0 if progress else kinds[kind]
    swing = robust_spread(late.ratios - np.interp(late.steps, x, bins)) if kind != "slow" else _range(bins) / 2
    values = {"kind": kind, "swing": swing, "net_change": course.change}
    if level < 0.5:
        return Sign(
            ID, swing, level, "The training loss swings no more than its sampling noise explains.", None, "info", values
        )
    text = (
        f"From step {late.steps[0]} on the training loss swings by about ±{percent(min(swing, 99))} ({kind}) "
        f"without net progress."
    )
    return Sign(ID, swing, level, text, int(late.steps[0]), "warning", values)


def _alternating(y: FloatArray) -> float:
    d = np.diff(y) - np.diff(y).mean()
    d = np.clip(d, *np.quantile(d, [0.02, 0.98])) if len(d) >= 50 else d
    power = float(d @ d)
    amplitude = robust_spread(y)
    if power <= 0 or len(d) < 10:
        return 0.0
    opposed = -float(d[1:] @ d[:-1]) / power
    slack = 1.0 / math.sqrt(len(d))  # the estimate's own error
    return min(ramp(opposed - slack, 0.6, 0.85), ramp(amplitude, 0.03, 0.1))


def _growing(y: FloatArray) -> float:
    quarters = [spread_of_differences(part) for part in np.array_split(y, 4)]
    if min(len(y) // 4, 10) < 10 or quarters[0] <= 0 or not all(np.diff(quarters) > 0):
        return 0.0
    return min(ramp(math.log(quarters[-1] / quarters[0]), math.log(3), math.log(8)), ramp(quarters[-1], 0.05, 0.2))


def _slow(bins: FloatArray) -> float:
    swing = _range(bins)
    middle = float(np.median(bins))
    centred = bins - bins.mean()
    power = float(centred @ centred)
    coherent = power > 0 and float(centred[1:] @ centred[:-1]) / power > 0.6  # independent noise gives about 0
    side = np.where(bins > middle + 0.25 * swing, 1, np.where(bins < middle - 0.25 * swing, -1, 0))
    turns = int(np.sum(np.diff(side[side != 0]) != 0))
    return ramp(swing, math.log(2), math.log(4)) if coherent and turns >= 5 else 0.0


def _range(bins: FloatArray) -> float:
    low, high = np.quantile(bins, [0.1, 0.9])
    return float(high - low)
