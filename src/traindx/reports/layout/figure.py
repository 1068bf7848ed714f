"""A small curve made of characters, readable in a terminal and in a log file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...record import Series
from ...record.types import FloatArray, IntArray
from ...wording import num

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_BLOCKS = " .:#"
BROKEN = "×"  # a loss that is NaN or infinite
ASCII_BROKEN = "x"
COLUMNS_PER_POINT = 4  # so that five epochs do not become five specks
FEWEST_COLUMNS = 24  # room for the axis's own words
LOG_RANGE = 100.0  # beyond this ratio a linear axis shows a cliff and a floor, and nothing between


LABEL = len("-1.23e+308")  # the longest number on the left


@dataclass(frozen=True)
class Axis:
    """The steps from left to right, shared by curves above each other."""

    first: int
    last: int
    columns: int
    unit: str = "step"

    def places(self, steps: IntArray) -> IntArray:
        """The columns in which steps lie."""
        share = (np.asarray(steps, float) - self.first) / max(1, self.last - self.first)
        return np.clip(np.rint(share * (self.columns - 1)), 0, self.columns - 1).astype(np.int64)


@dataclass(frozen=True)
class Bars:
    """What each column shows: the mean of its points, or that one of them is not finite.

    A column without points continues the one before it: that was the last loss known. Before the first, nothing.
    """

    means: FloatArray  # NaN where there is no finite mean
    broken: NDArray[np.bool_]

    @classmethod
    def of(cls, curve: Series, axis: Axis) -> Bars:
        finite = np.isfinite(curve.values)
        places = axis.places(curve.steps)
        counts = np.bincount(places[finite], minlength=axis.columns)
        shares = curve.values[finite] / counts[places[finite]]  # divided before summing: a sum could overflow
        means = np.bincount(places[finite], weights=shares, minlength=axis.columns).astype(np.float64)
        broken = np.bincount(places[~finite], minlength=axis.columns) > 0
        means[(counts == 0) | broken] = np.nan
        last_known = np.maximum.accumulate(np.where((counts > 0) | broken, np.arange(axis.columns), -1))
        known = last_known >= 0
        return cls(np.where(known, means[last_known], np.nan), known & broken[last_known])


@dataclass(frozen=True)
class Scale:
    """The values from bottom to top, shared by curves above each other."""

    low: float
    high: float

    @classmethod
    def over(cls, curves: Sequence[Bars]) -> Scale:
        drawn = np.concatenate([bars.means[np.isfinite(bars.means)] for bars in curves])
        return cls(float(drawn.min()), float(drawn.max())) if len(drawn) else cls(np.nan, np.nan)

    @property
    def log(self) -> bool:
        return self.low > 0 and self.high > self.low * LOG_RANGE

    @property
    def flat(self) -> bool:
        """The ends read the same. Magnified, a loss that stood still would seem to fall."""
        return not self.low < self.high or num(self.low) == num(self.high)

    def heights(self, values: FloatArray) -> FloatArray:
        """Values as shares of the height, 0 to 1; NaN stays."""
        low, high = self.low, self.high
        if self.flat:
            return np.where(np.isnan(values), np.nan, 0.0)
        if self.log:
            values, low, high = np.log(values), float(np.log(low)), float(np.log(high))
        # Halved first: the difference of two huge numbers of opposite sign is infinite.
        return np.asarray((values / 2 - low / 2) / (high / 2 - low / 2), np.float64)


def figure(
    curves: Sequence[Series], onset: int | None, *, width: int, rows: int, ascii_only: bool, unit: str = "step"
) -> list[str]:
    """The curves under each other on one scale, each `rows` high, with the onset marked below."""
    steps = np.concatenate([curve.steps for curve in curves])
    columns = max(FEWEST_COLUMNS, min(width - LABEL - 2, COLUMNS_PER_POINT * max(map(len, curves))))
    axis = Axis(int(steps.min()), int(steps.max()), columns, unit)
    bars = [Bars.of(curve, axis) for curve in curves]
    scale = Scale.over(bars)
    labels = [""] * rows
    if np.isfinite(scale.low):
        labels[0], labels[-1] = num(scale.high), num(scale.low)
    margin = max(map(len, labels))
    lines = []
    for each in bars:
        drawn = _drawn(each, scale, rows, ascii_only)
        lines += [f"{label:>{margin}} |{line}" for label, line in zip(labels, drawn, strict=True)]
    remarks = ["log scale"] if scale.log else []
    if any(each.broken.any() for each in bars):
        remarks.append(f"{ASCII_BROKEN if ascii_only else BROKEN} = NaN or Inf")
    below = _below(axis, onset) + ([f"({', '.join(remarks)})"] if remarks else [])
    return lines + [" " * (margin + 2) + line for line in below]


def _drawn(bars: Bars, scale: Scale, rows: int, ascii_only: bool) -> list[str]:
    blocks, mark = (ASCII_BLOCKS, ASCII_BROKEN) if ascii_only else (BLOCKS, BROKEN)
    full = len(blocks) - 1
    # A column with a value is never empty, so its level is at least 1.
    levels = np.nan_to_num(1 + np.rint(scale.heights(bars.means) * (rows * full - 1))).astype(int)
    lines = []
    for row in reversed(range(rows)):
        line = [blocks[min(full, max(0, level - row * full))] for level in levels]
        if row == 0:
            line = [mark if broken else block for block, broken in zip(line, bars.broken, strict=True)]
        lines.append("".join(line).rstrip())
    return lines


def _below(axis: Axis, onset: int | None) -> list[str]:
    """The steps below the curve: first, last, and a mark under the onset."""
    first, last = f"{axis.unit} {axis.first}", str(axis.last)
    lines = [first if axis.first == axis.last else first + last.rjust(axis.columns - len(first))]
    if onset is not None and axis.first <= onset <= axis.last:
        place = int(axis.places(np.array([onset]))[0])
        words = f"from {axis.unit} {onset}"
        room = place + 2 + len(words) <= axis.columns
        lines.insert(0, " " * place + f"^ {words}" if room else f"{words} ^".rjust(place + 1))
    return lines
