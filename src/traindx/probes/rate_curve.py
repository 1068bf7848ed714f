"""Suggests a learning rate from the losses of range tests: three common rules, their agreement, an interval.

- *steepest*: where the smoothed loss falls fastest per decade of the learning rate (Smith 2017);
- *valley*: two thirds along the longest stretch over which the loss falls;
- *minimum/10*: a tenth of the learning rate with the lowest smoothed loss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from ..record.types import FloatArray

FEWEST = 20  # a curve with fewer points is not judged
WIDTH = 0.03  # standard deviation of the smoothing kernel, as a share of the curve's length
START = 0.25  # in this first share of the curve, learning rates are so low that the loss hardly moves
# A valley must be deeper than noise alone makes it. The lowest of a hundred smoothed points of pure noise lies about
# 2.5 standard deviations below the mean, and seldom twice as far.
DEEP = 5.0
SHALLOW = 0.05  # a valley must also be at least this share of the starting loss deep
AGREE = 10.0  # rules that differ by less than this factor agree; range tests are not more precise than that


@dataclass(frozen=True)
class RateCurve:
    """One range test: learning rates in rising order, and the loss measured before the step at each of them."""

    rates: FloatArray = field(repr=False)
    losses: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.rates) != len(self.losses):
            raise ValueError(f"{len(self.rates)} learning rates against {len(self.losses)} losses")

    @property
    def finite(self) -> RateCurve:
        """The part before the first non-finite loss."""
        bad = np.flatnonzero(~np.isfinite(self.losses))
        end = int(bad[0]) if len(bad) else len(self.losses)
        return RateCurve(self.rates[:end], self.losses[:end])


class Obstacle(NamedTuple):
    """Why a curve suggests no learning rate."""

    kind: Literal["too-short", "flat", "still-falling", "unmeasured"]
    text: str


@dataclass(frozen=True)
class Reading:
    """The suggestions from one curve. Without a clear valley `rules` is empty and `obstacle` gives the reason."""

    curve: RateCurve = field(repr=False)
    smooth: FloatArray = field(repr=False)
    rules: dict[str, float] = field(default_factory=dict)
    rises_at: float | None = None  # the learning rate from which the loss rises for good
    obstacle: Obstacle | None = None

    @property
    def why_not(self) -> str | None:
        return self.obstacle.text if self.obstacle else None

    @property
    def suggestion(self) -> float | None:
        """The median of the rules."""
        return float(np.median(list(self.rules.values()))) if self.rules else None


@dataclass(frozen=True)
class RateAdvice:
    """All repeats together. `interval` is the range of the repeats' suggestions."""

    readings: Sequence[Reading] = field(repr=False)
    suggestion: float | None
    interval: tuple[float, float] | None
    rules: dict[str, float]
    agree: bool
    obstacle: Obstacle | None = None

    @property
    def why_not(self) -> str | None:
        return self.obstacle.text if self.obstacle else None

    @property
    def spread(self) -> float | None:
        """The ratio of the largest to the smallest suggestion over all repeats."""
        return None if self.interval is None else self.interval[1] / self.interval[0]


def smoothed(losses: FloatArray) -> FloatArray:
    """A Gaussian average centred on each point: unlike a running average it does not lag behind the learning rate."""
    width = max(1.0, WIDTH * len(losses))
    places = np.arange(len(losses))
    # Losses above four times the start are clipped: an exploding loss must not raise the average of its neighbours.
    start = float(np.median(losses[: max(3, len(losses) // 10)]))
    cut = np.minimum(losses, start + 3 * abs(start)) if start else losses
    weights = np.exp(-0.5 * ((places[:, None] - places[None, :]) / width) ** 2)
    return np.asarray((weights @ cut) / weights.sum(axis=1), np.float64)


def read(curve: RateCurve) -> Reading:
    """Apply the rules to one curve."""
    curve = curve.finite
    if len(curve.rates) < FEWEST:
        few = Obstacle("too-short", f"only {len(curve.rates)} finite losses were seen")
        return Reading(curve, curve.losses, obstacle=few)
    smooth = smoothed(curve.losses)
    lowest = int(np.argmin(smooth))
    early = max(5, round(START * len(smooth)))
    start = float(np.median(curve.losses[:early]))
    # Both ends of the fall are averaged: one by the Gaussian window, the other by the median of the first points (a
    # median is 1.25 times as noisy as a mean).
    averaged = 1 / (2 * np.sqrt(np.pi) * max(1.0, WIDTH * len(smooth))) + 1.25**2 / early
    noise = _noise(curve.losses) * np.sqrt(averaged)
    fall = start - float(smooth[lowest])
    if fall < max(DEEP * noise, SHALLOW * abs(start)):
        flat = Obstacle("flat", "the loss does not decrease clearly at any learning rate")
        return Reading(curve, smooth, obstacle=flat)
    if lowest >= len(smooth) - 2:
        falling = Obstacle("still-falling", "the loss still decreases at the highest learning rate tried")
        return Reading(curve, smooth, obstacle=falling)
    slopes = np.gradient(smooth, np.log10(curve.rates))
    rules = {
        "steepest": float(curve.rates[int(np.argmin(slopes[: lowest + 1]))]),
        "valley": float(curve.rates[_valley(smooth)]),
        "minimum/10": float(curve.rates[lowest]) / 10.0,
    }
    rising = np.flatnonzero(smooth[lowest:] > smooth[lowest] + 0.25 * fall)
    rises_at = float(curve.rates[lowest + int(rising[0])]) if len(rising) else None
    return Reading(curve, smooth, rules, rises_at)


def _noise(losses: FloatArray) -> float:
    """Standard deviation of single losses, from differences of neighbours in the first half, where little changes."""
    steps = np.diff(losses[: max(10, len(losses) // 2)])
    return float(1.4826 * np.median(np.abs(steps - np.median(steps))) / np.sqrt(2.0))


def _valley(smooth: FloatArray) -> int:
    """The index two thirds along the longest decreasing subsequence (single points in between may rise)."""
    length = [1] * len(smooth)
    start = list(range(len(smooth)))
    for i in range(1, len(smooth)):
        earlier = [j for j in range(i) if smooth[j] > smooth[i]]
        if earlier:
            best = max(earlier, key=lambda j: length[j])
            length[i], start[i] = length[best] + 1, start[best]
    end = int(np.argmax(length))
    return start[end] + round(2 * (end - start[end]) / 3)


def advise(curves: Sequence[RateCurve]) -> RateAdvice:
    """Combine the repeats. There is no suggestion unless more than half of the curves have a valley."""
    readings = [read(curve) for curve in curves]
    known = [reading for reading in readings if reading.suggestion is not None]
    if not known or 2 * len(known) <= len(readings):
        reasons = [reading.obstacle for reading in readings if reading.obstacle]
        unmeasured = Obstacle("unmeasured", "no curve was measured")
        return RateAdvice(readings, None, None, {}, False, reasons[0] if reasons else unmeasured)
    suggestions = [float(reading.suggestion) for reading in known if reading.suggestion is not None]
    rules = {name: _middle([reading.rules[name] for reading in known]) for name in known[0].rules}
    agree = max(rules.values()) / min(rules.values()) < AGREE
    return RateAdvice(readings, _middle(suggestions), (min(suggestions), max(suggestions)), rules, agree)


def _middle(rates: Sequence[float]) -> float:
    return float(np.exp(np.median(np.log(rates))))


def place_of(rate: float, advice: RateAdvice) -> str:
    """Where a learning rate lies on the curve, in words."""
    if advice.suggestion is None:
        return ""
    limits = [reading.rises_at for reading in advice.readings if reading.rises_at]
    if limits and rate >= min(limits):
        return f"above the learning rate at which the loss starts to rise ({min(limits):.2g})"
    times = rate / advice.suggestion
    if times > 3:
        return f"{times:.3g} times the suggestion, still below the learning rate at which the loss rises"
    if times < 1 / 3:
        return f"the suggestion is {1 / times:.3g} times higher"
    return "about where the loss falls best"


# ── while a test runs ─────────────────────────────────────────────────────────────────────────────

MEMORY = 0.9  # decay of the average: it covers about the last ten steps, a tenth of a test of a hundred
TOO_FAR = 4.0  # times the best loss; learning-rate finders usually stop there


class Smoothed:
    """Bias-corrected exponential average, its best value, and whether it has diverged from it."""

    def __init__(self) -> None:
        self._sum = 0.0
        self._weight = 0.0
        self.first = math.nan
        self.best = math.inf

    def add(self, value: float) -> float:
        self._sum = MEMORY * self._sum + (1 - MEMORY) * value
        self._weight = MEMORY * self._weight + (1 - MEMORY)
        if math.isnan(self.first):
            self.first = value
        self.best = min(self.best, self.value)
        return self.value

    @property
    def value(self) -> float:
        return self._sum / self._weight if self._weight else math.nan

    @property
    def diverged(self) -> bool:
        """Whether the average is far above its best value and above the first loss.

        A ratio means nothing if the best value is not positive. Then the average must have risen above the first loss
        by more than it had fallen below it."""
        if self.best > 0:
            return self.value > TOO_FAR * self.best and self.value > self.first
        fallen = abs(self.first - self.best) or abs(self.best) or 1.0
        return self.value > self.first + fallen
