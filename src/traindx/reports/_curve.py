"""A small curve made of characters, readable in a terminal and in a log file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..record import Series
from ..record.types import FloatArray, IntArray
from ._prose import cells, number

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_BLOCKS = " .:#"
BROKEN = "×"  # a loss that is NaN or infinite
ASCII_BROKEN = "x"
COLUMNS_PER_POINT = 4  # so that five epochs do not become five specks
FEWEST_COLUMNS = 24  # room for the axis's own words
LOG_RANGE = 100.0  # beyond this ratio a linear axis shows a cliff and a floor, and nothing between


@dataclass(frozen=True)
class Scale:
    """What the axes span; curves drawn above each other share it."""

    first: int
    last: int
    low: float
    high: float

    @classmethod
    def over(cls, curves: Sequence[Series]) -> Scale:
        steps = np.concatenate([curve.steps for curve in curves])
        values = np.concatenate([curve.finite.values for curve in curves])
        low, high = (float(values.min()), float(values.max())) if len(values) else (np.nan, np.nan)
        return cls(int(steps.min()), int(steps.max()), low, high)

    @property
    def log(self) -> bool:
        return self.low > 0 and self.high > self.low * LOG_RANGE

    def columns(self, steps: IntArray, count: int) -> IntArray:
        """Where steps lie among `count` columns."""
        share = (np.asarray(steps, float) - self.first) / max(1, self.last - self.first)
        return np.clip(np.rint(share * (count - 1)), 0, count - 1).astype(np.int64)

    def heights(self, values: FloatArray) -> FloatArray:
        """Values as shares of the height, 0 to 1."""
        low, high = self.low, self.high
        if self.log:
            values = np.log(np.maximum(values, low))
            low, high = float(np.log(low)), float(np.log(high))
        if not high > low:
            return np.zeros_like(values)
        # Halved first: the difference of two huge numbers of opposite sign is infinite.
        share: FloatArray = np.clip((values / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0)
        return share


def figure(curves: Sequence[Series], onset: int | None, *, width: int, rows: int, ascii_only: bool) -> list[str]:
    """The curves under each other on one scale, each `rows` high, with the onset marked below."""
    scale = Scale.over(curves)
    labels = [""] * rows
    if np.isfinite(scale.low):
        labels[0], labels[-1] = number(scale.high), number(scale.low)
    margin = max(map(len, labels))
    columns = max(FEWEST_COLUMNS, min(width - margin - 2, COLUMNS_PER_POINT * max(map(len, curves))))
    lines = []
    for curve in curves:
        drawn = _drawn(curve, scale, columns, rows, ascii_only)
        lines += [f"{label:>{margin}} |{line}" for label, line in zip(labels, drawn, strict=True)]
    lines += [" " * (margin + 2) + line for line in _axis(scale, onset, columns)]
    remarks = ["log scale"] if scale.log else []
    if any(len(curve.finite) < len(curve) for curve in curves):
        remarks.append(f"{ASCII_BROKEN if ascii_only else BROKEN} = NaN or infinite")
    if remarks:
        lines[-1] += f"  ({', '.join(remarks)})"
        if cells(lines[-1]) > width:
            lines[-1:] = [lines[-1].partition("  (")[0], " " * (margin + 2) + f"({', '.join(remarks)})"]
    return lines


def _drawn(curve: Series, scale: Scale, columns: int, rows: int, ascii_only: bool) -> list[str]:
    """A column shows the mean of its points; one without points continues the last loss known."""
    blocks, mark = (ASCII_BLOCKS, ASCII_BROKEN) if ascii_only else (BLOCKS, BROKEN)
    full = len(blocks) - 1
    finite = np.isfinite(curve.values)
    places = scale.columns(curve.steps, columns)
    counts = np.bincount(places[finite], minlength=columns)
    shares = curve.values[finite] / counts[places[finite]]  # divided before summing: a sum could overflow
    means = np.bincount(places[finite], weights=shares, minlength=columns).astype(np.float64)
    broken = np.bincount(places[~finite], minlength=columns) > 0
    # A column with a value is never empty, so its level is at least 1.
    levels = np.where(counts > 0, 1 + np.rint(scale.heights(means) * (rows * full - 1)), 0).astype(int)
    source = np.maximum.accumulate(np.where((counts > 0) | broken, np.arange(columns), -1))
    lines = []
    for row in reversed(range(rows)):
        line = ""
        for column in source:
            if column >= 0 and broken[column]:
                line += mark if row == 0 else " "
            else:
                line += " " if column < 0 else blocks[min(full, max(0, levels[column] - row * full))]
        lines.append(line.rstrip())
    return lines


def _axis(scale: Scale, onset: int | None, columns: int) -> list[str]:
    """The steps below the curve: first, last, and a mark under the onset."""
    first, last = f"step {scale.first}", str(scale.last)
    lines = [first + last.rjust(columns - len(first))]
    if onset is not None and scale.first <= onset <= scale.last:
        place = int(scale.columns(np.array([onset]), columns)[0])
        words = f"from step {onset}"
        room = place + 2 + len(words) <= columns
        lines.insert(0, " " * place + f"^ {words}" if room else f"{words} ^".rjust(place + 1))
    return lines
