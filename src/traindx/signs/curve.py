"""A scalar series made fit for measuring: finite, in order, one value a step (`Series.in_order`).

Readers have already split a log into runs (`readers/rows/splitting.py`). All signs that read a curve need the same one,
so it is made once per run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import pairwise
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from ..record import Run, Series
from ..record.course import Log
from ..record.types import FloatArray, IntArray

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")

DECADES = 10.0  # a loss whose level changes tenfold is judged by ratios, others by differences
BINS = 100  # enough to place an onset to 1 % of the run, few enough for pairwise statistics
BLOCKS = 20
TYPICAL_NOISE = 0.015  # of one loss, relative: a prior worth two points, where few points show little of their own
HUGE, TINY = 1e100, 1e-100  # beyond that squares and ratios overflow; such a loss counts as diverged, or as zero


def once(compute: Callable[[Key], Result]) -> Callable[[Key], Result]:
    """Remember what `compute` found for a run or a curve while that lives; both are read-only."""
    known: WeakKeyDictionary[Key, Result] = WeakKeyDictionary()

    @wraps(compute)
    def remembered(of: Key) -> Result:
        if of not in known:
            known[of] = compute(of)
        return known[of]

    return remembered


@dataclass(frozen=True, eq=False)
class Curve:
    """Finite values by increasing step. `y` is what trends are measured on: logarithms when the level spans decades."""

    steps: IntArray
    values: FloatArray

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def logarithmic(self) -> bool:
        if len(self) == 0 or self.values.min() <= 0:
            return False
        levels = in_bins(self.values, BLOCKS)
        return bool(levels.max() / levels.min() >= DECADES)

    @cached_property
    def y(self) -> FloatArray:
        return np.log(self.values) if self.logarithmic else self.values

    @cached_property
    def ratios(self) -> FloatArray:
        """Logarithms where all values are positive, so that differences are ratios; else values in units of `size`."""
        if len(self) and self.values.min() > 0:
            return np.log(self.values)
        return self.values / self.size

    @cached_property
    def size(self) -> float:
        """What counts as large for a curve that has no ratios: its typical value or the range it covers."""
        if len(self) == 0:
            return 1.0
        low, high = np.quantile(self.values, [0.05, 0.95])
        return max(float(np.median(np.abs(self.values))), float(high - low)) or 1.0

    @cached_property
    def binned(self) -> tuple[FloatArray, FloatArray]:
        """At most `BINS` points (mean step, median of y): single outliers do not bend a bin of five or more."""
        return in_bins(self.steps.astype(np.float64), BINS, np.mean), in_bins(self.y, BINS)

    @cached_property
    def binned_ratios(self) -> tuple[FloatArray, FloatArray]:
        """The same with `ratios` instead of y."""
        return self.binned[0], in_bins(self.ratios, BINS)

    @cached_property
    def second_half(self) -> Curve:
        """The points in the second half of the steps."""
        return self.between(self.steps[0] + (self.steps[-1] - self.steps[0]) / 2, np.inf)

    @cached_property
    def levels(self) -> FloatArray:
        """Median values of at most `BLOCKS` equal stretches."""
        return in_bins(self.values, BLOCKS)

    @cached_property
    def noise(self) -> float:
        """Robust standard deviation of a point around its neighbours, in units of y."""
        return spread_of_differences(self.y)

    @cached_property
    def first(self) -> float:
        """The level at the start: the first point of a short log, the median of at most five of a long one."""
        return float(np.median(self.values[: max(1, min(5, len(self) // 100))]))

    @cached_property
    def last(self) -> float:
        """The level at the end: the median of the last tenth, at least three points where there are six."""
        return float(np.median(self.values[-max(min(3, len(self) // 2), len(self) // 10, 1) :]))

    @property
    def minimum(self) -> float:
        """The lowest recorded value, as it stands in the record."""
        return float(self.values.min())

    @property
    def minimum_step(self) -> int:
        """The step of the lowest recorded value, the first one where several are equal."""
        return int(self.steps[int(np.argmin(self.values))])

    @property
    def final(self) -> float:
        """The last recorded value, as it stands in the record; `last` is the smoothed level."""
        return float(self.values[-1])

    @property
    def final_step(self) -> int:
        return int(self.steps[-1])

    @cached_property
    def spacing(self) -> float:
        """Typical number of steps between points."""
        return float(np.median(np.diff(self.steps))) if len(self) > 1 else 1.0

    @property
    def begins_late(self) -> bool:
        """The record is an excerpt: its first step is far from 0, so nothing can be said of the start."""
        span = float(self.steps[-1] - self.steps[0])
        return bool(self.steps[0] > 5 * self.spacing and self.steps[0] > 0.1 * span)

    def between(self, start: float, stop: float) -> Curve:
        """The points with start <= step < stop."""
        keep = (self.steps >= start) & (self.steps < stop)
        return Curve(self.steps[keep], self.values[keep])


def spread_of_differences(y: FloatArray) -> float:
    """Robust standard deviation of independent noise, from successive differences (a trend hardly enters)."""
    if len(y) < 3:
        return 0.0
    steps = np.diff(y)  # the mean is the trend; the median of a curve that swings would be one of its two steps
    return float(1.4826 * np.median(np.abs(steps - steps.mean())) / np.sqrt(2))


def robust_spread(residuals: FloatArray) -> float:
    """Standard deviation by the median absolute deviation."""
    return float(1.4826 * np.median(np.abs(residuals - np.median(residuals)))) if len(residuals) else 0.0


def in_bins(values: FloatArray, count: int, centre: Callable[..., FloatArray] = np.median) -> FloatArray:
    """`values` in `count` equal stretches, each by its centre; as they are when there are no more than that."""
    if len(values) <= count:
        return values
    size = len(values) // count
    head = len(values) - size * count  # the points left over go into the first stretch
    rest = centre(values[head:].reshape(count, size), axis=1)
    if head:
        rest[0] = centre(values[: head + size])
    return rest


def curve_of(series: Series) -> Curve:
    """The points of a series in order, one a step."""
    points = series.in_order
    values = np.where(np.abs(points.values) < TINY, 0.0, np.clip(points.values, -HUGE, HUGE))
    return Curve(points.steps, values)


@once
def _accuracies(run: Run) -> dict[str, Curve]:
    found = {phase: curve_of(run.series(f"accuracy/{phase}")) for phase in ("train", "validation")}
    return {
        phase: Curve(curve.steps, curve.values / 100) if curve.values.max(initial=0.0) > 1.5 else curve
        for phase, curve in found.items()
    }


def accuracy_of(run: Run, phase: str) -> Curve:
    """The accuracy of `train` or `validation`, as a share."""
    return _accuracies(run)[phase]


def moment(run: Run, step: int) -> str:
    """`epoch 12` where a log counts epochs, `row 12` where it counts nothing, else `step 12`."""
    unit = run.log.step_unit
    return f"{unit if unit in ('epoch', 'row') else 'step'} {step}"


@once
def training_loss(run: Run) -> Curve:
    """The training loss; where only evaluations on training data were recorded, those."""
    return _in_main_training(run, curve_of(run.series("loss/train") or run.series("loss/validation/training_data")))


@once
def main_training(run: Run) -> tuple[float, float] | None:
    """The steps of the longest of several trainings that one script made one after the other; None where it made one.

    Folds, a teacher and its student, a search for the learning rate: each has an optimizer of its own, which begins
    where the one before has ended.
    """
    found = [(o.first_step, o.steps) for o in run.optimizers]
    spans = sorted((first, first + steps) for first, steps in found if first is not None and steps)
    if len(spans) < 2 or any(after[0] < before[1] - 1 for before, after in pairwise(spans)):
        return None
    return max(reversed(spans), key=lambda span: span[1] - span[0])


def _in_main_training(run: Run, curve: Curve) -> Curve:
    span = main_training(run)
    return curve if span is None else curve.between(span[0], span[1] + 1)


@once
def is_excerpt(run: Run) -> bool:
    """The record begins in the middle of a run, by its steps or by its epochs."""
    loss, epochs = training_loss(run), curve_of(run.series("epoch")).values
    if len(loss) and loss.begins_late:
        return True
    if len(epochs) < 2:
        return False
    spacing, span = float(np.median(np.abs(np.diff(epochs)))), float(np.ptp(epochs))
    return bool(epochs[0] > max(5 * spacing, 0.1 * span) and epochs[0] % 1 > 0)


@once
def validation_loss(run: Run) -> Curve:
    return _in_main_training(run, curve_of(run.series("loss/validation")))


@once
def gradient_norm(run: Run) -> Curve:
    return _in_main_training(run, curve_of(run.series("grad_norm")))


def _names_adversaries(log: Log) -> bool:
    """Whether the column that is read as the training loss is a generator's, a discriminator's, or adds both."""
    words = re.split(r"[^a-z]+", str(log.columns.get("loss/train")).lower())
    if {"generator", "discriminator"} & set(words):
        return True
    return bool({"g", "gen"} & set(words)) and bool({"d", "dis", "disc"} & set(words))


@once
def means_little(run: Run) -> bool:
    """A loss whose curve does not measure progress: that of adversarial networks, or of reinforcement learning.

    Targets that move with the policy make such a loss grow while the policy gets better.
    """
    return adversarial(run) or bool(run.rl)


@once
def adversarial(run: Run) -> bool:
    """Adversarial networks: an equilibrium is sought, so a flat or rising loss means little.

    From inside: several optimizers step in turns and several losses are differentiated; a model that is trained when
    another one is done has no adversary. In a log: a loss for each network.
    """
    log = run.log
    if log:
        return bool(run.series("loss/train/1") or log.networks) or _names_adversaries(log)
    if not run.series("loss/train/1") or main_training(run) is not None:
        return False
    return sum(bool(optimizer.steps) for optimizer in run.optimizers) > 1


def score_name(series: str) -> str:
    """What the score of `accuracy/validation` or `metric/validation/f1` is called."""
    return "accuracy" if series.startswith("accuracy/") else series.rpartition("/")[2]


def ended(run: Run) -> bool:
    """Whether the run is known to be over; a log does not tell."""
    return run.exit not in ("", "running")


def stop(run: Run) -> str:
    """How advice against further steps begins."""
    return "Do not train on" if ended(run) else "Stop the run"
