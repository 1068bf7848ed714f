"""Swings of the training loss that sampling cannot explain, without net progress.

Sampling noise is independent from point to point. Three departures from that are measured over the last three fifths:
up and down in turn (neighbouring differences opposed far beyond the -0.5 of independent noise), swings that grow,
and waves of one period. All need the absence of net progress. Swings that are small beside what was learned before
them, as of a loss that went from 2.6 to 0.1 and stays there, are a doubt and no bad outcome, unless they grow.
"""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...record.types import FloatArray
from ...wording import num4, plus_minus
from .. import questions
from .._base import Missing, Sign, ramp
from .._fall import Fall, fall_of
from .._trend import trend
from ..curve import BINS, Curve, in_bins, moment, robust_spread, spread_of_differences, training_loss

ID = "loss-oscillating"
QUESTION = questions.FALLS
SHOWS = "outcome"
END = "step"
BAD_FROM = 0.8
DOUBT_FROM = 0.5
SMALL = 0.1  # swings, as a share of how far the loss has fallen
AFTER_LEARNING = 0.7  # the highest level of small swings


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 12:
        return Missing(ID, "fewer than twelve training losses were recorded")
    late = Curve(loss.steps[len(loss) * 2 // 5 :], loss.values[len(loss) * 2 // 5 :])
    if len(loss) < 30 and not trend(*loss.binned).falls:
        late = loss  # in few points all of them are needed
    x, bins = late.binned[0], in_bins(late.ratios, BINS)
    course = trend(x, bins)
    progress = course.falls and -course.change > max(0.1, 2 * course.noise)
    fall = fall_of(loss)
    learned = fall is not None and fall.z > 4 and fall.share > 0.5
    kinds = {
        "alternating": _alternating(late.ratios),
        "growing": _growing(late.ratios),
        "periodic": _periodic(late.ratios, learned),
    }
    kind = max(kinds, key=lambda name: kinds[name])
    level = 0.0 if progress else kinds[kind]
    if learned and fall is not None and kind != "growing" and _small_beside(fall, late):
        level = min(level, AFTER_LEARNING)
    swing = robust_spread(late.ratios - course.slope * late.steps) if kind != "periodic" else _range(late.ratios) / 2
    values = {"kind": kind, "swing": swing, "net_change": course.change}
    since = moment(run, int(late.steps[0]))
    if level < 0.5:
        text = f"Training loss swings by {plus_minus(min(swing, 99))} from {since} on, like independent noise."
        if progress:
            text = f"Training loss swings by {plus_minus(min(swing, 99))} from {since} on while its trend falls."
        return Sign(ID, swing, level, text, None, "info", values)
    text = f"Training loss swings by {plus_minus(min(swing, 99))} ({kind}) from {since} on without net progress."
    return Sign(ID, swing, level, text, int(late.steps[0]), "warning", values)


def _small_beside(fall: Fall, late: Curve) -> bool:
    gained = fall.start - float(np.median(late.values))
    return robust_spread(late.values) < SMALL * gained


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


def _periodic(y: FloatArray, learned: bool) -> float:
    """A wave: at least four cycles, and half of all movement in one frequency and its neighbours.

    Running means that restart each epoch swing by a fifth; after learning more than that is asked for.
    """
    n = len(y)
    if n < 10:
        return 0.0
    centred = y - np.polyval(np.polyfit(np.arange(n), y, 1), np.arange(n))
    power = np.abs(np.fft.rfft(centred * np.hanning(n))) ** 2
    total = float(power[1:].sum())
    waves = power.copy()
    waves[:4] = 0.0
    peak = int(np.argmax(waves))
    if total <= 0 or peak < 4:
        return 0.0
    share = float(power[peak - 1 : peak + 2].sum()) / total
    # Independent noise has a peak too: the share of three of n/2 frequencies, times the chance excess of the highest.
    chance = min(0.9, 3 * math.log(n) / (n / 2))
    large = ramp(_range(y), math.log(1.5), math.log(2.5)) if learned else ramp(_range(y), math.log(1.2), math.log(1.6))
    return min(ramp(share, max(0.4, chance), max(0.6, chance + 0.2)), large)


def _range(bins: FloatArray) -> float:
    low, high = np.quantile(bins, [0.1, 0.9])
    return float(high - low)


def do_now(_sign: Sign, run: Run) -> str:
    loss = training_loss(run)
    if not len(loss):
        return ""
    return f"Keep the checkpoint of {moment(run, loss.minimum_step)}, the lowest loss so far ({num4(loss.minimum)})."
